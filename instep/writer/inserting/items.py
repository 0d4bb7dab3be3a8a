"""A new entry of a list, table or row of sections, in the form of the entries next to it."""

import re
from collections import Counter

from instep.writer.articles.entries import EntryList, ListEntry, entry_lists_of
from instep.writer.articles.restructured import is_underline
from instep.writer.facts.additions import Addition
from instep.writer.facts.values import default_of
from instep.writer.inserting.analogy import by_analogy
from instep.writer.inserting.siblings import InsertionPoint
from instep.writer.words.prose import in_markup_of

_CELLS = re.compile(r"(?<!\\)\|")
_DEFAULT = re.compile(r"(?i)^([^\w`]*defaults?(?: value)?[^\w`]*:[^\w`]*)(`*)([^`]*?)(`*)\s*$")
_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{[:\s]*+#[^{}]*+\}")
_CLOSING = re.compile(r"(?:`+|\*+|_+|\"|</\w+>|\]\([^)]*\)|\]|\([^)]*\)|=?&lt;.*?&gt;|\s*\\?\*)*")
_SEPARATOR = re.compile(r"\s*(?::|-{1,2}|[\u2013\u2014])\s+|\s+")
_SIGNATURE = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_ANNOTATION = re.compile(r":\s*(?:[^,=()\[\]]|\[[^\]]*\])+")
_PARAMETER = re.compile(r"(?:^\(|,\s*)(\w+)")
_ITSELF = re.compile(r"\((?:self|cls|this)(?:,\s*|\))")
_FEW_WORDS = 2


def entry_for(
    addition: Addition, point: InsertionPoint, description: str, text: str, spellings: "Counter[str]"
) -> str | None:
    """The lines to insert at the point; None if the form of the neighbours can't be followed."""
    existing = _copied(point, text) or by_analogy(point.label, point.entry_list, text, spellings)
    if existing:
        return existing
    template = point.entry_list.entry_of(point.template.name) or point.neighbour
    lines = text[template.start : template.end].splitlines()
    description = in_markup_of(text, description)
    if point.entry_list.kind == "row":
        return _row(lines[0], addition, point, template, description, _header(text, point)) + "\n"
    if point.entry_list.kind == "item":
        return _item(lines, point, template, description) + "\n"
    if point.entry_list.kind == "term":
        return _term(lines, point, template, description)
    return _section(lines, addition, point, template, description, text)


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
        if entry_list.kind == point.entry_list.kind and entry_list.kind in {"row", "term"}
        for entry in entry_list.entries
        if entry.label == point.label
    ]
    most_common = Counter(entries).most_common(1)
    return most_common[0][0] if most_common and (most_common[0][1] > 1 or len(entries) == 1) else None


def _header(text: str, point: InsertionPoint) -> list[str]:
    """The cells of the header of a table, in lower case."""
    above = text[: point.entry_list.entries[0].start].splitlines()
    return [cell.strip().casefold() for cell in _CELLS.split(above[-2])] if len(above) > 1 else []


def _row(
    line: str,
    addition: Addition,
    point: InsertionPoint,
    template: ListEntry,
    description: str,
    header: list[str],
) -> str:
    cells = _CELLS.split(line)
    first = 1 if line.lstrip().startswith("|") else 0
    bodies = range(first + 1, len(cells) - (1 if line.rstrip().endswith("|") else 0))
    widest = max(bodies, key=lambda index: len(cells[index].strip()), default=None)
    cells_by_index = {first: cells[first].strip().replace(template.label, point.label)}
    for index in bodies:
        title = header[index] if index < len(header) else ""
        cells_by_index[index] = _cell(title, addition, description, index == widest)
    return "|".join(
        _padded(cells_by_index[index], cell) if index in cells_by_index else cell
        for index, cell in enumerate(cells)
    )


def _cell(title: str, addition: Addition, description: str, is_widest: bool) -> str:
    default = default_of(addition.value)
    if "default" in title:
        return f"`{default}`" if default else ""
    return description.replace("|", "\\|") if is_widest else ""


def _padded(text: str, like: str) -> str:
    return f" {text} ".ljust(len(like)) if like.startswith(" ") else text


def _item(lines: list[str], point: InsertionPoint, template: ListEntry, description: str) -> str:
    first = lines[0]
    label_end = first.find(template.label) + len(template.label)
    head_end = label_end + _end(_CLOSING, first[label_end:])
    rest = first[head_end:]
    if first.lstrip().startswith("<li>") or len(rest.split()) <= _FEW_WORDS:
        return first.replace(template.label, point.label)
    separator = rest[: _end(_SEPARATOR, rest)]
    head = first[:head_end].replace(template.label, point.label)
    return f"{head}{separator}{description}".rstrip() if separator.strip() else f"{head}: {description}"


def _end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _term(lines: list[str], point: InsertionPoint, template: ListEntry, description: str) -> str | None:
    if not description or len(lines) < 2:
        return None
    body = lines[1]
    marker = re.match(r"\s*(?::\s+)?", body)
    head = lines[0]
    label_end = head.find(template.label) + len(template.label)
    term = head[: label_end + _end(_CLOSING, head[label_end:])].replace(template.label, point.label)
    return f"{term}\n{marker[0] if marker else '    '}{description}\n"


def _section(
    lines: list[str],
    addition: Addition,
    point: InsertionPoint,
    template: ListEntry,
    description: str,
    text: str,
) -> str | None:
    """A section of a heading, the default, parameters that the article explains, and the description."""
    labels = (template.label in line and not line.startswith(".. _") for line in lines)
    index = next((number for number, is_label in enumerate(labels) if is_label), None)
    if index is None or not description:
        return None
    head = _heading(lines[index], addition, point, template)
    anchors = [
        line.replace(template.label, point.label) + "\n" for line in lines[:index] if template.label in line
    ]
    parts = ["\n".join([*anchors, head])]
    if index + 1 < len(lines) and is_underline(lines[index + 1]):
        parts[0] += "\n" + lines[index + 1][0] * len(head)
    default = default_of(addition.value)
    default_line = next(filter(None, map(_DEFAULT.match, lines[index + 1 : index + 6])), None)
    if default_line and default:
        parts.append(f"{default_line[1]}{default_line[2] or '`'}{default}{default_line[4] or '`'}")
    parts += _parameters(addition.value, template, text)
    return "\n\n".join([*parts, description]) + "\n\n"


def _parameters(signature: str, template: ListEntry, text: str) -> list[str]:
    """The terms of parameters as the article explains them elsewhere, if the template has terms too."""
    terms = [entry_list for entry_list in entry_lists_of(text) if entry_list.kind == "term"]
    if not any(template.start <= entry_list.entries[0].start < template.end for entry_list in terms):
        return []
    return [
        existing
        for name in _PARAMETER.findall(_ITSELF.sub("(", signature))
        if (existing := _explanation(name, terms, text))
    ]


def _explanation(name: str, terms: list[EntryList], text: str) -> str | None:
    explanations = Counter(
        text[entry.start : entry.end].rstrip()
        for entry_list in terms
        for entry in entry_list.entries
        if entry.label == name
    )
    return explanations.most_common(1)[0][0] if explanations else None


def _heading(line: str, addition: Addition, point: InsertionPoint, template: ListEntry) -> str:
    attributes = _ATTRIBUTES.search(line)
    if attributes and template.label not in attributes[0]:
        line = _ATTRIBUTES.sub("", line)
    bare = _SIGNATURE.sub("", line) if f"{template.label}(" in line else line
    heading = bare.replace(template.label, point.label)
    if bare == line:
        return heading
    signature = _SIGNATURE.match(addition.value)
    parameters = _ANNOTATION.sub("", _ITSELF.sub("(", signature[0])) if signature else "()"
    return heading.replace(
        point.label, point.label + (parameters if parameters.endswith(")") else f"{parameters})"), 1
    )
