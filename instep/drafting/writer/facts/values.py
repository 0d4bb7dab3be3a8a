"""Literals with a new value, and the names that the value belongs to.

Lines are compared as the language reads them: ignoring comments, trailing separators, the kind of quotation
marks, and arguments that are added or removed after the value.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from instep.drafting.writer.diffs.change_set import ReviewedFile
from instep.drafting.writer.facts.changed_texts import SourceLine, literal_around
from instep.drafting.writer.facts.line_alignment import LinePair, pairs_of
from instep.drafting.writer.facts.setting_names import OPERATOR, names_of_value
from instep.drafting.writer.facts.setting_sections import SettingSections
from instep.drafting.writer.facts.token_replacements import TokenReplacement, token_replacements
from instep.drafting.writer.words.identifiers import Token
from instep.platform.core.name_matching import mention
from instep.platform.text.patch import Line

_NUMBER = re.compile(r"[v^~<>=]*\d[\d._,]*[a-zA-Z%]{0,3}")
CONSTANT = re.compile(r"true|false|null|none|nil|on|off|yes|no", re.IGNORECASE)
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")
_STRING = re.compile(r"(?=[^\n]*\w{2})[\w./+@:-][^<>{}\n]{0,59}")
_HELP = re.compile(r"""(["'`])[^"'`\n]+ [^"'`\n]+\1""")
_QUOTE = re.compile("[\"'`]")
_IMPORT = re.compile(r"\W*(?:import|from|export|use|using|require|include|package)\b")
_RANGE = "^~<>="
_MIN_WEIGHT = 0.5
_DIGIT_GROUPS = re.compile(r"(?<=\d)_(?=\d)")
# Files whose values need no quotes.
_SETTINGS_FILE = re.compile(r"\.(?:ya?ml|ini|cfg|conf|properties)$|(?:^|/)\.env[\w.-]{0,80}$")
_BARE_SCALAR = re.compile(r"\s*(?:-\s+)?[\w.-]+\s*[:=]\s*([\w./+@-]+)\s*$")
# The packages that a product is built with are not requirements for its users.
_DEPENDENCIES = frozenset(("dependencies", "devDependencies", "dev-dependencies", "require-dev"))
_WHOLE = re.compile(r"[0-9]{1,18}")
_MIN_GROUPED = 1_000
# A string, which may contain a comment sign, or a comment.
_STRING_OR_COMMENT = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])*'|`[^`\n]*`)"""
    r"""|(?<!\S)#(?![{\[!]|\s*(?:define|elif|if|ifdef|include|pragma)\b).*|(?<![:\w])//.*|/\*.*?(?:\*/|$)|(?<!\S)--\s.*|(?<=\s);.*|<!--.*?-->"""
)
_SIMPLE_QUOTES = re.compile(r"""(?<!\w)'([^'"\\\n]*)'(?!\w)""")
_QUOTED_NUMBER = re.compile(r"""(?<![\w"'])(["'])(-?\d[\d._]*)\1(?!["'])""")
_QUOTED_SCALAR = re.compile(r"""([:=]\s*)(["'])([\w./+@-]+)\2\s*$""")
_SEPARATORS = " \t,;"
_DEFAULT_KEYWORD = re.compile(r"\s*default\w*\s*[=:]\s*")
_SAME_VALUE_MARKS = re.compile(r"""[\s"'`,;]""")


@dataclass(frozen=True, slots=True)
class ValueChange:
    """`old` became `new` in the value of a setting; `names` are spellings of its name, nearest first.

    `owner` is the section around the setting, `rivals` the neighboring sections that may have a setting of
    this name. `is_version` is true for a range
    such as `>=18`.
    """

    old: str
    new: str
    names: tuple[str, ...]
    source: SourceLine
    old_line: str
    owner: str = ""
    rivals: frozenset[str] = frozenset()
    is_version: bool = False


def value_changes(file: ReviewedFile) -> Iterator[ValueChange]:
    """The values that a file changes, each in the spellings that articles use."""
    if file.weight < _MIN_WEIGHT:
        return
    sections = SettingSections(file.patch)
    for pair in pairs_of(file.patch):
        compared = _comparable(pair, file.patch.path)
        if _SAME_VALUE_MARKS.sub("", compared.old.text) == _SAME_VALUE_MARKS.sub("", compared.new.text):
            continue
        source = SourceLine(file.patch.path, pair.new.new, pair.new.text, file.weight)
        owner, rivals = sections.owner_at(source.line), sections.rivals_at(source.line)
        for replacement in token_replacements(file.patch.path, file.weight, compared):
            for literal in _with_other_spellings(_literals(replacement)):
                names = _names(replacement, literal, owner)
                if names and literal.old.casefold() != literal.new.casefold():
                    yield ValueChange(
                        literal.old, literal.new, names, source, pair.old.text, owner, rivals,
                        literal.is_version,
                    )  # fmt: skip


def _names(replacement: TokenReplacement, literal: "_Literal", owner: str) -> tuple[str, ...]:
    if owner in _DEPENDENCIES:
        return ()
    return tuple(names_of_value(replacement, literal.start, owner))


def _comparable(pair: LinePair, path: str) -> LinePair:
    """Both lines without parts that may change while the value stays the same."""
    is_settings = bool(_SETTINGS_FILE.search(path))
    old, new = (_bare(line.text, is_settings=is_settings) for line in (pair.old, pair.new))
    return LinePair(_with_text(pair.old, old), _with_text(pair.new, new), pair.before)


def _with_text(line: Line, text: str) -> Line:
    return line._replace(text=text)


def _bare(text: str, *, is_settings: bool) -> str:
    code = _STRING_OR_COMMENT.sub(lambda match: match["string"] or "", text)
    # A comment alone may state a value, too.
    code = code.rstrip(_SEPARATORS) if code.strip() else text
    code = _QUOTED_NUMBER.sub(r"\2", _SIMPLE_QUOTES.sub(r'"\1"', code))
    return _QUOTED_SCALAR.sub(r"\1\3", code) if is_settings else code


class _Literal(NamedTuple):
    """A value before and after; `start` is its offset in the new line."""

    old: str
    new: str
    start: int
    is_version: bool = False


def _literals(replacement: TokenReplacement) -> Iterator[_Literal]:
    # An argument that is added or removed after the value is not part of it.
    old, new = (_first_argument(text) for text in (replacement.old, replacement.new))
    start = replacement.new_start + replacement.new.index(new)
    if any(kind.fullmatch(old) and kind.fullmatch(new) for kind in (_NUMBER, CONSTANT)):
        before, after = (_DIGIT_GROUPS.sub("", text.lstrip(_RANGE)) for text in (old, new))
        left = replacement.pair.old.text[: replacement.old_start]
        is_version = before.isdigit() and (old[:1] in _RANGE or bool(OPERATOR.search(left)))
        yield _Literal(before, after, start, is_version)
    else:
        yield from _strings(replacement)


def _first_argument(text: str) -> str:
    first = text.split(",", 1)[0]
    keyword = _DEFAULT_KEYWORD.match(first)
    return first[keyword.end() if keyword else 0 :].strip()


def _with_other_spellings(literals: Iterator[_Literal]) -> Iterator[_Literal]:
    """The literals with articles' spellings: `true` for `True`, 10,000 for 10000, 3.6 or 3 for 3.6.0."""
    for literal in literals:
        yield literal
        if {literal.old, literal.new} == {"True", "False"}:
            yield literal._replace(old=literal.old.lower(), new=literal.new.lower())
        if (
            _WHOLE.fullmatch(literal.old)
            and _WHOLE.fullmatch(literal.new)
            and int(literal.old) >= _MIN_GROUPED
        ):
            yield literal._replace(old=f"{int(literal.old):,}", new=f"{int(literal.new):,}")
        if is_version(literal.old):
            for old, new in _shorter_versions(literal.old, literal.new):
                yield literal._replace(old=old, new=new, is_version=literal.is_version or old.isdigit())


def _shorter_versions(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Both versions without their patch level: if 3.7 replaces 3.6.1, it replaces 3.6; 4.0.0 is 4."""
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
    """The value of a key that contains a span, quoted or not."""
    match = _BARE_SCALAR.match(line)
    if match is None or not match.start(1) <= start <= end <= match.end(1):
        return literal_around(line, start, end)
    return Token(match[1], match.start(1), match.end(1))


def _is_simple(literal: str) -> bool:
    """True if a literal is a single value, not code with its own literals."""
    return bool(_STRING.fullmatch(literal)) and not _QUOTE.search(literal)


def is_version(text: str) -> bool:
    """True if a text is a version with several numbers, as in `v1.2`."""
    return bool(_VERSION.fullmatch(text))
