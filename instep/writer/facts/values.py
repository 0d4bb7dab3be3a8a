"""Literals that got another value, with the names that the value belongs to."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from instep.core.name_matching import mention
from instep.text.file_kinds import LONG_LINE
from instep.text.patch import FilePatch
from instep.writer.articles.code_languages import language_of_file
from instep.writer.facts.changed_texts import OccurrenceCounts, SourceLine, literal_around, source_of
from instep.writer.facts.quantities import Quantity, changed_quantity, plain_number
from instep.writer.facts.setting_names import OPERATOR, SIGNATURE, name_of_amount, names_of_value
from instep.writer.facts.setting_sections import SettingSection, SettingSections
from instep.writer.facts.token_replacements import TokenReplacement
from instep.writer.words.identifiers import Token, parts_of

_NUMBER = re.compile(r"[v^~<>=]*\d[\d._,]*[a-zA-Z%]{0,3}")
_CONSTANT = re.compile(r"true|false|null|none|nil|on|off|yes|no", re.IGNORECASE)
_PLAIN = re.compile(r"\d|[A-Za-z]+")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")
_CENTS = re.compile(r"\d+\.\d\d")
_MONEY = re.compile(r"\b(?:Big)?Decimal\(|\bMoney\b|[$€£]\d")
PRICE_WORDS = frozenset(("amount", "cents", "cost", "costs", "fee", "fees", "price", "prices", "pricing"))
_PLAIN_FILE_WORDS = """
    api app apps base common conf config configs configuration constants core default defaults env example
    index init initializers internal java json lib limit limits main models module package packages php
    production properties pkg server service services settings src toml types utils values yaml yml
"""
_PLAIN_FILES = frozenset(_PLAIN_FILE_WORDS.split())
_STRING = re.compile(r"(?=[^\n]*\w{2})[\w./+@:-][^<>{}\n]{0,59}")
_HELP = re.compile(r"""(["'`])[^"'`\n]+ [^"'`\n]+\1""")
_QUOTE = re.compile("[\"'`]")
_IMPORT = re.compile(r"\W*(?:import|from|export|use|using|require|include|package)\b")
_WORDS = re.compile(r"[A-Za-z]{4,}(?:[-_][A-Za-z]+)*")
_FLOOR = re.compile(r"(?<![<=!\d.])(?<!!=)(?:>=|\^|~=?|==)?\s{0,9}(\d+(?:\.\d+)+)")
_RANGE = "^~<>="
_MIN_WEIGHT = 0.5
_CALL = re.compile(r"^[\w.]+\(\s*[\"'][\w-]+[\"']\s*,\s*(.+?)\)?,?$")
_WITHOUT = re.compile(r"^[\w.]*(?:getenv|environ\.get|env)\(\s*[\"'][\w-]+[\"']\s*\)$")
_NAMED = re.compile(
    r"""\([^(\n]*?\bdefault(?:_value|Value)?\s*[=:]\s*(["'`][^"'`\n]{0,60}["'`]|-?[\w.]+)\s*[,)}]"""
)
# A field whose definition begins with the default: `size: int = Field(20, ge=1)`.
_FIELD = re.compile(
    r"""^[^=()"'`]+=\s*[\w.]*(?:[Ff]ield|Option|Argument|Query|Param|Setting)\(\s*"""
    r"""((["'`])[^"'`\n]{0,60}\2|-?[\w.]+)\s*[,)].*$""",
    re.DOTALL,
)
_TOKEN = re.compile(r"[\w-]+")
_DIGIT_GROUPS = re.compile(r"(?<=\d)_(?=\d)")
# Files whose values need no quotes.
_SETTINGS_FILE = re.compile(r"\.(?:ya?ml|ini|cfg|conf|properties)$|(?:^|/)\.env[\w.-]{0,80}$")
_BARE_SCALAR = re.compile(r"\s*(?:-\s+)?[\w.-]+\s*[:=]\s*([\w./+@-]+)\s*(?:#.*)?$")
# What a product is built with says nothing of what it requires of its users.
_DEPENDENCIES = frozenset(("dependencies", "devDependencies", "dev-dependencies", "require-dev"))
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_MIN_GROUPED = 1_000
_ANNOTATED = re.compile(r"^[^=()]*=\s*(.+?),?$")
_LITERAL = re.compile(
    r"""^(?:(["'`])(?P<text>[^"'`\n]{0,60})\1|-?\d[\d._]*|[Tt]rue|[Ff]alse|None|null|nil)$"""
)

# The owner of the version of a system that an image is built on, which is no requirement of the product.
IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Value:
    """`old` became `new` in the value of a setting; `names` are spellings of its name, nearest first.

    Where an article does not say any of these names beside the value, it may mean another one.
    """

    old: str
    new: str
    names: tuple[str, ...]
    sources: tuple[SourceLine, ...]
    is_beside_name: bool = True
    section: SettingSection | None = None
    # Whether a number is the version of a product, as in `>=18`.
    is_major_version: bool = False
    # Whether code that the change shows and leaves gives the same name the old value.
    is_elsewhere_too: bool = False
    # Whether the old word remains in the change, as one of several choices.
    is_choice_still: bool = False
    # The unit (see `words.units.UNITS`) that the code itself says: `Duration.ofMinutes(10)`.
    unit: str = ""
    # The name of what is around the setting in its file, such as `pro` for the seats of a plan.
    owner: str = ""

    @property
    def languages(self) -> frozenset[str]:
        """For a parameter, the programming languages that its function is defined in; else empty."""
        return _languages_of(self.sources)

    @property
    def topics(self) -> frozenset[str]:
        """Words that say what the setting is of: of its file, the folder, and what is around it."""
        return _topics_of(self.sources, self.owner)

    @property
    def is_version(self) -> bool:
        return self.is_major_version or (bool(_VERSION.fullmatch(self.old)) and not self.is_money)

    @property
    def is_money(self) -> bool:
        """Whether it is an amount of money: by its name or, with two decimals, by the code around it."""
        words = {part for name in self.names for part in parts_of(name)}
        if not PRICE_WORDS.isdisjoint(words):
            return True
        has_cents = all(_CENTS.fullmatch(text) for text in (self.old, self.new))
        is_priced = not PRICE_WORDS.isdisjoint(self.topics)
        return has_cents and (is_priced or any(_MONEY.search(source.text) for source in self.sources))

    @property
    def is_constant(self) -> bool:
        """Whether it turns something on or off, or leaves it out."""
        return bool(_CONSTANT.fullmatch(self.old))

    @property
    def is_word(self) -> bool:
        """Whether it is one of several choices, and no number."""
        return self.old[:1].isalpha() and not self.is_version

    @property
    def is_plain(self) -> bool:
        """A digit, constant or word that prose uses in many senses."""
        return bool(_PLAIN.fullmatch(self.old))


@lru_cache(maxsize=1_024)
def _languages_of(sources: tuple[SourceLine, ...]) -> frozenset[str]:
    if not all(SIGNATURE.match(source.text) for source in sources):
        return frozenset()
    return frozenset(filter(None, (language_of_file(source.file) for source in sources)))


@lru_cache(maxsize=1_024)
def _topics_of(sources: tuple[SourceLine, ...], owner: str) -> frozenset[str]:
    paths = [path for source in sources for path in source.file.split("/")[-2:]]
    words = [part for name in (*paths, owner) for part in parts_of(name)]
    return frozenset(word for word in words if len(word) > 2 and word not in _PLAIN_FILES)


def find_values(replacements: Sequence[TokenReplacement], files: Sequence[FilePatch]) -> list[Value]:
    """New values, except for names that get different values."""
    groups: dict[tuple[str, str, tuple[str, ...], bool, str], list[SourceLine]] = defaultdict(list)
    sections, old_lines = SettingSections(files), dict[SourceLine, str]()
    for replacement in replacements:
        if replacement.weight >= _MIN_WEIGHT:
            quantities = changed_quantity(replacement.pair)
            for literal in _with_other_spellings(_literals_or_amount(replacement, quantities)):
                source = source_of(replacement)
                owner = sections.owner_of(source)
                if quantities and literal.start < 0:
                    names = name_of_amount(quantities[1].name, owner)
                elif owner in _DEPENDENCIES:
                    names = ()
                else:
                    names = tuple(names_of_value(replacement, literal.start, literal.end, owner))
                if names and literal.old.casefold() != literal.new.casefold():
                    groups[literal.old, literal.new, names, literal.is_version, literal.unit].append(source)
                    old_lines[source] = replacement.pair.old.text
    outcomes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for old, new, names, _, _ in groups:
        outcomes[old, names[0]].add(new)
    values = [
        Value(
            old,
            new,
            names,
            tuple(sources),
            section=_common_section(sources, old_lines, sections),
            is_major_version=is_version,
            unit=unit,
            owner=_common_owner(sources, sections),
        )
        for (old, new, names, is_version, unit), sources in groups.items()
        if len(outcomes[old, names[0]]) == 1
    ]
    words = {value.old for value in values if _is_word(value.old) and value.old not in value.new}
    occurrences = OccurrenceCounts(words, files)
    listed = _listed_beside(words, values)
    remaining = {old for old in words if occurrences.added[old] + occurrences.unchanged[old] > listed[old]}
    values = [replace(row, is_choice_still=True) if row.old in remaining else row for row in values]
    return list(_marking_shared(values, files))


def _listed_beside(words: Collection[str], values: Iterable[Value]) -> "Counter[str]":
    """How often lines with a new value still have the old word, as where they list all choices."""
    lines = {(value.old, source) for value in values if value.old in words for source in value.sources}
    return Counter(old for old, source in lines for _ in mention(old).finditer(source.text))


def _marking_shared(values: Sequence[Value], files: Sequence[FilePatch]) -> Iterator[Value]:
    """The values, with a mark on those that the same name, or another port, has in unchanged lines."""
    olds = {value.old for value in values}
    words_by_old: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for line in file.lines():
            if line.mark == " " and len(line.text) <= LONG_LINE:
                words = {*_TOKEN.findall(line.text)}
                for old in words & olds:
                    words_by_old[old] |= {part for word in words for part in (word, *parts_of(word)[-1:])}
    for value in values:
        name = "port" if parts_of(value.names[0])[-1:] == ["port"] else value.names[0].lstrip("-")
        is_shared = value.section is None and name in words_by_old[value.old]
        yield replace(value, is_elsewhere_too=True) if is_shared else value


def _common_section(
    sources: Iterable[SourceLine], old_lines: Mapping[SourceLine, str], sections: SettingSections
) -> SettingSection | None:
    """The section that all lines with a new value stand in."""
    places = {sections.section_of(source, old_lines[source]) for source in sources}
    return places.pop() if len(places) == 1 else None


def _common_owner(sources: Iterable[SourceLine], sections: SettingSections) -> str:
    owners = {sections.owner_of(source) for source in sources}
    return owners.pop() if len(owners) == 1 else ""


def _is_word(text: str) -> bool:
    """Whether a value is a word of its own; every setting may have a constant such as `false`."""
    return bool(_WORDS.fullmatch(text)) and not _CONSTANT.fullmatch(text)


class _Literal(NamedTuple):
    """A value before and after; `start` is its place in the new line, negative for a computed amount."""

    old: str
    new: str
    start: int
    is_version: bool = False
    unit: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.new)


def _literals_or_amount(
    replacement: TokenReplacement, quantities: tuple[Quantity, Quantity] | None
) -> Iterator[_Literal]:
    """The replaced literals; where they are part of an amount that the line assigns, the amount instead."""
    if quantities is None:
        yield from _literals(replacement)
        return
    old, new = quantities
    yield _Literal(plain_number(old.amount), plain_number(new.amount), -1, unit=new.unit)
    yield from (literal for literal in _literals(replacement) if not literal.old.isdigit())


def _literals(replacement: TokenReplacement) -> Iterator[_Literal]:
    old, new = replacement.old, replacement.new
    if _is_part_of_name(replacement):
        yield from _strings(replacement)
    elif any(kind.fullmatch(old) and kind.fullmatch(new) for kind in (_NUMBER, _CONSTANT)):
        before, after = (_DIGIT_GROUPS.sub("", text.lstrip(_RANGE)) for text in (old, new))
        left = replacement.pair.old.text[: replacement.old_start]
        is_version = before.isdigit() and (old[:1] in _RANGE or bool(OPERATOR.search(left)))
        yield _Literal(before, after, replacement.new_start, is_version)
    elif _FLOOR.search(old) and len(_FLOOR.findall(new)) == 1:
        # A range such as `^18.2 || >=20.9` that shrinks to one version.
        for version in dict.fromkeys(_FLOOR.findall(old)):
            yield _Literal(version, _FLOOR.findall(new)[0], replacement.new_start)
    else:
        yield from _strings(replacement)


def _is_part_of_name(replacement: TokenReplacement) -> bool:
    """Whether a number without a point stands between the hyphens of a name: 4o in `gpt-4o-mini`."""
    line, (start, end) = replacement.pair.old.text, replacement.old_span
    is_joined = bool(
        re.search(r"\w-\Z", line[max(0, start - 2) : start]) or re.match(r"-[A-Za-z]", line[end:])
    )
    return is_joined and "." not in replacement.old


def _with_other_spellings(literals: Iterable[_Literal]) -> Iterator[_Literal]:
    """The literals, and how articles write them: `true` for `True`, 10,000 for 10000, 3.6 or 3 for 3.6.0."""
    for literal in literals:
        yield literal
        if {literal.old, literal.new} == {"True", "False"}:
            yield literal._replace(old=literal.old.lower(), new=literal.new.lower())
        if literal.old.isdigit() and literal.new.isdigit() and int(literal.old) >= _MIN_GROUPED:
            yield literal._replace(old=f"{int(literal.old):,}", new=f"{int(literal.new):,}")
        if _GROUPED.fullmatch(literal.old) and _GROUPED.fullmatch(literal.new):
            yield literal._replace(old=literal.old.replace(",", ""), new=literal.new.replace(",", ""))
        if _VERSION.fullmatch(literal.old):
            yield from _short_versions(literal)


def _short_versions(literal: _Literal) -> Iterator[_Literal]:
    for old, new in list(shorter_versions(literal.old, literal.new))[1:]:
        yield literal._replace(old=old, new=new, is_version=literal.is_version or old.isdigit())


def shorter_versions(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Both versions, and without their patch level: where 3.7 replaces 3.6.1, it replaces 3.6; 4.0.0 is 4."""
    yield old, new
    before, after = old.split("."), new.split(".")
    if len(before) == 3 and before[:2] != after[:2]:
        yield ".".join(before[:2]), ".".join(after[:2])
    if len(before) > 1 and before[1:] == after[1:] == ["0"] * (len(before) - 1):
        yield before[0], after[0]


def _strings(replacement: TokenReplacement) -> Iterator[_Literal]:
    around = _bare_scalar if _SETTINGS_FILE.search(replacement.file) else literal_around
    before = around(replacement.pair.old.text, replacement.old_start, replacement.old_end)
    after = around(replacement.pair.new.text, replacement.new_start, replacement.new_end)
    if not before or not after or _IMPORT.match(replacement.pair.new.text):
        return
    # A help text may list all choices.
    rest = _HELP.sub(" ", replacement.pair.new.text).replace(after.text, " ")
    is_still_there = mention(before.text).search(rest)
    if not is_still_there and all(_is_simple(side.text) for side in (before, after)):
        yield _Literal(before.text, after.text, after.start)


def _bare_scalar(line: str, start: int, end: int) -> Token | None:
    """The value of a key that a span is in, quoted or not."""
    match = _BARE_SCALAR.match(line)
    if match is None or not match.start(1) <= start <= end <= match.end(1):
        return literal_around(line, start, end)
    return Token(match[1], match.start(1), match.end(1))


def _is_simple(literal: str) -> bool:
    """Whether a literal is one value, and not code with literals of its own."""
    return bool(_STRING.fullmatch(literal)) and not _QUOTE.search(literal)


def default_of(value: str) -> str | None:
    """The literal of a definition, without quotes; None for anything computed.

    `value` is the text after the name: `get("NAME", 20)`, `name: int = 20`, `int = Field(20, ge=1)`.
    """
    bare = value.split("  #")[0].strip().rstrip(",;")
    if _WITHOUT.match(bare):
        return "None"
    for pattern in (_NAMED, _FIELD, _CALL, _ANNOTATED):
        match = pattern.search(bare)
        bare = match[1].strip() if match else bare
    literal = _LITERAL.match(bare)
    if literal is None:
        return None
    return literal["text"] if literal["text"] is not None else _DIGIT_GROUPS.sub("", literal[0])
