"""Checks on demand: of some articles, of an unsaved text, and for terms in all articles."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from instep.content.style.actions import find_style
from instep.platform.core import limits
from instep.platform.core.errors import InvalidValue
from instep.platform.core.paging import Keyset, Order
from instep.platform.identity.schemas import Ctx
from instep.platform.text.characters import UNSEGMENTED_SCRIPTS
from instep.visitors.insights.health import queries
from instep.visitors.insights.health.assessment import (
    analyze_unsaved,
    assess_articles,
    load_help_center,
    unsaved_article,
)
from instep.visitors.insights.health.checks_help_center import HELP_CENTER_CHECKS, ArticleContext
from instep.visitors.insights.health.checks_text import one_line_excerpt
from instep.visitors.insights.health.help_center import ArticleMeta, HelpCenter
from instep.visitors.insights.health.problems import Code, Problem, Severity, run_checks, sort_problems
from instep.visitors.insights.health.queries import MentionRow
from instep.visitors.insights.health.text_analysis import TextAnalysis

ORDER = Order(("article_id", "line", "number"), descending=False)
# The checks that apply to a text that is not an article yet.
TEXT_CODES: set[Code] = {"broken_link", "moved_link", "broken_anchor", "duplicate_content"}
UNSAVED_TEXT_CHECKS = [check for check in HELP_CENTER_CHECKS if check.code in TEXT_CODES]
# A character of a word, in scripts that separate words by spaces.
WORD_CHARACTER = f"[^\\W{UNSEGMENTED_SCRIPTS}]"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of an article or of an unsaved text; `number` distinguishes findings on the same line."""

    article_id: str | None
    title: str | None
    code: Code | Literal["mention"]
    severity: Severity
    message: str
    line: int | None
    number: int

    @property
    def sort_key(self) -> tuple[str, int, int]:
        return self.article_id or "", self.line or 0, self.number


async def check_saved(ctx: Ctx, refs: Sequence[str]) -> list[Finding]:
    """The problems of articles, by their ids or slugs."""
    ids = await queries.ids_of(ctx, list(refs))
    unknown = [ref for ref in refs if ref not in ids]
    if unknown:
        raise InvalidValue("articleIds", f"no article has the id or slug “{one_line_excerpt(unknown[0])}”")
    article_ids = set(ids.values())
    rows = [row for row in (await assess_articles(ctx, "all")).rows if row.article_id in article_ids]
    return [
        finding
        for row in sorted(rows, key=lambda row: row.article_id)
        for finding in findings_of(row.problems, row.article_id, row.title)
    ]


async def check_text(ctx: Ctx, content: str) -> list[Finding]:
    """The problems of a text as if it were an article of this help center."""
    analysis = await analyze_unsaved(content, ctx.bot.locale, await find_style(ctx))
    help_center = await load_help_center(ctx, await queries.find_state(ctx), "published")
    article = unsaved_article(ctx, ctx.bot.locale)
    return findings_of(await asyncio.to_thread(problems_of_text, analysis, help_center, article), None, None)


def problems_of_text(
    analysis: TextAnalysis, help_center: HelpCenter, article: ArticleMeta
) -> Sequence[Problem]:
    extended = replace(help_center, analyses={**help_center.analyses, article.id: analysis})
    context = ArticleContext(article, analysis, extended)
    return sort_problems([*analysis.problems, *run_checks(UNSAVED_TEXT_CHECKS, context)])


def findings_of(problems: Sequence[Problem], article_id: str | None, title: str | None) -> list[Finding]:
    return [
        Finding(article_id, title, problem.code, problem.severity, problem.message, problem.line, number)
        for number, problem in enumerate(problems)
    ]


async def find_mentions(ctx: Ctx, terms: Sequence[str], page: Keyset) -> list[Finding]:
    """Mentions of terms in articles that are live or drafts; only as many as the page needs."""
    patterns = [(term, pattern_of(term)) for term in dict.fromkeys(terms)]
    findings: list[Finding] = []
    start = page.after[0] if page.after else ""
    while len(findings) <= page.size:
        rows = await queries.list_mentions(ctx, [term for term, _ in patterns], start)
        findings += after_cursor(page, [finding for row in rows for finding in mentions_in(row, patterns)])
        if len(rows) < queries.MENTION_BATCH_SIZE:
            break
        start = rows[-1].id + "\x01"
    return findings


def after_cursor(page: Keyset, findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if page.after is None or finding.sort_key > page.after]


def pattern_of(term: str) -> re.Pattern[str]:
    """Match whole words, ignoring case; an end of the term that is punctuation may touch other characters."""
    before = f"(?<!{WORD_CHARACTER})" if re.match(WORD_CHARACTER, term) else ""
    after = f"(?!{WORD_CHARACTER})" if re.match(WORD_CHARACTER, term[-1]) else ""
    return re.compile(f"{before}{re.escape(term)}{after}", re.IGNORECASE)


def mentions_in(row: MentionRow, patterns: Sequence[tuple[str, re.Pattern[str]]]) -> list[Finding]:
    matches = sorted(
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
            f"“{one_line_excerpt(term)}” appears {words}",
            line or None,
            number,
        )
        for line, number, term, words in matches
    ]


def lines_with(row: MentionRow, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The lines that match, from 1, each with a quote; line 0 is the title or the description."""
    for name, words in (("the title", row.title), ("the description", row.description or "")):
        if pattern.search(words):
            yield 0, f"in {name}, “{one_line_excerpt(words)}”"
            break
    count = 0
    for number, line in enumerate(row.content.splitlines(), 1):
        match = pattern.search(line)
        if match is not None:
            yield number, f"here: “{one_line_excerpt(line[max(0, match.start() - 30) :])}”"
            count += 1
            if count == limits.MAX_REPORTED_PROBLEMS_PER_CODE:
                return
