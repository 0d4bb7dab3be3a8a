"""Rewrites the text of a page for its article: links to articles, images to stored files."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

from instep.content.files.kinds import kind_of_bytes
from instep.platform.core import limits
from instep.platform.core.markdown_cost import TooComplex, refuse_costly_markdown
from instep.platform.core.page_names import is_pointer
from instep.platform.text.characters import shorten
from instep.transfer.imports.plan.addresses import PAGE_EXTENSION, Directory, SourceTarget
from instep.transfer.imports.plan.anchors import HeadingAnchors, as_fragment, heading_anchors_of, letters
from instep.transfer.imports.plan.markdown_references import ParsedPage, Reference, parse_references
from instep.transfer.imports.plan.site_addresses import SiteAddresses
from instep.transfer.imports.schemas import FileCounts, FilePiece, LinkCounts, Pieces, PlannedText
from instep.transfer.imports.tree.schemas import ImportedPage, Loss, SourceFiles
from instep.transfer.imports.tree.written_pictures import (
    content_of,
    is_written_picture,
    name_of_path,
    named_path,
)

DIGEST_CHARACTERS = 32
# Marks text to highlight on the page (URL Fragment Text Directives).
TEXT_FRAGMENT = ":~:"
FILE_NAME = re.compile(r"\.[A-Za-z]\w{0,4}$")
# The maximum number of characters of a title in a loss.
MAX_NAMED_CHARACTERS = 60
# Files whose type is only known from their names.
TEXT_EXTENSIONS = (".csv", ".txt", ".json")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the source that a text uses: its digest, and the reason if it can't be stored."""

    digest: str
    fault: str | None = None


@dataclass(slots=True)
class PageRewriter:
    """Rewrites the texts of one source, counts links and files, and collects losses."""

    directory: Directory
    files: SourceFiles
    addresses: SiteAddresses
    links: LinkCounts = field(default_factory=LinkCounts)
    counts: FileCounts = field(default_factory=FileCounts)
    losses: list[Loss] = field(default_factory=list)
    parsed: dict[str, ParsedPage] = field(default_factory=dict)
    anchors: dict[str, HeadingAnchors] = field(default_factory=dict)
    source_files: dict[str, SourceFile] = field(default_factory=dict)
    source_lines: dict[str, list[str]] = field(default_factory=dict)
    missing: set[tuple[str, str]] = field(default_factory=set)
    remote: set[str] = field(default_factory=set)

    def text_of(self, page: ImportedPage, further: object = None) -> PlannedText:
        """The text with rewritten links; the digest also covers `further`."""
        parsed = self.parse(page)
        facts: list[object] = [page.markdown, further]
        edits = []
        for reference in parsed.references:
            target = self.directory.find(reference.destination, page, is_picture=reference.is_picture)
            edit = self.edit_of(reference, target, page)
            facts.append([reference.destination, *self.facts_of(target)])
            if edit is not None:
                edits.append(edit)
        return PlannedText(joined(page.markdown, edits), digest_of(facts))

    def parse(self, page: ImportedPage) -> ParsedPage:
        """The references of a page; none if its text takes too long to render to become an article."""
        if page.key not in self.parsed:
            try:
                refuse_costly_markdown(page.markdown)
                self.parsed[page.key] = parse_references(page.markdown)
            except TooComplex:
                self.parsed[page.key] = ParsedPage((), (), ())
        return self.parsed[page.key]

    def edit_of(
        self, reference: Reference, target: SourceTarget, page: ImportedPage
    ) -> "DestinationEdit | None":
        """The replacement of a destination or of the whole element; None if it stays unchanged."""
        if target.kind == "external":
            self.count_external(reference)
            return None
        if target.kind == "file" or (reference.is_picture and target.kind in ("broken", "outside")):
            return self.file_edit(reference, target, page)
        self.links.total += reference.uses
        if target.kind == "broken":
            self.links.broken += reference.uses
            kind = "file" if names_file(reference.destination) else "page"
            what = f"link to a {kind} that isn't in the source: {reference.destination}"
            self.tell(page, reference, what)
            return None
        if target.kind == "outside":
            self.links.outside += reference.uses
            self.tell(
                page, reference, f"link to a part of the site that isn't imported: {reference.destination}"
            )
            if target.url is None:
                return None
        return self.link_edit(reference, target, page)

    def tell(self, page: ImportedPage, reference: Reference, what: str) -> None:
        self.losses.append(Loss(page.path, what, self.line_of(page, reference)))

    def line_of(self, page: ImportedPage, reference: Reference) -> int | None:
        """The line in the original file, which differs because readers remove and convert text."""
        if page.path not in self.source_lines:
            content = self.files.read(page.path) if page.path in self.directory.file_paths else b""
            self.source_lines[page.path] = content.decode(errors="replace").splitlines()
        lines = enumerate(self.source_lines[page.path], 1)
        return next((number for number, line in lines if reference.destination in line), None)

    def count_external(self, reference: Reference) -> None:
        if not reference.is_picture:
            self.links.external += reference.uses
        elif reference.destination not in self.remote:
            self.remote.add(reference.destination)
            self.counts.remote += 1

    def link_edit(
        self, reference: Reference, target: SourceTarget, page: ImportedPage
    ) -> "DestinationEdit | None":
        address = self.address_of(target, page, reference)
        if address == reference.destination:
            return None
        self.links.rewritten += reference.uses
        if reference.form == "autolink":
            return DestinationEdit(reference.start, reference.end, f"[{reference.destination}]({address})")
        return DestinationEdit(reference.start, reference.end, address)

    def address_of(self, target: SourceTarget, page: ImportedPage, reference: Reference) -> str:
        """The address of a link's target, with the fragment."""
        if target.kind == "home":
            return self.addresses.of_section(None, page)
        if target.other_page is not None:
            return self.addresses.of_other_page(target, page)
        if target.url is not None:
            return target.url
        assert target.page is not None, "a target that is neither URL nor file is a page"
        fragment = self.fragment_of(target, page, reference)
        if target.kind == "same_page" and fragment:
            return f"#{fragment}"
        path = self.addresses.of_page(target.page)
        return f"{path}#{fragment}" if fragment else path

    def fragment_of(self, target: SourceTarget, page: ImportedPage, reference: Reference) -> str:
        if target.page is None or not target.fragment:
            return ""
        if target.fragment.startswith(TEXT_FRAGMENT):
            return quote(target.fragment, safe=":~=,-")
        self.links.anchors += reference.uses
        id = self.place_id(target)
        if id is None and letters(target.fragment) == letters(target.page.title):
            # The title is above the text, so a link to it leads to the page.
            return ""
        if id is None:
            self.links.missing_anchors += reference.uses
            title = shorten(target.page.title, MAX_NAMED_CHARACTERS, at_word=True)
            what = f"link to a heading that isn't in “{title}”: {reference.destination}"
            self.tell(page, reference, what)
            return quote(target.fragment)
        return as_fragment(id, is_same_page=target.kind == "same_page")

    def place_id(self, target: SourceTarget) -> str | None:
        """The id of the heading for a fragment, which may also be the heading's id in another language."""
        if target.page is None or not target.fragment:
            return None
        ids = self.heading_ids(target.page)
        id = self.anchors_of(target.page).id_of(target.fragment)
        others = self.directory.other_languages(target.page) if id is None else []
        for other in others:
            other_ids = self.heading_ids(other)
            other_id = self.anchors_of(other).id_of(target.fragment)
            # A translation with the same number of headings is assumed to have the same ones, in the same
            # order.
            if other_id is not None and len(other_ids) == len(ids):
                return ids[other_ids.index(other_id)]
        return id

    def heading_ids(self, page: ImportedPage) -> list[str]:
        return [id for id, _ in self.parse(page).headings]

    def anchors_of(self, page: ImportedPage) -> HeadingAnchors:
        if page.key not in self.anchors:
            is_python = self.directory.tree.format == "mkdocs"
            self.anchors[page.key] = heading_anchors_of(page, self.parse(page), is_python=is_python)
        return self.anchors[page.key]

    def file_edit(
        self, reference: Reference, target: SourceTarget, page: ImportedPage
    ) -> "DestinationEdit | None":
        """The address of a stored file, or else a link to the old site or the alternative text."""
        if target.path is None:
            self.list_missing(reference, target, page)
            return None
        file = self.file_at(target.path)
        if file.fault is None:
            piece = FilePiece(target.path, file.digest, reference.destination)
            return DestinationEdit(reference.start, reference.end, piece)
        kind = "image" if reference.is_picture else "file"
        if (page.key, target.path) not in self.missing:
            self.missing.add((page.key, target.path))
            self.tell(page, reference, f"{kind} that {file.fault}: {named_path(target.path)}")
        url = None if is_written_picture(target.path) else self.directory.site_url(target.path)
        if url is not None:
            return DestinationEdit(reference.start, reference.end, url)
        if reference.is_picture and reference.form in ("inline", "html"):
            words = reference.alt or name_of_path(target.path)
            return DestinationEdit(reference.element_start, reference.element_end, words)
        return None

    def list_missing(self, reference: Reference, target: SourceTarget, page: ImportedPage) -> None:
        if (page.key, reference.destination) not in self.missing:
            self.missing.add((page.key, reference.destination))
            self.counts.total += 1
            self.counts.listed += 1
            place = "is outside" if target.kind == "outside" else "isn't in"
            self.tell(page, reference, f"image that {place} the source: {reference.destination}")

    def file_at(self, path: str) -> SourceFile:
        if path not in self.source_files:
            file = inspect(path, content_of(self.files, path))
            self.source_files[path] = file
            self.counts.total += 1
            self.counts.stored += file.fault is None
            self.counts.listed += file.fault is not None
        return self.source_files[path]

    def facts_of(self, target: SourceTarget) -> list[object]:
        """The facts of a target without our own addresses, which may change although the source doesn't."""
        if target.kind == "file" and target.path is not None:
            return [target.kind, self.file_at(target.path).digest]
        key = target.page.key if target.page else getattr(target.other_page, "key", None)
        return [target.kind, key, target.url, self.place_id(target)]


@dataclass(frozen=True, slots=True)
class DestinationEdit:
    """A replacement for characters `start` to `end` (exclusive): a text, or the address of a file."""

    start: int
    end: int
    piece: str | FilePiece


def joined(text: str, edits: list[DestinationEdit]) -> Pieces:
    """The text with its edits; an edit inside an earlier one, such as an image in a link, is left out."""
    pieces: list[str | FilePiece] = []
    place = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        if edit.start < place:
            continue
        pieces += [text[place : edit.start], edit.piece]
        place = edit.end
    return tuple(piece for piece in (*pieces, text[place:]) if piece != "")


def names_file(destination: str) -> bool:
    """True if a link refers to a file that is not a page."""
    path = destination.partition("#")[0].partition("?")[0]
    return FILE_NAME.search(path) is not None and PAGE_EXTENSION.search(path) is None


def digest_of(facts: object) -> str:
    text = json.dumps(facts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]


def inspect(path: str, content: bytes) -> SourceFile:
    """Check by its first bytes whether a file can be stored; storing it examines all of it."""
    digest = hashlib.sha256(content).hexdigest()
    return SourceFile(digest, next((fault for fault, is_so in FAULTS if is_so(path, content)), None))


def is_unknown(path: str, content: bytes) -> bool:
    return kind_of_bytes(content) is None and not path.lower().endswith(TEXT_EXTENSIONS)


FAULTS: tuple[tuple[str, Callable[[str, bytes], bool]], ...] = (
    ("is a Git LFS pointer (run `git lfs pull` first)", lambda path, content: is_pointer(content)),
    ("is empty", lambda path, content: not content),
    ("is larger than 20 MB", lambda path, content: len(content) > limits.MAX_FILE_BYTES),
    ("is an SVG, which can contain scripts", lambda path, content: path.lower().endswith(".svg")),
    ("can't be stored because of its type", is_unknown),
)
