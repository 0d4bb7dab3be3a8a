"""The form that entries share: their fields, how they state a default, how a description reads."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.writer.articles.entries import EntryList, ListEntry
from instep.writer.facts.details import Details
from instep.writer.words.prose import in_markup_of

GAP = "[…]"
_MAX_SIBLINGS = 8
_FIELD = re.compile(
    r"(?P<lead>[\s>*+-]*(?:\*\*|__)?)(?P<key>[A-Z][A-Za-z]*(?: [A-Za-z]+){0,3})"
    r"(?P<joint>(?:\*\*|__)?\s?[:=](?:\*\*|__)?\s+|(?:\*\*|__)?:(?:\*\*|__)?\s*)(?P<value>\S.{0,120})"
)
_FIELD_JOINT = " | "
_VALUE = re.compile(r"(?P<open>[`\"'*]{0,3})(?P<text>[^`\"'*]*)(?P<close>[`\"'*]{0,3})")
_DEFAULT_SENTENCE = re.compile(
    r"(?P<lead>(?:[(\[]|\b)(?:[Dd]efaults to|[Dd]efault is|[Tt]he default(?: value)? is"
    r"|[Dd]efault(?: value)?:)\s+|[(\[][Dd]efault(?: value)?(?:\s?=\s?|\s(?![=:])))"
    r"(?P<open>[`\"*]*)(?P<value>(?:[^`\"*\s()\[\]]|\(\)|\[\]){1,40}?)"
    r"(?P<close>[`\"*]*)(?P<end>[.)\]]{0,2})(?=\s|$)"
)
_NAME_MARKUP = re.compile(r"[`*\"']+")
_NOT_MARKS = re.compile(r"[\w\s].*|\s*\{.*", re.DOTALL)
_MAX_MARKS = 8
_NOTHING = {"None", "null", "nil"}
_BOOLEANS = {"true", "false"}
_FIRST_WORD = re.compile(r"[A-Z][a-z]*(?=\s)")


@dataclass(frozen=True, slots=True)
class FilledText:
    """A text and whether it says more than the name of the entry."""

    text: str
    is_telling: bool


def siblings_near(entry_list: EntryList, neighbour: ListEntry) -> Sequence[ListEntry]:
    """Up to eight entries of the list with a label, the nearest to the neighbour first."""
    entries = (entry for entry in entry_list.entries if entry.label)
    return sorted(entries, key=lambda entry: abs(entry.start - neighbour.start))[:_MAX_SIBLINGS]


def usual_template(template: ListEntry, siblings: Sequence[ListEntry], text: str) -> ListEntry:
    """The nearest sibling whose first line has the marks around its label that most of them have."""
    marks = [_marks(entry, text) for entry in siblings]
    usual = Counter(marks).most_common(1)[0][0]
    if _marks(template, text) == usual:
        return template
    return next(entry for entry, mark in zip(siblings, marks, strict=True) if mark == usual)


def _marks(entry: ListEntry, text: str) -> tuple[str, str]:
    lines = (line for line in text[entry.start : entry.end].splitlines() if not line.startswith(".. _"))
    line = next((line for line in lines if entry.label in line), "")
    before, _, after = line.partition(entry.label)
    return before, _NOT_MARKS.sub("", after[:_MAX_MARKS])


def is_usual(count: int, total: int) -> bool:
    """Whether most entries have it."""
    return 2 * count > total


def states_default(count: int, total: int, default: str) -> bool:
    """Whether a new entry states a default: as most siblings do, and with a gap only where all do."""
    return is_usual(count, total) if default else 0 < count == total


def description_for(details: Details, siblings: Sequence[str], text: str) -> str:
    """The description in the markup of the article and in the manner of its siblings; a gap without one."""
    doc = in_markup_of(text, details.doc)
    default = _default_sentence(siblings, details.default)
    if not doc:
        return f"{GAP} {default}" if default and details.default else ""
    full_stops = sum(sibling.endswith((".", ")", "!")) for sibling in siblings)
    if siblings and not default and not is_usual(full_stops, len(siblings)):
        doc = doc.removesuffix(".")
    if siblings and is_usual(sum(sibling[:1].islower() for sibling in siblings), len(siblings)):
        doc = _FIRST_WORD.sub(lambda match: match[0].lower(), doc, count=1)
    if not default or re.search(r"(?i)\bdefault", doc):
        return doc
    return f"{_joined_like(siblings, doc)} {default}"


def _default_sentence(siblings: Sequence[str], default: str) -> str:
    """The default as most siblings state it; empty if they don't."""
    matches = _default_matches(siblings)
    if not states_default(len(matches), len(siblings), default):
        return ""
    forms = Counter((match["lead"], match["open"], match["close"], match["end"]) for match in matches)
    lead, opening, closing, end = forms.most_common(1)[0][0]
    if not default:
        return f"{lead}{GAP}{end}"
    return f"{lead}{opening}{_spelled(default, [match['value'] for match in matches])}{closing}{end}"


def _default_matches(siblings: Sequence[str]) -> list[re.Match[str]]:
    return [match for match in map(_DEFAULT_SENTENCE.search, siblings) if match]


def _joined_like(siblings: Sequence[str], doc: str) -> str:
    """The description with the full stop, the comma or nothing that siblings have before their default."""
    texts = (match.string[: match.start()].rstrip() for match in _default_matches(siblings))
    ends = Counter(text[-1] for text in texts if text)
    stops = sum(count for end, count in ends.items() if end in ".!?")
    if not ends or is_usual(stops, ends.total()):
        return doc
    end = ends.most_common(1)[0][0]
    return doc.removesuffix(".") + (end if end in ",;" else "")


def value_like(value: str, siblings: Sequence[str]) -> str:
    """A value with the quotes, code marks and spelling that most siblings give theirs.

    A gap for none, and for the `None` of code where no sibling says so: articles have other words for it.
    """
    matches = [match for sibling in siblings if (match := _VALUE.match(sibling.strip()))]
    if not value or (value in _NOTHING and all(match["text"] not in _NOTHING for match in matches)):
        return GAP
    marks = Counter((match["open"], match["close"]) for match in matches if match["text"])
    opening, closing = marks.most_common(1)[0][0] if marks else ("`", "`")
    return f"{opening}{_spelled(value, [match['text'] for match in matches])}{closing}"


def _spelled(value: str, siblings: Sequence[str]) -> str:
    if value.lower() in _BOOLEANS:
        like = next((sibling for sibling in siblings if sibling.lower() in _BOOLEANS), value)
        return value.lower() if like.islower() else value.capitalize()
    return value


def type_like(type_name: str, siblings: Sequence[str]) -> str:
    """A type in the words of the siblings, such as `bool` or `Boolean`; a gap for none."""
    if not type_name:
        return GAP
    words = [word for sibling in siblings for word in re.findall(r"[A-Za-z]+", sibling)[:1]]
    same = (word for word in words if word.lower()[:3] == type_name[:3])
    word = next(
        same, type_name.capitalize() if is_usual(sum(map(str.istitle, words)), len(words)) else type_name
    )
    return value_like(word, siblings)


def fields_in(lines: Sequence[str]) -> int:
    """How many of the first lines are fields such as `Default: 20`, or blank lines between them."""
    count = 0
    for number, line in enumerate(lines, 1):
        if any(_parts(line)):
            count = number
        elif line.strip():
            break
    return count


def _parts(line: str) -> list["re.Match[str]"]:
    """The fields of a line, which vertical bars may part; empty if it has anything else."""
    parts = [_FIELD.fullmatch(part) for part in line.split(_FIELD_JOINT)]
    return [part for part in parts if part] if all(parts) else []


def filled_fields(
    lines: Sequence[str], siblings: Sequence[Sequence[str]], details: Details, old: str, new: str
) -> Iterator[FilledText]:
    """The lines of fields with the values that the code states, and a gap for any other value.

    `old` and `new` are the labels of the entry that has these lines and of the new one.
    """
    values = _values_by_key(siblings)
    for line in lines:
        parts = [_filled(part, values, details, old, new) for part in _parts(line)]
        if parts:
            yield FilledText(
                _FIELD_JOINT.join(part.text for part in parts), any(part.is_telling for part in parts)
            )
        else:
            yield FilledText(line, False)


def _values_by_key(siblings: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for lines in siblings:
        for line in lines:
            for part in _parts(line):
                values.setdefault(part["key"].casefold(), []).append(part["value"])
    return values


def _filled(
    part: "re.Match[str]", values: dict[str, list[str]], details: Details, old: str, new: str
) -> FilledText:
    key = part["key"].casefold()
    siblings = values.get(key, [])
    if "default" in key:
        value, is_telling = value_like(details.default, siblings), bool(details.default)
    elif "type" in key:
        value, is_telling = type_like(details.type, siblings), bool(details.type)
    else:
        is_name = _NAME_MARKUP.sub("", part["value"]).strip().endswith(old)
        value, is_telling = part["value"].replace(old, new) if is_name else GAP, False
    return FilledText(f"{part['lead']}{part['key']}{part['joint']}{value}", is_telling)
