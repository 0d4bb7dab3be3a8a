"""Finds links of one text that are broken, or that still use a former address of an article."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from instep.platform.core.errors import RateLimited
from instep.platform.identity.schemas import Ctx
from instep.visitors.insights.health import queries
from instep.visitors.insights.health.assessment import (
    analyze_articles,
    analyze_unsaved,
    load_help_center,
    unsaved_article,
)
from instep.visitors.insights.health.checks_help_center import HELP_CENTER_CHECKS, ArticleContext
from instep.visitors.insights.health.help_center import ArticleMeta, HelpCenter
from instep.visitors.insights.health.problems import Code, Problem, run_checks, sort_problems
from instep.visitors.insights.health.queries import TextRow
from instep.visitors.insights.health.text_analysis import TextAnalysis

DEAD_CODES: set[Code] = {"broken_link", "broken_anchor"}
DEAD_LINK_CHECKS = [check for check in HELP_CENTER_CHECKS if check.code in DEAD_CODES]
# Characters that end an address in Markdown or HTML.
END_OF_ADDRESS = r"""(?=[\s)>"'\]]|$)"""


@dataclass(frozen=True, slots=True)
class CorrectedText:
    """A text of an article in which links use the current address of another."""

    article_id: str
    content: str


async def find_dead_links(ctx: Ctx, content: str, locale: str, article_id: str | None) -> list[Problem]:
    """The broken links of a text, as if it were the text of the article, or of a new one.

    Other texts are analyzed only if a link leads to a fragment in them; while the server is busy analyzing
    texts, these fragments are assumed to exist.
    """
    analysis = await analyze_unsaved(content)
    if not analysis.links:
        return []
    help_center = await load_help_center(ctx, await queries.find_state(ctx))
    article = help_center.by_id.get(article_id or "") or unsaved_article(ctx, locale)
    context = ArticleContext(article, analysis, help_center)
    places = [target.article for _, _, target in context.targets if target.fragment and target.article]
    try:
        help_center.analyses.update(await analyze_articles(ctx, places))
    except RateLimited:
        help_center.analyses.clear()
    return list(sort_problems(run_checks(DEAD_LINK_CHECKS, context)))


async def correct_former_links(ctx: Ctx, article_id: str, former_slug: str) -> list[CorrectedText]:
    """The texts that link to an article by a slug that it had before, with its present one."""
    help_center = await load_help_center(ctx, await queries.find_state(ctx))
    article = help_center.by_id[article_id]
    texts = []
    for row in await queries.list_texts_with(ctx, former_slug, article_id):
        content = with_present_slug(
            help_center, row, await analyze_unsaved(row.content), article, former_slug
        )
        if content != row.content:
            texts.append(CorrectedText(row.id, content))
    return texts


def with_present_slug(
    help_center: HelpCenter, row: TextRow, analysis: TextAnalysis, article: ArticleMeta, former_slug: str
) -> str:
    lines = row.content.split("\n")
    for number, href in former_links(help_center, row, analysis, article, former_slug):
        present = with_slug(href, former_slug, article.slug)
        pieces = re.split(re.escape(href) + END_OF_ADDRESS, lines[number - 1])
        lines[number - 1] = present.join(pieces)
    return "\n".join(lines)


def former_links(
    help_center: HelpCenter, row: TextRow, analysis: TextAnalysis, article: ArticleMeta, former_slug: str
) -> Iterator[tuple[int, str]]:
    """Lines, from 1, and addresses of the links that lead to the article by its former slug."""
    linking = help_center.by_id[row.id]
    for number, href in analysis.links:
        target = help_center.target(linking, href)
        is_former = urlsplit(href).path.rpartition("/")[2] == former_slug
        if is_former and target and target.has_moved and target.article == article:
            yield number, href


def with_slug(href: str, former_slug: str, slug: str) -> str:
    """The address with the other slug at the end of its path; its fragment stays."""
    path = re.split(r"[?#]", href, maxsplit=1)[0]
    return path.removesuffix(former_slug) + slug + href.removeprefix(path)
