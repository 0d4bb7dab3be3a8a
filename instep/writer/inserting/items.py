"""A new entry of a list, table or run of sections, in the form that the entries beside it have."""

import re
from collections import Counter

from instep.writer.articles.entries import EntryList, ListEntry, entry_lists_of
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
_UNDERLINE = re.compile(r"([=\-~#*^\"'`+])\1{2,}\s*$")
_SIGNATURE = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_ANNOTATION = re.compile(r":\s*(?:[^,=()\[\]]|\[[^\]]*\])+")
_PARAMETER = re.compile(r"(?:^\(|,\s*)(\w+)")
_ITSELF = re.compile(r"\((?:self|cls|this)(?:,\s*|\))")
_FEW_WORDS = 2


def entry_for(
    addition: Addition, point: InsertionPoint, said: str, text: str, spellings: "Counter[str]"
) -> str | None:
    """The lines to put in at the spot; None where the form of the neighbours can't be followed."""
    known = _borrowed(point, text) or by_analogy(point.label, point.entry_list, text, spellings)
    if known:
        return known
    template = point.entry_list.entry_of(point.template.name) or point.neighbour
    lines = text[template.start : template.end].splitlines()
    said = in_markup_of(text, said)
    if point.entry_list.kind == "row":
        return _row(lines[0], addition, point, template, said, _header(text, point)) + "\n"
    if point.entry_list.kind == "item":
        return _item(lines, point, template, said) + "\n"
    if point.entry_list.kind == "term":
        return _term(lines, point, template, said)
    return _section(lines, addition, point, template, said, text)


def set_apart(entry: str, point: InsertionPoint, text: str) -> str:
    """The new lines with blank ones around where the entries of the group have them."""
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


def _borrowed(point: InsertionPoint, text: str) -> str | None:
    """What the article says of the same name in other groups of the same form, as it says it most often."""
    same = [
        text[entry.start : entry.end]
        for group in entry_lists_of(text)
        if group.kind == point.entry_list.kind and group.kind in {"row", "term"}
        for entry in group.entries
        if entry.label == point.label
    ]
    best = Counter(same).most_common(1)
    return best[0][0] if best and (best[0][1] > 1 or len(same) == 1) else None


def _header(text: str, point: InsertionPoint) -> list[str]:
    """The cells of the line above the rule of a table."""
    above = text[: point.entry_list.entries[0].start].splitlines()
    return [cell.strip().casefold() for cell in _CELLS.split(above[-2])] if len(above) > 1 else []


def _row(
    line: str, addition: Addition, point: InsertionPoint, template: ListEntry, said: str, header: list[str]
) -> str:
    cells = _CELLS.split(line)
    first = 1 if line.lstrip().startswith("|") else 0
    bodies = range(first + 1, len(cells) - (1 if line.rstrip().endswith("|") else 0))
    widest = max(bodies, key=lambda at: len(cells[at].strip()), default=None)
    made = {first: cells[first].strip().replace(template.label, point.label)}
    for at in bodies:
        title = header[at] if at < len(header) else ""
        made[at] = _cell(title, addition, said, at == widest)
    return "|".join(_padded(made[at], cell) if at in made else cell for at, cell in enumerate(cells))


def _cell(title: str, addition: Addition, said: str, is_widest: bool) -> str:
    default = default_of(addition.value)
    if "default" in title:
        return f"`{default}`" if default else ""
    return said.replace("|", "\\|") if is_widest else ""


def _padded(text: str, like: str) -> str:
    return f" {text} ".ljust(len(like)) if like.startswith(" ") else text


def _item(lines: list[str], point: InsertionPoint, template: ListEntry, said: str) -> str:
    first = lines[0]
    at = first.find(template.label) + len(template.label)
    closed = at + _end(_CLOSING, first[at:])
    rest = first[closed:]
    if first.lstrip().startswith("<li>") or len(rest.split()) <= _FEW_WORDS:
        return first.replace(template.label, point.label)
    separator = rest[: _end(_SEPARATOR, rest)]
    head = first[:closed].replace(template.label, point.label)
    return f"{head}{separator}{said}".rstrip() if separator.strip() else f"{head}: {said}"


def _end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _term(lines: list[str], point: InsertionPoint, template: ListEntry, said: str) -> str | None:
    if not said or len(lines) < 2:
        return None
    body = lines[1]
    marker = re.match(r"\s*(?::\s+)?", body)
    head = lines[0]
    at = head.find(template.label) + len(template.label)
    term = head[: at + _end(_CLOSING, head[at:])].replace(template.label, point.label)
    return f"{term}\n{marker[0] if marker else '    '}{said}\n"


def _section(
    lines: list[str], addition: Addition, point: InsertionPoint, template: ListEntry, said: str, text: str
) -> str | None:
    """Heading, default, parameters that the article knows, and what the code says: no more is known."""
    at = next(
        (n for n, line in enumerate(lines) if template.label in line and not line.startswith(".. _")), None
    )
    if at is None or not said:
        return None
    head = _heading(lines[at], addition, point, template)
    parts = [
        line.replace(template.label, point.label) + "\n" for line in lines[:at] if template.label in line
    ]
    made = ["\n".join([*parts, head])]
    if at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1]):
        made[0] += "\n" + lines[at + 1][0] * len(head)
    default = default_of(addition.value)
    stated = next((found for line in lines[at + 1 : at + 6] if (found := _DEFAULT.match(line))), None)
    if stated and default:
        made.append(f"{stated[1]}{stated[2] or '`'}{default}{stated[4] or '`'}")
    made += _parameters(addition.value, template, text)
    return "\n\n".join([*made, said]) + "\n\n"


def _parameters(signature: str, template: ListEntry, text: str) -> list[str]:
    """The terms of parameters, if the model has terms too, as the article explains them elsewhere."""
    terms = [group for group in entry_lists_of(text) if group.kind == "term"]
    if not any(template.start <= group.entries[0].start < template.end for group in terms):
        return []
    return [
        known
        for name in _PARAMETER.findall(_ITSELF.sub("(", signature))
        if (known := _explained(name, terms, text))
    ]


def _explained(name: str, terms: list[EntryList], text: str) -> str | None:
    said = Counter(
        text[entry.start : entry.end].rstrip()
        for group in terms
        for entry in group.entries
        if entry.label == name
    )
    return said.most_common(1)[0][0] if said else None


def _heading(line: str, addition: Addition, point: InsertionPoint, template: ListEntry) -> str:
    attributes = _ATTRIBUTES.search(line)
    if attributes and template.label not in attributes[0]:
        line = _ATTRIBUTES.sub("", line)
    bare = _SIGNATURE.sub("", line) if f"{template.label}(" in line else line
    made = bare.replace(template.label, point.label)
    if bare == line:
        return made
    signature = _SIGNATURE.match(addition.value)
    shown = _ANNOTATION.sub("", _ITSELF.sub("(", signature[0])) if signature else "()"
    return made.replace(point.label, point.label + (shown if shown.endswith(")") else f"{shown})"), 1)
