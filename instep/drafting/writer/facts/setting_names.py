"""The names that a value in a line of code belongs to: its variable, its option, its section."""

import re
from collections.abc import Iterator

from instep.drafting.writer.facts.token_replacements import TokenReplacement
from instep.drafting.writer.facts.written_names import flags_defined_in
from instep.drafting.writer.words.identifiers import parts_of
from instep.platform.core.name_matching import is_distinct

_NAME = re.compile(r"--[a-zA-Z][\w-]*|[a-zA-Z_][\w-]*[\w](?:\.\w+(?:-\w+)*)*")
_GENERIC_WORDS = """
    int str float bool number string boolean integer bigint smallint varchar text
    default defaults const let var return self this none optional
    value values true false null if else elif and or not in is for while def function class new await async
    export public private static final type field option argument param min max key name get set os env
    environ process import from as url https http com org www version versions
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
_OPENED = re.compile(r"(\s*[\w.-]+)\s*(?::[^=]*)?=\s*[\w.]+\($")
_REQUIREMENT = re.compile(
    r"\s*[\"']?([A-Za-z]{2,3})[\"']?(?:\s+|\s*[:=]\s*)[\"']?[<>=~^]{0,2}\s?v?\d+(?:\.\d+)+[\"']?,?\s*"
)
_GAP = re.compile(r"""(?:=>|[\s"'`:=,()\[\]|*&@.$-])*""")
_SIGNATURE = re.compile(
    r"\s*(?:[a-z]+\s+){0,3}(?:def|function|func|fn|fun|constructor|interface|type|struct)\b"
)
OPERATOR = re.compile(r"(?<=[\"'])[<>=~^]+\s*$")
_FLAG_LINE = re.compile(r"\s*[\"']--[a-z]")
# The type of a variable, as in `const MAX: usize = `, which does not name the value.
_TYPE = re.compile(r"(?<=\w)(\s*):\s*&?[A-Za-z][\w.]*(?:<[\w., ]*>)?\??\s*(?==\s)")
_DEFAULT_KEYWORD = re.compile(r"\bdefault(?:_value|Value)?\s*[=:]\s*[\"'`]?$")
_FIRST_ARGUMENT = re.compile(r"""\(\s*(?:["'`]-\w["'`]\s*,\s*)?["'`](-{0,2}[A-Za-z][\w-]*)["'`\s=<]""")
# The beginning of a field's definition: `seats = IntegerField(default=`, `t.integer :seats, default: `.
_FIELD_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*(?::[^=()]+)?=\s*[\w.]+\(")
_DECLARATION = re.compile(r"""\s*(?:field|attribute|add|t\.\w+|add_column\s+:\w+\s*,)\s*\(?\s*[:"'](\w+)""")


def names_of_value(replacement: TokenReplacement, start: int, owner: str) -> Iterator[str]:
    """Names of the value: the nearest one before it, or the name around it if that one is generic.

    The value begins at `start` of the new line; `owner` is the name around it.
    """
    requirement = _REQUIREMENT.fullmatch(replacement.pair.new.text)
    left = _TYPE.sub(r"\1 ", OPERATOR.sub("", replacement.pair.new.text[:start]))
    known_names = (requirement[1],) if requirement else _option_of(left)
    yield from known_names or _names_before(replacement.pair.before, owner, left)


def _names_before(line_before: str, owner: str, left: str) -> Iterator[str]:
    names = list(_NAME.finditer(left))
    if not any(_is_telling(name[0]) for name in names):
        left = f"{_opened_by(line_before) or owner} = "
        names = list(_NAME.finditer(left))
    end = len(left)
    if "? " in left:
        return
    for name in reversed(names):
        gap = left[name.end() : end]
        if not _GAP.fullmatch(gap) or _is_argument(left, name.start()):
            return
        end = name.start()
        if _is_telling(name[0]):
            yield name[0].rsplit(".", 1)[-1]
            if not name[0].startswith("-"):
                return


def _option_of(left: str) -> tuple[str, ...]:
    """The names of the option that a line begins to define, if its default comes next."""
    flags = list(flags_defined_in(left))
    if flags:
        return flags[0], flags[0].lstrip("-")
    if not _DEFAULT_KEYWORD.search(left):
        return ()
    definition = _FIRST_ARGUMENT.search(left) or _DECLARATION.match(left) or _FIELD_CALL.match(left)
    return (definition[1],) if definition and _is_telling(definition[1]) else ()


def _opened_by(line: str) -> str:
    """The name that a line opens: `page_limit = Field(` defines `page_limit`; a flag defines itself."""
    opened = _OPENED.match(line)
    if opened:
        return opened[1]
    return line if _FLAG_LINE.match(line) else ""


def _is_argument(line: str, place: int) -> bool:
    """True if the value is an argument of one call, which implies nothing general; signatures do."""
    before = line[:place].rstrip()
    return before.endswith(("(", ",", "{")) and "(" in before and not is_signature(line)


def _is_telling(name: str) -> bool:
    parts = [part for part in parts_of(name.rsplit(".", 1)[-1]) if part not in _GENERIC]
    return bool(parts) and (len("".join(parts)) >= 4 or is_distinct(name))


def is_signature(line: str) -> bool:
    """True if a line begins the definition of a function or a type."""
    return bool(_SIGNATURE.match(line))
