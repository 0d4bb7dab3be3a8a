"""Reads WordPress: the XML (WXR) from Tools, Export."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape, unescape
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate
from xml.parsers.expat.errors import messages

from instep.platform.text.encodings import decode_unicode
from instep.transfer.imports.html.block_tags import TagUse, replace_tags
from instep.transfer.imports.products.html_texts import HtmlTexts, locale_of, most_common_locale
from instep.transfer.imports.products.json_files import Ordered, in_reading_order, order_of
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedPage,
    Losses,
    PageStatus,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)
from instep.transfer.imports.tree.url_parts import path_of, sites_of

BLOCK_TAG = re.compile(
    r"</?(?:address|article|aside|blockquote|details|div|dl|figure|form|h[1-6]|hr|ol|p|pre|section|table|ul)\b",
    re.IGNORECASE,
)
CODE_TAG = re.compile(r"<(/?)(pre|code)\b[^<>]*>", re.IGNORECASE)
# WordPress does not mark shortcodes without a body.
TOKEN = re.compile(r"\[(?P<end>/)?(?P<name>[A-Za-z][\w-]*)(?P<arguments>(?:\s[^\[\]\n]*)?)(?P<alone>(?!))?\]")
URL = re.compile(r"https?://[^\s\"'<>\[\]]+")
PICTURE = re.compile(r"\s*((?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*</a>)?)(.*)", re.DOTALL | re.IGNORECASE)
MEDIA = {"embed", "youtube", "vimeo", "video", "audio", "playlist", "loom", "wistia"}
# A placeholder for code while paragraphs are added; a Unicode noncharacter.
CODE_PLACE = "\ufdda"
# Characters that XML 1.0 excludes (section 2.2), and references to them.
_NO_XML = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]"
    rb"|&#(?:0*(?:[0-8]|1[124-9]|2[0-9]|3[01])|[xX]0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]));"
)
_OTHER_ENCODING = re.compile(rb"\s*<\?xml\b[^>]*\bencoding\s*=\s*[\"'](?!utf-?8[\"'])", re.IGNORECASE)
NAMESPACE = re.compile(rb"wordpress\.org/export/1\.\d")
HEAD_BYTES = 8_192
# Types of items that are not pages, such as parts of the theme, revisions and forms.
NO_PAGES = re.compile(
    r"attachment|revision|nav_menu_item|wp_.*|custom_css|customize_changeset|oembed_cache|acf-.*"
)
# Taxonomies that do not determine an article's position.
NO_PLACES = {"post_tag", "post_format", "language", "post_translations", "author", "nav_menu", "wp_theme", ""}
LEFT_OUT = {"trash", "auto-draft", "inherit"}
REUSED_BLOCK = re.compile(r"<!--\s*wp:block\s+\{[^}]*\"ref\":(\d+)[^}]*\}\s*/-->")


@dataclass(slots=True)
class Shortcodes:
    """Replaces shortcodes; `images` are URLs of attachments by id, `tell` receives unknown shortcodes."""

    images: Mapping[str, str]
    tell: Callable[[str], None]

    def replace(self, html: str) -> str:
        """The HTML without shortcodes, in one pass; code stays unchanged."""
        if "[" not in html:
            return html
        parts = code_parts(html)
        return "".join(part if is_code else self._replace(part) for is_code, part in parts)

    def _replace(self, html: str) -> str:
        return replace_tags(html, TOKEN, self._html, keeps_unopened=True)

    def _html(self, tag: TagUse) -> str:
        content = tag.body or ""
        if tag.body is None and tag.name not in {*MEDIA, "gallery"} and "=" not in tag.source:
            return tag.source
        if tag.name == "caption":
            return figure(content, tag.named.get("caption", ""))
        if tag.name == "gallery":
            ids = re.findall(r"\d+", tag.named.get("ids", ""))
            urls = [self.images[each] for each in ids if each in self.images]
            return "".join(f'<p><img src="{escape(url)}" alt=""></p>' for url in urls)
        if tag.name in MEDIA:
            url = URL.search(f"{content} {tag.source}")
            return f'<p><a href="{escape(url[0])}">{escape(url[0])}</a></p>' if url else content
        self.tell(f"shortcode [{tag.name}]{', reduced to its text' if content.strip() else ''}")
        return content


def code_parts(html: str) -> Iterator[tuple[bool, str]]:
    """The HTML in parts, each with a flag for code."""
    start, opened = 0, ""
    for tag in CODE_TAG.finditer(html):
        name = tag[2].lower()
        if not tag[1] and not opened:
            yield False, html[start : tag.start()]
            start, opened = tag.start(), name
        elif tag[1] and name == opened:
            yield True, html[start : tag.end()]
            start, opened = tag.end(), ""
    yield bool(opened), html[start:]


def figure(content: str, caption: str) -> str:
    """An image with the text that follows it as its caption."""
    picture = PICTURE.match(content)
    if picture is None:
        return content
    return f"<figure>{picture[1]}<figcaption>{picture[2].strip() or caption}</figcaption></figure>"


def with_paragraphs(html: str) -> str:
    """HTML for text of the classic editor: blank lines separate paragraphs, and line ends are breaks."""
    if "<!-- wp:" in html or re.search(r"<p[\s>]", html, re.IGNORECASE):
        return html
    parts = list(code_parts(html.replace("\r\n", "\n").replace(CODE_PLACE, "")))
    codes = iter([part for is_code, part in parts if is_code])
    text = "".join(CODE_PLACE if is_code else part for is_code, part in parts)
    blocks = [paragraph(block.strip()) for block in re.split(r"\n[ \t]*\n", text)]
    return re.sub(CODE_PLACE, lambda _: next(codes), "\n".join(filter(None, blocks)))


def paragraph(block: str) -> str:
    if not block or BLOCK_TAG.match(block):
        return block
    return f"<p>{block.replace(chr(10), '<br>')}</p>"


class _DocumentType(Exception):
    """The file declares a document type, which could define entities."""


def read_xml(path: str, content: bytes, losses: Losses) -> Element:
    """The root element; names have their namespace before a space. Raises `UnreadableSource`.

    Characters that XML doesn't allow, which plugins write into exports, are left out and reported.
    """
    is_unicode = not _OTHER_ENCODING.match(content)
    text = decode_unicode(content) if is_unicode else None
    if text is None and is_unicode:
        text = content.decode(errors="replace")
        losses.add(path, "text that is not UTF-8")
    content, count = _NO_XML.subn(b"", content if text is None else text.encode())
    if count:
        losses.add(path, f"{count:,} control characters that XML doesn't allow")
    builder = TreeBuilder()
    parser = ParserCreate(None if text is None else "utf-8", " ")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_document_type
    try:
        parser.Parse(content, True)
    except ExpatError as error:
        raise UnreadableSource(
            f"{path} is not well-formed XML (line {error.lineno}, column {error.offset + 1}: "
            f"{messages[error.code]}): export it again, or fix that line."
        ) from None
    except LookupError as error:
        raise UnreadableSource(f"{path} can't be read: {error}. Save it as UTF-8 and import again.") from None
    except _DocumentType:
        raise UnreadableSource(
            f"{path} declares a document type, unlike any WordPress export: remove its <!DOCTYPE>."
        ) from None
    return builder.close()


def _refuse_document_type(*_: object) -> None:
    raise _DocumentType


@dataclass(frozen=True, slots=True)
class Item:
    """A post, page or attachment."""

    file: str
    element: Element

    def value(self, name: str) -> str:
        """The text of a field, by its local name, such as `post_id` or `content encoded`."""
        return value_of(self.element, name)

    @property
    def id(self) -> str:
        return self.value("post_id")

    @property
    def path(self) -> str:
        return f"{self.file}#{self.id or self.value('post_name')}"

    def meta(self, name: str) -> list[str]:
        rows = [row for row in self.element if local_name(row) == "postmeta"]
        return [value_of(row, "meta_value") for row in rows if value_of(row, "meta_key") == name]

    def terms(self, domain: str | None = None) -> list[tuple[str, str, str]]:
        """The taxonomy, the slug and the name of each term."""
        rows = [row for row in self.element if row.tag == "category"]
        terms = [(row.get("domain", ""), row.get("nicename", ""), (row.text or "").strip()) for row in rows]
        return [term for term in terms if domain is None or term[0] == domain]


@dataclass(slots=True)
class Blog:
    items: list[Item] = field(default_factory=list)
    terms: dict[tuple[str, str], Element] = field(default_factory=dict)
    locale: str | None = None
    urls: list[str] = field(default_factory=list)


def local_name(element: Element) -> str:
    return element.tag.rpartition(" ")[2]


def value_of(element: Element, name: str) -> str:
    """The text of the first child with a local name; `content encoded` includes the namespace's end."""
    namespace, _, local = name.rpartition(" ")
    for child in element:
        if local_name(child) == local and (not namespace or f"/{namespace}/ " in child.tag):
            return (child.text or "").strip()
    return ""


def recognises(files: SourceFiles) -> bool:
    return any(NAMESPACE.search(files.read(path)[:HEAD_BYTES]) for path in xml_paths(files))


def xml_paths(files: SourceFiles) -> list[str]:
    return [path for path in files.paths() if path.lower().endswith(".xml")]


def read(files: SourceFiles, losses: Losses) -> Tree:
    blog = Blog()
    for path in xml_paths(files):
        content = files.read(path)
        if NAMESPACE.search(content[:HEAD_BYTES]):
            add_export(blog, path, read_xml(path, content, losses))
    reader = BlogReader(blog, losses)
    items = [item for item in blog.items if reader.is_page(item)]
    if not items:
        raise UnreadableSource(
            "The export contains no posts and no pages: export “All content” in WordPress."
        )
    collections = reader.collections(items)
    order = order_of(collections)
    pages = [reader.page(item) for item in items]
    menu = {page.key: item.value("menu_order") for page, item in zip(pages, items, strict=True)}

    def place(page: ImportedPage) -> tuple[int, float]:
        number = menu[page.key]
        return order.get(page.collection, len(order)), float(number) if number.isdecimal() else 0.0

    return Tree(
        "wordpress",
        blog.locale,
        tuple(join_translations(sorted(pages, key=place), items, blog.locale)),
        tuple(collections),
        sites=sites_of(blog.urls),
    )


def add_export(blog: Blog, path: str, root: Element) -> None:
    channel = root.find("channel")
    for element in channel if channel is not None else ():
        name = local_name(element)
        if element.tag == "item":
            blog.items.append(Item(path, element))
        elif name == "category" and element.tag != "category":
            blog.terms["category", value_of(element, "category_nicename")] = element
        elif name == "term":
            blog.terms[value_of(element, "term_taxonomy"), value_of(element, "term_slug")] = element
        elif name == "language" and element.text:
            blog.locale = locale_of(element.text.strip())
        elif name in {"base_blog_url", "link"} and element.text:
            blog.urls.append(element.text.strip())


class BlogReader:
    """Turns the items of a blog into pages and collections."""

    def __init__(self, blog: Blog, losses: Losses) -> None:
        self.blog = blog
        self.losses = losses
        self.texts = HtmlTexts(losses)
        self.by_id = {item.id: item for item in blog.items}
        attachments = [item for item in blog.items if item.value("post_type") == "attachment"]
        self.images = {item.id: item.value("attachment_url") for item in attachments}
        self.keys = defaultdict[str, int](int)
        self.with_children = {
            item.value("post_parent") for item in blog.items if item.value("post_type") == "page"
        }

    def is_page(self, item: Item) -> bool:
        """True if an item becomes an article, and is neither in the trash nor part of a theme."""
        if NO_PAGES.fullmatch(item.value("post_type")):
            return False
        if item.value("status") in LEFT_OUT:
            self.losses.add(item.path, f"item with the status “{item.value('status')}”, left out")
            return False
        return True

    def collections(self, items: Iterable[Item]) -> list[ImportedCollection]:
        """Categories with pages, with their parents, and pages with subpages."""
        ordered = dict[str, Ordered]()
        for item in items:
            if item.id in self.with_children and item.value("post_type") == "page":
                key, title = f"page-{item.id}", unescape(item.value("title"))
                parent = f"page-{item.value('post_parent')}"
                number = item.value("menu_order")
                place = float(number) if number.isdecimal() else 0.0
                ordered[key] = ((place, title), ImportedCollection(key, title, parent))
            for domain, slug, name in item.terms():
                self._add_term(ordered, domain, slug, name)
        return in_reading_order(ordered.values())

    def _add_term(self, ordered: dict[str, Ordered], domain: str, slug: str, name: str) -> None:
        while (
            slug and domain not in NO_PLACES and slug != "uncategorized" and f"{domain}/{slug}" not in ordered
        ):
            term = self.blog.terms.get((domain, slug))
            values = (
                {local_name(each): (each.text or "").strip() for each in term} if term is not None else {}
            )
            title = unescape(name or values.get("cat_name") or values.get("term_name") or slug)
            parent = values.get("category_parent") or values.get("term_parent") or ""
            description = values.get("category_description") or values.get("term_description") or None
            collection = ImportedCollection(
                f"{domain}/{slug}", title, f"{domain}/{parent}", description, slug=slug
            )
            ordered[collection.key] = ((0.0, title), collection)
            slug, name = parent, ""

    def page(self, item: Item) -> ImportedPage:
        key = item.id or item.value("post_name")
        self.keys[key] += 1
        title = unescape(item.value("title")) or item.value("post_name") or f"Post {key}"
        page = self.texts.page(self._html(item), title, item.path)
        self._report_rest(item)
        link = item.value("link")
        address = None if "?" in link else path_of(link)
        language = next((slug for _, slug, _ in item.terms("language")), "")
        description = next(iter(item.meta("_yoast_wpseo_metadesc")), "") or item.value("excerpt encoded")
        return replace(
            page,
            key=key if self.keys[key] == 1 else f"{item.path}",
            locale=locale_of(language, self.blog.locale) if language else self.blog.locale,
            address=address,
            former_addresses=former_addresses(address, item.meta("_wp_old_slug")),
            slug=item.value("post_name") or None,
            collection=self._place_of(item),
            description=unescape(re.sub(r"<[^<>]*>", "", description)).strip() or None,
            status=self._status_of(item),
        )

    def _html(self, item: Item) -> str:
        """The content as HTML, including reusable blocks."""

        def shared(match: re.Match[str]) -> str:
            block = self.by_id.get(match[1])
            return block.value("content encoded") if block is not None else ""

        html = REUSED_BLOCK.sub(shared, item.value("content encoded"))
        shortcodes = Shortcodes(self.images, lambda what: self.losses.add(item.path, what))
        return shortcodes.replace(with_paragraphs(html))

    def _report_rest(self, item: Item) -> None:
        for thumbnail in item.meta("_thumbnail_id"):
            if url := self.images.get(thumbnail):
                self.losses.add(item.path, f"featured image that isn't in the text: {url}")
        comments = sum(local_name(row) == "comment" for row in item.element)
        if comments:
            self.losses.add(item.path, f"{comments} reader comments")

    def _place_of(self, item: Item) -> str | None:
        """The collection of a page: its parent, the page itself if it has subpages, or its first category."""
        if item.value("post_type") == "page":
            parents = (item.id if item.id in self.with_children else "", item.value("post_parent"))
            return next((f"page-{each}" for each in parents if each in self.by_id), None)
        places = [
            f"{domain}/{slug}"
            for domain, slug, _ in item.terms()
            if slug and domain not in NO_PLACES and slug != "uncategorized"
        ]
        for other in places[1:]:
            self.losses.add(item.path, f"additional category: {other.partition('/')[2]}")
        return places[0] if places else None

    def _status_of(self, item: Item) -> PageStatus:
        status = item.value("status")
        if status == "private" or item.value("post_password"):
            self.losses.add(item.path, "private or password-protected page, imported as a draft")
            return "draft"
        return "published" if status == "publish" else "draft"


def former_addresses(address: str | None, slugs: list[str]) -> tuple[str, ...]:
    """The addresses with former slugs of the page."""
    folder = (address or "").rpartition("/")[0]
    return tuple(f"{folder}/{slug}" for slug in dict.fromkeys(slugs) if slug) if address else ()


def join_translations(pages: list[ImportedPage], items: list[Item], locale: str | None) -> list[ImportedPage]:
    """Join Polylang translations: the original is the page in the blog's language, or the first one."""
    locale = locale or most_common_locale(page.locale for page in pages)
    groups = {item.path: slug for item in items for _, slug, _ in item.terms("post_translations")}
    originals = dict[str, ImportedPage]()
    for page in [*(page for page in pages if page.locale == locale), *pages]:
        if page.path in groups:
            originals.setdefault(groups[page.path], page)
    joined = list[ImportedPage]()
    for page in pages:
        original = originals.get(groups.get(page.path, ""), page)
        joined.append(page if original is page else replace(page, translation_of=original.key))
    return joined


READER = Reader("wordpress", "WordPress", recognises, read)
