"""Literals that got another value, with the names that the value belongs to."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from instep.core.name_matching import is_distinct, mention
from instep.text.file_kinds import LONG_LINE
from instep.text.patch import FilePatch
from instep.writer.articles.code_languages import language_of_file
from instep.writer.facts.changed_texts import OccurrenceCounts, SourceLine, literal_around, source_of
from instep.writer.facts.multiplications import changed_product
from instep.writer.facts.setting_sections import SettingSection, SettingSections
from instep.writer.facts.token_replacements import TokenReplacement
from instep.writer.facts.written_names import flags_defined_in
from instep.writer.words.identifiers import Token, parts_of

_NUMBER = re.compile(r"[v^~<>=]*\d[\d._,]*[a-zA-Z%]{0,3}")
_CONSTANT = re.compile(r"true|false|null|none|nil|on|off|yes|no", re.IGNORECASE)
_NAME = re.compile(r"--[a-zA-Z][\w-]*|[a-zA-Z_][\w-]*[\w](?:\.\w+(?:-\w+)*)*")
_PLAIN = re.compile(r"\d|[A-Za-z]+")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")
_GENERIC_WORDS = """
    int str float bool number string boolean integer bigint smallint varchar text
    default defaults const let var return self this none optional
    value values true false null if else elif and or not in is for while def function class new await async
    export public private static final type field option argument param min max key name get set os env
    environ process import from as url https http com org www version versions
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
_PLAIN_FILE_WORDS = """
    api app apps base common conf config configs configuration constants core default defaults env example
    index init initializers internal java json lib limit limits main models module package packages php
    production properties pkg server service services settings src toml types utils values yaml yml
"""
_PLAIN_FILES = frozenset(_PLAIN_FILE_WORDS.split())
_STRING = re.compile(r"(?=[^\n]*\w{2})[\w./+@:-][^<>{}\n]{0,59}")
_QUOTE = re.compile("[\"'`]")
_IMPORT = re.compile(r"\W*(?:import|from|export|use|using|require|include|package)\b")
_WORDS = re.compile(r"[A-Za-z]{4,}(?:[-_][A-Za-z]+)*")
_OPENED = re.compile(r"(\s*[\w.-]+)\s*(?::[^=]*)?=\s*[\w.]+\($")
_REQUIREMENT = re.compile(r"\s*([A-Za-z]{2,3})\s+v?\d+(?:\.\d+)+\s*")
_GAP = re.compile(r"""(?:=>|[\s"'`:=,()\[\]|*&@.$-])*""")
_SIGNATURE = re.compile(
    r"\s*(?:[a-z]+\s+){0,3}(?:def|function|func|fn|fun|constructor|interface|type|struct)\b"
)
_OPERATOR = re.compile(r"(?<=[\"'])[<>=~^]+\s*$")
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
_FLAG_LINE = re.compile(r"\s*[\"']--[a-z]")
# The last quotation mark of a line that no other follows: the beginning of the string that the line is in.
_OPEN_STRING = re.compile(r"(?:^|[\s(\[{:=,>])([\"'`])(?=[^\"'`]*\Z)")
_LETTERS = re.compile(r"[A-Za-z]{2}")
_DIGIT_GROUPS = re.compile(r"(?<=\d)_(?=\d)")
# Files whose values need no quotes.
_SETTINGS_FILE = re.compile(r"\.(?:ya?ml|ini|cfg|conf|properties)$|(?:^|/)\.env[\w.-]{0,80}$")
_BARE_SCALAR = re.compile(r"\s*(?:-\s+)?[\w.-]+\s*[:=]\s*([\w./+@-]+)\s*(?:#.*)?$")
_DEFAULT_KEYWORD = re.compile(r"\bdefault(?:_value|Value)?\s*[=:]\s*[\"'`]?$")
_FIRST_ARGUMENT = re.compile(r"""\(\s*(?:["'`]-\w["'`]\s*,\s*)?["'`](-{0,2}[A-Za-z][\w-]*)["'`\s=<]""")
# What a product is built with says nothing of what it requires of its users.
_DEPENDENCIES = frozenset(("dependencies", "devDependencies", "dev-dependencies", "require-dev"))
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
# The beginning of a field's definition: `seats = IntegerField(default=`, `t.integer :seats, default: `.
_FIELD_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*(?::[^=()]+)?=\s*[\w.]+\(")
_DECLARATION = re.compile(r"""\s*(?:field|attribute|add|t\.\w+|add_column\s+:\w+\s*,)\s*\(?\s*[:"'](\w+)""")
_MIN_GROUPED = 1_000
_ANNOTATED = re.compile(r"^[^=()]*=\s*(.+?),?$")
_LITERAL = re.compile(
    r"""^(?:(["'`])(?P<text>[^"'`\n]{0,60})\1|-?\d[\d._]*|[Tt]rue|[Ff]alse|None|null|nil)$"""
)


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
        return self.is_major_version or bool(_VERSION.fullmatch(self.old))

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
    if not all(_SIGNATURE.match(source.text) for source in sources):
        return frozenset()
    return frozenset(filter(None, (language_of_file(source.file) for source in sources)))


@lru_cache(maxsize=1_024)
def _topics_of(sources: tuple[SourceLine, ...], owner: str) -> frozenset[str]:
    paths = [path for source in sources for path in source.file.split("/")[-2:]]
    words = [part for name in (*paths, owner) for part in parts_of(name)]
    return frozenset(word for word in words if len(word) > 2 and word not in _PLAIN_FILES)


def find_values(replacements: Sequence[TokenReplacement], files: Sequence[FilePatch]) -> list[Value]:
    """New values, except for names that get different values, and for words that other lines still have."""
    groups: dict[tuple[str, str, tuple[str, ...], bool], list[SourceLine]] = defaultdict(list)
    sections, old_lines = SettingSections(files), dict[SourceLine, str]()
    for replacement in replacements:
        if replacement.weight >= _MIN_WEIGHT:
            for literal in _with_other_spellings(_literals(replacement)):
                source = source_of(replacement)
                owner = sections.owner_of(source)
                names = () if owner in _DEPENDENCIES else tuple(_names(replacement, literal, owner))
                if names and literal.old.casefold() != literal.new.casefold():
                    groups[literal.old, literal.new, names, literal.is_version].append(source)
                    old_lines[source] = replacement.pair.old.text
    outcomes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for old, new, names, _ in groups:
        outcomes[old, names[0]].add(new)
    values = [
        Value(
            old,
            new,
            names,
            tuple(sources),
            section=_common_section(sources, old_lines, sections),
            is_major_version=is_version,
            owner=_common_owner(sources, sections),
        )
        for (old, new, names, is_version), sources in groups.items()
        if len(outcomes[old, names[0]]) == 1
    ]
    words = {value.old for value in values if _is_word(value.old) and value.old not in value.new}
    occurrences = OccurrenceCounts(words, files)
    return list(
        _marking_shared(
            [row for row in values if not occurrences.added[row.old] + occurrences.unchanged[row.old]], files
        )
    )


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
    old: str
    new: str
    start: int
    is_version: bool = False


def _literals(replacement: TokenReplacement) -> Iterator[_Literal]:
    old, new = replacement.old, replacement.new
    product = changed_product(replacement)
    if product:
        yield _Literal(*product)
    elif _is_part_of_name(replacement):
        yield from _strings(replacement)
    elif any(kind.fullmatch(old) and kind.fullmatch(new) for kind in (_NUMBER, _CONSTANT)):
        before, after = (_DIGIT_GROUPS.sub("", text.lstrip(_RANGE)) for text in (old, new))
        left = replacement.pair.old.text[: replacement.old_start]
        is_version = before.isdigit() and (old[:1] in _RANGE or bool(_OPERATOR.search(left)))
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
    """Articles omit the patch level: where 3.7 replaces 3.6.1, it replaces 3.6 too; 4.0.0 for 3.0.0 is 4."""
    old, new = literal.old.split("."), literal.new.split(".")
    if len(old) == 3 and old[:2] != new[:2]:
        yield literal._replace(old=".".join(old[:2]), new=".".join(new[:2]))
    if old[1:] == new[1:] == ["0"] * (len(old) - 1):
        yield literal._replace(old=old[0], new=new[0], is_version=True)


def _strings(replacement: TokenReplacement) -> Iterator[_Literal]:
    around = _bare_scalar if _SETTINGS_FILE.search(replacement.file) else literal_around
    before = around(replacement.pair.old.text, replacement.old_start, replacement.old_end)
    after = around(replacement.pair.new.text, replacement.new_start, replacement.new_end)
    if not before or not after or _IMPORT.match(replacement.pair.new.text):
        return
    is_still_there = mention(before.text).search(replacement.pair.new.text.replace(after.text, " "))
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


def _names(replacement: TokenReplacement, literal: _Literal, owner: str) -> Iterator[str]:
    """Names that the value is assigned to: right before it, but for generic words, or what is around it."""
    requirement = _REQUIREMENT.fullmatch(replacement.pair.new.text)
    left = _OPERATOR.sub("", replacement.pair.new.text[: literal.start])
    known_names = (requirement[1],) if requirement else _option_of(left)
    right = replacement.pair.new.text[literal.start + len(literal.new) :]
    yield from known_names or _names_before(replacement.pair.before, owner, left, right)


def _names_before(line_before: str, owner: str, left: str, right: str) -> Iterator[str]:
    names = list(_NAME.finditer(left))
    if not any(_is_telling(name[0]) for name in names):
        left = f"{_opened_by(line_before) or owner} = "
        names = list(_NAME.finditer(left))
    end, says_default = len(left), False
    if "? " in left:
        return
    for name in reversed(names):
        gap = left[name.end() : end]
        if not _GAP.fullmatch(gap) or _is_argument(left, name.start()):
            return
        end = name.start()
        says_default = says_default or name[0].lower() == "default"
        if _is_telling(name[0]):
            if not says_default and _is_word_of_sentence(name, left, gap, right):
                return
            yield name[0].rsplit(".", 1)[-1]
            if not name[0].startswith("-"):
                return


def _option_of(left: str) -> tuple[str, ...]:
    """The names of the option whose definition a line begins, where its default comes next."""
    flags = list(flags_defined_in(left))
    if flags:
        return flags[0], flags[0].lstrip("-")
    if not _DEFAULT_KEYWORD.search(left):
        return ()
    definition = _FIRST_ARGUMENT.search(left) or _DECLARATION.match(left) or _FIELD_CALL.match(left)
    return (definition[1],) if definition and _is_telling(definition[1]) else ()


def _opened_by(line: str) -> str:
    """What a line opens: `page_limit = Field(` opens the definition of `page_limit`, and a flag its own."""
    opened = _OPENED.match(line)
    if opened:
        return opened[1]
    return line if _FLAG_LINE.match(line) else ""


def _is_word_of_sentence(name: re.Match[str], left: str, gap: str, right: str) -> bool:
    """Whether a word before a value is one of a sentence, as in "Try again within 5 minutes", and no name."""
    if name[0].startswith("-") or is_distinct(name[0]):
        return False
    opening = _OPEN_STRING.search(left)
    if opening and " " in left[opening.end() :].strip():
        return True
    is_first = not left[: name.start()].strip(" \t-#*/")
    return not gap.strip() and not (is_first and not _LETTERS.search(right))


def _is_argument(line: str, place: int) -> bool:
    """Whether the value is an argument of one call, which says nothing in general; a signature does."""
    before = line[:place].rstrip()
    return before.endswith(("(", ",", "{")) and "(" in before and not _SIGNATURE.match(line)


def _is_telling(name: str) -> bool:
    parts = [part for part in parts_of(name.rsplit(".", 1)[-1]) if part not in _GENERIC]
    return bool(parts) and (len("".join(parts)) >= 4 or is_distinct(name))


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
