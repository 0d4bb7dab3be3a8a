"""Converts HTML of a product to Markdown, and URLs to the paths of saved files."""

import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from instep.platform.core.locales import valid_locale
from instep.platform.core.markdown_cost import TooComplex, refuse_costly_html
from instep.transfer.imports.html.convert import to_markdown
from instep.transfer.imports.html.html_document import NOT_IN_TEXTS, HtmlDocument, paragraphs_of_text, text_of
from instep.transfer.imports.products.json_files import Row, read_json
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, SourceFiles
from instep.transfer.imports.tree.url_parts import decoded_path, split_url

# A fetcher's file next to the pages: for each URL of an image or download, the path of the saved file, or an
# object with the reason in `error`.
SAVED_FILES = "files.json"
SavedFiles = Mapping[str, Any]


def read_saved_files(files: SourceFiles) -> SavedFiles:
    """The saved images and downloads by URL; empty if they were not fetched."""
    document = read_json(files, SAVED_FILES) if SAVED_FILES in files.paths() else {}
    return document if isinstance(document, dict) else {}


@dataclass(slots=True)
class HtmlTexts:
    """Converts the texts of one source; `prepare` turns the product's markup into plain HTML."""

    losses: Losses
    saved_files: SavedFiles = field(default_factory=dict)
    prepare: Callable[[HtmlDocument], None] | None = None

    def page(self, html: str, title: str, path: str) -> ImportedPage:
        """The Markdown of the page at a path."""

        def prepare(document: HtmlDocument) -> None:
            if self.prepare is not None:
                self.prepare(document)
            self._lead_to_files(document, path)

        text = to_markdown(html, title, prepare)
        for loss in text.losses:
            self.losses.add(path, loss)
        return ImportedPage(path, path, title, text.markdown, locale=None, heading_ids=text.heading_ids)

    def article(
        self, id: str, path: str, title: str, html: str, code: str = "", *, is_translation: bool = False
    ) -> ImportedPage:
        """An article, original or translation, in the language `code`; a missing title is reported."""
        suffix = f"/{code}" if is_translation else ""
        if not title:
            what = f"missing title: the article is called “Article {id}”"
            self.losses.add(path + suffix, what)
        return replace(
            self.page(html, title or f"Article {id}", path + suffix),
            key=id + suffix,
            locale=locale_of(code),
            translation_of=id if is_translation else None,
        )

    def _lead_to_files(self, document: HtmlDocument, path: str) -> None:
        for selector, name in (("img[src]", "src"), ("a[href]", "href")):
            for node in document.css(selector) if self.saved_files else ():
                address = (node.attributes.get(name) or "").strip()
                saved = self.saved_files.get(address)
                if isinstance(saved, str):
                    node.attrs[name] = posixpath.relpath(saved, posixpath.dirname(path) or ".")
                elif isinstance(saved, dict):
                    self.losses.add(
                        path, f"file that could not be downloaded, {saved.get('error')}: {address}"
                    )


def list_attachments(attachments: Iterable[Row], url: str, name: str) -> str:
    """HTML for files attached to a page that its text doesn't show; `url` and `name` are field names."""
    items = [
        f'<li><a href="{escape(str(row[url]))}">{escape(str(row.get(name) or row[url]))}</a></li>'
        for row in attachments
        if row.get(url)
    ]
    return f"<ul>{''.join(items)}</ul>" if items else ""


def locale_of(code: str, default: str | None = None) -> str | None:
    """The language code in its recommended spelling; `default` if the product states none."""
    try:
        return valid_locale(code.replace("_", "-"))
    except ValueError:
        return default


def most_common_locale(codes: Iterable[str | None]) -> str | None:
    """The most frequent stated language code."""
    counts = Counter(code for code in codes if code is not None)
    return counts.most_common(1)[0][0] if counts else None


def parse_page(content: bytes) -> LexborHTMLParser:
    """The tree of a file; one that is nested too deeply is reduced to its text."""
    html = NOT_IN_TEXTS.sub("", content.decode("utf-8-sig", errors="replace"))
    try:
        refuse_costly_html(html, "")
    except TooComplex:
        html = paragraphs_of_text(html)
    return LexborHTMLParser(html)


def first_text(tree: LexborHTMLParser | LexborNode, selector: str) -> str:
    """The text of the first matching element on one line; empty if there is none."""
    node = tree.css_first(selector)
    return text_of(node) if node is not None else ""


def inner_html(node: LexborNode | None) -> str:
    return (node.inner_html or "") if node is not None else ""


def linked_path(base: str, href: str | None) -> str | None:
    """The path of the file that a relative link in the file `base` refers to; None for any other link."""
    parts = split_url(href or "")
    if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(base), decoded_path(parts.path)))
    return None if path.startswith("..") else path
