"""The schemas of an import: its row, data about earlier ones, its plan and its report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from instep.content.articles.schemas import Status
from instep.platform.identity.schemas import ActorType
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedEntry,
    ImportedPage,
    ImportedPart,
    Loss,
    MovedPage,
    Tree,
)

# reading: its plan is being made. ready: waits for confirmation. Then importing, completed or failed.
ImportState = Literal["reading", "ready", "importing", "completed", "failed"]
RefKind = Literal["page", "collection", "entry"]
Outcome = Literal["created", "updated", "unchanged", "draft", "deleted_here", "kept_here", "failed"]
AbsentOutcome = Literal["stays", "archived", "changed_here"]
Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportRow:
    """A row of `imports`; `report` is the result of `report_forms.as_stored`."""

    id: str
    name: str
    format: str | None
    source: str | None
    state: ImportState
    site: str | None
    prunes: bool
    object_key: str | None
    bytes: int | None
    report: dict[str, Any] | None
    done: int
    total: int
    error: str | None
    author_type: ActorType
    author_name: str
    created_at: datetime
    ended_at: datetime | None

    @property
    def is_under_way(self) -> bool:
        return self.state in ("reading", "importing")


@dataclass(frozen=True, slots=True)
class KnownPage:
    """An article from an earlier import of the source.

    `facts` and `digest` describe the source at that time; `is_changed_here` is true if someone changed title
    or text since. `title` and `text`, which may be cut, are the import's result.
    """

    key: str
    article_id: str
    slug: str
    locale: str
    digest: str
    facts: dict[str, Any]
    is_deleted: bool
    is_changed_here: bool
    status: Status = "published"
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class ArticlePlace:
    """The position of an article that is not a translation."""

    id: str
    collection_id: str | None
    position: int


@dataclass(frozen=True, slots=True)
class KnownCollection:
    """A collection from an earlier import of the source."""

    key: str
    collection_id: str
    slug: str
    facts: dict[str, Any]

    @property
    def order(self) -> list[str]:
        """The keys of the pages that an import put in order."""
        return list(self.facts.get("order", ()))


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """A changelog entry from an earlier import of the source."""

    key: str
    entry_id: str
    slug: str
    digest: str
    is_changed_here: bool


@dataclass(frozen=True, slots=True)
class KnownPart:
    """The text of a part in one language, and the one that an import wrote last.

    If the part is from this source, `key` is its reference there, and `digest` that of its text there.
    """

    reference: str
    locale: str
    text: str
    imported_text: str | None
    key: str | None
    digest: str | None

    def outcome(self, text: "PlannedText") -> Outcome:
        """The outcome of a source with this text; what people have changed here stays."""
        if self.key is None or text.digest == self.digest or text.written({}) == self.text:
            return "unchanged"
        return "updated" if self.text == self.imported_text else "kept_here"


@dataclass(frozen=True, slots=True)
class BotState:
    """The bot's state for a plan: earlier imports of the source, and slugs and addresses in use.

    `slugs` are by language; `redirects` map paths to an article's id or a URL. `help_url` is the URL of the
    help center. `site` is the address of the source's site, as given in an earlier import.
    """

    bot_slug: str
    bot_locale: str
    pages: dict[str, KnownPage] = field(default_factory=dict)
    collections: dict[str, KnownCollection] = field(default_factory=dict)
    entries: dict[str, KnownEntry] = field(default_factory=dict)
    slugs: dict[str, set[str]] = field(default_factory=dict)
    collection_slugs: set[str] = field(default_factory=set)
    entry_slugs: set[str] = field(default_factory=set)
    redirects: dict[str, str] = field(default_factory=dict)
    # Golden questions, with the ids of their articles.
    questions: set[tuple[str, str]] = field(default_factory=set)
    # Parts and variables, by their reference and language.
    parts: dict[tuple[str, str], KnownPart] = field(default_factory=dict)
    help_url: str = ""
    site: str | None = None


@dataclass(frozen=True, slots=True)
class FilePiece:
    """The position of a file's address in a text; `original` stays if the file is refused."""

    path: str
    digest: str
    original: str


# A text in parts: strings, and positions for addresses of files.
Pieces = tuple[str | FilePiece, ...]


@dataclass(frozen=True, slots=True)
class PlannedText:
    """The outcome of one text: its parts, and a digest of everything that the source contributes."""

    pieces: Pieces
    digest: str

    def written(self, addresses: Mapping[str, str]) -> str:
        """The text with the addresses of files, which are given by digest."""
        return "".join(
            piece if isinstance(piece, str) else addresses.get(piece.digest, piece.original)
            for piece in self.pieces
        )

    def files(self) -> list[FilePiece]:
        return [piece for piece in self.pieces if isinstance(piece, FilePiece)]


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """The outcome of a page; `locale`, `title` and `description` are in the form to store.

    `original_key` is the key of the page that this one translates. `position` is for a new article;
    afterwards, the collection's order counts.
    """

    page: ImportedPage
    title: str
    description: str | None
    locale: str
    slug: str
    collection: str | None
    position: int | None
    original_key: str | None
    text: PlannedText
    earlier: KnownPage | None
    outcome: Outcome

    @property
    def facts(self) -> dict[str, Any]:
        """The source's data other than the text, to compare with a later import."""
        return {
            "description": self.description,
            "collection": self.collection,
            "visibility": self.page.visibility or "public",
        }


@dataclass(frozen=True, slots=True)
class PlannedCollection:
    """The outcome of a collection, on one of the allowed levels.

    `order` has the keys of its pages in the order of the source; `moved` those that are new or changed their
    position since the last import.
    """

    collection: ImportedCollection
    title: str
    description: str | None
    slug: str
    parent: str | None
    order: tuple[str, ...]
    moved: tuple[str, ...]
    earlier: KnownCollection | None
    outcome: Outcome

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "description": self.description,
            "parent": self.parent,
            "visibility": self.collection.visibility,
        }


@dataclass(frozen=True, slots=True)
class PlannedEntry:
    """The outcome of a changelog entry."""

    entry: ImportedEntry
    title: str
    slug: str
    text: PlannedText
    earlier: KnownEntry | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class PlannedRedirect:
    """A former path and its target: the key of a page, or a URL."""

    path: str
    page_key: str | None
    url: str | None


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """A part or variable in the language in which it is stored."""

    part: ImportedPart
    locale: str
    text: PlannedText
    outcome: Outcome

    @property
    def key(self) -> str:
        return f"{self.part.reference} {self.locale}"


@dataclass(frozen=True, slots=True)
class AbsentPage:
    """An article whose page the source no longer has, and its outcome.

    `heir` is the key of the page to which the source redirects instead.
    """

    key: str
    article_id: str
    slug: str
    title: str
    outcome: AbsentOutcome
    heir: str | None = None


@dataclass(slots=True)
class OutcomeCounts:
    """The number of resources of a kind, in total and by outcome."""

    total: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    draft: int = 0
    absent: int = 0
    archived: int = 0
    deleted_here: int = 0
    kept_here: int = 0
    failed: int = 0

    def add(self, outcome: Outcome) -> None:
        self.total += 1
        setattr(self, outcome, getattr(self, outcome) + 1)


@dataclass(frozen=True, slots=True)
class LocaleCount:
    """The number of imported pages in a language."""

    locale: str
    pages: int


@dataclass(slots=True)
class LinkCounts:
    """Counts of links within the source: working ones and broken ones.

    `outside` counts links to parts that are not imported, `broken` links to pages that the imported part
    should contain. `anchors` counts links to a heading, and `missing_anchors` those whose heading does not
    exist.
    """

    total: int = 0
    rewritten: int = 0
    broken: int = 0
    outside: int = 0
    external: int = 0
    anchors: int = 0
    missing_anchors: int = 0


@dataclass(slots=True)
class FileCounts:
    """Counts of distinct images and downloads: those in the source, and those that can't be stored.

    `remote` counts images on other sites, which stay there.
    """

    total: int = 0
    stored: int = 0
    listed: int = 0
    remote: int = 0


@dataclass(frozen=True, slots=True)
class TreeLine:
    """A line of the resulting tree: a collection or a page, on a level counted from 0."""

    level: int
    title: str
    kind: Literal["collection", "page"]
    outcome: Outcome
    locales: tuple[str, ...] = ()


@dataclass(slots=True)
class ImportReport:
    """The plan or the result of an import: counts, the tree, and all losses."""

    format: str
    source: str
    pages: OutcomeCounts = field(default_factory=OutcomeCounts)
    # The most frequent language first.
    locales: list[LocaleCount] = field(default_factory=list)
    collections: OutcomeCounts = field(default_factory=OutcomeCounts)
    entries: OutcomeCounts = field(default_factory=OutcomeCounts)
    redirects: OutcomeCounts = field(default_factory=OutcomeCounts)
    questions: OutcomeCounts = field(default_factory=OutcomeCounts)
    parts: OutcomeCounts = field(default_factory=OutcomeCounts)
    links: LinkCounts = field(default_factory=LinkCounts)
    files: FileCounts = field(default_factory=FileCounts)
    tree: list[TreeLine] = field(default_factory=list)
    moved: list[MovedPage] = field(default_factory=list)
    absent_pages: list[AbsentPage] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)

    @property
    def changes_nothing(self) -> bool:
        """True if the bot already matches the source."""
        if self.moved or any(page.outcome == "archived" for page in self.absent_pages):
            return False
        counts = (self.pages, self.collections, self.entries, self.redirects, self.questions, self.parts)
        return not any(count.created + count.updated + count.draft for count in counts)

    @property
    def can_archive(self) -> int:
        """The number of articles that an import with `prunes` would archive."""
        return sum(page.outcome in ("stays", "archived") for page in self.absent_pages)

    @property
    def is_repeated(self) -> bool:
        return self.pages.total > self.pages.created + self.pages.failed


@dataclass(frozen=True)
class Plan:
    """All steps of an import, in order, with its report."""

    tree: Tree
    source: str
    collections: tuple[PlannedCollection, ...]
    pages: tuple[PlannedPage, ...]
    entries: tuple[PlannedEntry, ...]
    redirects: tuple[PlannedRedirect, ...]
    report: ImportReport
    parts: tuple[PlannedPart, ...] = ()

    @cached_property
    def written_parts(self) -> list[PlannedPart]:
        return [part for part in self.parts if part.outcome in WRITTEN]

    @cached_property
    def written_pages(self) -> list[PlannedPage]:
        return [page for page in self.pages if page.outcome in WRITTEN]

    @cached_property
    def written_entries(self) -> list[PlannedEntry]:
        return [entry for entry in self.entries if entry.outcome in WRITTEN]

    @cached_property
    def files(self) -> dict[str, FilePiece]:
        """The files used in new and changed texts, by digest."""
        rows = (self.written_pages, self.written_entries, self.written_parts)
        texts = [row.text for each in rows for row in each]
        return {piece.digest: piece for text in texts for piece in text.files()}

    @cached_property
    def written_redirects(self) -> tuple[PlannedRedirect, ...]:
        return self.redirects if self.report.redirects.created else ()

    @cached_property
    def archived_pages(self) -> list[AbsentPage]:
        return [page for page in self.report.absent_pages if page.outcome == "archived"]

    @cached_property
    def total(self) -> int:
        """The number of items to write, for the progress."""
        rows = (self.files, self.written_pages, self.written_redirects, self.written_entries)
        return sum(map(len, rows)) + len(self.archived_pages)


# The outcomes that cause a write.
WRITTEN = frozenset[Outcome](("created", "updated", "draft"))
