"""Changelog entries as tools of the workspace's MCP server."""

from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from instep.content.changelog import actions
from instep.content.changelog.schemas import (
    ChangelogEntry,
    ChangelogEntryCreate,
    ChangelogEntryFields,
    changelog_entry_fields,
)
from instep.platform.core import limits
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Bot, Ctx
from instep.platform.text.characters import shorten
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Toolbox
from instep.platform.web.shapes import ListOut

toolbox = Toolbox()
StatusFilter = Annotated[
    Literal["all", "draft", "published", "archived"], Field(description="Only entries with this status.")
]
IncludeText = Annotated[
    bool, Field(description="Include `contentMarkdown`; very long text is cut and ends with an ellipsis.")
]


class EntryItemOut(ChangelogEntryFields):
    """A changelog entry with the beginning of its text."""

    excerpt: str
    content_markdown: str | None = Field(description="Null unless `includeText` asks for it.")


@toolbox.tool(actions.list_changelog_entries, ListOut[EntryItemOut], "List the changelog")
async def list_changelog(
    ctx: Ctx, page: PageRequest, status: StatusFilter = "all", include_text: IncludeText = False
) -> ListOut[EntryItemOut]:
    """List the changelog entries, newest first."""
    read_page = partial(actions.list_changelog_entries, ctx, status, "markdown")
    shape = partial(entry_item_out, ctx.bot, include_text)
    return await list_within_budget(read_page, shape, page)


@toolbox.tool(actions.create_changelog_entry, ChangelogEntryFields, "Draft a changelog entry", additive=True)
async def create_changelog_entry(ctx: Ctx, body: ChangelogEntryCreate) -> ChangelogEntryFields:
    """Create a changelog entry as a draft, in words for the product's users. A person publishes it."""
    entry = await actions.create_changelog_entry(ctx, body)
    return ChangelogEntryFields(**changelog_entry_fields(entry, ctx.bot))


def entry_item_out(bot: Bot, include_text: bool, entry: ChangelogEntry) -> EntryItemOut:
    return EntryItemOut(
        **changelog_entry_fields(entry, bot),
        excerpt=shorten(
            " ".join(entry.content[: 2 * limits.TOOL_EXCERPT_CHARACTERS].split()),
            limits.TOOL_EXCERPT_CHARACTERS,
        ),
        content_markdown=shorten(entry.content, limits.MAX_TOOL_TEXT_BYTES) if include_text else None,
    )
