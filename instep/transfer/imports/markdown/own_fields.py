"""Reads the fields of Instep's own pages, which a Markdown file of any format may have."""

from dataclasses import replace
from typing import get_args

from instep.platform.web.shapes import Visibility
from instep.transfer.exports.file_contents import OUTDATED
from instep.transfer.imports.markdown.fields import Fields
from instep.transfer.imports.markdown.page_losses import PageLosses
from instep.transfer.imports.markdown.source_pages import SourcePage
from instep.transfer.imports.tree.schemas import ImportedPage, PageStatus

STATUSES: tuple[PageStatus, ...] = get_args(PageStatus)
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)


def with_own_fields(plain: ImportedPage, page: SourcePage) -> ImportedPage:
    """The page with its visibility, status, collection and versions, as in an export or a synced folder."""
    fields = page.fields
    return replace(
        plain,
        visibility=stated_visibility(fields, page.losses),
        status=_stated_status(fields, page.losses),
        is_outdated=fields.text("translation") == OUTDATED,
        since=fields.text("since") or None,
        until=fields.text("until") or None,
        named_collection=fields.text("collection") or None,
        version_of=fields.text("version-of") or None,
    )


def stated_visibility(fields: Fields, losses: PageLosses) -> Visibility | None:
    """The visibility in the front matter; a word that is neither of ours must not make a text public."""
    word = fields.text("visibility")
    if not word or word in VISIBILITIES:
        return next((each for each in VISIBILITIES if each == word), None)
    losses.add(f"visibility “{word}”, which is unknown: only signed-in readers see it", "visibility")
    return "authenticated"


def _stated_status(fields: Fields, losses: PageLosses) -> PageStatus:
    word = fields.text("status")
    if word and word not in STATUSES:
        losses.add(f"status “{word}”, which articles don't have", "status")
    status: PageStatus = next((each for each in STATUSES if each == word), "published")
    return "draft" if status == "published" and fields.is_true("draft") else status
