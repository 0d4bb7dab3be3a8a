"""The rows of an export, and its summary."""

from dataclasses import dataclass
from datetime import datetime

from instep.content.articles.schemas import Status
from instep.content.changelog.schemas import Status as EntryStatus
from instep.content.parts.schemas import PartKind
from instep.platform.web.shapes import Out, Visibility


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection, in the order of its siblings."""

    id: str
    slug: str
    title: str
    description: str | None
    icon: str | None
    visibility: Visibility
    parent_id: str | None


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """An article or translation without its text, in the order of its collection."""

    id: str
    slug: str
    locale: str
    translation_of: str | None
    title: str
    description: str | None
    collection_id: str | None
    visibility: Visibility
    status: Status
    published_at: datetime | None
    has_unpublished_changes: bool
    former_slugs: list[str]
    # True for a translation whose original has changed since.
    is_outdated: bool
    # The slugs of the first and the last version of the product that it is about.
    since_slug: str | None
    until_slug: str | None
    # The article with which its family began, or if that is deleted the oldest other one; None if it is that
    # one or a translation.
    family_head: str | None


@dataclass(frozen=True, slots=True)
class EntryRow:
    """A changelog entry without its text."""

    id: str
    slug: str
    title: str
    status: EntryStatus
    source_url: str | None
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class RedirectRow:
    """A redirect to an article that is not deleted, or to a URL."""

    path: str
    article_id: str | None
    url: str | None


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A golden question of an article that is not deleted."""

    question: str
    article_id: str
    section: str | None
    says: str | None


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part or variable in one language."""

    kind: PartKind
    name: str
    locale: str
    text: str


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version of the product."""

    slug: str
    name: str
    is_current: bool
    branches: list[str]


@dataclass(frozen=True, slots=True)
class MarkdownRow:
    """The Markdown of an article or entry."""

    id: str
    content: str


class ExportOut(Out):
    """The contents of an export and its omissions."""

    path: str
    articles: int
    translations: int
    collections: int
    changelog_entries: int
    files: int
    redirects: int
    golden_questions: int
    parts: int
    # The number of articles whose unpublished changes are left out.
    unpublished_changes: int
    # The paths of pages that were permanently deleted meanwhile, and of files missing from the storage. The
    # numbers exclude them.
    missing_files: list[str]
    bytes: int
