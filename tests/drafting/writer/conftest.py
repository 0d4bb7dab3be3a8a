"""Builds a change from files before and after it, and runs the writer on it."""

import difflib
from collections.abc import Callable

import pytest

from instep.drafting.writer import Article, Change, Report, write

Ask = Callable[..., Report]
# The text of each file before and after the change, by path.
Files = dict[str, tuple[str, str]]


def diff_of(path: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", lineterm=""
    )
    return "\n".join([f"diff --git a/{path} b/{path}", *lines, ""])


def renaming(path: str, line: str, old: str, new: str) -> Files:
    """Two files that change the old name to the new one in three lines."""
    before, after = (f"start()\n{line.format(name)}\nnext()\n{line.format(name)}\n" for name in (old, new))
    folder, _, name = path.rpartition("/")
    other = f"{folder}/more_{name}" if folder else f"more_{name}"
    return {path: (before, after), other: (f"{line.format(old)}\n", f"{line.format(new)}\n")}


@pytest.fixture
def ask() -> Ask:
    """Run the writer on these files, with one article among others."""

    def about(files: Files, text: str, title: str = "Tidy up", name: str = "Guide") -> Report:
        diff = "".join(diff_of(path, *sides) for path, sides in files.items())
        others = [
            Article(f"other-{n}", f"Page {n}", f"# Page {n}\n\nNothing to see here.\n") for n in range(8)
        ]
        return write(Change(title, None, diff), [Article("guide", name, text), *others])

    return about


def text_of(report: Report) -> str | None:
    """The text of the first proposal, or None."""
    return report.proposals[0].text if report.proposals else None
