"""The shapes of a changelog entry (specification, Changelog entry; contract section 4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import MISSING, Field

from instep.platform.core.etags import etag_of
from instep.platform.core.markdown import Format
from instep.platform.identity.schemas import Bot
from instep.platform.web.shapes import Body, Markdown, Out, SourceUrl, Timestamp, Title

Status = Literal["draft", "published", "archived"]
EntryTitle = Annotated[Title, Field(examples=["Exports as CSV"])]
EntryText = Annotated[
    Markdown,
    Field(
        description="The text of the entry, in Markdown.",
        examples=["Choose **CSV** under *Settings → Export*. The default is still JSON.\n"],
    ),
]


@dataclass(frozen=True, slots=True)
class ChangelogEntry:
    """One row of `changelog_entries`; `content` has its text in the requested format."""

    id: str
    slug: str
    title: str
    content: str
    status: Status
    source_url: str | None
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def is_live(self) -> bool:
        return self.status == "published"

    @property
    def etag(self) -> str:
        return etag_of(self.id, self.updated_at)


@dataclass(frozen=True, slots=True)
class ChangelogOverview:
    """One row of `changelog_entries` without its text, for the dashboard's lists."""

    id: str
    slug: str
    title: str
    status: Status
    source_url: str | None
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime


class ChangelogEntryCreate(Body):
    """The fields of a new entry."""

    title: EntryTitle
    content_markdown: EntryText
    source_url: SourceUrl | MISSING = Field(
        default=MISSING,
        description="The pull request, release or page behind the entry. It is not shown to visitors.",
        examples=["https://github.com/acme/app/pull/481"],
    )


class ChangelogEntryUpdate(Body):
    """Only the sent fields are changed."""

    title: EntryTitle | MISSING = MISSING
    content_markdown: EntryText | MISSING = MISSING


class ChangelogEntryFields(Out):
    """Fields shared by both forms of an entry."""

    id: str
    slug: str = Field(description="Made from the title when the entry is created; never changes.")
    title: str
    status: Status
    source_url: str | None
    url: str | None = Field(description="The public address while the entry is published, else null.")
    bot_id: str
    published_at: Timestamp | None = Field(description="The time of its first publication.")
    created_at: Timestamp
    updated_at: Timestamp


class ChangelogEntryOut(ChangelogEntryFields):
    """A changelog entry with its text in Markdown."""

    content_markdown: str


class ChangelogEntryHtmlOut(ChangelogEntryFields):
    """A changelog entry with its text in HTML, as the public page shows it."""

    content_html: str


def changelog_entry_out(
    entry: ChangelogEntry, bot: Bot, format: Format
) -> ChangelogEntryOut | ChangelogEntryHtmlOut:
    fields = changelog_entry_fields(entry, bot)
    if format == "html":
        return ChangelogEntryHtmlOut(**fields, content_html=entry.content)
    return ChangelogEntryOut(**fields, content_markdown=entry.content)


def changelog_entry_fields(entry: ChangelogEntry, bot: Bot) -> dict[str, Any]:
    """All fields except the text."""
    return {
        "id": entry.id,
        "slug": entry.slug,
        "title": entry.title,
        "status": entry.status,
        "source_url": entry.source_url,
        "url": f"{bot.help_url}/changelog/{entry.slug}" if entry.is_live else None,
        "bot_id": str(bot.id),
        "published_at": entry.published_at,
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
    }
