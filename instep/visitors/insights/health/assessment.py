"""The health of a bot's articles: computed when something has changed, cached until then."""

import asyncio
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from operator import attrgetter
from time import monotonic
from typing import Literal, TypeVar
from uuid import UUID

from cachetools import LRUCache

from instep.content.style.actions import find_style
from instep.content.style.schemas import Style
from instep.platform.core import limits
from instep.platform.core.errors import RateLimited
from instep.platform.core.markdown import MARKS
from instep.platform.core.restarts import first_attempt_began
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded
from instep.platform.identity.schemas import Bot, Ctx
from instep.visitors.insights.health import queries
from instep.visitors.insights.health.checks_help_center import HELP_CENTER_CHECKS, ArticleContext
from instep.visitors.insights.health.checks_signals import SIGNAL_CHECKS
from instep.visitors.insights.health.help_center import ArticleMeta, HelpCenter
from instep.visitors.insights.health.kinds_of_problems import Assessment, assessment_of
from instep.visitors.insights.health.problems import run_checks, score_of, sort_problems
from instep.visitors.insights.health.queries import HealthState, Signal, TextRow
from instep.visitors.insights.health.text_analysis import (
    NOT_ANALYZED,
    AnalyzedText,
    TextAnalysis,
    analyze_texts,
)
from instep.visitors.insights.schemas import Health

StatusFilter = Literal["all", "draft", "in_review", "published", "archived"]
HealthKey = tuple[Bot, StatusFilter, date, tuple[Hashable, ...]]
AnalysisKey = tuple[UUID, str, int, int]
SignalsByArticle = dict[str, list[Signal]]
Key = TypeVar("Key")
Value = TypeVar("Value")

# Texts within both bounds are analyzed in this process; longer ones would block its other requests.
MAX_INLINE_TEXT_CHARACTERS = 20_000
MAX_INLINE_MARKS = 1_000


class ChecksInProgress(RateLimited):
    """The articles are still being examined: try again after `Retry-After`. The check continues there."""

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": str(limits.CHECK_RETRY_SECONDS)})


# Neither cache needs to be invalidated: a version of a text and a state of a bot never change.
health_cache: LRUCache[HealthKey, Assessment] = LRUCache(
    limits.MAX_CACHED_PROBLEMS, attrgetter("problem_count")
)
analysis_cache: LRUCache[AnalysisKey, TextAnalysis] = LRUCache(
    limits.MAX_ANALYSIS_CACHE_BYTES, lambda analysis: analysis.size
)
# The last assessment of each bot's articles: pages show it while a later state is assessed.
last_keys: LRUCache[tuple[UUID, StatusFilter], HealthKey] = LRUCache(limits.MAX_REMEMBERED_EXAMINATIONS)
running_checks: set[object] = set()


def cache(entries: LRUCache[Key, Value], key: Key, value: Value) -> None:
    """Cache a value, unless it alone is larger than the cache."""
    with suppress(ValueError):
        entries[key] = value


async def assess_articles(ctx: Ctx, status: StatusFilter) -> Assessment:
    """The health of all articles with this status, worst first."""
    # The state is read before anything else: a later change has a later stamp.
    state = await queries.find_state(ctx)
    key = key_of(ctx, status, state)
    assessment = health_cache.get(key)
    if assessment is None:
        help_center = await load_help_center(ctx, state, status)
        signals = signals_by_article(await queries.list_signals(ctx))
        assessment = await asyncio.to_thread(assess, help_center, status, signals)
        cache(health_cache, key, assessment)
    last_keys[ctx.bot.id, status] = key
    return assessment


async def known_assessment(ctx: Ctx, status: StatusFilter) -> tuple[Assessment | None, bool]:
    """The assessment available without examining many articles, and whether it is current."""
    key = key_of(ctx, status, await queries.find_state(ctx))
    assessment, last_key = health_cache.get(key), last_keys.get((ctx.bot.id, status))
    if assessment is not None:
        return assessment, True
    # An assessment that is too large for the cache must be computed again.
    is_uncached = key == last_key
    if is_uncached or not await queries.has_more_articles(ctx, limits.MAX_PROMPTLY_EXAMINED_ARTICLES):
        return await assess_articles(ctx, status), True
    return (health_cache.get(last_key) if last_key else None), False


def key_of(ctx: Ctx, status: StatusFilter, state: HealthState) -> HealthKey:
    # The date belongs to the key, because removed names and ratings expire with time.
    return ctx.bot, status, ctx.now.date(), state.key


async def load_help_center(ctx: Ctx, state: HealthState, status: StatusFilter | None = None) -> HelpCenter:
    """The help center with the analyses of live texts and those with this status; without one, with none."""
    articles = await queries.list_article_meta(ctx)
    compared_articles = [
        article for article in articles if status and (article.is_live or has_status(article, status))
    ]
    return HelpCenter(
        home=ctx.bot.plain_url,
        own_host=ctx.bot.help_url,
        locale=ctx.bot.locale,
        articles=articles,
        analyses=await analyze_articles(ctx, compared_articles),
        former_slugs=await queries.list_former_slugs(ctx),
        collections=frozenset(state.collections),
        redirects=await queries.list_redirect_paths(ctx) if state.redirects else [],
        waiting=frozenset(state.waiting),
    )


def signals_by_article(signals: Sequence[Signal]) -> SignalsByArticle:
    groups: SignalsByArticle = defaultdict(list)
    for signal in signals:
        groups[signal.article_id].append(signal)
    return groups


def assess(help_center: HelpCenter, status: StatusFilter, signals: SignalsByArticle) -> Assessment:
    """The worst article comes first; equal ones are ordered by id."""
    rows = [
        assess_article(help_center, article, signals.get(article.id, []))
        for article in help_center.articles
        if has_status(article, status)
    ]
    return assessment_of(sorted(rows, key=sort_key))


def assess_article(help_center: HelpCenter, article: ArticleMeta, signals: Sequence[Signal] = ()) -> Health:
    # An article that has just been deleted has no text any more; the next state omits it.
    analysis = help_center.analyses.get(article.id, NOT_ANALYZED)
    context = ArticleContext(article, analysis, help_center)
    problems = sort_problems(
        [
            *analysis.problems,
            *run_checks(HELP_CENTER_CHECKS, context),
            *run_checks(SIGNAL_CHECKS, signals),
        ]
    )
    return Health(article.id, article.title, score_of(problems), problems)


def sort_key(health: Health) -> tuple[int, str]:
    return health.score, health.article_id


def has_status(article: ArticleMeta, status: StatusFilter) -> bool:
    return status in ("all", article.status)


async def analyze_articles(ctx: Ctx, articles: list[ArticleMeta]) -> dict[str, TextAnalysis]:
    """The analysis of each article's text, by article id; only uncached texts are read."""
    style = await find_style(ctx)
    digest = hash(style.model_dump_json())
    cached = {
        article.id: analysis_cache.get((ctx.bot.id, article.id, article.version, digest))
        for article in articles
    }
    analyses = {article_id: analysis for article_id, analysis in cached.items() if analysis is not None}
    missing = [article for article in articles if article.id not in analyses]
    if missing:
        with check_slot():
            deadline = first_attempt_began() + limits.CHECK_SECONDS
            for batch in batches(missing):
                rows = await queries.list_texts(ctx, [article.id for article in batch])
                analyses |= await analyze_rows(ctx, rows, style, deadline)
    return analyses


@contextmanager
def check_slot() -> Iterator[None]:
    """Take one of the slots for analyzing many texts, or raise `ChecksInProgress` (429)."""
    if len(running_checks) >= limits.MAX_CONCURRENT_CHECKS:
        raise ChecksInProgress
    slot = object()
    running_checks.add(slot)
    try:
        yield
    finally:
        running_checks.remove(slot)


def batches(articles: list[ArticleMeta]) -> Iterator[list[ArticleMeta]]:
    """Groups of articles whose texts together are short enough to be analyzed at once."""
    batch: list[ArticleMeta] = []
    size = 0
    for article in articles:
        if batch and size + article.size > limits.MAX_ANALYZED_CHARACTERS:
            yield batch
            batch, size = [], 0
        batch.append(article)
        size += article.size
    if batch:
        yield batch


async def analyze_rows(
    ctx: Ctx, rows: Sequence[TextRow], style: Style, deadline: float
) -> dict[str, TextAnalysis]:
    """Analyze texts and cache the results; texts that take too long together are analyzed one by one."""
    if monotonic() > deadline:
        raise ChecksInProgress
    try:
        analyses = await analyze_bounded(
            [AnalyzedText(row.title, row.content, row.locale) for row in rows], style
        )
    except TimeLimitExceeded:
        if len(rows) > 1:
            singles = [await analyze_rows(ctx, [row], style, deadline) for row in rows]
            return {article_id: analysis for single in singles for article_id, analysis in single.items()}
        analyses = [NOT_ANALYZED]
    digest = hash(style.model_dump_json())
    for row, analysis in zip(rows, analyses, strict=True):
        cache(analysis_cache, (ctx.bot.id, row.id, row.version, digest), analysis)
    return {row.id: analysis for row, analysis in zip(rows, analyses, strict=True)}


def unsaved_article(ctx: Ctx, locale: str) -> ArticleMeta:
    return ArticleMeta("", "", locale, "", None, None, "draft", 0, 0, None, None)


async def analyze_unsaved(content: str, locale: str = "en", style: Style | None = None) -> TextAnalysis:
    try:
        [analysis] = await analyze_bounded([AnalyzedText(None, content, locale)], style or Style())
    except TimeLimitExceeded:
        return NOT_ANALYZED
    return analysis


async def analyze_bounded(texts: list[AnalyzedText], style: Style) -> list[TextAnalysis]:
    """Analyze texts; long or unusual ones in a process that can be killed."""
    seconds = limits.MAX_ANALYSIS_SECONDS
    return await run_bounded(analyze_texts, texts, style, seconds=seconds, is_small=are_cheap(texts))


def are_cheap(texts: list[AnalyzedText]) -> bool:
    if sum(len(text.content) for text in texts) > MAX_INLINE_TEXT_CHARACTERS:
        return False
    return sum(text.content.count(mark) for text in texts for mark in (*MARKS, "![")) <= MAX_INLINE_MARKS
