"""Reads the files of a Wiki.js storage, such as its git repository, in Markdown or HTML."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from instep.transfer.imports.html.callout_kinds import CLASS_KINDS
from instep.transfer.imports.html.html_document import HtmlDocument, classes_of
from instep.transfer.imports.markdown.fields import Fields
from instep.transfer.imports.markdown.hidden_code import HiddenCode
from instep.transfer.imports.markdown.own_fields import with_own_fields
from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.source_pages import (
    PageLosses,
    SourcePage,
    decode_text,
    read_line_fields,
)
from instep.transfer.imports.products.html_texts import HtmlTexts, locale_of
from instep.transfer.imports.tree.file_names import title_of_name
from instep.transfer.imports.tree.folders import MAIN_LOCALE, PagePlace, translations
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree

HOME = "home"
EXTENSIONS = (".md", ".html")
SAMPLE_PAGES = 12
# The settings above a page: lines of a name and a value, which is not quoted and may contain colons.
HEADER = re.compile(r"\A(?:---|<!--)\n((?:(?!---|-->).*\n){1,50})(?:---|-->)\n*")
SETTING = re.compile(r"^([A-Za-z]+):[ \t]*(.*)$", re.MULTILINE)
# Wiki.js has each language but the main one in a folder, and refuses such a folder for pages.
LANGUAGE_FOLDER = re.compile(r"([a-z]{2}(?:-[a-z]{2})?)/", re.IGNORECASE)
# The kind of the blockquote above: info, success, warning or danger.
KIND = re.compile(r"(|>.*)\{\.is-([a-z]+)\}[ \t]*")


@dataclass(frozen=True, slots=True)
class WikiPage:
    path: str
    settings: Mapping[str, str]
    fields: Fields
    body: str


def recognises(files: SourceFiles) -> bool:
    """True if one of the first pages has the settings that Wiki.js writes."""
    return any(read_wiki_page(path, files, Losses()) for path in islice(page_paths(files), SAMPLE_PAGES))


def page_paths(files: SourceFiles) -> list[str]:
    return [path for path in files.paths() if path.endswith(EXTENSIONS) and not path.startswith(".")]


def read_wiki_page(path: str, files: SourceFiles, losses: Losses) -> WikiPage | None:
    """A page of the wiki; None for another file."""
    content = decode_text(path, files.read(path), losses)
    header = HEADER.match(content)
    settings = dict(SETTING.findall(header[1])) if header else {}
    if header is None or not {"editor", "dateCreated"} <= settings.keys():
        return None
    return WikiPage(path, settings, read_line_fields(header[1]), content[header.end() :])


def read(files: SourceFiles, losses: Losses) -> Tree:
    read_pages = (read_wiki_page(path, files, losses) for path in page_paths(files))
    sources = {page.path: page for page in read_pages if page is not None}
    places = {path: place_of(path) for path in sources}
    originals = translations(places, None)
    texts = HtmlTexts(losses, prepare=prepare_quotes)
    pages = {
        path: replace(page_of(source, places[path], losses, texts), translation_of=originals.get(path))
        for path, source in sources.items()
    }
    entries = entries_of({places[path].path: page for path, page in pages.items() if not page.translation_of})
    return Tree("wikijs", None, *arrange(entries, pages, losses), static_folders=("",))


def place_of(path: str) -> PagePlace:
    language = LANGUAGE_FOLDER.match(path)
    name = posixpath.splitext(path[language.end() :] if language else path)[0]
    return PagePlace(name, locale_of(language[1]) if language else None)


def page_of(source: WikiPage, place: PagePlace, losses: Losses, texts: HtmlTexts) -> ImportedPage:
    path, settings = source.path, source.settings
    title = settings.get("title", "").strip() or title_of_name(path)
    fields = Fields({**source.fields.values, "title": title})
    read_page = SourcePage(path, fields, source.body, PageLosses(path, source.body, losses))
    if path.endswith(".html"):
        page = with_own_fields(texts.page(source.body, title, path), read_page)
    else:
        page = plain_page(read_page, mark_quotes)
    name = "" if place.path == HOME else place.path
    # A wiki in several languages has the main one in its addresses too, which is nearly always English.
    localized = f"/{place.locale or MAIN_LOCALE}/{place.path}"
    return replace(
        page,
        locale=place.locale,
        address=localized if place.locale else f"/{name}",
        former_addresses=() if place.locale else (localized,),
        description=settings.get("description", "").strip() or None,
        status="draft" if settings.get("published") == "false" else page.status,
    )


def mark_quotes(text: str, code: HiddenCode) -> str:
    """Turn the quotes that a kind follows into alerts."""
    lines = list[str]()
    for line in text.split("\n"):
        kind = KIND.fullmatch(line)
        if kind is None:
            lines.append(line)
            continue
        lines += [kind[1].rstrip()] if kind[1] else []
        start = len(lines)
        while start and lines[start - 1].startswith(">"):
            start -= 1
        if start < len(lines):
            lines.insert(start, f"> [!{CLASS_KINDS.get(kind[2], 'NOTE')}]")
        lines.append("")
    return "\n".join(lines)


def prepare_quotes(document: HtmlDocument) -> None:
    for quote in document.css("blockquote"):
        kinds = [word for word in classes_of(quote) if word in CLASS_KINDS]
        if kinds:
            quote.attrs["class"] = f"callout {kinds[0]}"


def entries_of(pages: Mapping[str, ImportedPage]) -> list[Entry]:
    """Folders as collections, by title; a page with the name of a folder is its first one."""
    children: defaultdict[str, set[str]] = defaultdict(set)
    for name in pages:
        while name:
            folder = posixpath.dirname(name)
            children[folder].add(name)
            name = folder

    def entry_of(name: str) -> Entry:
        page = pages.get(name)
        entries = sorted(map(entry_of, children[name]), key=lambda entry: entry.title.casefold())
        return Entry(page.title if page else title_of_name(name), page.key if page else None, entries)

    home = [Entry(pages[HOME].title, pages[HOME].key)] if HOME in pages else []
    others = [entry_of(name) for name in children[""] if name != HOME or children[HOME]]
    return home + sorted(others, key=lambda entry: entry.title.casefold())


READER = Reader("wikijs", "Wiki.js", recognises, read)
