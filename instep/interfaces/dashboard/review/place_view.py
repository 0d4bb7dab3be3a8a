"""The page of a place: the current section, and the code or the original's text that it should cover."""

import re
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from instep.accounts.people.actions import list_users
from instep.content.articles.revision_schemas import VersionText
from instep.content.articles.texts import find_article
from instep.drafting.comments.actions import list_threads
from instep.drafting.places.schemas import Place
from instep.drafting.translations.actions import compare_with_root, read_followed_texts
from instep.interfaces.dashboard.bot_pages import BotPage
from instep.interfaces.dashboard.content.marked_changes import MarkedChanges, mark_between
from instep.interfaces.dashboard.review import queries
from instep.interfaces.dashboard.review.draft_view import EvidenceNote, note_of
from instep.interfaces.dashboard.review.pieces import excerpt_html
from instep.interfaces.dashboard.review.queue_pane import QueuePane
from instep.interfaces.dashboard.review.version_reach import find_reach
from instep.interfaces.dashboard.review.wording import REASONS, source_words
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.core.markdown import renders_at_once
from instep.platform.core.markdown_cost import TooComplex, refuse_costly_markdown
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded
from instep.platform.identity.schemas import Ctx
from instep.platform.text.sections import read_sections
from instep.platform.web.signed_in import asks_for_part

TEMPLATE = "review/place.html"
NO_WORD = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A part of the original with its changed words marked, and its translation; empty if it has none."""

    marked: MarkedChanges
    present: str


@dataclass(frozen=True, slots=True)
class RootChangeView:
    """The changes of an original in `root_locale`; `more_count` parts are not shown."""

    root_locale: str
    locale: str
    changes: list[ShownChange]
    more_count: int


async def view_root_changes(ctx: Ctx, place: Place) -> RootChangeView | None:
    """The changes that a place is about; None for a place about code, and if the old text is not stored."""
    if place.source_kind != "translation":
        return None
    try:
        texts = await read_followed_texts(ctx, place.article_id)
    except NotFound:
        return None
    if texts.is_old_text_lost:
        return None
    blocks = (await compare_with_root(texts)).blocks
    changes = [
        ShownChange(
            await mark_between(VersionText("", block.old, 1), VersionText("", block.new, 2)), block.present
        )
        for block in blocks[: limits.MAX_SHOWN_ROOT_CHANGES]
    ]
    return RootChangeView(texts.root.locale, texts.translation.locale, changes, len(blocks) - len(changes))


def is_place(item_id: str) -> bool:
    """True if an id in the queue is a place's, not a draft's."""
    return item_id.startswith("plc_")


async def show_place_in_pane(
    page: BotPage, pane: QueuePane, place: Place, *, is_open: bool = True
) -> Response:
    """The whole page of a place, or only the place for a page that is already open."""
    values: dict[str, Any] = {
        "pane": pane,
        "place": place,
        "title": place.article_title,
        "item_id": place.id,
        "item_template": TEMPLATE,
        "source_title": source_words(place.source_kind, place.source_title, place.source_url, "Instep"),
        "other_sources": [
            (row["task_id"], source_words("pr", row["title"], row["url"], "Instep"))
            for row in place.other_sources
        ],
        "section": await section_of(page.ctx, place),
        "notes": notes_of_place(place),
        "root_changes": await view_root_changes(page.ctx, place),
        "reasons": REASONS,
        "people": await list_users(page.ctx.tx, page.ctx.workspace_id) if page.can_write else [],
        "public_path": await queries.find_public_path(page.ctx, place.article_id),
        "comments": await list_threads(page.ctx, place.id),
        "reach": await find_reach(page.ctx, place.article_id, place.version_id),
        "is_open": is_open,
        "has_history": True,
        **await queries.language_values(page.ctx, place.article_id),
    }
    if asks_for_part(page.request):
        return page.show_part(TEMPLATE, **values)
    return await page.show("review/queue.html", **values)


def notes_of_place(place: Place) -> list[EvidenceNote]:
    """The lines of code as notes, in the task's order."""
    return [note_of(number, item, None, {}) for number, item in enumerate(place.own_evidence, 1)]


async def section_of(ctx: Ctx, place: Place) -> Markup | None:
    """The current text of the section as HTML; None without one, or if it is too long or too complex."""
    if place.heading is None:
        return None
    try:
        content = (await find_article(ctx, place.article_id)).content
        is_small, seconds = renders_at_once(content), limits.MAX_RENDER_SECONDS
        html = await run_bounded(section_html, content, place.heading, seconds=seconds, is_small=is_small)
    except (NotFound, TimeLimitExceeded, TooComplex):
        return None
    return Markup(html) if html else None


def section_html(content: str, heading: str) -> str:
    """The HTML of the section below a heading; empty if it doesn't exist or is too long."""
    text = section_text(content, heading)
    if not text.strip() or len(text) > limits.MAX_SHOWN_SECTION_CHARACTERS:
        return ""
    refuse_costly_markdown(text)
    return excerpt_html(text)


def line_now(content: str, place: Place) -> int:
    """The current line of a place, from 1; after an edit above it, the line of its heading."""
    if place.heading is None:
        return place.line
    lines = content.splitlines()
    words = NO_WORD.sub("", place.heading)
    headings = [n for n, line in enumerate(lines, 1) if NO_WORD.sub("", line) == words]
    nearest = min(headings, key=lambda n: abs(n - place.line), default=place.line)
    is_in_section = not any(line.startswith("#") for line in lines[nearest : place.line])
    return place.line if nearest <= place.line and is_in_section else nearest


def section_text(content: str, heading: str) -> str:
    """The lines below the first heading with these words; empty if it no longer exists."""
    words = NO_WORD.sub("", heading)
    for section in read_sections(content):
        if section.titles and NO_WORD.sub("", section.titles[-1]) == words:
            return "\n".join(section.lines)
    return ""
