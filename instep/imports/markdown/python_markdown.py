"""The Markdown of Python-Markdown, PyMdown Extensions and Material for MkDocs as plain Markdown."""

import re
from urllib.parse import urljoin

from instep.imports.folders import join
from instep.imports.markdown.callouts import (
    replace_colon_containers,
    replace_indented_blocks,
    replace_indented_containers,
)
from instep.imports.markdown.definition_lists import replace_definition_lists
from instep.imports.markdown.emoji_codes import replace_emoji_codes, replace_icons
from instep.imports.markdown.fields import Fields
from instep.imports.markdown.front_matter import SourcePage
from instep.imports.markdown.hidden_code import HiddenCode, hide_into
from instep.imports.markdown.plain_pages import headed_block
from instep.imports.tree import Losses, SourceFiles

_TAB = re.compile(r"([ \t]*)===[!+]?[ \t]+(?:\"(.*)\"|'(.*)')[ \t]*$")
_SNIPPET = re.compile(r"^([ \t]*)(;?)-{1,}8<-{1,}[ \t]+[\"']([^\"'\n]+)[\"'][ \t]*$", re.MULTILINE)
_SNIPPETS = re.compile(
    r"^([ \t]*)-{1,}8<-{1,}[ \t]*\n((?:(?![ \t]*-+8<-+).*\n)*?)[ \t]*-{1,}8<-{1,}[ \t]*$", re.MULTILINE
)
_SECTION = re.compile(r"^.*--8<--[ \t]*\[(start|end):[ \t]*([\w-]+)\].*$", re.MULTILINE)
_DEFINITION = re.compile(r"^[ \t]{0,3}\[([^\]\n]+)\]:[ \t]*\S.*$", re.MULTILINE)
_ABBREVIATION = re.compile(r"^[ \t]{0,3}\*\[([^\]\n]+)\]:[ \t]*(.*)$", re.MULTILINE)
_KEYS = re.compile(r"\+\+([A-Za-z0-9\"' -]+(?:\+[A-Za-z0-9\"' -]+)*)\+\+")
_CRITIC = re.compile(r"\{(==|\+\+|--|~~|>>)(.*?)(?:==|\+\+|--|~~|<<)\}", re.DOTALL)
_MARK = re.compile(
    r"(?<![=\w])==(?=\S)([^=\n]+?)(?<=\S)==(?!=)|(?<!\^)\^\^(?=\S)([^\^\n]+?)(?<=\S)\^\^(?!\^)"
)
_MODE_IMAGE = re.compile(
    r"!\[[^\]\n]*\]\([^()\s]*#(?:only|gh)-dark(?:-mode-only)?[^)]*\)(?:\{[^{}\n]*\})?\n?"
)
_LIGHT_IMAGE = re.compile(r"(\]\([^()\s]*)#(?:only-light|gh-light-mode-only)")
_CONTENTS = re.compile(r"^[ \t]*\[(?:TOC|toc)\][ \t]*$", re.MULTILINE)
_MACRO = re.compile(r"\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\}")
_SHORTCODE = re.compile(r"<!--[ \t]*md:(\w+)[ \t]*(.*?)[ \t]*-->")
_ADDRESS = re.compile(r"<(img|a|source)\b[^<>]*>", re.IGNORECASE)
_VALUE = re.compile(r"(\b(?:src|href)[ \t]*=[ \t]*[\"'])([^\"'\s]+)")
_MAX_DEPTH = 5


class Snippets:
    """The files that pages of a site include, found in the folders that its configuration names."""

    def __init__(self, files: SourceFiles, root: str, configuration: Fields, losses: Losses) -> None:
        self.files, self.losses = files, losses
        settings = _extension(configuration, "pymdownx.snippets")
        self.folders = ["", *settings.texts("base_path"), root]
        texts = (self.read(name) for name in settings.texts("auto_append"))
        self.appended = "\n".join(text for text in texts if text is not None)

    def read(self, name: str) -> str | None:
        """The text of a file, or of the section or the lines of it that are named behind a colon."""
        path, _, part = name.partition(":")
        for folder in self.folders:
            try:
                text = self.files.read(join(folder, path)).decode("utf-8-sig", errors="replace")
            except KeyError:
                continue
            return _part(text.replace("\r\n", "\n").replace("\x00", "\ufffd"), part)
        return None


def plain_python_markdown(
    text: str, code: HiddenCode, page: SourcePage, snippets: Snippets, address: str
) -> str:
    """The text of a page as plain Markdown; the code of the text must be hidden.

    `address` is the page's public path: links in HTML are relative to it, not to the file.
    """
    text = _include(text, code, page, snippets, 0)
    text = _with_definitions(text, snippets.appended)
    text = _absolute_html(_SHORTCODE.sub(lambda match: _plain_shortcode(match, page), text), address)
    text = replace_indented_blocks(
        text, _TAB, lambda tab, body: headed_block(replace_icons(tab[2] or tab[3] or ""), body)
    )
    text = replace_colon_containers(replace_indented_containers(text))
    text = replace_definition_lists(_expand_abbreviations(text))
    text = _KEYS.sub(_plain_keys, _CRITIC.sub(_plain_critic, text))
    text = _MARK.sub(lambda match: match[1] or match[2], text)
    text = _LIGHT_IMAGE.sub(r"\1", _MODE_IMAGE.sub("", text))
    for macro in _MACRO.findall(text):
        page.losses.add(f"macro {macro}", macro)
    return replace_emoji_codes(replace_icons(_CONTENTS.sub("", text)))


def _extension(configuration: Fields, name: str) -> Fields:
    """The settings of an extension, which stand in a list or in a mapping."""
    rows = [Fields(row) for row in configuration.items("markdown_extensions") if isinstance(row, dict)]
    rows.append(configuration.fields("markdown_extensions"))
    return next((row.fields(name) for row in rows if name in row), Fields())


def _include(text: str, code: HiddenCode, page: SourcePage, snippets: Snippets, depth: int) -> str:
    def include(indent: str, names: list[str], source: str) -> str:
        texts = []
        for name in names:
            snippet = snippets.read(name) if depth < _MAX_DEPTH else None
            if snippet is None:
                page.losses.add(f"snippet that is not in the folder: {name}", source)
                continue
            hidden_text = hide_into(snippet, code)
            texts.append(_include(hidden_text, code, page, snippets, depth + 1))
        return "\n".join(indent + line if line else "" for line in "\n".join(texts).split("\n"))

    text = _SNIPPETS.sub(lambda match: include(match[1], match[2].split(), match[0]), text)
    return _SNIPPET.sub(lambda match: match[0] if match[2] else include(match[1], [match[3]], match[0]), text)


def _part(text: str, part: str) -> str:
    if not part:
        return _SECTION.sub("", text)
    numbers = part.split(":")
    if all(number.isdigit() or not number for number in numbers):
        first, last = [*numbers, ""][:2]
        return "\n".join(text.split("\n")[int(first or 1) - 1 : int(last) if last else None])
    start = re.search(rf"^.*--8<--[ \t]*\[start:[ \t]*{re.escape(part)}\].*\n", text, re.MULTILINE)
    end = re.search(rf"^.*--8<--[ \t]*\[end:[ \t]*{re.escape(part)}\]", text, re.MULTILINE)
    return _SECTION.sub("", text[start.end() if start else 0 : end.start() if end else None])


def _with_definitions(text: str, appended: str) -> str:
    """The text with those definitions of links and abbreviations of an appended file that it uses."""
    words = text.casefold()
    lines = [line[0].strip() for line in _DEFINITION.finditer(appended) if f"[{line[1].casefold()}]" in words]
    lines += [line[0] for line in _ABBREVIATION.finditer(appended) if line[1].casefold() in words]
    return f"{text}\n\n" + "\n".join(lines) + "\n" if lines else text


def _absolute_html(text: str, address: str) -> str:
    """The text with the relative addresses in HTML as absolute ones, as a browser reads them."""

    def absolute(value: re.Match[str]) -> str:
        is_relative = not re.match(r"[a-z][a-z0-9+.-]*:|[/#]", value[2], re.IGNORECASE)
        return value[1] + (urljoin(address, value[2]) if is_relative else value[2])

    return _ADDRESS.sub(lambda tag: _VALUE.sub(absolute, tag[0]), text)


def _expand_abbreviations(text: str) -> str:
    """The text with the long form behind the first use of each abbreviation."""
    forms = dict(_ABBREVIATION.findall(text))
    if not forms:
        return text

    def expand(match: re.Match[str]) -> str:
        long = forms.pop(match[0], "")
        return f"{match[0]} ({long})" if long else match[0]

    words = "|".join(re.escape(short) for short in sorted(forms, key=len, reverse=True))
    return re.sub(rf"(?<![\w\[(/.-])(?:{words})(?![\w\]/-])", expand, _ABBREVIATION.sub("", text))


def _plain_shortcode(match: re.Match[str], page: SourcePage) -> str:
    """The shortcodes of Material's own documentation: versions, names of settings, and badges."""
    name, value = match[1], match[2].removeprefix("type:")
    if name == "default" and value:
        return f"Default: {value}."
    if name in ("version", "option", "setting") and value:
        return f"`{value}`" if name in ("option", "setting") and "\x00" not in value else value
    page.losses.add(f"badge {match[0]}", match[0])
    return ""


def _plain_keys(match: re.Match[str]) -> str:
    keys = (key.strip("\"' ") for key in match[1].split("+"))
    return "+".join(f"<kbd>{key[:1].upper()}{key[1:]}</kbd>" for key in keys)


def _plain_critic(match: re.Match[str]) -> str:
    """Marks of an editor: what is new or marked stays, what is taken out is struck through."""
    mark, words = match[1], match[2]
    if mark == "~~":
        before, arrow, after = words.partition("~>")
        return f"~~{before}~~ {after}" if arrow else f"~~{words}~~"
    return {"--": f"~~{words}~~", ">>": f"({words.strip()})"}.get(mark, words)
