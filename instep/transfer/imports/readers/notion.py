"""Reads Notion exports in “Markdown & CSV” or HTML; the files of all parts are read together."""

import csv
import posixpath
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from html import escape
from io import StringIO
from urllib.parse import quote, unquote

from instep.transfer.imports.html import html_document as dom
from instep.transfer.imports.html.callout_kinds import kind_of_icon
from instep.transfer.imports.products.html_texts import HtmlTexts, first_text, inner_html, parse_page
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedPage,
    Losses,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)

NAME = re.compile(r"^(?P<title>.*?)[ -]?(?P<id>[0-9a-f]{32})(?P<all>_all)?(?:\.(?P<kind>md|html|csv))?$")
NOTION_URL = re.compile(
    r"https?://(?:www\.)?notion\.(?:so|site)/[^\s:)\]\"'<>]*?([0-9a-f]{32})(?:[?#][^\s)\"'<>]*)?"
)
# The text in exports in place of the URL of an inaccessible page.
NO_ADDRESS = "https://www.notion.soundefined"
LINK_TO_NOWHERE = re.compile(rf"\[([^\[\]\n]*)\]\({re.escape(NO_ADDRESS)}\)")
LINKED_ID = re.compile(r"[0-9a-f]{32}(?=[./%?#)\"'\s])")
TITLE_LINE = re.compile(r"\A\s*# (.*)\n+")
PROPERTY = re.compile(r"([^\s:#>*\-\[|][^:\n]{0,80}): (\S.*)")
# A callout in a Markdown export, which Notion writes as HTML.
ASIDE = re.compile(r"<aside>((?:(?!</?aside>).)*)</aside>", re.DOTALL)
FIRST_WORD = re.compile(r"[\w<\[*`]")
MAX_ICON_CHARACTERS = 4
NOT_CONTENT = "nav.table_of_contents, .user-icon, .page-header-icon"
EQUATIONS = "figure.equation, span.katex, span.notion-text-equation-token"
MAX_TOLD_CHARACTERS = 80


@dataclass(slots=True)
class NotionPage:
    """A page of the export; `rows` is the table of a database, whose pages are in the folder."""

    id: str
    path: str
    title: str
    text: str = ""
    heading_ids: tuple[tuple[str, int], ...] = ()
    linked_ids: list[str] = field(default_factory=list)
    parent: str | None = None
    rows: list[dict[str, str]] | None = None


def recognises(files: SourceFiles) -> bool:
    """True if names of pages end with Notion's ids, 32 hexadecimal digits."""
    names = [match for path in files.paths() if (match := NAME.match(posixpath.basename(path)))]
    return any(match["kind"] for match in names)


def read(files: SourceFiles, losses: Losses) -> Tree:
    export = NotionExport(files, losses)
    if not export.pages:
        raise UnreadableSource("The export contains no pages: export from Notion with “Include subpages”.")
    arranged = export.arrange()
    collections = [page for page in arranged if page.id in export.children]
    return Tree(
        "notion",
        None,
        tuple(page for each in arranged for page in export.imported(each)),
        tuple(ImportedCollection(page.id, page.title, page.parent) for page in collections),
    )


class NotionExport:
    """The pages of an export, by id, and their subpages."""

    def __init__(self, files: SourceFiles, losses: Losses) -> None:
        self.losses = losses
        self.texts = HtmlTexts(losses, prepare=simplify_notion)
        self.pages: dict[str, NotionPage] = {}
        for path in files.paths():
            match = NAME.match(posixpath.basename(path))
            if match and match["kind"]:
                self._add(path, match, files.read(path))
        self.folders = {posixpath.splitext(page.path)[0]: page for page in self.pages.values()}
        self.folders |= {title_folder(page): page for page in self.pages.values()}
        self.children: defaultdict[str, list[NotionPage]] = defaultdict(list)
        for page in self.pages.values():
            above = self._above(page)
            page.parent = above.id if above else None
            if above is not None:
                self.children[above.id].append(page)
            if page.rows:
                self.children[page.id] += []
        for page in self.pages.values():
            page.text = NOTION_URL.sub(partial(self._local_link, page), page.text)
            if count := page.text.count(NO_ADDRESS):
                self.losses.add(page.path, f"{count} links whose URL Notion left out ({NO_ADDRESS})")
                page.text = LINK_TO_NOWHERE.sub(r"\1", page.text)

    def _add(self, path: str, match: re.Match[str], content: bytes) -> None:
        text = content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
        earlier_page = self.pages.get(match["id"])
        if match["kind"] == "csv":
            # The file with `_all` has all rows, the other one the rows of a view.
            if earlier_page is None or earlier_page.rows is None or match["all"]:
                page = NotionPage(match["id"], path.replace("_all.csv", ".csv"), match["title"])
                page.rows = read_rows(path, text)
                if earlier_page is None or earlier_page.rows is not None:
                    self.pages[page.id] = page
                else:
                    earlier_page.rows = page.rows
            return
        if match["kind"] == "html":
            page = self._html_page(path, match, content)
        else:
            page = markdown_page(path, match, text)
        page.rows = earlier_page.rows if earlier_page is not None else None
        self.pages[page.id] = page

    def _html_page(self, path: str, match: re.Match[str], content: bytes) -> NotionPage:
        tree = parse_page(content)
        title = first_text(tree, ".page-title") or match["title"]
        parts = [inner_html(tree.css_first(each)) for each in (".page-description", ".page-body")]
        properties = tree.css_first("header table.properties")
        listed = (
            f"<table class='properties'>{inner_html(properties)}</table>" if properties is not None else ""
        )
        html = f"<p>{parts[0]}</p>{listed}{parts[1]}" if parts[0] else listed + parts[1]
        body = self.texts.page(html, title, path)
        ids = LINKED_ID.findall(unquote(html))
        return NotionPage(match["id"], path, title, body.markdown, body.heading_ids, ids)

    def _above(self, page: NotionPage) -> NotionPage | None:
        folder = posixpath.dirname(page.path)
        while folder:
            above = self.folders.get(folder)
            if above is not None and above is not page:
                return above
            folder = posixpath.dirname(folder)
        return None

    def _local_link(self, page: NotionPage, url: re.Match[str]) -> str:
        """A link to notion.so as a relative link, if it leads to a page of the export."""
        target = self.pages.get(url[1])
        if target is None:
            return url[0]
        return quote(posixpath.relpath(target.path, posixpath.dirname(page.path) or "."))

    def arrange(self) -> list[NotionPage]:
        """The pages in the order of the links on their parents, because exports contain no other order."""
        arranged = list[NotionPage]()

        def add(pages: list[NotionPage], linked_ids: list[str]) -> None:
            order = {each: place for place, each in reversed(list(enumerate(linked_ids)))}
            for page in sorted(pages, key=lambda page: (order.get(page.id, len(order)), page.title)):
                arranged.append(page)
                add(self.children.get(page.id, []), page.linked_ids)

        add([page for page in self.pages.values() if page.parent is None], [])
        return arranged

    def imported(self, page: NotionPage) -> list[ImportedPage]:
        """The page as an article; for a database, also an article for each row without a page."""
        place = page.id if page.id in self.children else page.parent
        pages = list[ImportedPage]()
        if page.rows is None or page.text.strip():
            pages.append(self._article(page.id, page.path, page.title, page.text, place, page.heading_ids))
        titles = {child.title.strip() for child in self.children.get(page.id, ())}
        for number, row in enumerate(page.rows or (), 1):
            title, *_ = [*row.values(), ""]
            if title.strip() and title.strip() not in titles:
                text = row_text(row)
                path = f"{page.path}#{number}"
                self.losses.add(path, f"row of the database “{page.title}”, imported as an article: {title}")
                pages.append(self._article(f"{page.id}/{title.strip()}", path, title.strip(), text, place))
        return pages

    def _article(
        self,
        key: str,
        path: str,
        title: str,
        text: str,
        place: str | None,
        heading_ids: tuple[tuple[str, int], ...] = (),
    ) -> ImportedPage:
        return ImportedPage(
            key=key,
            path=path,
            title=title or "Untitled",
            markdown=text,
            locale=None,
            collection=place if place in self.children else None,
            heading_ids=heading_ids,
        )


def read_rows(path: str, text: str) -> list[dict[str, str]]:
    try:
        # Cells beyond the last column have no name, and missing cells of a short row have no value.
        return [
            {name: value or "" for name, value in row.items() if name is not None}
            for row in csv.DictReader(StringIO(text))
        ]
    except csv.Error as error:
        raise UnreadableSource(f"{path} is not valid CSV ({error}): export it from Notion again.") from None


def title_folder(page: NotionPage) -> str:
    """The folder of a page in newer exports, whose names lack the id."""
    match = NAME.match(posixpath.basename(page.path))
    return posixpath.join(posixpath.dirname(page.path), match["title"] if match else page.title)


def markdown_page(path: str, match: re.Match[str], text: str) -> NotionPage:
    """A page as Markdown; the first line is the title, followed by properties for a database row."""
    title_line = TITLE_LINE.match(text)
    title = title_line[1].strip() if title_line else match["title"]
    body = ASIDE.sub(alert_of_aside, properties_as_list(text[title_line.end() :] if title_line else text))
    ids = LINKED_ID.findall(unquote(text))
    return NotionPage(match["id"], path, title, body.strip("\n") + "\n", linked_ids=ids)


def properties_as_list(text: str) -> str:
    """Turn property lines right below the title, which Markdown would join, into a list."""
    head, _, rest = text.partition("\n\n")
    matches = [PROPERTY.fullmatch(line) for line in head.split("\n")]
    if not head.strip() or not all(matches):
        return text
    return "\n".join(f"- **{match[1]}**: {match[2]}" for match in matches if match) + f"\n\n{rest}"


def row_text(row: dict[str, str]) -> str:
    """The properties of a database row other than its title, as a list."""
    values = [(name, value) for name, value in list(row.items())[1:] if name and isinstance(value, str)]
    lines = [f"- **{name}**: {' '.join(value.split())}" for name, value in values if value.strip()]
    return "\n".join(lines) + "\n" if lines else ""


def alert_of_aside(aside: re.Match[str]) -> str:
    """A callout as an alert, of the kind that its icon shows."""
    text = aside[1].strip()
    start = FIRST_WORD.search(text)
    icon = ""
    if start is not None and 0 < start.start() <= MAX_ICON_CHARACTERS:
        icon, text = text[: start.start()].strip(), text[start.start() :]
    return "\n".join([f"> [!{kind_of_icon(icon)}]", *(f"> {line}".rstrip() for line in text.split("\n"))])


def simplify_notion(document: dom.HtmlDocument) -> None:
    for node in document.css(NOT_CONTENT):
        dom.discard(node)
    for callout in document.css("figure.callout"):
        icon = callout.css_first(".icon")
        kind = kind_of_icon(dom.text_of(icon)) if icon is not None else "NOTE"
        if icon is not None:
            dom.discard(icon)
        callout.attrs["class"] = f"callout {kind.lower()}"
    for toggle in document.css("ul.toggle"):
        for item in list(toggle.iter()):
            dom.unwrap(item)
        dom.unwrap(toggle)
    prepare_checkboxes(document)
    prepare_equations(document)
    for table in document.css("table.properties"):
        rows = [[escape(dom.text_of(cell)) for cell in row.css("th, td")] for row in table.css("tr")]
        items = [f"<li><strong>{cells[0]}</strong>: {cells[-1]}</li>" for cells in rows if cells]
        dom.replace_inner(dom.rename(document, table, "ul"), "".join(items))


def prepare_checkboxes(document: dom.HtmlDocument) -> None:
    for box in document.css(".checkbox"):
        checkbox: dom.Node = document.parser.create_node("input")
        checkbox.attrs["type"] = "checkbox"
        if "checkbox-on" in (box.attributes.get("class") or ""):
            checkbox.attrs["checked"] = ""
        box.insert_before(checkbox, move=True)
        dom.discard(box)


def prepare_equations(document: dom.HtmlDocument) -> None:
    """Turn formulas into code with their source, which pages can show."""
    for equation in document.css(EQUATIONS):
        source = equation.css_first("annotation")
        if source is not None:
            text = dom.text_of(source)
            dom.replace_inner(dom.rename(document, equation, "code"), escape(text))
            document.losses.append(f"formula, shown as code: {text[:MAX_TOLD_CHARACTERS]}")


READER = Reader("notion", "Notion", recognises, read)
