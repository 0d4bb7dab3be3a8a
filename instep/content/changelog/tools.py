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
from instep.platform.identity.schemas import Bot
from instep.platform.text.characters import shorten
from instep.platform.web.call import Call
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Cursor, Limit, Toolbox
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
    call: Call,
    status: StatusFilter = "all",
    include_text: IncludeText = False,
    limit: Limit = limits.DEFAULT_TOOL_ROWS,
    cursor: Cursor = None,
) -> ListOut[EntryItemOut]:
    """List the changelog entries, newest first."""
    async with call.begin() as ctx:
        read_page = partial(actions.list_changelog_entries, ctx, status, "markdown")
        shape = partial(entry_item_out, ctx.bot, include_text)
        return await list_within_budget(read_page, shape, call.page(limit, cursor))


@toolbox.tool(actions.create_changelog_entry, ChangelogEntryFields, "Draft a changelog entry", additive=True)
async def create_changelog_entry(call: Call, body: ChangelogEntryCreate) -> ChangelogEntryFields:
    """Create a changelog entry as a draft, in words for the product's users. A person publishes it."""
    async with call.begin() as ctx:
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
