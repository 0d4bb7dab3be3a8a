"""Decides whether a passage of an article states the value of a setting, and how surely.

Many things share a number or a word as their value, so the passage has to name the setting: exactly as the
code does, in the words of its name right next to it, in the first cell of its row, or above it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from instep.drafting.writer.articles.headings import heading_over
from instep.drafting.writer.articles.passages import is_in_example, lead_over, sentence_around
from instep.drafting.writer.facts.became import Became
from instep.drafting.writer.facts.values import is_version
from instep.drafting.writer.words.identifiers import parts_of
from instep.drafting.writer.words.units import UNITS, subject_words, words_and_unit
from instep.platform.core.name_matching import is_distinct, mention

_DEFAULT = re.compile(
    r"\b(?:defaults?|at most|at least|up to|maximum|minimum|limit(?:s|ed)?|requires?"
    r"|or (?:higher|newer|later))\b",
    re.IGNORECASE,
)
# A sentence about when something was introduced, whose version stays.
_HISTORY = re.compile(
    r"\b(?:before|beginning|since|introduced|added|formerly|previously|until|removed)\b", re.IGNORECASE
)
_ANY_UNIT = re.compile(rf"\W{{0,2}}({'|'.join(UNITS.values())})\b", re.IGNORECASE)
_ASSIGNS = re.compile(r"[\w`*\"'\])]\s*(?:[:=]|(?:is|to|was|at)\b)[\s`*\"'(]*\Z")
_DEFAULT_IS = re.compile(r"\bdefaults?(?: value)?(?::| is| to| =)?[\s`*_\"'(]*\Z", re.IGNORECASE)
_REQUIRED = re.compile(
    r"requires?\b|needs?\b|supports?\b|\bor (?:higher|newer|later)|at least|minimum|version|based on|runs? on"
    r"|^\s*FROM ",
    re.IGNORECASE,
)
_AND_UP = re.compile(r"[`*_]*\+")
_CELL_START = re.compile(r"\|\s*[`*_]*$")
_CELL_END = re.compile(r"[`*_]*\s*\|")
_BY_DEFAULT = re.compile(r"[`*\"')]{0,3}\s+by default\b", re.IGNORECASE)
_CLOSE_CHARACTERS = 20
_NEAR_CHARACTERS = 40
_NOWHERE = 1_000
_CODE_NAME = re.compile(r"`(-{0,2}[A-Za-z_][\w.-]*)`")
# The shares of right edits among real changes: for values next to the exact name, and for the others.
_PROVEN, _LIKELY = 0.95, 0.7


@dataclass(frozen=True, slots=True)
class StatedPlace:
    """The sentence, row or line around a span, with its heading, its lead and its column header."""

    before: str
    after: str
    topic: str
    is_code: bool

    @property
    def text(self) -> str:
        return f"{self.before} {self.after}"


def says_a_name(pair: Became, text: str) -> bool:
    """True if an article contains the words of a name of the setting; otherwise it can't state its value."""
    lowered = text.lower()
    return any(all(word in lowered for word in subject_words(name)) for name in pair.names)


@lru_cache(maxsize=4_096)
def statement_at(text: str, start: int, end: int) -> StatedPlace:
    first, last = sentence_around(text, start, end)
    lead, before = lead_over(text, first), text[first:start]
    columns = lead.split("|") if before.lstrip().startswith("|") else []
    column = columns[before.count("|")].strip() if before.count("|") < len(columns) else ""
    topic = f"{heading_over(text, start)}\n{column or lead}"
    return StatedPlace(before, text[end:last], topic, is_in_example(text, start))


def probability_of_value(pair: Became, statement: StatedPlace) -> float | None:
    """The probability (0 to 1) that a passage states the setting's value; None if it may state another."""
    # An example sets a value of its own, and of two equal values one may be another setting's.
    is_unclear = statement.is_code or bool(mention(pair.old).search(statement.text))
    if is_unclear or _is_of_another(pair, statement):
        return None
    if is_version(pair.old) or (pair.value and pair.value.is_version):
        return _LIKELY if _is_required(pair, statement) else None
    around = f"{statement.text}\n{statement.topic}"
    is_exact, is_cell = any(_is_named(name, around) for name in pair.names), _is_cell(pair, statement)
    if not _is_stated(pair, statement, is_exact=is_exact, is_cell=is_cell):
        return None
    is_given = is_cell or _DEFAULT.search(statement.text) or _ASSIGNS.search(statement.before)
    return _PROVEN if is_exact and is_given else _LIKELY


def _is_of_another(pair: Became, statement: StatedPlace) -> bool:
    """True if the passage has another unit, or the name of another section or setting."""
    return (
        _has_other_unit(pair, statement)
        or _is_of_rival(pair, statement)
        or _is_of_nearer_name(pair, statement)
    )


def _is_of_nearer_name(pair: Became, statement: StatedPlace) -> bool:
    """True if the last name in code before the value is a different one: "`a` is 10, `b` is 10"."""
    names = _CODE_NAME.findall(statement.before)
    if not names or not any(mention(name).search(statement.text) for name in pair.names):
        return False
    last = parts_of(names[-1])
    return all(last[-len(parts) :] != parts for parts in map(parts_of, pair.names))


def _is_required(pair: Became, statement: StatedPlace) -> bool:
    """True if a passage says which version is required today."""
    is_required = _AND_UP.match(statement.after) or _REQUIRED.search(statement.text)
    is_close = _distance(pair, statement) <= _CLOSE_CHARACTERS
    return is_close and bool(is_required) and not _HISTORY.search(statement.text)


def _is_stated(pair: Became, statement: StatedPlace, *, is_exact: bool, is_cell: bool) -> bool:
    """True if a passage surely means the setting: ordinary names and values must be closer together."""
    if len(pair.old) == 1 or pair.old[:1].isalpha():
        # "Set `mode` to fast" and "if `mode` is fast" describe a choice, which stays.
        is_default = _DEFAULT_IS.search(statement.before) or _BY_DEFAULT.match(statement.after)
        is_column = is_cell and (pair.old.isdecimal() or "default" in statement.topic.lower())
        return is_column or (is_exact and bool(is_default))
    distance = _distance(pair, statement)
    is_telling = any(len(subject_words(name)) > 1 for name in pair.names) or _DEFAULT.search(statement.text)
    return is_exact or is_cell or distance <= (_NEAR_CHARACTERS if is_telling else _CLOSE_CHARACTERS)


def _is_named(name: str, text: str) -> bool:
    """True if a text contains the exact name; an ordinary word must be marked as code."""
    is_spelled_as_name = is_distinct(name) or "-" in name
    return f"`{name}`" in text or (is_spelled_as_name and bool(mention(name).search(text)))


def _is_cell(pair: Became, statement: StatedPlace) -> bool:
    """True if the value is the whole cell of a row that begins with a name of the setting."""
    cells = statement.before.strip().split("|")
    is_cell = bool(_CELL_START.search(statement.before) and _CELL_END.match(statement.after))
    return is_cell and len(cells) > 1 and any(_is_named(name, cells[1]) for name in pair.names)


def _distance(pair: Became, statement: StatedPlace) -> int:
    """The number of characters between a value and the nearest mention of its name, in any spelling."""
    patterns = [_spelling(subject_words(name)) for name in pair.names]
    before = (
        len(statement.before) - row.end() for each in patterns for row in each.finditer(statement.before)
    )
    after = (row.start() for each in patterns for row in each.finditer(statement.after))
    return min((*before, *after), default=_NOWHERE)


@lru_cache(maxsize=1_024)
def _spelling(parts: tuple[str, ...]) -> re.Pattern[str]:
    """A name in any spelling: `page_size`, `pageSize`, page size."""
    return re.compile(r"\b" + r"[\s_.-]?".join(map(re.escape, parts)), re.IGNORECASE)


def _names(name: str, text: str) -> bool:
    return bool(_spelling(tuple(parts_of(name))).search(text))


def _has_other_unit(pair: Became, statement: StatedPlace) -> bool:
    """True if the passage gives the value in a unit other than the setting's."""
    value = pair.value
    unit = value and words_and_unit(value.names[0])[1]
    stated = _ANY_UNIT.match(statement.after)
    return bool(unit and stated and not re.fullmatch(UNITS[unit], stated[1], re.IGNORECASE))


def _is_of_rival(pair: Became, statement: StatedPlace) -> bool:
    """True if the passage names a section next to the value's section, but not that one."""
    value = pair.value
    if value is None or not value.rivals or _names(value.owner, f"{statement.text}\n{statement.topic}"):
        return False
    return any(_names(rival, f"{statement.text}\n{statement.topic}") for rival in value.rivals)
