"""Converts definition lists, which our renderer does not support, to lists with bold terms."""

import re
from collections.abc import Callable

from instep.transfer.imports.markdown.hidden_code import end_of_indented_block

_DEFINITION = re.compile(r"([ \t]*):[ \t]{1,3}(?=\S)(.*)$")


def replace_definition_lists(text: str, id_of: Callable[[str], str] = lambda term: "") -> str:
    """The text with each `term` above `: definition` as a list item. Code in the text must be hidden.

    `id_of` returns the id that a product generates for a term.
    """
    lines = text.split("\n")
    result: list[str] = []
    at = 0
    while at < len(lines):
        match = _DEFINITION.match(lines[at])
        terms = _take_terms(result, match[1]) if match else []
        if not match or not terms:
            result.append(lines[at])
            at += 1
            continue
        ids = "".join(f" {{#{name}}}" for name in map(id_of, terms) if name)
        item = f"{match[1]}- **{', '.join(terms)}**{ids}"
        result += [*([""] if result and result[-1].strip() else []), item, ""]
        at = _add_definitions(lines, at, match[1], f"{match[1]}  ", result, id_of)
    return "\n".join(result)


def _take_terms(lines: list[str], indent: str) -> list[str]:
    """Remove and return the lines right above a definition, or above the blank line before it."""
    end = len(lines)
    if end and not lines[-1].strip():
        end -= 1
    start = end
    while (
        start
        and lines[start - 1].strip()
        and not lines[start - 1].lstrip().startswith(("#", ">", "|", "- ", "<"))
    ):
        start -= 1
    terms = [line.strip() for line in lines[start:end]]
    # A paragraph with many lines is not a list of terms.
    is_term = 0 < len(terms) <= 4 and all(line.startswith(indent) for line in lines[start:end])
    if not is_term:
        return []
    del lines[start:]
    return [term.strip("*") for term in terms]


def _add_definitions(
    lines: list[str],
    start: int,
    indent: str,
    new_indent: str,
    result: list[str],
    id_of: Callable[[str], str],
) -> int:
    """Append the definitions of a term with their blocks; return the number of the next line."""
    at = start
    while at < len(lines) and (match := _DEFINITION.match(lines[at])) and match[1] == indent:
        end = at + 1
        while end < len(lines) and lines[end].strip() and not _DEFINITION.match(lines[end]):
            end += 1
        end = max(end, end_of_indented_block(lines, end, len(indent) + 2))
        others = lines[at + 1 : end]
        # Lines of the first paragraph may be indented less than the blocks below it.
        width = min((blanks for line in others if (blanks := _blanks(line)) > len(indent)), default=0)
        body = "\n".join([match[2], *(line[min(width, _blanks(line)) :] for line in others)])
        inner_lines = replace_definition_lists(body, id_of).split("\n")
        result += [*(f"{new_indent}{line}" if line.strip() else "" for line in inner_lines), ""]
        at = end
        # Another definition may follow a blank line.
        if at + 1 < len(lines) and not lines[at].strip() and _DEFINITION.match(lines[at + 1]):
            at += 1
    return at


def _blanks(line: str) -> int:
    return len(line) - len(line.lstrip(" ")) if line.strip() else 0
