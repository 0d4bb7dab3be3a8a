"""A table of drafts next to what people wrote, in Markdown, for a person who judges each draft."""

import html
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from typing import Any

COLUMNS = ("change", "article", "draft", "what people did", "apply / correct / dismiss")
_MAX_LINES, _MAX_LINE_CHARACTERS = 30, 240


def review_table(cases: Iterable[Any], predictions: Iterable[dict[str, Any]]) -> str:
    """One row for each draft. The last column is empty: it is filled in by hand."""
    by_id = {prediction["id"]: prediction for prediction in predictions}
    rows = [row for case in cases for row in _rows(case, by_id[case.id]["drafts"])]
    return table_of(COLUMNS, rows)


def table_of(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, whose cells are HTML."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _rows(case: Any, drafts: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    change = f"{cell_of(case.id)}: {cell_of(case.title)}"
    for draft in drafts:
        if draft["type"] == "edit":
            before, people = case.articles[draft["article"]].text, case.gold["modified"].get(draft["article"])
            draft_text = text_changes(before, draft["contentMarkdown"])
            human_edit = "left it alone" if people is None else text_changes(before, people)
            yield change, cell_of(draft["article"]), draft_text, human_edit, ""
        else:
            human_texts = [text_changes("", text) for text in case.gold["added"].values()]
            name = cell_of(f"new: {draft['title']}")
            yield (
                change,
                name,
                text_changes("", draft["contentMarkdown"]),
                "<br>".join(human_texts) or "no article",
                "",
            )


def text_changes(before: str, after: str) -> str:
    """The lines that differ, as one cell of a table."""
    head_and_lines = list(unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))
    lines = [line for line in head_and_lines[2:] if line[0] in "+-" and line[1:].strip()]
    cells = [f"<code>{cell_of(line[:_MAX_LINE_CHARACTERS])}</code>" for line in lines[:_MAX_LINES]]
    more = [f"and {len(lines) - _MAX_LINES} more lines"] if len(lines) > _MAX_LINES else []
    return "<br>".join([*cells, *more])


def cell_of(text: str) -> str:
    """A text of others as one line of HTML without marks of Markdown."""
    return html.escape(" ".join(text.split())).replace("|", "&#124;").replace("`", "&#96;")
