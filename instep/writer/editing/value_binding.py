"""Whether a value in an article is the value of a setting that the change gives another value."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instep.core.name_matching import is_distinct, mention
from instep.writer.articles.headings import heading_over
from instep.writer.articles.passages import lead_over, paragraph_start, sentence_around
from instep.writer.facts.values import IMAGE, Value
from instep.writer.words.identifiers import is_caption, parts_of
from instep.writer.words.units import BOUNDS, MEASURES, UNITS, words_and_unit

_DEFAULT = re.compile(
    r"\b(?:defaults?|at most|at least|up to|maximum|minimum|limit(?:s|ed)?|requires?"
    r"|or (?:higher|newer|later))\b",
    re.IGNORECASE,
)
_REQUIRED = re.compile(
    r"requires?\b|needs?\b|supports?\b|\bor (?:higher|newer|later)|at least|minimum|version|based on|runs? on"
    r"|^\s*FROM ",
    re.IGNORECASE,
)
# A sentence about the time when something came, whose versions stay as they were.
_HISTORY = re.compile(
    r"\b(?:before|since|introduced|added|formerly|previously|until|removed)\b", re.IGNORECASE
)
_OF_IMAGE = re.compile(r"\b(?:container|docker|image)", re.IGNORECASE)
_SETTINGS_LINE = re.compile(r"\s*(?:export\s+|-\s+)?[\"']?[\w.-]+[\"']?\s*[:=]\s*[\"']?")
_AND_UP = re.compile(r"[`*_]*\+")
_ANY_UNIT = re.compile(rf"\W{{0,2}}({'|'.join(UNITS.values())})\b", re.IGNORECASE)
LIMIT_WORDS = frozenset(("allowed", "count", "number", "total", "size", "length"))
_DEFAULT_IS = re.compile(r"\bdefaults?(?: value)?(?::| is| to)\s*[`*_\"']*$", re.IGNORECASE)
_UNLESS = re.compile(r"[^.,()\d]{0,40}\b(?:unless|without|if|when)\b", re.IGNORECASE)
_CODE = re.compile(r"`([^`\n]{1,80})`")
# What is in code right after a text, or right before it: "Label (`name`)", "`name`: Label".
_CODE_AFTER = re.compile(r"[*_\"')\]]{0,4}\s{0,3}[(:|=\u2013\u2014-]?\s{0,3}`([^`\n]{1,40})`")
_CODE_BEFORE = re.compile(r"`([^`\n]{1,40})`[*_)]{0,4}\s{0,3}[(:|=\u2013\u2014-]?\s{0,3}[*_\"'(\[]{0,4}\Z")
# A heading that is a name of several parts, as code spells it: `page-size`, `PAGE_SIZE`, `page.size`.
_NAME_ALONE = re.compile(r"[A-Za-z][\w.-]*")
_CELL_START = re.compile(r"\|\s*[`*_]*$")
_CELL_END = re.compile(r"[`*_]*\s*\|")
_CELL_AFTER = re.compile(r"[^|\d]{0,24}(?:\||$)")
# Words of the names by which build files state what they require: `requires-python`, `rust-version`.
_REQUIREMENT_WORDS = frozenset(("minimum", "require", "required", "requires", "target", "version"))
_CELL_MARKS = " \t`*_$€£"
_MIN_WORD_CHARACTERS = 4
_NEAR_CHARACTERS = 40
_CLOSE_CHARACTERS = 20


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A sentence of an article around a value, and the heading and the beginning of the item over it."""

    before: str
    value: str
    after: str
    topic: str
    # The head of its column, where it stands in a table.
    column: str = ""
    # What its paragraph says before the sentence.
    preceding: str = ""
    heading: str = ""

    @property
    def text(self) -> str:
        return self.before + self.value + self.after


@lru_cache(maxsize=4_096)
def statement_at(text: str, start: int, end: int) -> StatedValue:
    """The sentence around a value, and what says what it is about."""
    first, last = sentence_around(text, start, end)
    lead, before = lead_over(text, first), text[first:start]
    columns = lead.split("|") if before.lstrip().startswith("|") else []
    column = columns[before.count("|")].strip() if before.count("|") < len(columns) else ""
    heading = heading_over(text, start)
    preceding = text[paragraph_start(text, first) : first]
    return StatedValue(
        before, text[start:end], text[end:last], f"{heading} {lead}", column, preceding, heading
    )


def is_mentioned(fact: Value, text: str) -> bool:
    """Whether a text names what the value belongs to at all, in any spelling."""
    for name in fact.names:
        parts = product_words(name) if fact.is_version else []
        if any(_spelling([part]).search(text) for part in parts):
            return True
        words = words_and_unit(name)[0]
        # A name of bounds alone, such as `DEFAULT_LIMIT`, is that of a parameter `limit`.
        subject = words[-1:] if BOUNDS.issuperset(words) else words[:1]
        if not fact.is_version and (_spelling(subject).search(text) or mention(name).search(text)):
            return True
    return False


def states_value_of(fact: Value, name: str, sentence: StatedValue, title: str) -> bool:
    """Whether a sentence of an article with this title gives the setting, by one of its names, the value."""
    if fact.is_version:
        is_of_image = _OF_IMAGE.search(f"{sentence.text} {sentence.topic} {title}")
        return _is_version_of(name, sentence) and (fact.owner != IMAGE or bool(is_of_image))
    parts, unit_of_name = words_and_unit(name)
    unit = fact.unit or unit_of_name
    if not parts or (unit and not _has_unit(sentence.after, unit)):
        return False
    if fact.is_choice_still:
        return is_stated_default(fact, sentence)
    if _is_cell_of_owner(fact, parts, sentence):
        return True
    # What a name that says only what is measured is of has to be there, too.
    if MEASURES.issuperset(parts) and not (
        _is_named_exactly(name, sentence) or is_on_topic(fact, sentence, title)
    ):
        return False
    if _is_label_of(fact, name, sentence):
        return True
    # A word may be the name of several things.
    if len(parts_of(name)) == 1 and not is_distinct(name) and not is_on_topic(fact, sentence, title):
        return False
    return (
        _is_counted_of_owner(fact, parts, sentence)
        or _is_default_of_subject(fact, parts, sentence)
        or _is_unless_given(fact, name, sentence)
        or _is_named_beside(fact, name, parts, sentence)
    )


def _is_version_of(name: str, sentence: StatedValue) -> bool:
    return _is_required(sentence) and any(
        _spelling([part]).search(sentence.before[-_CLOSE_CHARACTERS:])
        if len(part) >= _MIN_WORD_CHARACTERS
        else _short_product(part).search(sentence.before)
        for part in product_words(name)
    )


def _is_named_beside(fact: Value, name: str, parts: Sequence[str], sentence: StatedValue) -> bool:
    """Requires the name nearby, in any spelling: the more ordinary name and value are, the closer."""
    says_default = bool(_DEFAULT.search(sentence.text))
    is_assigned = bool(_assignment(parts).search(sentence.before))
    if _is_choice(fact, sentence) and not says_default:
        return is_own_cell(name, sentence)
    if is_assigned and (len(parts) > 1 or not fact.is_plain):
        return True
    if is_own_cell(name, sentence) or _is_counted(name, parts, sentence):
        return True
    is_common_word = len(parts) < 2 and not is_distinct(name)
    if is_common_word and fact.is_plain:
        return False
    if not says_default and (fact.is_plain or is_common_word):
        return False
    return _is_near(name, parts, sentence) or (says_default and _is_named_exactly(name, sentence))


def is_of_section(fact: Value, sentence: StatedValue) -> bool:
    """Whether a sentence speaks of the section that a value changes in, and not of one beside it.

    What the sentence names counts more than what stands over it.
    """
    section = fact.section
    if section is None:
        return True
    for text, place in (
        (sentence.text, len(sentence.before)),
        (sentence.column, 0),
        (sentence.preceding, len(sentence.preceding)),
        (sentence.topic, 0),
    ):
        distance = _nearest_name(text, place, [section.name])
        rival_distance = _nearest_name(text, place, section.rivals)
        if distance is not None:
            return rival_distance is None or distance < rival_distance
        if rival_distance is not None:
            return False
    return not section.is_contested


def is_on_topic(fact: Value, sentence: StatedValue, title: str) -> bool:
    """Whether a sentence, what is over it or the title says what a setting is of, if the code tells it."""
    text = f"{sentence.text} {sentence.topic} {title}"
    return not fact.topics or any(_plural_or_singular(word).search(text) for word in fact.topics)


def _nearest_name(text: str, place: int, names: Iterable[str]) -> int | None:
    """How far the nearest of these names, as whole words, is from a place of a text; None without one."""
    distances = [
        min(abs(match.start() - place), abs(match.end() - place))
        for name in names
        for match in _section_name(tuple(parts_of(name))).finditer(text)
    ]
    return min(distances, default=None)


@lru_cache(maxsize=1_024)
def _section_name(parts: tuple[str, ...]) -> re.Pattern[str]:
    return _pattern(parts, r"(?:s|['\u2019]s)?\b")


def _is_choice(fact: Value, sentence: StatedValue) -> bool:
    """Whether a sentence may tell how to choose a value: `ENABLED=false`, `--region eu`."""
    return fact.is_word and (fact.is_constant or not _is_settings_line(sentence))


def _is_settings_line(sentence: StatedValue) -> bool:
    """Whether a line of a settings file is quoted, such as `LOG_LEVEL=info`."""
    return bool(_SETTINGS_LINE.fullmatch(sentence.before))


def product_words(name: str) -> list[str]:
    """The words that may name a product: long ones, or the whole name where it is short, such as `iOS`."""
    if len(name) < _MIN_WORD_CHARACTERS:
        return [name.lower()]
    parts = [part for part in parts_of(name) if part not in _REQUIREMENT_WORDS]
    return parts if len(parts) == 1 else [part for part in parts if len(part) >= _MIN_WORD_CHARACTERS]


@lru_cache(maxsize=256)
def _short_product(word: str) -> re.Pattern[str]:
    """A short name right before its version: `php` is "PHP 8", and `go`, with a capital, "Go 1.18"."""
    spelled = rf"(?i:{word})" if len(word) > 2 else f"{word.capitalize()}|{word.upper()}"
    return re.compile(rf"\b(?:{spelled})(?:\s+(?:version|[A-Z][a-z]+)){{0,2}}\s+$")


def is_own_cell(name: str, sentence: StatedValue) -> bool:
    """Whether a table row begins with the exact name, or its words, and the value fills a cell of it."""
    cells = sentence.before.strip().split("|")
    is_cell = bool(_CELL_START.search(sentence.before) and _CELL_END.match(sentence.after))
    if not is_cell or len(cells) < 2:
        return False
    is_code = is_distinct(name) or "-" in name
    parts = parts_of(name)
    is_in_words = len(parts) > 1 and parts_of(cells[1]) == parts
    return is_in_words or (is_code and bool(mention(name).search(cells[1])))


@lru_cache(maxsize=1_024)
def _plural_or_singular(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word.removesuffix('s'))}(?:s|es)?\b", re.IGNORECASE)


def _is_cell_of_owner(fact: Value, parts: Sequence[str], sentence: StatedValue) -> bool:
    """Whether a value fills the cell of a table for its owner and name: row `Pro`, column `Seats`."""
    if not fact.owner or not sentence.column or not _CELL_AFTER.match(sentence.after):
        return False
    cells = sentence.before.split("|")
    if len(cells) < 3 or cells[-1].strip(_CELL_MARKS):
        return False
    owner = _section_name(tuple(parts_of(fact.owner)))
    row, column = cells[1].strip(_CELL_MARKS), sentence.column.strip(_CELL_MARKS)
    return any(
        owner.fullmatch(subject) and any(_plural_or_singular(part).search(head) for part in parts)
        for subject, head in ((row, column), (column, row))
    )


def _is_counted_of_owner(fact: Value, parts: Sequence[str], sentence: StatedValue) -> bool:
    """Whether what is counted follows the value, and the owner is named: "Pro has 10 seats"."""
    words = [part for part in parts if part not in LIMIT_WORDS]
    return (
        bool(fact.owner and words)
        and sentence.value.isdigit()
        and bool(_counted(tuple(words)).match(sentence.after))
        and bool(_section_name(tuple(parts_of(fact.owner))).search(sentence.text))
    )


def is_stated_default(fact: Value, sentence: StatedValue) -> bool:
    """Whether "Defaults to `dist`" stands below its setting, whatever else the sentence says of the value."""
    return not _HISTORY.search(sentence.text) and any(
        _is_default_of_subject(fact, words_and_unit(name)[0], sentence) for name in fact.names
    )


def _is_label_of(fact: Value, name: str, sentence: StatedValue) -> bool:
    """Whether a label of the interface stands right beside what code calls it: "Next invoice (`prorate`)"."""
    if not is_caption(fact.old) or not is_caption(fact.new):
        return False
    after = _CODE_AFTER.match(sentence.after)
    before = _CODE_BEFORE.search(sentence.before[-_NEAR_CHARACTERS:])
    return any(match is not None and match[1] == name for match in (after, before))


def _is_default_of_subject(fact: Value, parts: Sequence[str], sentence: StatedValue) -> bool:
    """Whether "Default: `8080`" stands below the setting: `server.port`, `APP_PORT`, a heading page-size."""
    if not parts or not _DEFAULT_IS.search(sentence.before) or (fact.is_constant and len(parts) < 2):
        return False
    subjects = [parts_of(subject) for subject in _CODE.findall(sentence.topic)]
    owners = parts_of(fact.owner)
    heading = parts_of(sentence.heading) if _NAME_ALONE.fullmatch(sentence.heading) else []
    is_heading = len(heading) > 1 and heading in (list(parts), [*owners, *parts])
    return is_heading or any(
        subject[-len(parts) :] == list(parts)
        and (not owners or subject[: -len(parts)][-1:] in ([], owners[-1:]))
        for subject in subjects
    )


def _is_unless_given(fact: Value, name: str, sentence: StatedValue) -> bool:
    """Whether a sentence says what a default is without the parameter: "25 items unless you pass `limit`"."""
    parts = parts_of(name)
    if "default" not in parts or fact.is_plain or not _UNLESS.match(sentence.after):
        return False
    own_parts = [part for part in parts if part != "default"]
    return any(parts_of(code) == own_parts for code in _CODE.findall(sentence.after))


def _is_counted(name: str, parts: Sequence[str], sentence: StatedValue) -> bool:
    """Whether what a limit counts follows the value: `max_features_allowed` says "400 features"."""
    words = [part for part in parts if part not in LIMIT_WORDS]
    return (
        BOUNDS.isdisjoint(words)
        and not BOUNDS.isdisjoint(parts_of(name))
        and len(sentence.value) > 1
        and sentence.value.isdigit()
        and bool(words)
        and bool(_counted(tuple(words)).match(sentence.after))
    )


@lru_cache(maxsize=1_024)
def _counted(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"[*_`]{0,3}\s+" + r"[\s_-]".join(map(re.escape, words)) + r"\b", re.IGNORECASE)


def _is_required(sentence: StatedValue) -> bool:
    if _HISTORY.search(sentence.text):
        return False
    return bool(_AND_UP.match(sentence.after)) or bool(_REQUIRED.search(sentence.text))


def _is_near(name: str, parts: Sequence[str], sentence: StatedValue) -> bool:
    pattern = _spelling(parts)
    return bool(
        pattern.search(sentence.before[-_NEAR_CHARACTERS:])
        or (is_distinct(name) and pattern.search(sentence.after[:_NEAR_CHARACTERS]))
    )


def _is_named_exactly(name: str, sentence: StatedValue) -> bool:
    exact = mention(name)
    return is_distinct(name) and any(
        exact.search(part) for part in (sentence.topic, sentence.before, sentence.after)
    )


def _has_unit(after: str, unit: str) -> bool:
    """Whether the value in the article has the unit of the setting, or none."""
    match = _ANY_UNIT.match(after)
    return match is None or bool(re.fullmatch(UNITS[unit], match[1], re.IGNORECASE))


@lru_cache(maxsize=1_024)
def _pattern(parts: tuple[str, ...], ending: str) -> re.Pattern[str]:
    return re.compile(r"\b" + r"[\s_.-]?".join(map(re.escape, parts)) + ending, re.IGNORECASE)


def _spelling(parts: Sequence[str]) -> re.Pattern[str]:
    """A name in any spelling: `page_size`, `pageSize`, page size."""
    return _pattern(tuple(parts), "")


def _assignment(parts: Sequence[str]) -> re.Pattern[str]:
    """A name in any spelling right before its value: `page_size = `, page size of, port."""
    return _pattern(tuple(parts), r"\w{0,9}\W{1,6}(?:(?:is|of|to|was|at)\W{1,4})?$")
