"""The result of every reader: pages, collections and redirects, with a list of losses.

Readers are pure: they read files and make no requests. What is the same for all formats comes after the tree,
once: links, anchors, images, slugs, order, translations, redirects, storing and the report.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Protocol

from instep.platform.web.shapes import Visibility

PageStatus = Literal["draft", "published", "archived"]


class UnreadableSource(ValueError):
    """The source can't be read; the message is one sentence that names the file and says what to do."""


def without_file(name: str) -> UnreadableSource:
    """The refusal of a source without the file that its format begins with, such as a part of a site."""
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
    """Something of the source that the import can't keep or had to change, reported to the importing person.

    `what` is a noun phrase such as "component <Tweet>" or "image that is not in the folder: img/a.png". It
    happens `times` in the file, the first time in `line`.
    """

    path: str
    what: str
    line: int | None = None
    times: int = 1


@dataclass(frozen=True, slots=True)
class ImportedCollection:
    """A collection; `key` is unique in the tree and stays the same in the next import of the source.

    `path` is the file that links may name, and `other_paths` are those of pages that it stands for.
    `addresses` are its public paths in the source, or patterns of them, which links may use and which lead to
    the collection afterwards.
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

    `key` is the foreign id, or the path, and becomes the article's external reference. `path` is the file
    that links and images are relative to. `address` is the public path in the source, such as
    "/guides/install", which links may use and which leads to the article afterwards; `former_addresses` are
    its other ones. `markdown` has no front matter, no heading that repeats the title, and links and images as
    the source writes them. `heading_ids` gives ids that the source itself sets: the id, and the number of the
    heading in the text, from 0.
    `locale` is the language code in the source, or None if it states none (see `page_locales`).
    `translation_of` is the key of the page that this one translates. `published_at` is when a published page
    was published first.
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
    translation_of: str | None = None
    description: str | None = None
    status: PageStatus = "published"
    visibility: Visibility = "public"
    heading_ids: tuple[tuple[str, int], ...] = ()
    published_at: datetime | None = None


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
    """A former address and its target: an address in the source, the path of a page or a full URL.

    With `/*` at the end of both it is one of everything below the address, which keeps the rest of the path.
    """

    source: str
    target: str

    @property
    def is_prefix(self) -> bool:
        return self.source.endswith("/*") and self.target.endswith("/*")


@dataclass(frozen=True, slots=True)
class ImportedQuestion:
    """A golden question, and the key of the page that must answer it."""

    question: str
    page: str
    section: str | None = None
    says: str | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole source.

    `pages` and `collections` are in reading order, a collection before its children. `locale` is what the
    source states as the one of pages that are no translations. `sites` are URLs whose paths are addresses of
    the source, such as "https://docs.example.com", or "/handbook" for a base path. `static_folders` are
    folders whose files are served from the root, such as "public" or "static". `aliases` are beginnings of
    destinations, such as "@site/", with the folders that they stand for. Links to `changelog_folder`
    lead to the whole changelog. `links_keep_language` says that a link such as "/guides/install" on a
    translated page leads to the translation, as it does where the generator puts the language of the page
    before it.
    """

    format: str
    locale: str | None
    pages: tuple[ImportedPage, ...]
    collections: tuple[ImportedCollection, ...] = ()
    entries: tuple[ImportedEntry, ...] = ()
    redirects: tuple[ImportedRedirect, ...] = ()
    questions: tuple[ImportedQuestion, ...] = ()
    sites: tuple[str, ...] = ()
    static_folders: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    changelog_folder: str | None = None
    links_keep_language: bool = False
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True)
class MovedPage:
    """A page whose place in the source is another one than at the last import; both are keys."""

    before: str
    after: str


@dataclass(slots=True)
class Losses:
    """Collects what a reader can't keep."""

    rows: list[Loss] = field(default_factory=list)

    def add(self, path: str, what: str, line: int | None = None) -> None:
        self.rows.append(Loss(path, what, line))


@dataclass(frozen=True, slots=True)
class Reader:
    """A format: `recognises` looks at the paths and configuration of a source, `make_tree` makes the tree."""

    name: str
    title: str
    recognises: Callable[[SourceFiles], bool]
    make_tree: Callable[[SourceFiles, Losses], Tree]

    def read(self, files: SourceFiles) -> Tree:
        """The tree with its losses.

        Raises `UnreadableSource` with one sentence that says which file is wrong and what to do.
        """
        losses = Losses()
        return replace(self.make_tree(files, losses), losses=tuple(losses.rows))
