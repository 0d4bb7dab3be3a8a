"""Reads the fields of Instep's own pages, which a Markdown file of any format may have."""

from dataclasses import replace
from typing import get_args

from instep.platform.web.shapes import Visibility
from instep.transfer.exports.file_contents import OUTDATED
from instep.transfer.imports.markdown.fields import Fields
from instep.transfer.imports.markdown.source_pages import PageLosses, SourcePage
from instep.transfer.imports.tree.schemas import ImportedPage, PageStatus

# An article in review is exported as a draft.
STATUSES: dict[str, PageStatus] = {each: each for each in get_args(PageStatus)} | {"in_review": "draft"}
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)
# Stands for a list or a mapping.
SEVERAL = "[…]"
HIDDEN_ENTRY = "visibility of an entry of the changelog, which is a draft now: readers see all published ones"


def with_own_fields(plain: ImportedPage, page: SourcePage) -> ImportedPage:
    """The page with its visibility, status, collection and versions, as in an export or a synced folder."""
    fields = page.fields
    return replace(
        plain,
        visibility=stated_visibility(fields, page.losses),
        status=_stated_status(fields, page.losses),
        is_outdated=fields.text("translation") == OUTDATED,
        since=_stated_text(page, "since"),
        until=_stated_text(page, "until"),
        named_collection=_stated_text(page, "collection"),
        version_of=_stated_text(page, "version-of"),
    )


def _stated_text(page: SourcePage, name: str) -> str | None:
    if page.fields.values.get(name) and not isinstance(page.fields.values[name], str):
        page.losses.add(f"`{name}`, which is not a single value", name)
    return page.fields.text(name) or None


def stated_visibility(fields: Fields, losses: PageLosses) -> Visibility | None:
    """The visibility in the front matter; a word that is neither of ours must not make a text public."""
    words = _stated_words(fields, "visibility")
    for word in sorted(words.difference(VISIBILITIES)):
        losses.add(f"visibility “{word}”, which is unknown: only signed-in readers see it", "visibility")
    if words <= {"public"}:
        return "public" if words else None
    return "authenticated"


def _stated_status(fields: Fields, losses: PageLosses) -> PageStatus:
    words = _stated_words(fields, "status")
    stated = {STATUSES[word] for word in words if word in STATUSES}
    is_draft = "draft" in stated or fields.is_true("draft")
    status: PageStatus = "archived" if "archived" in stated else "draft" if is_draft else "published"
    for word in sorted(words.difference(STATUSES)):
        state = "it is published" if status == "published" else "it is not published"
        losses.add(f"status “{word}”, which articles don't have: {state}", "status")
    return status


def _stated_words(fields: Fields, name: str) -> set[str]:
    """The values of a field in lowercase, whatever the case of its name; empty if there are none."""
    values = (value for key, value in fields.values.items() if key.lower() == name)
    return {value.strip().lower() if isinstance(value, str) else SEVERAL for value in values} - {""}
