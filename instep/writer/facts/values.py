"""Literals that got another value, with the names that the value belongs to."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from instep.core.name_matching import is_distinct, mention
from instep.text.patch import FilePatch
from instep.writer.facts.changed_texts import OccurrenceCounts, SourceLine, literal_around, source_of
from instep.writer.facts.token_replacements import TokenReplacement
from instep.writer.words.identifiers import parts_of

_NUMBER = re.compile(r"[v^~<>=]*\d[\d._,]*[a-zA-Z%]{0,3}")
_CONSTANT = re.compile(r"true|false|null|none|nil|on|off|yes|no", re.IGNORECASE)
_NAME = re.compile(r"--[a-zA-Z][\w-]*|[a-zA-Z_][\w-]*[\w](?:\.\w+)*")
_PLAIN = re.compile(r"\d|[A-Za-z]+")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")
_GENERIC_WORDS = """
    int str float bool number string boolean default defaults const let var return self this none optional
    value values true false null if else elif and or not in is for while def function class new await async
    export public private static final type field option argument param min max key name get set os env
    environ process import from as url https http com org www version versions
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
_STRING = re.compile(r"(?=[^\n]*\w{2})[\w./+@:-][^<>{}\n]{0,59}")
_QUOTE = re.compile("[\"'`]")
_IMPORT = re.compile(r"\W*(?:import|from|export|use|using|require|include|package)\b")
_WORDS = re.compile(r"[A-Za-z]{4,}(?:[-_][A-Za-z]+)*")
_OPENED = re.compile(r"(\s*[\w.-]+)\s*(?::[^=]*)?=\s*[\w.]+\($")
_REQUIREMENT = re.compile(r"\s*([A-Za-z]{2,3})\s+v?\d+(?:\.\d+)+\s*")
_GAP = re.compile(r"""[\s"'`:=,()\[\]|*&@.$-]*""")
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
_DIGIT_GROUPS = re.compile(r"(?<=\d)_(?=\d)")
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

    @property
    def is_version(self) -> bool:
        return bool(_VERSION.fullmatch(self.old))

    @property
    def is_plain(self) -> bool:
        """A digit, constant or word that prose uses in many senses."""
        return bool(_PLAIN.fullmatch(self.old))


def find_values(replacements: Sequence[TokenReplacement], files: Sequence[FilePatch]) -> list[Value]:
    """New values, except for names that get different values, and for words that other lines still have."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[SourceLine]] = defaultdict(list)
    for replacement in replacements:
        if replacement.weight >= _MIN_WEIGHT:
            for literal in _with_short_versions(_literals(replacement)):
                names = tuple(_names(replacement, literal))
                if names and literal.old.casefold() != literal.new.casefold():
                    groups[literal.old, literal.new, names].append(source_of(replacement))
    outcomes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for old, new, names in groups:
        outcomes[old, names[0]].add(new)
    values = [
        Value(old, new, names, tuple(sources))
        for (old, new, names), sources in groups.items()
        if len(outcomes[old, names[0]]) == 1
    ]
    words = {value.old for value in values if _WORDS.fullmatch(value.old) and value.old not in value.new}
    occurrences = OccurrenceCounts(words, files)
    return [value for value in values if not occurrences.added[value.old] + occurrences.unchanged[value.old]]


class _Literal(NamedTuple):
    old: str
    new: str
    start: int


def _literals(replacement: TokenReplacement) -> Iterator[_Literal]:
    old, new = replacement.old, replacement.new
    if any(kind.fullmatch(old) and kind.fullmatch(new) for kind in (_NUMBER, _CONSTANT)):
        yield _Literal(old.lstrip(_RANGE), new.lstrip(_RANGE), replacement.new_start)
    elif _FLOOR.search(old) and len(_FLOOR.findall(new)) == 1:
        # A range such as `^18.2 || >=20.9` that shrinks to one version.
        for version in dict.fromkeys(_FLOOR.findall(old)):
            yield _Literal(version, _FLOOR.findall(new)[0], replacement.new_start)
    else:
        yield from _strings(replacement)


def _with_short_versions(literals: Iterable[_Literal]) -> Iterator[_Literal]:
    """Articles omit the patch level: where 3.7 replaces 3.6.1, it replaces 3.6 too."""
    for literal in literals:
        yield literal
        old, new = literal.old.split("."), literal.new.split(".")
        if _VERSION.fullmatch(literal.old) and len(old) == 3 and old[:2] != new[:2]:
            yield _Literal(".".join(old[:2]), ".".join(new[:2]), literal.start)


def _strings(replacement: TokenReplacement) -> Iterator[_Literal]:
    before = literal_around(replacement.pair.old.text, replacement.old_start, replacement.old_end)
    after = literal_around(replacement.pair.new.text, replacement.new_start, replacement.new_end)
    if not before or not after or _IMPORT.match(replacement.pair.new.text):
        return
    is_still_there = mention(before.text).search(replacement.pair.new.text.replace(after.text, " "))
    if not is_still_there and all(_is_simple(side.text) for side in (before, after)):
        yield _Literal(before.text, after.text, after.start)


def _is_simple(literal: str) -> bool:
    """Whether a literal is one value, and not code with literals of its own."""
    return bool(_STRING.fullmatch(literal)) and not _QUOTE.search(literal)


def _names(replacement: TokenReplacement, literal: _Literal) -> Iterator[str]:
    """Names that the value is assigned to: right before it, but for generic words, or on the line before."""
    requirement = _REQUIREMENT.fullmatch(replacement.pair.new.text)
    if requirement:
        yield requirement[1]
        return
    left = _OPERATOR.sub("", replacement.pair.new.text[: literal.start])
    names = list(_NAME.finditer(left))
    if not any(_is_telling(name[0]) for name in names):
        left = _owner(replacement.pair.before) + " "
        names = list(_NAME.finditer(left))
    end = len(left)
    if "? " in left:
        return
    for name in reversed(names):
        if not _GAP.fullmatch(left[name.end() : end]) or _is_argument(left, name.start()):
            return
        end = name.start()
        if _is_telling(name[0]):
            yield name[0].rsplit(".", 1)[-1]
            if not name[0].startswith("-"):
                return


def _owner(line: str) -> str:
    """What a line opens: `page_limit = Field(` opens the definition of `page_limit`."""
    opened = _OPENED.match(line)
    return opened[1] if opened else line


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
