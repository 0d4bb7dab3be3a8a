"""Finds files that pages include: snippets, partials, code and data in the same source."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from instep.transfer.imports.javascript.modules import Configuration
from instep.transfer.imports.mdx.elements import Dialect
from instep.transfer.imports.tree.schemas import SourceFiles

_TARGET = re.compile(r"(\]\(<?)(\.{0,2}/?[^)\s<>#?:\x00]+)(?=[)\s>#?])")
_REGION = re.compile(r"#?\b(end)?region\b[ \t]*([\w*-]*)")
_EXTENSIONS = (
    *("", ".mdx", ".md", "/index.mdx", "/index.md", ".jsx", ".tsx", ".js", ".ts"),
    *("/index.jsx", "/index.tsx", "/index.js", "/index.ts"),
)


@dataclass(frozen=True, slots=True)
class IncludedFiles:
    """Finds the files that pages of a source refer to, by a relative path or an alias such as "@site/"."""

    files: SourceFiles
    configuration: Configuration
    # The dialect of a file by its extension.
    dialects: Mapping[str, Dialect] = field(default_factory=lambda: {"mdx": "mdx", "md": "mdx"})

    def find(self, target: str, importer: str) -> str | None:
        """The path of a file that a page refers to; None if it is not in the source."""
        target = target.rpartition("!")[2].partition("?")[0]
        if not target.startswith((".", "/", "@", "~")):
            target = f"./{target}"
        return self.configuration.find_ending(target, importer, _EXTENSIONS)

    def dialect(self, path: str) -> Dialect:
        return self.dialects.get(posixpath.splitext(path)[1].removeprefix("."), "html")

    def has_indented_code(self, path: str) -> bool:
        """True if deeply indented blocks are code: not in MDX, but in ".md" files."""
        return not path.endswith(".mdx")


def rebase_links(text: str, snippet: str, page: str, paths: frozenset[str]) -> str:
    """The text of a snippet with relative links adjusted to the page that includes it."""
    snippet_folder, page_folder = posixpath.dirname(snippet), posixpath.dirname(page)
    if snippet_folder == page_folder:
        return text

    def rebase(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(snippet_folder, match[2]))
        if match[2].startswith("/") or path not in paths:
            return match[0]
        return match[1] + posixpath.relpath(path, page_folder or ".")

    return _TARGET.sub(rebase, text)


def is_partial(path: str) -> bool:
    """True if a file exists only for other pages: its name, or a folder's, begins with "_" or "."."""
    return any(segment.startswith(("_", ".")) for segment in path.split("/"))


def code_region(lines: list[str], name: str) -> list[str]:
    """The lines between `#region name` and its end, without region marks; without a name, all lines."""
    if not name:
        return lines
    marks = [(number, match) for number, line in enumerate(lines) if (match := _REGION.search(line))]
    start = next((number for number, match in marks if not match[1] and match[2] == name), None)
    if start is None:
        return lines
    end = next(
        (number for number, match in marks if number > start and match[1] and match[2] in (name, "")),
        len(lines),
    )
    inner = [line for line in lines[start + 1 : end] if not _REGION.search(line)]
    indent = min((len(line) - len(line.lstrip()) for line in inner if line.strip()), default=0)
    return [line[indent:] for line in inner]
