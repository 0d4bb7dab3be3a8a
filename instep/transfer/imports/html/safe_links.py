"""Converts links, images and embedded content; only URLs that are allowed in pages are kept."""

import posixpath
import re
from urllib.parse import parse_qs

from instep.platform.core.readable import IGNORED_IN_URLS, SCHEME
from instep.transfer.imports.html.html_document import (
    BLOCK_SELECTOR,
    BLOCK_TAGS,
    HtmlDocument,
    Node,
    children,
    discard,
    is_blank,
    is_inside,
    tag_of,
    text_of,
    unwrap,
)
from instep.transfer.imports.html.markdown_links import link_target, picture, picture_width
from instep.transfer.imports.tree.url_parts import decoded_path, split_url
from instep.transfer.imports.tree.written_pictures import is_written_picture

SCHEMES = ("http:", "https:", "mailto:")
# The attributes in which lazily loaded images have their URL.
LATE_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-image-src")
# Images of characters, whose alternative text is the character.
LETTERS = "img.emoji, img.emoticon, img[data-emoji-short-name], img[data-emoji-id], img.notion-emoji"
EMBEDS = "iframe, video, audio, embed, object"
# Video players, and the page of the same video: (pattern of the player's URL, page).
PLAYERS = (
    (
        re.compile(r"https?://(?:www\.)?youtube(?:-nocookie)?\.com/embed/([\w-]+)"),
        "https://www.youtube.com/watch?v={}",
    ),
    (re.compile(r"https?://player\.vimeo\.com/video/(\d+)"), "https://vimeo.com/{}"),
    (re.compile(r"https?://(?:www\.)?loom\.com/embed/(\w+)"), "https://www.loom.com/share/{}"),
    (
        re.compile(r"https?://fast\.wistia\.(?:net|com)/embed/iframe/(\w+)"),
        "https://fast.wistia.net/embed/iframe/{}",
    ),
)
# Extensions of pages, as opposed to downloads.
PAGE_ENDS = (".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp")
MAX_TOLD_CHARACTERS = 80
# Videos that our pages play: see frontend/src/site/videos.js.
PLAYED = re.compile(
    r"https://(?:www\.)?(?:youtube\.com/(?:watch|embed|shorts|live)|youtu\.be/|vimeo\.com/\d|loom\.com/(?:share|embed)/)"
    r"|(?!//)[^:]*\.(?:mp4|m4v|mov|webm)$",
    re.IGNORECASE,
)


def keep_addresses(document: HtmlDocument) -> None:
    """Turn embedded content into links, and remove URLs that run code or contain data."""
    for sources in document.css("picture"):
        keep_picture_of(sources)
    for image in document.css("img"):
        keep_image(document, image)
    for embedded in document.css(EMBEDS):
        link_embedded(document, embedded)
    for link in document.css("a"):
        keep_link(document, link)


def safe_address(address: str | None) -> str | None:
    """The URL if it is relative or has an allowed scheme; None otherwise."""
    text = IGNORED_IN_URLS.sub("", address or "").strip()
    if text.startswith("//"):
        return f"https:{text}"
    if not text or (SCHEME.match(text) and not text.lower().startswith(SCHEMES)):
        return None
    return link_target(text)


def picture_address(address: str | None) -> str | None:
    """A safe URL, or the URL of an image embedded in the text."""
    text = (address or "").strip()
    return text if is_written_picture(text) else safe_address(text)


def keep_picture_of(picture: Node) -> None:
    for source in picture.css("source"):
        discard(source)
    unwrap(picture)


def keep_image(document: HtmlDocument, image: Node) -> None:
    attributes = image.attributes
    alt = " ".join((attributes.get("alt") or "").split())
    sources = [attributes.get(name) for name in ("src", *LATE_SOURCES)]
    source = next((address for text in sources if (address := picture_address(text))), None)
    if source is None or image.css_matches(LETTERS):
        if source is None and any(sources):
            document.losses.append(f"image embedded in the text{f' ({alt})' if alt else ''}")
        image.replace_with(alt)
        return
    width = picture_width(attributes.get("width") or "", attributes.get("style") or "")
    for name in list(attributes):
        if name != "title":
            del image.attrs[name]
    image.attrs["src"] = source
    image.attrs["alt"] = alt
    if width is not None:
        image.attrs["width"] = str(width)


def write_sized_pictures(document: HtmlDocument) -> None:
    """Write images with a width as tags, after all steps that look for images."""
    for image in document.css("img[width]"):
        alt, source, width, title = (
            image.attributes.get(name) or "" for name in ("alt", "src", "width", "title")
        )
        image.replace_with(document.mark(picture(alt, source, int(width), title)))


def link_embedded(document: HtmlDocument, embedded: Node) -> None:
    """Replace embedded content by a link to it, or to its page if the player's URL contains that.

    A video that our pages play gets its directive.
    """
    attributes = embedded.attributes
    inner = embedded.css_first("source[src]") if tag_of(embedded) in {"video", "audio"} else None
    sources = (attributes.get("src"), attributes.get("data"), inner.attributes.get("src") if inner else None)
    source = next((address for text in sources if (address := safe_address(text))), None)
    if source is None:
        document.losses.append(f"embedded <{tag_of(embedded)}> without a URL")
        discard(embedded)
        return
    address = page_of(source)
    link = document.parser.create_node("a")
    link.attrs["href"] = address
    link.insert_child(" ".join((attributes.get("title") or "").split()) or address)
    is_video = PLAYED.match(address) is not None and not is_inside(embedded, {"td", "th"})
    contents: list[str | Node] = [link]
    if is_video:
        contents = [document.mark(":::video"), link, document.mark(":::")]
    block = block_around(embedded)
    for content in reversed(contents):
        paragraph = document.parser.create_node("p")
        if isinstance(content, str):
            paragraph.insert_child(content)
        else:
            paragraph.insert_child(content, move=True)
        block.insert_after(paragraph, move=True)
    discard(embedded)
    if not is_video:
        what = f"embedded video or page, replaced by a link: {address[:MAX_TOLD_CHARACTERS]}"
        document.losses.append(what)


def block_around(node: Node) -> Node:
    """The paragraph that contains the node, or the node itself: paragraphs can't be nested."""
    around = node
    while tag_of(around.parent) in {"p", "span", "a", "strong", "em", "b", "i"} and around.parent is not None:
        around = around.parent
    return around


def page_of(address: str) -> str:
    for pattern, page in PLAYERS:
        if match := pattern.match(address):
            return page.format(match[1])
    # Embed.ly wraps the URL of other players.
    wrapped = parse_qs(split_url(address).query).get("url") if "embedly.com" in address else None
    return wrapped[0] if wrapped and wrapped[0].startswith("https://") else address


def keep_link(document: HtmlDocument, link: Node) -> None:
    """Keep a link with its text, or only its text if the URL is not allowed."""
    if link.attributes.get("href") is None:
        return unwrap(link)
    address = safe_address(link.attributes.get("href"))
    if address is None:
        if text := text_of(link)[:MAX_TOLD_CHARACTERS]:
            document.losses.append(f"link “{text}” to a URL that isn't allowed in pages, reduced to its text")
        return unwrap(link)
    take_words_of_card(link)
    if not shows_file(link, address):
        return discard(link)
    for name in list(link.attributes):
        if name not in {"href", "title"}:
            del link.attrs[name]
    link.attrs["href"] = address
    for block in link.css(BLOCK_SELECTOR):
        block.insert_before(" ")
        block.insert_after(" ")
        unwrap(block)
    return None


def take_words_of_card(link: Node) -> None:
    """Give an empty link that covers a card the text of the card."""
    card = link.parent
    if card is None or tag_of(card) != "div" or text_of(link) or link.css_first("img") is not None:
        return
    others = [child for child in children(card) if child.mem_id != link.mem_id and not is_blank(child)]
    if len(card.css("a")) == 1 and sum(tag_of(other) in BLOCK_TAGS for other in others) <= 1:
        for other in others:
            if tag_of(other) != "img":
                link.insert_child(other, move=True)
        card.insert_child(link, move=True)


def shows_file(link: Node, address: str) -> bool:
    """True if a link shows anything; an empty link to a download gets the name of the file."""
    if text_of(link) or link.css_first("img") is not None:
        return True
    name = posixpath.basename(decoded_path(split_url(address).path))
    is_file = posixpath.splitext(name)[1] not in ("", *PAGE_ENDS)
    if is_file:
        link.insert_child(name)
    return is_file


def first_seen(node: Node) -> Node | None:
    """The first child that is not white space."""
    return next((child for child in node.iter(include_text=True) if not is_blank(child)), None)
