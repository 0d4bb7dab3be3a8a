"""The changes of a translation's original, next to the translation of each part."""

from dataclasses import dataclass

from instep.content.articles.revision_schemas import VersionText
from instep.drafting.places.schemas import Place
from instep.drafting.translations.actions import compare_with_root, read_followed_texts
from instep.interfaces.dashboard.content.marked_changes import MarkedChanges, mark_between
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Ctx


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
