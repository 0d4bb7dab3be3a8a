"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with one line for each row, without a line end after the last."""
    lines = [header, ["---"] * len(header), *rows]
    texts = (" | ".join(cell.replace("|", "\\|") for cell in cells) for cells in lines)
    return "\n".join(f"| {text} |" for text in texts).replace("| --- |", "|---|").replace(" --- |", "---|")


def code(text: object) -> str:
    return f"`{text}`"
