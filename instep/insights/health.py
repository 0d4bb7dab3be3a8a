"""The health of a bot's articles: worked out when something has changed, remembered until then."""

import asyncio
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from time import monotonic
from typing import Literal
from uuid import UUID

from instep.core import limits
from instep.core.errors import RateLimited
from instep.core.markdown import MARKS
from instep.core.restarts import first_attempt_began
from instep.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.identity.schemas import Bot, Ctx
from instep.insights import health_queries
from instep.insights.checks_help_center import LIBRARY_CHECKS, ArticleContext
from instep.insights.checks_signals import SIGN_CHECKS
from instep.insights.health_queries import HealthState, Signal, TextRow
from instep.insights.help_center import ArticleMeta, HelpCenter
from instep.insights.lru_cache import SizedLruCache
from instep.insights.problems import in_order, run, score_of
from instep.insights.schemas import Health
from instep.insights.text_analysis import NOT_ANALYZED, TextAnalysis, analyze_texts

Wanted = Literal["all", "draft", "in_review", "published", "archived"]
Key = tuple[Bot, Wanted, date, tuple[Hashable, ...]]

Signs = dict[str, list[Signal]]

# A little is read on the spot; more would keep other requests waiting.
LITTLE_CHARACTERS = 20_000
LITTLE_MARKS = 1_000

# Both hold only what follows from the database: a version of a text and a state of a bot never change.
examined: SizedLruCache[Key, list[Health]] = SizedLruCache(limits.MAX_CACHED_PROBLEMS)
readings: SizedLruCache[tuple[UUID, str, int], TextAnalysis] = SizedLruCache(limits.MAX_ANALYSIS_CACHE_BYTES)
at_work: set[object] = set()


class StillExamining(RateLimited):
    """The articles are still being examined: ask again when `Retry-After` says, it goes on from there."""

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": str(limits.CHECK_RETRY_SECONDS)})


async def examine(ctx: Ctx, wanted: Wanted) -> list[Health]:
    """The health of all wanted articles, worst first."""
    # Read before anything else: what changes from here on has a later stamp.
    state = await health_queries.find_state(ctx)
    # Names and judgements are forgotten by the day.
    key = (ctx.bot, wanted, ctx.now.date(), state.key)
    found = examined.get(key)
    if found is None:
        library = await fill_library(ctx, wanted, state)
        signs = by_article(await health_queries.list_signals(ctx))
        found = await asyncio.to_thread(assess, library, wanted, signs)
        examined.put(key, found, sum(1 + len(health.problems) for health in found))
    return found


async def fill_library(ctx: Ctx, wanted: Wanted, state: HealthState) -> HelpCenter:
    cards = await health_queries.list_cards(ctx)
    compared = [card for card in cards if card.is_live or is_wanted(card, wanted)]
    return HelpCenter(
        home=ctx.bot.help_url,
        locale=ctx.bot.locale,
        cards=cards,
        readings=await read_all(ctx, compared),
        former=await health_queries.list_former_slugs(ctx),
        collections=frozenset(state.collections),
        waiting=frozenset(state.waiting),
    )


def by_article(signs: Sequence[Signal]) -> Signs:
    found: Signs = defaultdict(list)
    for sign in signs:
        found[sign.article_id].append(sign)
    return found


def assess(library: HelpCenter, wanted: Wanted, signs: Signs) -> list[Health]:
    """Worst first; equal ones by id."""
    found = [
        assess_one(library, card, signs.get(card.id, [])) for card in library.cards if is_wanted(card, wanted)
    ]
    return sorted(found, key=place_of)


def assess_one(library: HelpCenter, card: ArticleMeta, signs: Sequence[Signal] = ()) -> Health:
    # An article that was deleted meanwhile has no text any more; the next stamp leaves it out.
    reading = library.readings.get(card.id, NOT_ANALYZED)
    shelved = ArticleContext(card, reading, library)
    problems = in_order([*reading.problems, *run(LIBRARY_CHECKS, shelved), *run(SIGN_CHECKS, signs)])
    return Health(card.id, card.title, score_of(problems), problems)


def place_of(health: Health) -> tuple[int, str]:
    return health.score, health.article_id


def is_wanted(card: ArticleMeta, wanted: Wanted) -> bool:
    return wanted in ("all", card.status)


async def read_all(ctx: Ctx, cards: list[ArticleMeta]) -> dict[str, TextAnalysis]:
    """What each text is by itself; only texts that are not remembered are fetched and looked through."""
    known = {card.id: readings.get((ctx.bot.id, card.id, card.version)) for card in cards}
    found = {article_id: reading for article_id, reading in known.items() if reading is not None}
    missing = [card for card in cards if card.id not in found]
    if missing:
        with examining():
            deadline = first_attempt_began() + limits.CHECK_SECONDS
            for batch in batches(missing):
                rows = await health_queries.list_texts(ctx, [card.id for card in batch])
                found |= await read_rows(ctx, rows, deadline)
    return found


@contextmanager
def examining() -> Iterator[None]:
    """A place among those who may look through many texts at once."""
    if len(at_work) >= limits.MAX_CONCURRENT_CHECKS:
        raise StillExamining
    me = object()
    at_work.add(me)
    try:
        yield
    finally:
        at_work.remove(me)


def batches(cards: list[ArticleMeta]) -> Iterator[list[ArticleMeta]]:
    """As many articles at a time as their texts allow."""
    batch: list[ArticleMeta] = []
    size = 0
    for card in cards:
        if batch and size + card.size > limits.MAX_ANALYZED_CHARACTERS:
            yield batch
            batch, size = [], 0
        batch.append(card)
        size += card.size
    if batch:
        yield batch


async def read_rows(ctx: Ctx, rows: Sequence[TextRow], deadline: float) -> dict[str, TextAnalysis]:
    """Read texts and remember what was found; if they take too long together, one after the other."""
    if monotonic() > deadline:
        raise StillExamining
    try:
        read = await read_bounded([(row.title, row.content) for row in rows])
    except TimeLimitExceeded:
        if len(rows) > 1:
            singly = [await read_rows(ctx, [row], deadline) for row in rows]
            return {article_id: reading for one in singly for article_id, reading in one.items()}
        read = [NOT_ANALYZED]
    for row, reading in zip(rows, read, strict=True):
        readings.put((ctx.bot.id, row.id, row.version), reading, reading.size)
    return {row.id: reading for row, reading in zip(rows, read, strict=True)}


async def read_bounded(texts: list[tuple[str | None, str]]) -> list[TextAnalysis]:
    """Read texts, many or odd ones in a process that can be killed."""
    if is_little(texts):
        return analyze_texts(texts)
    return await run_with_timeout(analyze_texts, texts, seconds=limits.MAX_ANALYSIS_SECONDS)


def is_little(texts: list[tuple[str | None, str]]) -> bool:
    if sum(len(content) for _, content in texts) > LITTLE_CHARACTERS:
        return False
    return sum(content.count(mark) for _, content in texts for mark in (*MARKS, "![")) <= LITTLE_MARKS
