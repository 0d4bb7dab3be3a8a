"""Checking on demand: some articles, a text that is not saved yet, and where words still stand."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from instep.core import limits
from instep.core.errors import InvalidValue
from instep.core.paging import Keyset, Order
from instep.core.sandbox import TimeLimitExceeded
from instep.identity.schemas import Ctx
from instep.insights import health_queries
from instep.insights.checks_help_center import LIBRARY_CHECKS, ArticleContext
from instep.insights.checks_text import shown
from instep.insights.health import examine, fill_library, read_bounded
from instep.insights.health_queries import MentionRow
from instep.insights.help_center import ArticleMeta, HelpCenter
from instep.insights.problems import Code, Problem, Severity, in_order, run
from instep.insights.text_analysis import NOT_ANALYZED, TextAnalysis
from instep.text.characters import UNSEGMENTED_SCRIPTS

ORDER = Order(("article_id", "line", "number"), descending=False)
# What can be said of a text that is no article yet.
OF_TEXT: set[Code] = {"broken_link", "moved_link", "broken_anchor", "duplicate_content"}
CHECKS_OF_TEXT = [check for check in LIBRARY_CHECKS if check.code in OF_TEXT]
# A sign of a word, in scripts that set words apart.
SIGN = f"[^\\W{UNSEGMENTED_SCRIPTS}]"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of an article, or of a text that is none yet; `number` tells it from others of its line."""

    article_id: str | None
    title: str | None
    code: Code | Literal["mention"]
    severity: Severity
    message: str
    line: int | None
    number: int

    @property
    def place(self) -> tuple[str, int, int]:
        return self.article_id or "", self.line or 0, self.number


async def check_saved(ctx: Ctx, refs: Sequence[str]) -> list[Finding]:
    """The problems of articles, by their ids or slugs."""
    ids = await health_queries.ids_of(ctx, list(refs))
    unknown = [ref for ref in refs if ref not in ids]
    if unknown:
        raise InvalidValue("articleIds", f"there is no article “{shown(unknown[0])}”")
    wanted = set(ids.values())
    found = [health for health in await examine(ctx, "all") if health.article_id in wanted]
    return [
        finding
        for health in sorted(found, key=lambda health: health.article_id)
        for finding in findings_of(health.problems, health.article_id, health.title)
    ]


async def check_text(ctx: Ctx, content: str) -> list[Finding]:
    """The problems of a text as if it were an article of this help center."""
    try:
        [reading] = await read_bounded([(None, content)])
    except TimeLimitExceeded:
        reading = NOT_ANALYZED
    library = await fill_library(ctx, "published", await health_queries.find_state(ctx))
    return findings_of(await asyncio.to_thread(problems_of, reading, library, ctx), None, None)


def problems_of(reading: TextAnalysis, library: HelpCenter, ctx: Ctx) -> Sequence[Problem]:
    card = ArticleMeta("", "", ctx.bot.locale, "", None, None, "draft", 0, 0, None, ctx.now)
    beside = replace(library, readings={**library.readings, card.id: reading})
    return in_order([*reading.problems, *run(CHECKS_OF_TEXT, ArticleContext(card, reading, beside))])


def findings_of(problems: Sequence[Problem], article_id: str | None, title: str | None) -> list[Finding]:
    return [
        Finding(article_id, title, found.code, found.severity, found.message, found.line, number)
        for number, found in enumerate(problems)
    ]


async def find_mentions(ctx: Ctx, terms: Sequence[str], page: Keyset) -> list[Finding]:
    """Where words stand in articles that are live or may become so; as many as the page needs."""
    patterns = [(term, pattern_of(term)) for term in dict.fromkeys(terms)]
    found: list[Finding] = []
    start = page.after[0] if page.after else ""
    while len(found) <= page.size:
        rows = await health_queries.list_mentions(ctx, [term for term, _ in patterns], start)
        found += behind(page, [finding for row in rows for finding in mentions_in(row, patterns)])
        if len(rows) < health_queries.MENTIONS_AT_ONCE:
            break
        start = rows[-1].id + "\x01"
    return found


def behind(page: Keyset, found: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in found if page.after is None or finding.place > page.after]


def pattern_of(term: str) -> re.Pattern[str]:
    """As a word of its own, whatever its case; where it ends in no sign of a word, as it stands."""
    before = f"(?<!{SIGN})" if re.match(SIGN, term) else ""
    behind = f"(?!{SIGN})" if re.match(SIGN, term[-1]) else ""
    return re.compile(f"{before}{re.escape(term)}{behind}", re.IGNORECASE)


def mentions_in(row: MentionRow, patterns: Sequence[tuple[str, re.Pattern[str]]]) -> list[Finding]:
    places = sorted(
        (line, number, term, words)
        for number, (term, pattern) in enumerate(patterns)
        for line, words in lines_with(row, pattern)
    )
    return [
        Finding(
            row.id,
            row.title,
            "mention",
            "info",
            f"“{shown(term)}” stands here: {words}",
            line or None,
            number,
        )
        for line, number, term, words in places
    ]


def lines_with(row: MentionRow, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The lines of the text that hold it, and as line 0 title or description."""
    for name, words in (("the title", row.title), ("the description", row.description or "")):
        if pattern.search(words):
            yield 0, f"in {name}, “{shown(words)}”"
            break
    told = 0
    for number, line in enumerate(row.content.splitlines(), 1):
        match = pattern.search(line)
        if match is not None:
            yield number, f"here: “{shown(line[max(0, match.start() - 30) :])}”"
            told += 1
            if told == limits.MAX_REPORTED_PROBLEMS_PER_CODE:
                return
