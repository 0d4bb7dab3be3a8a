"""A new entry of a list, table or row of sections, in the form of the entries next to it."""

import re
from collections import Counter
from collections.abc import Sequence

from instep.writer.articles.entries import ListEntry, entry_lists_of
from instep.writer.facts.additions import Addition
from instep.writer.inserting.analogy import by_analogy
from instep.writer.inserting.option_entries import option_entry
from instep.writer.inserting.probability import is_beside_its_kind
from instep.writer.inserting.section_entries import section_entry
from instep.writer.inserting.sibling_defaults import rows_without_value
from instep.writer.inserting.siblings import InsertionPoint
from instep.writer.inserting.skeleton import (
    GAP,
    FilledText,
    description_for,
    is_usual,
    siblings_near,
    states_default,
    type_like,
    usual_template,
    value_like,
)

_CELLS = re.compile(r"(?<!\\)\|")
_REQUIRED_MARK = re.compile(r"(?:(?<=\s)|\\)\\?\*$")
_CLOSING = re.compile(r"(?:`+|:?\*+|_+(?!\w)|\"|</\w+>|\]\([^)]*\)|\]\[[^\]]*\]|\]|=?&lt;.*?&gt;)*")
_PARENTHESIS = re.compile(r"\s*\(([^()]*)\)")
_MARKS = ("``", "`", "**")
_MARKUP = re.compile(r"[`*_]+")
_SEPARATOR = re.compile(r"\s*(?::|-{1,2}|[\u2013\u2014])\s+|\s+")
_LINK_TARGET = re.compile(r"\]\(([^)]*)\)")
_TERM_TYPE = re.compile(r"\s+(?:-|:)\s+\S")
_ATTRIBUTES = re.compile(r"[a-z][a-z ]*(?:, .*)?")
_MAX_ATTRIBUTE_WORDS = 12
_DEFAULT_ATTRIBUTE = re.compile(
    r"([^:]{0,40}\bdefault[^:]{0,40}: |[Dd]efault(?:s to| is| value)?(?:\s?=\s?|\s))([^:\s][^:]*)"
)
_TYPE_NAMES = frozenset(
    ("array", "bool", "boolean", "dict", "float", "int", "integer", "list", "number", "object", "string")
)
_OPTIONALITY = frozenset(("optional", "required"))
_FEW_WORDS = 2


def entry_for(
    addition: Addition, point: InsertionPoint, text: str, spellings: "Counter[str]"
) -> FilledText | None:
    """The lines to insert at the point; None if the form of the neighbours can't be followed."""
    existing = _copied(point, text) or by_analogy(point.label, point.entry_list, text, spellings)
    if existing:
        return FilledText(existing, True)
    template = point.entry_list.entry_of(point.template.name) or point.neighbour
    siblings = siblings_near(point.entry_list, template)
    template = usual_template(template, siblings, text)
    if point.entry_list.kind == "row":
        return _row(addition, point, template, siblings, text)
    if point.entry_list.kind == "item":
        return _item(addition, point, template, siblings, text)
    if point.entry_list.kind == "term":
        return _term(addition, point, template, siblings, text)
    if point.entry_list.kind == "option":
        return option_entry(addition, point, template, siblings, text)
    return section_entry(addition, point, template, siblings, text)


def set_apart(entry: str, point: InsertionPoint, text: str) -> str:
    """The new lines, with blank lines around them where the entries of the list have them."""
    first, second = point.entry_list.entries[:2]
    is_loose = (
        point.entry_list.kind != "section"
        and not text[first.end : second.start].strip()
        and second.start > first.end
    )
    if is_loose:
        entry = f"\n{entry}" if point.is_after else f"{entry}\n"
    before = text[: point.place]
    if point.place and not before.endswith("\n"):
        entry = "\n" + entry
    if point.entry_list.kind == "section" and point.place and not before.endswith("\n\n"):
        entry = "\n" + entry
    return entry if text[point.place :].strip() else entry.rstrip("\n") + "\n"


def _copied(point: InsertionPoint, text: str) -> str | None:
    """The most frequent entry for the same name in other lists of the same kind in the article."""
    entries = [
        text[entry.start : entry.end]
        for entry_list in entry_lists_of(text)
        if entry_list.kind == point.entry_list.kind and entry_list.kind in {"row", "term", "option"}
        for entry in entry_list.entries
        if entry.label == point.label
    ]
    entries = [entry for entry in entries if _has_form_of(entry, point, text)]
    most_common = Counter(entries).most_common(1)
    return most_common[0][0] if most_common and (most_common[0][1] > 1 or len(entries) == 1) else None


def _has_form_of(entry: str, point: InsertionPoint, text: str) -> bool:
    """Whether an entry has as many cells as its neighbour at the point; terms have none."""
    neighbour = text[point.neighbour.start : point.neighbour.end]
    return len(_CELLS.split(entry)) == len(_CELLS.split(neighbour)) or point.entry_list.kind != "row"


def _row(
    addition: Addition, point: InsertionPoint, template: ListEntry, siblings: Sequence[ListEntry], text: str
) -> FilledText | None:
    """The new row; None where it would leave several cells open, and more of them than it fills.

    A variable or a flag says by its name alone that it is there.
    """
    line = text[template.start : template.end].splitlines()[0]
    cells = _CELLS.split(line)
    first = 1 if line.lstrip().startswith("|") else 0
    bodies = range(first + 1, len(cells) - (1 if line.rstrip().endswith("|") else 0))
    others = [_CELLS.split(text[entry.start : entry.end].splitlines()[0]) for entry in siblings]
    others = [other for other in others if len(other) == len(cells)]
    header = _header(text, point)
    titles = [cell.strip().casefold() for cell in header]
    widest = max(bodies, key=lambda index: sum(len(other[index].strip()) for other in others), default=None)
    name = _REQUIRED_MARK.sub("", cells[first].strip().replace(template.label, point.label)).rstrip()
    cells_by_index = {first: name}
    for index in bodies:
        column = [cell for other in others if (cell := other[index].strip())]
        if _MARKUP.sub("", cells[index]).strip() == template.label:
            cells_by_index[index] = cells[index].strip().replace(template.label, point.label)
        elif not is_usual(len(column), len(others)) and not cells[index].strip():
            cells_by_index[index] = ""
        else:
            title = titles[index] if index < len(titles) else ""
            cells_by_index[index] = _cell_without_value(title, index, addition, point, text) or _cell(
                title, addition, column, index == widest, text
            )
    gaps = sum(cells_by_index[index] == GAP for index in bodies)
    if gaps > 1 and 2 * gaps > len(bodies) and not is_beside_its_kind(addition, point):
        return None
    is_telling = not bodies or any(cells_by_index[index] not in {GAP, ""} for index in bodies)
    rows = [row for row in (header, *others) if len(row) == len(cells)]
    padded = (
        _padded(cells_by_index[index], cell, [row[index] for row in rows])
        if index in cells_by_index
        else cell
        for index, cell in enumerate(cells)
    )
    return FilledText("|".join(padded) + "\n", is_telling)


def _header(text: str, point: InsertionPoint) -> list[str]:
    """The cells of the header of a table."""
    above = text[: point.entry_list.entries[0].start].splitlines()
    return _CELLS.split(above[-2]) if len(above) > 1 else []


def _cell_without_value(
    title: str, index: int, addition: Addition, point: InsertionPoint, text: str
) -> str | None:
    """What siblings without a value say in a column of defaults."""
    if "default" not in title:
        return None
    rows = (_CELLS.split(row) for row in rows_without_value(addition, point, text))
    return next((cells[index].strip() for cells in rows if index < len(cells)), None)


def _cell(title: str, addition: Addition, column: Sequence[str], is_widest: bool, text: str) -> str:
    if "default" in title:
        return value_like(addition.details.default, column)
    if "type" in title:
        return type_like(addition.details.type, column)
    if is_widest:
        return description_for(addition.details, column, text).replace("|", "\\|") or GAP
    return GAP


def _padded(text: str, like: str, column: Sequence[str]) -> str:
    """A cell with blanks around it as another one has, and as wide as all cells if they have one width."""
    if not like.startswith(" "):
        return text
    widths = {len(cell) for cell in column}
    return f" {text} ".ljust(widths.pop() if len(widths) == 1 else 0)


def _item(
    addition: Addition, point: InsertionPoint, template: ListEntry, siblings: Sequence[ListEntry], text: str
) -> FilledText:
    lines = text[template.start : template.end].splitlines()
    if lines[0].lstrip().startswith("<li>"):
        return FilledText(lines[0].replace(template.label, point.label) + "\n", True)
    head, parenthesis, rest = _split_head(lines[0], template.label)
    head = _without_foreign_link(head.replace(template.label, point.label), point)
    bodies = [_item_body(text[entry.start : entry.end], entry.label) for entry in siblings]
    if not is_usual(sum(len(body.split()) > _FEW_WORDS for body in bodies), len(bodies)):
        is_code = parenthesis == point.template.value and parenthesis
        return FilledText(f"{head} ({addition.name})\n" if is_code else f"{head}\n", True)
    described_text = description_for(addition.details, [body for body in bodies if body], text)
    description = described_text or GAP
    head += _parenthesis(addition, parenthesis, siblings, text)
    separator = rest[: _end(_SEPARATOR, rest)]
    if not rest.strip() and len(lines) > 1:
        indent = lines[1][: len(lines[1]) - len(lines[1].lstrip())]
        return FilledText(f"{head}{rest.rstrip()}\n{indent}{description}\n", bool(described_text))
    is_closed = separator.strip() or head.endswith((":", ":**"))
    return FilledText(f"{head}{separator if is_closed else ': '}{description}\n", bool(described_text))


def _parenthesis(addition: Addition, like: str, siblings: Sequence[ListEntry], text: str) -> str:
    """The type or the default after the name, in a parenthesis as siblings have it; empty if they don't."""
    if like in _TYPE_NAMES and addition.details.type:
        return f" ({type_like(addition.details.type, [like])})"
    lines = [text[entry.start : entry.end].splitlines()[0] for entry in siblings]
    parentheses = [_split_head(line, entry.label)[1] for line, entry in zip(lines, siblings, strict=True)]
    with_default = [each for each in parentheses if any(map(_DEFAULT_ATTRIBUTE.fullmatch, each.split(", ")))]
    if not states_default(len(with_default), len(parentheses), addition.details.default):
        return ""
    return f" ({_attributes(with_default[0], addition)})"


def _split_head(line: str, label: str) -> tuple[str, str, str]:
    """The line up to the marks that close its label, a parenthesis after the label, and the rest of it."""
    label_end = line.find(label) + len(label)
    rest = line[label_end:]
    closing = rest[: _end(_CLOSING, rest)]
    rest = rest.removeprefix(closing)
    parenthesis = _PARENTHESIS.match(rest)
    if parenthesis:
        rest = rest[parenthesis.end() :]
        more = rest[: _end(_CLOSING, rest)]
        closing, rest = closing + more, rest.removeprefix(more)
    head = line[:label_end] + closing
    for mark in _MARKS:
        if head.count(mark) % 2:
            head += mark
            rest = rest.partition(mark)[2]
    return head, parenthesis[1] if parenthesis else "", rest


def _item_body(entry: str, label: str) -> str:
    rest = _split_head(entry, label)[2]
    return " ".join(rest[_end(_SEPARATOR, rest) :].split())


def _without_foreign_link(head: str, point: InsertionPoint) -> str:
    """The head without a link that leads to what another entry is about."""
    target = _LINK_TARGET.search(head)
    if target is None or point.label.casefold() in target[1].casefold():
        return head
    return _LINK_TARGET.sub("", head, count=1).replace("[", "", 1)


def _end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _term(
    addition: Addition, point: InsertionPoint, template: ListEntry, siblings: Sequence[ListEntry], text: str
) -> FilledText | None:
    lines = text[template.start : template.end].splitlines()
    bodies = [_paragraphs(text[entry.start : entry.end]) for entry in siblings]
    described_text = description_for(addition.details, [" ".join(body) for body in bodies], text)
    description = described_text or GAP
    if len(lines) < 2:
        return None
    marker = re.match(r"\s*(?::\s+)?", lines[1])
    lead = marker[0] if marker else "    "
    head, _, rest = _split_head(lines[0], template.label)
    head = head.replace(template.label, point.label)
    if _TERM_TYPE.match(rest) and addition.details.type:
        head += f"{rest[: _end(_SEPARATOR, rest)]}{type_like(addition.details.type, [])}".replace("`", "")
    attributes = [body[0] for body in bodies if len(body) > 1 and _is_attributes(body[0])]
    if is_usual(len(attributes), len(bodies)):
        indent = " " * len(lead)
        body = f"{_attributes(attributes[0], addition)}\n\n{indent}{description}"
        return FilledText(f"{head}\n{lead}{body}\n", bool(described_text))
    return FilledText(f"{head}\n{lead}{description}\n", bool(described_text))


def _paragraphs(entry: str) -> list[str]:
    body = entry.partition("\n")[2]
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", body))
    return [paragraph.removeprefix(":").strip() for paragraph in paragraphs if paragraph]


def _is_attributes(paragraph: str) -> bool:
    return len(paragraph.split()) <= _MAX_ATTRIBUTE_WORDS and bool(_ATTRIBUTES.fullmatch(paragraph))


def _attributes(like: str, addition: Addition) -> str:
    """Attributes such as `string, optional, default: 20` with what the code states."""
    parts = list[str]()
    for number, part in enumerate(like.split(", ")):
        default = _DEFAULT_ATTRIBUTE.fullmatch(part)
        if default:
            parts.append(
                f"{default[1]}{value_like(addition.details.default, [default[2].removesuffix('.')])}"
            )
        elif part.rstrip(".") in _OPTIONALITY and addition.details.default:
            parts.append(part.replace("required", "optional"))
        elif number == 0 and part not in _OPTIONALITY:
            parts.append(addition.details.type or GAP)
        elif parts[-1:] != [GAP]:
            parts.append(GAP)
    return ", ".join(parts)
