"""Names that code uses without defining them: environment variables, flags, keys, members of lists."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch import Hunk, Line

NameForm = Literal["variable", "flag", "short flag", "route", "dotted", "hyphenated"]

_FORMS: tuple[tuple[NameForm, re.Pattern[str]], ...] = (
    ("variable", re.compile(r"[A-Z][A-Z0-9]{3,}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")),
    ("flag", re.compile(r"--[a-z][\w-]*\w")),
    ("short flag", re.compile(r"-[a-z][\w-]+\w")),
    ("route", re.compile(r"/[\w.{}:<>-]+(?:/[\w.{}:<>-]*)*")),
    ("hyphenated", re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")),
    ("dotted", re.compile(r"[a-z]\w*(?:[.:][a-z]\w*)+")),
)
_QUOTED = re.compile(r"""(["'])([\w./{}<>:-]{2,80})\1""")
# Reading or setting the environment: `${NAME:-1}`, `process.env.NAME`, `ENV NAME=1`, `NAME: 1`, `- NAME=1`.
_VARIABLE_IN_USE = re.compile(
    r"\$\{?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)|\benv(?:iron)?\.([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"
    r"|^\s*(?:#\s*)?(?:export\s+|ENV\s+|ARG\s+|-\s+)?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s*[=:](?![=:])"
)
# Libraries that define a flag without its dashes, in Go, PHP and Rust.
_FLAG_DEFINITION = re.compile(
    r"""(?:\b\w*[Ff]lags?(?:\(\))?|\bfs?)\.\w+\((?:&?[\w.]+,\s*)?"([a-z][\w-]+)"\s*,"""
    r"""|\b(?:InputOption|addOption)\(\s*['"]([a-z][\w-]+)['"]"""
    r"""|\blong\s*=\s*"([a-z][\w-]+)\""""
)
_PLAIN_MEMBER = re.compile(r"""(?<![\w.$])(?:'([\w./-]{2,40})'|"([\w./-]{2,40})"|`([\w./-]{2,40})`)""")
_ANY_STRING = re.compile(r"""(["'`])(?:(?!\1).)*\1""")
_MEMBER_JOINT = re.compile(r"\s*[,|]\s*")
_FILE = re.compile(r"\.(?:\w{1,2}|css|html?|ini|java|json|jsx|mdx?|php|rst|scss|sql|svg|toml|tsx|txt|ya?ml)$")
# A single word in capitals is a variable only if the line reads the environment.
_ENVIRONMENT = re.compile(r"(?i)env\w*(?:\.get)?[(\[]\s*\Z")
_MIN_MEMBERS = 3


@dataclass(frozen=True, slots=True)
class WrittenName:
    """A name in a line of a hunk; `place` is the index of the line."""

    name: str
    is_member: bool
    line: Line
    place: int


def name_form_of(name: str) -> NameForm | None:
    """The form that distinguishes a name from words, if it has one."""
    return next((form for form, pattern in _FORMS if pattern.fullmatch(name)), None)


def written_names_of(hunk: Hunk) -> Iterator[WrittenName]:
    """The names on each line, and the members of one-line lists."""
    for place, line in enumerate(hunk.lines):
        if len(line.text) <= LONG_LINE:
            members = members_of(line.text)
            names = dict.fromkeys((*_names_in(line.text), *members))
            yield from (WrittenName(name, name in members, line, place) for name in names)


def _names_in(text: str) -> Iterator[str]:
    for match in _VARIABLE_IN_USE.finditer(text):
        yield next(filter(None, match.groups()))
    yield from flags_defined_in(text)
    for match in _QUOTED.finditer(text):
        name = match[2]
        is_word = name.isalpha() and not _ENVIRONMENT.search(text, 0, match.start())
        is_argument = name.startswith("-") and is_passed_on(text, match.start())
        if name_form_of(name) and not is_word and not is_argument and not _FILE.search(name):
            yield name


def is_passed_on(text: str, start: int) -> bool:
    """True if a flag at `start` is an argument for another program: `["lint", "--strict", path]`."""
    code = _ANY_STRING.sub(
        lambda match: match[0] if match[0][1:2] == "-" else "«»".ljust(len(match[0])), text
    )
    depth = 0
    for index in range(start - 1, -1, -1):
        depth += (code[index] in ")]}") - (code[index] in "([{")
        if depth < 0:
            return code[index] == "[" and "«»" in code[index:].partition("]")[0]
    return False


def flags_defined_in(text: str) -> Iterator[str]:
    """The flags that a line of code defines through a library, with their dashes."""
    for match in _FLAG_DEFINITION.finditer(text):
        yield f"--{next(filter(None, match.groups()))}"


def members_of(text: str) -> Sequence[str]:
    """The strings of a list such as `["a", "b", "c"]` or `"a" | "b" | "c"`; empty for any other line."""
    matches = list(_PLAIN_MEMBER.finditer(text))
    joints = (
        _MEMBER_JOINT.fullmatch(text, member.end(), following.start())
        for member, following in pairwise(matches)
    )
    if len(matches) < _MIN_MEMBERS or not all(joints):
        return ()
    return [next(filter(None, match.groups())) for match in matches]
