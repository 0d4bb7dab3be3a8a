"""Problems of articles, by kind and by article."""

import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from instep.content.articles.actions import list_due_articles
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.running.drift_pages import show_drift
from instep.interfaces.dashboard.running.listing import address, address_below, links_between
from instep.interfaces.dashboard.running.visit_pages import show_visits
from instep.interfaces.dashboard.shell import pages
from instep.platform.core import limits
from instep.platform.core.errors import RateLimited
from instep.platform.web.pages import with_code
from instep.platform.web.signed_in import asks_for_part
from instep.search.actions import count_without_vectors
from instep.visitors.insights import actions
from instep.visitors.insights.feedback.actions import list_feedback
from instep.visitors.insights.health.problems import SEVERITY_COSTS, Code, Problem
from instep.visitors.insights.schemas import FeedbackSummaryOut

# The kinds of problems, as titles of lists.
KINDS: dict[Code, str] = {
    "broken_link": "Broken links",
    "broken_anchor": "Links to a missing section",
    "empty_link": "Links without text or address",
    "empty_text": "Articles without text",
    "unclosed_code": "Unclosed code blocks",
    "too_complex": "Articles too complex to check",
    "style": "Violations of the style",
    "stale": "Outdated by a change",
    "part_problem": "Parts that can't be shown",
    "gone_name": "Names that the product no longer has",
    "low_helpfulness": "Unhelpful answers",
    "unhelpful": "Unhelpful articles",
    "outdated_translation": "Outdated translations",
    "waiting_edit": "Long-pending edits",
    "duplicate_title": "Duplicate titles",
    "duplicate_content": "Near-duplicate articles",
    "missing_description": "No description",
    "short_text": "Very short articles",
    "no_headings": "Long articles without headings",
    "heading_jump": "Skipped heading levels",
    "several_h1": "Several level-1 headings",
    "repeated_title": "Title repeated as a heading",
    "image_without_alt": "Images without a description",
    "vague_link": "Vague link text",
    "leftover": "Leftover placeholders",
    "uneven_table": "Uneven tables",
    "moved_link": "Links to old addresses",
    "no_collection": "Without a collection",
}
ARTICLE_ID = re.compile(r"\bart_[0-9a-z]{26}\b")
BY_ARTICLE = "article"
BY_FEEDBACK = "feedback"
BY_VISITS = "visits"
BY_DUE = "due"
BY_DRIFT = "drift"
EXAMINATION = "health/examination"
WAITING = "running/health_waiting.html"
router = PageRouter("health")


@router.get()
async def show_health(page: BotPage) -> Response:
    if page.query.get("by") == BY_FEEDBACK:
        return await show_feedback(page)
    if page.query.get("by") == BY_DRIFT:
        return await show_drift(page, views_of(page, BY_DRIFT))
    if page.query.get("by") == BY_DUE:
        return await show_due(page)
    if page.query.get("by") == BY_VISITS:
        return await show_visits(page, views_of(page, BY_VISITS))
    code, by = filters_of(page)
    views = views_of(page, by)
    examination = address(page, EXAMINATION, kind=code, by=by)
    try:
        report = await actions.report_health(
            page.ctx, "published", page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE), code
        )
    except RateLimited as refusal:
        return await page.show(WAITING, refusal.status, examination=examination, is_stale=False)
    if report is None:
        return await page.show(WAITING, examination=examination, is_stale=False)
    values: dict[str, Any] = {
        "summary": report.summary,
        "views": views,
        "examination": examination,
        "is_stale": not report.is_current,
    }
    if code is None and by is None:
        return await page.show(
            "running/health.html",
            kinds=KINDS,
            without_vectors=await count_without_vectors(page.ctx),
            **values,
        )
    unhealthy = [row for row in report.page.rows if row.problems]
    # The worst ones come first: after the first healthy one there are no others.
    next_cursor = report.page.next_cursor if len(unhealthy) == len(report.page.rows) else None
    return await page.show(
        "running/health_articles.html",
        rows=[(row, worst_first(row.problems)) for row in unhealthy],
        kind=KINDS[code] if code else None,
        article_count=next((kind.articles for kind in report.summary.kinds if kind.code == code), 0),
        links=links_between(page, "health", next_cursor, kind=code, by=by),
        **values,
    )


async def show_feedback(page: BotPage) -> Response:
    """Reader feedback about articles, least helpful first."""
    summaries = await list_feedback(page.ctx, page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE))
    return await page.show(
        "running/health_feedback.html",
        rows=[(row, reasons_of(row)) for row in summaries.rows],
        views=views_of(page, BY_FEEDBACK),
        links=links_between(page, "health", summaries.next_cursor, by=BY_FEEDBACK),
    )


async def show_due(page: BotPage) -> Response:
    """The articles that need a look or are stale, longest unchecked first."""
    articles = await list_due_articles(page.ctx, page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE))
    return await page.show(
        "running/health_due.html",
        articles=articles.rows,
        views=views_of(page, BY_DUE),
        links=links_between(page, "health", articles.next_cursor, by=BY_DUE),
    )


def views_of(page: BotPage, by: str | None) -> list[tuple[str, str, bool]]:
    return [
        (page.path("health"), "By kind", by is None),
        (address(page, "health", by=BY_ARTICLE), "By article", by == BY_ARTICLE),
        (address(page, "health", by=BY_DUE), "Due for review", by == BY_DUE),
        (address(page, "health", by=BY_DRIFT), "Drift", by == BY_DRIFT),
        (address(page, "health", by=BY_FEEDBACK), "Reader feedback", by == BY_FEEDBACK),
        (address(page, "health", by=BY_VISITS), "Visitor activity", by == BY_VISITS),
    ]


def reasons_of(row: FeedbackSummaryOut) -> list[tuple[str, int]]:
    """The given reasons, most frequent first."""
    counts = [(reason, count) for reason, count in row.reasons if count]
    return sorted(counts, key=lambda pair: -pair[1])


@router.get("examination")
async def examine(page: BotPage) -> Response:
    """Examine the articles, and return; an open page waits for that and is reloaded."""
    code, by = filters_of(page)
    is_examined = True
    try:
        await actions.summarize_health(page.ctx, "published")
    except RateLimited:
        is_examined = False
    if not asks_for_part(page.request):
        return page.leave(address_below("health", kind=code, by=by))
    examination = address(page, EXAMINATION, kind=code, by=by)
    response = page.show_part(
        "running/health_examination.html", examination=examination, is_stale=False, is_again=True
    )
    if is_examined:
        response.headers["HX-Refresh"] = "true"
    return response


def filters_of(page: BotPage) -> tuple[Code | None, str | None]:
    """The kind of problems in the URL, and whether it requests a list by article."""
    code = next((code for code in KINDS if code == page.query.get("kind")), None)
    return code, BY_ARTICLE if page.query.get("by") == BY_ARTICLE else None


def worst_first(problems: Sequence[Problem]) -> list[Problem]:
    """Errors before warnings, and otherwise by line."""
    return sorted(problems, key=lambda problem: -SEVERITY_COSTS[problem.severity])


def with_links(sentence: str, articles_path: str) -> Markup:
    """The sentence about a problem, with ids of other articles replaced by links."""
    link = rf'<a href="{articles_path}/\g<0>">open it</a>'
    return Markup(ARTICLE_ID.sub(link, str(with_code(sentence))))


pages.pages.environment.filters["with_links"] = with_links
