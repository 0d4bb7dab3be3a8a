"""Import sources for tests: files in memory, trees of pages, and archives."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from instep.transfer.imports.plan.planning import plan
from instep.transfer.imports.schemas import BotState, Plan, PlannedPage
from instep.transfer.imports.tree.schemas import ImportedPage, Reader, SourceFiles, Tree

SOURCE = "plain:docs"


@dataclass(frozen=True, slots=True)
class Files:
    """A source's files by path; anything that is neither text nor bytes is encoded as JSON."""

    contents: Mapping[str, Any]

    def paths(self) -> Iterable[str]:
        return sorted(self.contents)

    def read(self, path: str) -> bytes:
        content = self.contents[path]
        if isinstance(content, bytes):
            return content
        return (content if isinstance(content, str) else json.dumps(content)).encode()


def files_below(root: Path) -> Files:
    """The files in a folder on disk."""
    paths = (path for path in root.rglob("*") if path.is_file())
    return Files({path.relative_to(root).as_posix(): path.read_bytes() for path in paths})


def dedented(files: Mapping[str, str]) -> Files:
    """Files with the test's indentation removed from their texts."""
    return Files({path: dedent(text).lstrip("\n") for path, text in files.items()})


def read_tree(reader: Reader, contents: Mapping[str, Any]) -> Tree:
    """The tree that the reader makes of a source it recognizes."""
    files = Files(contents)
    assert reader.recognises(files)
    return reader.read(files)


NO_FILES = Files({})
EMPTY_BOT = BotState("acme", "en")


def page(path: str, markdown: str = "Text.\n", **fields: Any) -> ImportedPage:
    """A page of a source; its key is its path, and its title comes from its file name."""
    title = path.rpartition("/")[2].partition(".")[0].replace("-", " ").capitalize()
    return ImportedPage(
        **{"key": path, "path": path, "title": title, "markdown": markdown, "locale": "en", **fields}
    )


def tree(*pages: ImportedPage, **fields: Any) -> Tree:
    return Tree(**{"format": "plain", "locale": "en", "pages": pages, **fields})


def planned(
    source: Tree, files: SourceFiles = NO_FILES, state: BotState = EMPTY_BOT, site: str | None = None
) -> Plan:
    return plan(source, files, state, SOURCE, site=site)


def page_of(plan: Plan, key: str) -> PlannedPage:
    [found] = [row for row in plan.pages if row.page.key == key]
    return found


def text_of(plan: Plan, key: str) -> str:
    """A page's text, with the path of each embedded file in braces."""
    pieces = page_of(plan, key).text.pieces
    return "".join(piece if isinstance(piece, str) else f"{{{piece.path}}}" for piece in pieces)


def losses_of(plan: Plan) -> list[str]:
    return [loss.what for loss in plan.report.losses]


def archive(contents: Mapping[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        for path, content in contents.items():
            file.writestr(path, content)
    return buffer.getvalue()
