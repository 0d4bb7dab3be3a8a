"""A table of drafts next to what people wrote, in Markdown, for a person who judges each draft."""

import html
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from typing import Any

COLUMNS = ("change", "article", "draft", "what people did", "apply / correct / dismiss")
_MAX_LINES, _MAX_LINE_CHARACTERS = 30, 240


def review_table(cases: Iterable[Any], predictions: Iterable[dict[str, Any]]) -> str:
    """One row for each draft. The last column is empty: it is filled in by hand."""
    by_id = {prediction["id"]: prediction for prediction in predictions}
    rows = [row for case in cases for row in _rows(case, by_id[case.id]["drafts"])]
    lines = [COLUMNS, ("---",) * len(COLUMNS), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _rows(case: Any, drafts: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    change = f"{_cell(case.id)}: {_cell(case.title)}"
    for draft in drafts:
        if draft["type"] == "edit":
            before, people = case.articles[draft["article"]].text, case.gold["modified"].get(draft["article"])
            human_edit = "left it alone" if people is None else _diff(before, people)
            yield change, _cell(draft["article"]), _diff(before, draft["contentMarkdown"]), human_edit, ""
        else:
            human_texts = [_diff("", text) for text in case.gold["added"].values()]
            name = _cell(f"new: {draft['title']}")
            yield (
                change,
                name,
                _diff("", draft["contentMarkdown"]),
                "<br>".join(human_texts) or "no article",
                "",
            )


def _diff(before: str, after: str) -> str:
    """The lines that differ, as one cell of a table."""
    head_and_lines = list(unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))
    lines = [line for line in head_and_lines[2:] if line[0] in "+-" and line[1:].strip()]
    cells = [f"<code>{_cell(line[:_MAX_LINE_CHARACTERS])}</code>" for line in lines[:_MAX_LINES]]
    more = [f"and {len(lines) - _MAX_LINES} more lines"] if len(lines) > _MAX_LINES else []
    return "<br>".join([*cells, *more])


def _cell(text: str) -> str:
    return html.escape(" ".join(text.split())).replace("|", "&#124;").replace("`", "&#96;")
