"""A new section in the form of its siblings: heading, anchor, fields, parameters and a description."""

import re
from collections import Counter
from collections.abc import Sequence

from instep.writer.articles.entries import EntryList, ListEntry, entry_lists_of
from instep.writer.articles.restructured import is_underline
from instep.writer.facts.additions import Addition
from instep.writer.inserting.siblings import InsertionPoint
from instep.writer.inserting.skeleton import GAP, FilledText, description_for, fields_in, filled_fields

_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{[:\s]*+#[^{}]*+\}")
_SIGNATURE = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_ANNOTATION = re.compile(r":\s*(?:[^,=()\[\]]|\[[^\]]*\])+")
_CLOSED = re.compile(r"\([^()]*\)|[`*]+")
_OTHER_NAME = re.compile(r"\s*(?:[/,]|and\b|or\b)\s*\w")
_PARAMETER = re.compile(r"(?:^\(|,\s*)(\w+)")
_ITSELF = re.compile(r"\((?:self|cls|this)(?:,\s*|\))")


def section_entry(
    addition: Addition, point: InsertionPoint, template: ListEntry, siblings: Sequence[ListEntry], text: str
) -> FilledText | None:
    """The lines of the new section; None if the form of its heading can't be followed."""
    bodies = [_after_heading(text[entry.start : entry.end].splitlines(), entry.label) for entry in siblings]
    field_blocks = [body[: fields_in(body)] for body in bodies]
    lines = text[template.start : template.end].splitlines()
    index = _label_line(lines, template.label)
    if index is None or _names_other(lines[index], template.label):
        return None
    head = _heading(lines[index], addition, point, template)
    anchors = [
        line.replace(template.label, point.label) + "\n" for line in lines[:index] if template.label in line
    ]
    first = "\n".join([*anchors, head])
    if index + 1 < len(lines) and is_underline(lines[index + 1]):
        first += "\n" + lines[index + 1][0] * len(head)
    parts = [first]
    field_lines = _usual_block(field_blocks, siblings)
    filled = list(filled_fields(field_lines[1], field_blocks, addition.details, field_lines[0], point.label))
    description = description_for(addition.details, [_prose(body) for body in bodies], text)
    if filled:
        parts.append("\n".join(field.text for field in filled).strip("\n"))
    parts += _parameters(addition.value, template, text)
    is_telling = bool(description) or any(field.is_telling for field in filled)
    return FilledText("\n\n".join([*parts, description or GAP]) + "\n\n", is_telling)


def _names_other(heading: str, label: str) -> bool:
    """Whether a heading goes on with another name, which the new entry must not repeat."""
    return bool(_OTHER_NAME.match(_CLOSED.sub("", heading.partition(label)[2])))


def _label_line(lines: Sequence[str], label: str) -> int | None:
    labels = (label in line and not line.startswith(".. _") for line in lines)
    return next((number for number, is_label in enumerate(labels) if is_label), None)


def _after_heading(lines: Sequence[str], label: str) -> Sequence[str]:
    index = _label_line(lines, label) or 0
    body = lines[index + 1 :]
    return body[1:] if body and is_underline(body[0]) else body


def _prose(body: Sequence[str]) -> str:
    """The last line of the first paragraph of text."""
    lines = body[fields_in(body) :]
    start = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    paragraph = list[str]()
    for line in lines[start:]:
        if not line.strip():
            break
        paragraph.append(line.strip())
    return " ".join(paragraph)


def _usual_block(blocks: Sequence[Sequence[str]], siblings: Sequence[ListEntry]) -> tuple[str, Sequence[str]]:
    """The label and the fields of the nearest sibling that has the fields that most siblings have."""
    shapes = Counter(tuple(line.partition(":")[0] for line in block) for block in blocks)
    shape, count = shapes.most_common(1)[0]
    if 2 * count < len(blocks):
        shape = ()
    for block, sibling in zip(blocks, siblings, strict=True):
        if tuple(line.partition(":")[0] for line in block) == shape:
            return sibling.label, block
    return "", ()


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
