"""PyMdown's Snippets extension: includes files of the source, or parts of them."""

import re
from dataclasses import replace

from instep.platform.core import limits
from instep.platform.text.characters import whole_number
from instep.platform.text.comments import without_comments
from instep.transfer.imports.markdown.fields import Fields, named_fields
from instep.transfer.imports.markdown.source_pages import SourcePage
from instep.transfer.imports.tree.folders import join
from instep.transfer.imports.tree.schemas import Inclusion, SourceFiles, read_text

_SNIPPET = re.compile(r"^([ \t]*)(;?)-{1,}8<-{1,}[ \t]+[\"']([^\"'\n]+)[\"'][ \t]*$", re.MULTILINE)
_SNIPPETS = re.compile(
    r"^([ \t]*)-{1,}8<-{1,}[ \t]*\n((?:(?![ \t]*-+8<-+).*\n)*?)[ \t]*-{1,}8<-{1,}[ \t]*$", re.MULTILINE
)
_SECTION = re.compile(r"^.*--8<--[ \t]*\[(start|end):[ \t]*([\w-]+)\].*$\n?", re.MULTILINE)
_MAX_DEPTH = 5


class Snippets:
    """The files that pages of a site include, found in the folders that its configuration names."""

    def __init__(self, files: SourceFiles, root: str, configuration: Fields) -> None:
        self.files, self.paths = files, frozenset(files.paths())
        settings = named_fields(configuration, "markdown_extensions", "pymdownx.snippets")
        self.folders = ["", *settings.texts("base_path"), root]
        texts = (self.read(name) for name in settings.texts("auto_append"))
        # The remaining characters for the snippets of the current page.
        self.characters_left = 0
        self.appended = "\n".join(text for text in texts if text is not None)

    def read(self, name: str) -> str | None:
        """The text of a file, or only its section or lines if they are named after a colon."""
        path = self._find(name)
        if path is None:
            return None
        text = read_text(self.files, path)
        return _part(text.replace("\r\n", "\n").replace("\x00", "\ufffd"), name.partition(":")[2])

    def _find(self, name: str) -> str | None:
        paths = (join(folder, name.partition(":")[0]) for folder in self.folders)
        return next((path for path in paths if path in self.paths), None)

    def include(self, page: SourcePage) -> SourcePage:
        """A page with its snippets inserted, also in code, where most of them are."""
        self.characters_left = limits.MAX_IMPORT_TEMPLATE_BYTES
        return replace(page, body=self._include(page.body, page, 0, is_seen=True))

    def _include(self, text: str, page: SourcePage, depth: int, *, is_seen: bool) -> str:
        """A text with its snippets inserted; `is_seen` is false if it is in a comment."""
        visible = without_comments(text) if is_seen else ""
        seen = {match[0] for pattern in (_SNIPPETS, _SNIPPET) for match in pattern.finditer(visible)}

        def include(indent: str, names: list[str], source: str) -> str:
            texts = [self._text(name, page, depth, source, source in seen) for name in names]
            text = "\n".join(text for text in texts if text is not None)
            if depth == 0 and not indent and len(names) == 1 and source in seen and texts != [None]:
                page.losses.losses.inclusions.append(Inclusion(page.path, names[0], text))
            return "\n".join(indent + line if line else "" for line in text.split("\n"))

        def include_one(match: re.Match[str]) -> str:
            # A line that begins with a semicolon is shown and not run.
            return match[0].replace(";", "", 1) if match[2] else include(match[1], [match[3]], match[0])

        text = _SNIPPETS.sub(lambda match: include(match[1], match[2].split(), match[0]), text)
        return _SNIPPET.sub(include_one, text)

    def _text(self, name: str, page: SourcePage, depth: int, source: str, is_seen: bool) -> str | None:
        if self._find(name) is None:
            page.losses.add(f"snippet that isn't in the source: {name}", source)
            return None
        text = self.read(name) if depth < _MAX_DEPTH and self.characters_left > 0 else None
        # Each snippet costs something, so that empty ones end too.
        self.characters_left -= len(text or "") + 1
        if text is None or self.characters_left < 0:
            page.losses.add_refusal(name, source)
            return None
        if is_seen:
            page.losses.losses.files_of_page[page.path].add(name)
        return self._include(text.strip("\n"), page, depth + 1, is_seen=is_seen)


def _part(text: str, part: str) -> str:
    if not part:
        return _SECTION.sub("", text)
    first, _, last = part.partition(":")
    if all(not number or whole_number(number) for number in (first, last)):
        return "\n".join(text.split("\n")[(whole_number(first) or 1) - 1 : whole_number(last)])
    start = re.search(rf"^.*--8<--[ \t]*\[start:[ \t]*{re.escape(part)}\].*\n", text, re.MULTILINE)
    end = re.search(rf"^.*--8<--[ \t]*\[end:[ \t]*{re.escape(part)}\]", text, re.MULTILINE)
    return _SECTION.sub("", text[start.end() if start else 0 : end.start() if end else None])
