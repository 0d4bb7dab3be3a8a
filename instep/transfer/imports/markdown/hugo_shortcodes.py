"""Converts shortcodes and other extensions of Hugo to plain Markdown."""

import posixpath
import re
from collections.abc import Mapping, Set

from instep.platform.core.directives import FENCE
from instep.transfer.imports.html.block_tags import TagUse, replace_tags
from instep.transfer.imports.html.callout_kinds import ALERT_KINDS, CALLOUT_NAMES, SAME_NAMES
from instep.transfer.imports.html.markdown_links import picture
from instep.transfer.imports.markdown.callouts import alert
from instep.transfer.imports.markdown.definition_lists import replace_definition_lists
from instep.transfer.imports.markdown.emoji_codes import replace_emoji_codes
from instep.transfer.imports.markdown.grouping import tab, tabs, video
from instep.transfer.imports.markdown.hidden_code import Fence, HiddenCode, hide_into
from instep.transfer.imports.markdown.plain_pages import headed_block
from instep.transfer.imports.markdown.source_pages import SourcePage
from instep.transfer.imports.tree.file_names import with_ending
from instep.transfer.imports.tree.folders import join

_TAG = re.compile(
    r"\{\{(?P<kind>[<%])-?[ \t\n]*(?P<end>/)?[ \t]*(?P<name>[A-Za-z][\w./-]*)"
    r"(?P<arguments>(?:\"(?:\\.|[^\"\\])*\"|`[^`]*`|(?![>%/]\}\}|/[ \t]*[>%]\}\})[^\"`])*?)"
    r"[ \t\n]*(?P<alone>/)?[ \t]*-?[>%]\}\}"
)
# Text that becomes a code span, which can't contain marks of hidden code.
_SHOWN_TAG = re.compile(r"\{\{([<%])/\*([^\x00]*?)\*/([>%])\}\}")
_REFERENCE = re.compile(
    r"\{\{[<%][ \t]*(?:rel)?ref[ \t]+(?:\"([^\"]*)\"|`([^`]*)`|'([^']*)'|([^\s>%]+))[^{}]*?[>%]\}\}"
)
_GLOSSARY = re.compile(r"\[([^\[\]\n]*)\]\(g\)")
_MADE_TARGET = re.compile(
    r"^[ \t]{0,3}\[([^\]\n]+)\]:[ \t]*<?\{\{[<%][ \t]*(?!(?:rel)?ref\b)([\w-]+)[^{}\n]*[>%]\}\}>?[ \t]*$",
    re.MULTILINE,
)
_RELATIVE_TARGET = re.compile(r"(\]\(|^[ \t]{0,3}\[[^\]\n]+\]:[ \t]+)([\w-]+)(/[^\s()]*)", re.MULTILINE)
_NO_LETTER = re.compile(r"[^\w-]+")
_REMARK = re.compile(r"\[//\]: # \(.*\)$", re.MULTILINE)
_DIVIDER = re.compile(r"^<!--[ \t]*more[ \t]*-->[ \t]*\n?", re.MULTILINE)
_VIDEOS = {
    "youtube": "https://www.youtube.com/watch?v={}",
    "vimeo": "https://vimeo.com/{}",
    "gist": "https://gist.github.com/{}",
    "instagram": "https://www.instagram.com/p/{}/",
}
_GROUPS = frozenset(
    (
        *("steps", "columns", "column", "row", "col", "cards", "cardpane", "section"),
        *("div", "hl"),
    )
)
_CODE = frozenset(("highlight", "code", "code-toggle", "codeblock", "mermaid"))
_IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
_MAX_DEPTH = 5


class Includes:
    """The texts of files that shortcodes include, by path; `paths` are those of all files."""

    def __init__(self, texts: Mapping[str, str], root: str, paths: Set[str]) -> None:
        self.texts, self.root, self.paths = texts, root, paths

    def read(self, name: str, folder: str) -> str | None:
        for base in (self.root, folder, ""):
            for ending in ("", ".md", "/_index.md", "/index.md"):
                if (text := self.texts.get(join(base, name.lstrip("/")) + ending)) is not None:
                    return text
        return None

    def image(self, name: str, folder: str) -> str:
        """The image in a page's folder with this name, which `imgproc` of Docsy has without extension."""
        start = posixpath.join(folder, name)
        return name + (with_ending(start, _IMAGE_ENDINGS, self.paths) or "").removeprefix(start)


def plain_shortcodes(text: str, code: HiddenCode, page: SourcePage, includes: Includes) -> str:
    """The text of a page without shortcodes; code must be hidden.

    Known shortcodes become Markdown; others are reduced to their text, which is recorded as a loss.
    """
    text = _plain(text, code, page, includes, 0)
    text = _RELATIVE_TARGET.sub(lambda match: _rooted(match, page, includes), text)
    text = _GLOSSARY.sub(r"\1", _DIVIDER.sub("", _REMARK.sub("", text)))
    # Shortcodes that are shown and not run are written as comments, even in code.
    code.fences = [_shown(fence) for fence in code.fences]
    code.spans = [_SHOWN_TAG.sub(r"{{\1\2\3}}", span) for span in code.spans]
    # Hugo gives ids to terms, which links lead to.
    return replace_emoji_codes(
        replace_definition_lists(text, lambda term: _NO_LETTER.sub("", code.show(term)).lower())
    )


def _plain(text: str, code: HiddenCode, page: SourcePage, includes: Includes, depth: int) -> str:
    def write(tag: TagUse) -> str:
        if tag.name in ("include", "readfile", "snippet") and tag.body is None:
            return _included(tag, code, page, includes, depth)
        return _plain_tag(tag, code, page, includes)

    text = _without_made_targets(text, page)
    text = _SHOWN_TAG.sub(lambda match: code.add_span(f"`{{{{{match[1]}{match[2]}{match[3]}}}}}`"), text)
    text = _REFERENCE.sub(lambda match: match[1] or match[2] or match[3] or match[4], text)
    return replace_tags(text, _TAG, write)


def _rooted(match: re.Match[str], page: SourcePage, includes: Includes) -> str:
    """A link with a path from the content root, which Hugo accepts without a leading slash."""
    folder = posixpath.dirname(page.path)
    is_below = any(path.startswith(join(folder, match[2]) + "/") for path in includes.texts)
    is_section = not is_below and any(
        path.startswith(f"{includes.root}/{match[2]}/") for path in includes.texts
    )
    return f"{match[1]}{'/' if is_section else ''}{match[2]}{match[3]}"


def _without_made_targets(text: str, page: SourcePage) -> str:
    """The text without links whose target is generated by the site's own shortcode; their labels stay."""
    labels = set()
    for definition in _MADE_TARGET.finditer(text):
        labels.add(definition[1])
        page.losses.add(f"target of a link, generated by the shortcode {definition[2]}", definition[0])
    if not labels:
        return text
    text = _MADE_TARGET.sub("", text)
    words = "|".join(re.escape(label) for label in labels)
    text = re.sub(rf"\[([^\[\]\n]*)\]\[(?:{words})\]", r"\1", text)
    return re.sub(rf"\[({words})\](?:\[\])?(?![\[(:])", r"\1", text)


def _shown(fence: Fence) -> Fence:
    lines = "\n".join(fence.lines)
    return (
        fence._replace(lines=tuple(_SHOWN_TAG.sub(r"{{\1\2\3}}", lines).split("\n")))
        if fence.lines
        else fence
    )


def _included(tag: TagUse, code: HiddenCode, page: SourcePage, includes: Includes, depth: int) -> str:
    name = tag.argument("file")
    text = includes.read(name, posixpath.dirname(page.path)) if depth < _MAX_DEPTH else None
    if text is None:
        page.losses.add(f"included file that isn't in the source: {name}", tag.source)
        return ""
    return _plain(hide_into(text.strip("\n"), code), code, page, includes, depth + 1)


def _plain_tag(tag: TagUse, code: HiddenCode, page: SourcePage, includes: Includes) -> str:
    name, body = tag.name.lower(), tag.body or ""
    if name in CALLOUT_NAMES or name in SAME_NAMES:
        return _plain_callout(tag, body)
    if name in ("tab", "tabpanel", "tabitem"):
        return tab(tag.named.get("title") or tag.named.get("header") or tag.argument("name"), body)
    if name in ("tabs", "tabpane"):
        return f"\n\n{tabs(body)}\n\n"
    if name == "details":
        return headed_block(tag.argument("summary") or tag.named.get("title", "Details"), body)
    if name in _GROUPS:
        return body
    if name in _CODE and tag.body is not None:
        return _plain_code(tag, code)
    return _plain_media(tag, page, includes)


def _plain_callout(tag: TagUse, body: str) -> str:
    kinds = (
        tag.name,
        tag.named.get("type", ""),
        tag.named.get("context", ""),
        tag.named.get("color", ""),
        *tag.positional,
    )
    kind = next((kind.lower() for kind in reversed(kinds) if kind.lower() in ALERT_KINDS), "note")
    title = tag.named.get("title", "")
    return f"\n\n{alert('note' if kind == 'alert' else kind, title, body.strip())}\n\n"


def _plain_code(tag: TagUse, code: HiddenCode) -> str:
    """A fence for a shortcode that encloses code, with the name of its file above."""
    body = code.show(tag.body or "").strip("\n")
    language = tag.named.get("lang") or (tag.positional[0] if tag.positional else "")
    mark = code.add_text(body, language)
    return headed_block(tag.named.get("file", ""), mark)


def _plain_media(tag: TagUse, page: SourcePage, includes: Includes) -> str:
    name, body = tag.name.lower(), tag.body or ""
    if name in ("figure", "img", "image"):
        return _plain_image(tag, body, tag.argument("src"))
    if name == "imgproc":
        return _plain_image(tag, body, includes.image(tag.argument("src"), posixpath.dirname(page.path)))
    if name in _VIDEOS and (tag.named.get("id") or tag.positional):
        address = _VIDEOS[name].format("/".join([tag.named["id"]] if "id" in tag.named else tag.positional))
        words = video(tag.named.get("title", ""), address)
        return f"\n\n{words}\n\n" if words.startswith(FENCE) else words
    if name in ("ref", "relref"):
        return tag.argument("path")
    words = _titled(tag)
    if name == "card" and words:
        return words
    if name == "param" or words:
        page.losses.add(f"shortcode {tag.name}, reduced to its text", tag.source)
        return words
    page.losses.add(f"shortcode {tag.name}", tag.source)
    # A single word is often part of the surrounding sentence.
    return tag.positional[0] if len(tag.positional) == 1 and not tag.named else ""


def _titled(tag: TagUse) -> str:
    """The text of a card or another shortcode, below its title; in a line, the text or else the title."""
    title = tag.named.get("title") or tag.named.get("header", "")
    body = tag.body or tag.named.get("subtitle", "")
    if title and (target := tag.named.get("link") or tag.named.get("href")):
        title = f"[{title}]({target})"
    if title and (tag.is_alone or tag.name == "card"):
        return headed_block(title, body)
    return body or title


def _plain_image(tag: TagUse, body: str, source: str) -> str:
    if not source:
        return body
    alt = tag.named.get("alt") or tag.named.get("caption", "")
    image = picture(alt, source)
    if target := tag.named.get("link"):
        image = f"[{image}]({target})"
    title, caption = tag.named.get("title", ""), tag.named.get("caption") or body.strip()
    words = "\n\n".join([f"**{title}**"] * bool(title) + [caption] * bool(caption and caption != alt))
    return f"\n\n{image}\n\n{words}\n\n" if words else image
