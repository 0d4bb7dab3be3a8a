"""Sources for tests: files in memory, trees made of pages, and archives of anything."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from instep.transfer.imports.plan.planning import plan
from instep.transfer.imports.schemas import BotState, Plan, PlannedPage
from instep.transfer.imports.tree.schemas import ImportedPage, SourceFiles, Tree

SOURCE = "plain:docs"


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """Files of a source by their paths."""

    contents: Mapping[str, bytes]

    def paths(self) -> Iterable[str]:
        return sorted(self.contents)

    def read(self, path: str) -> bytes:
        return self.contents[path]


NO_FILES = MemoryFiles({})
EMPTY_BOT = BotState("acme", "en")


def page(path: str, markdown: str = "Text.\n", **fields: Any) -> ImportedPage:
    """A page of a source; its key is its path, its title the name of the file."""
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
    """The text of a page; where a file goes, its path stands in braces."""
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
