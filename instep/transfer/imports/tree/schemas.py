"""The result of a reader: pages, collections and redirects, with a list of losses.

Readers only read files and make no requests. Everything that all formats have in common is done once, after
the tree: links, anchors, images, slugs, order, translations, redirects, storing and the report.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Literal, Protocol

from pydantic import Field

from instep.content.parts.schemas import PartKind
from instep.platform.web.shapes import Visibility

PageStatus = Literal["draft", "published", "archived"]


class UnreadableSource(ValueError):
    """The source can't be read; the message is a sentence with the file and what to do."""


def without_file(name: str) -> UnreadableSource:
    """The refusal of a source that lacks the main file of its format."""
    return UnreadableSource(
        f"The source has no {name}: name the folder that contains it, or choose another format."
    )


class SourceFiles(Protocol):
    """The files of a source, by POSIX paths relative to its root; never outside of it."""

    def paths(self) -> Iterable[str]:
        """All paths, sorted."""
        ...

    def read(self, path: str) -> bytes:
        """The bytes of a file; `KeyError` when it doesn't exist."""
        ...


def read_text(files: SourceFiles, path: str) -> str:
    """The text of a file without its byte order mark, with U+FFFD for what is not UTF-8."""
    return files.read(path).decode("utf-8-sig", errors="replace")


@dataclass(frozen=True, slots=True)
class Loss:
    """A part of the source that the import can't keep or had to change, reported to the person who imports.

    `what` is a phrase such as "component <Tweet>" or "image that isn't in the source: img/a.png". It occurs
    `times` in the file, first in `line`.
    """

    path: str
    what: str
    line: int | None = None
    times: int = 1


@dataclass(frozen=True, slots=True)
class ImportedCollection:
    """A collection; `key` is unique in the tree and stable across imports of the source.

    `path` is the path of its file in links, and `other_paths` are the paths of pages that it replaces.
    `addresses` are its public paths in the source, or patterns, which links may use and which redirect to the
    collection.
    """

    key: str
    title: str
    parent: str | None = None
    description: str | None = None
    slug: str | None = None
    visibility: Visibility = "public"
    icon: str | None = None
    path: str | None = None
    addresses: tuple[str, ...] = ()
    other_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """A page as plain Markdown, in the order of the tree.

    `key` is the source's id, or the path, and becomes the article's external reference. `path` is the file to
    which links and images are relative. `address` is the public path in the source, such as
    "/guides/install", which links may use and which redirects to the article; `former_addresses` are its
    other ones. `markdown` has no front matter, no heading that repeats the title, and links and images as in
    the source. `heading_ids` has the ids that the source sets explicitly, each with the number of its heading
    in the text, from 0. `locale` is the language code in the source, or None if the source states none (see
    `page_locales`). `translation_of` is the key of the page that this one translates. `published_at` is the
    time of first publication of a published page.
    """

    key: str
    path: str
    title: str
    markdown: str
    locale: str | None
    address: str | None = None
    former_addresses: tuple[str, ...] = ()
    slug: str | None = None
    collection: str | None = None
    # The slug of another collection than that of its folder, or `/` for none.
    named_collection: str | None = None
    translation_of: str | None = None
    # True if the original has changed since the translation was made.
    is_outdated: bool = False
    description: str | None = None
    # The name of the page in the source's navigation, if its front matter has one.
    label: str = ""
    status: PageStatus = "published"
    # None if the source states none: a translation then has that of its original.
    visibility: Visibility | None = None
    heading_ids: tuple[tuple[str, int], ...] = ()
    published_at: datetime | None = None
    # The slugs of the first and the last version of the product, and the key of a page about the same topic.
    since: str | None = None
    until: str | None = None
    version_of: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedVersion:
    """A version of the product."""

    slug: str
    name: str
    is_current: Annotated[bool, Field(alias="current")] = False
    branches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedEntry:
    """An entry of a changelog; `source_url` is the URL of its change."""

    key: str
    path: str
    title: str
    markdown: str
    published_at: datetime | None = None
    status: PageStatus = "published"
    slug: str | None = None
    source_url: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedRedirect:
    """A former address and its target: an address in the source, the path of a page, or a full URL.

    With `/*` at the end of both, it is a prefix redirect, which keeps the rest of the path.
    """

    source: Annotated[str, Field(alias="from")]
    target: Annotated[str, Field(alias="to")]

    @property
    def is_prefix(self) -> bool:
        return self.source.endswith("/*") and self.target.endswith("/*")


@dataclass(frozen=True, slots=True)
class ImportedQuestion:
    """A golden question, and the key of the page that must answer it."""

    question: str
    page: Annotated[str, Field(alias="article")]
    section: str | None = None
    says: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedPart:
    """A part or variable; `locale` is None in the language of the help center.

    `key` is its reference in the source if it has another name here.
    """

    kind: PartKind
    name: str
    text: str
    locale: str | None = None
    path: str = ""
    key: str | None = None

    @property
    def reference(self) -> str:
        return f"{self.kind}.{self.name}"


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A page that includes the text of another file, as Markdown."""

    page: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole source.

    `pages` and `collections` are in reading order, collections before their children. `locale` is the
    language that the source states for pages that are not translations. `sites` are URLs whose paths are
    addresses of the source, such as "https://docs.example.com", or "/handbook" for a base path.
    `static_folders` are folders whose files are served from the root, such as "public" or "static". `aliases`
    are prefixes of destinations, such as "@site/", with the folders that they represent. Links to
    `changelog_folder` lead to the whole changelog. `links_keep_language` is true if a link such as
    "/guides/install" on a translated page leads to the translation, because the generator prefixes it with
    the language of the page.
    """

    format: str
    locale: str | None
    pages: tuple[ImportedPage, ...]
    collections: tuple[ImportedCollection, ...] = ()
    entries: tuple[ImportedEntry, ...] = ()
    redirects: tuple[ImportedRedirect, ...] = ()
    questions: tuple[ImportedQuestion, ...] = ()
    parts: tuple[ImportedPart, ...] = ()
    # The oldest first.
    versions: tuple[ImportedVersion, ...] = ()
    sites: tuple[str, ...] = ()
    static_folders: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    changelog_folder: str | None = None
    links_keep_language: bool = False
    losses: tuple[Loss, ...] = ()
    inclusions: tuple[Inclusion, ...] = ()


@dataclass(frozen=True, slots=True)
class MovedPage:
    """A page that was moved in the source since the last import; both values are keys."""

    before: str
    after: str


@dataclass(slots=True)
class Losses:
    """Collects the losses of a reader, and the texts that its pages include."""

    rows: list[Loss] = field(default_factory=list)
    inclusions: list[Inclusion] = field(default_factory=list)
    # The paths of all files whose whole text readers see in a page, also inside other files, by its path.
    files_of_page: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, path: str, what: str, line: int | None = None) -> None:
        self.rows.append(Loss(path, what, line))


@dataclass(frozen=True, slots=True)
class Reader:
    """A format: `recognises` examines the paths and configuration of a source, `make_tree` reads the tree."""

    name: str
    title: str
    recognises: Callable[[SourceFiles], bool]
    make_tree: Callable[[SourceFiles, Losses], Tree]

    def read(self, files: SourceFiles) -> Tree:
        """The tree with its losses.

        Raises `UnreadableSource` with a sentence that names the file and says what to do.
        """
        losses = Losses()
        tree = self.make_tree(files, losses)
        return replace(tree, losses=tuple(losses.rows), inclusions=tuple(losses.inclusions))
