"""Expands VitePress's includes of other files: `<!--@include: file-->` and `<<< file`."""

import posixpath
import re

from instep.transfer.imports.markdown.hidden_code import ticks_for
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.mdx.included_files import IncludedFiles, code_region, rebase_links

_INCLUDE = re.compile(r"<!--[ \t]*@include:[ \t]*(.*?)[ \t]*-->")
_CODE = re.compile(
    r"^([ \t]*)<<<[ \t]*([^\s{\[#]+)(?:#([\w-]+))?[ \t]*(?:\{([^}\n]*)\})?[ \t]*(?:\[([^\]\n]*)\])?[ \t]*$",
    re.M,
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_PART = re.compile(r"^(.*?)(?:\{([0-9]{0,9})?(?:,([0-9]{0,9}))?\})?(?:#([\w-]+))?$")
_MAX_DEPTH = 8
_MAX_CHARACTERS = 1_000_000


class VitePressIncludes:
    """Inserts the text of other files into pages; code stays unchanged."""

    def __init__(self, snippets: IncludedFiles) -> None:
        self.snippets = snippets

    def include(self, page: SourcePage) -> str:
        return self._include(page, page.body, 0)

    def _include(self, page: SourcePage, text: str, depth: int) -> str:
        lines: list[str] = []
        fence = ""
        size = len(text)
        for line in text.split("\n"):
            match = _FENCE.match(line)
            if match and (not fence or match[1].startswith(fence)):
                fence = "" if fence else match[1]
            elif not fence and ("@include" in line or "<<<" in line) and size < _MAX_CHARACTERS:
                line = self._include_line(page, line, depth)
                size += len(line)
            lines.append(line)
        return "\n".join(lines)

    def _include_line(self, page: SourcePage, line: str, depth: int) -> str:
        line = _INCLUDE.sub(lambda match: self._text(page, match[1], match[0], depth), line)
        return _CODE.sub(lambda match: self._code(page, match), line)

    def _text(self, page: SourcePage, target: str, words: str, depth: int) -> str:
        """The lines or the region of a Markdown file."""
        match = _PART.match(target)
        path = self.snippets.find(match[1].strip(), page.path) if match else None
        if match is None or path is None:
            page.losses.add(f"file that isn't in the source: {target}", words)
            return ""
        if depth >= _MAX_DEPTH:
            page.losses.add_refusal(path, words)
            return ""
        part = read_page(path, self.snippets.files.read(path), page.losses.losses)
        lines = code_region(part.body.split("\n"), match[4] or "")
        if match[2] is not None or match[3] is not None:
            first = int(match[2] or 1)
            lines = lines[first - 1 : int(match[3]) if match[3] else (None if match[3] == "" else first)]
        text = self._include(part, "\n".join(lines), depth + 1)
        return rebase_links(text, path, page.path, self.snippets.configuration.paths)

    def _code(self, page: SourcePage, match: re.Match[str]) -> str:
        indent, target, name, options, title = match.groups()
        path = self.snippets.find(target, page.path)
        if path is None:
            page.losses.add(f"file that isn't in the source: {target}", match[0])
            return ""
        code = self.snippets.files.read(path).decode("utf-8", "replace").rstrip()
        languages = [word for word in (options or "").split() if re.fullmatch(r"[a-z]\w*", word)]
        language = languages[0] if languages else posixpath.splitext(path)[1].removeprefix(".")
        ticks = ticks_for(code)
        info = f"{language} [{title}]" if title else language
        return "\n".join(
            indent + line for line in (ticks + info, *code_region(code.split("\n"), name or ""), ticks)
        )
