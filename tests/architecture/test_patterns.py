"""Every pattern of the package takes at most linear time on any text."""

import ast
import importlib
import pkgutil
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

# The parser of patterns is private and untyped, but there is no other one.
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import instep
from tests.support.source_code import imports_of, product_modules

# Lengths in characters of the two texts whose times are compared.
LONGER, SHORTER = 8_000, 2_000
# With exponential time, this many characters already take long, and more would never finish.
TINY = 20
# Length of the first text to try; if that takes less time than this, longer texts are not slow either.
SHORTEST, SUSPICIOUS_SECONDS = 500, 0.000_06
# Linear time grows by 4, quadratic time by 16.
GROWTH = 8.0
# A busy machine can't explain this much growth, so one measurement is enough.
CERTAIN_GROWTH = 12.0
# If the shorter text takes this long, the longer one is not tried.
HOPELESS_SECONDS = 0.1
FLOOR_SECONDS = 0.02
# If quadratic time reaches the floor with the longer text, the shorter one takes at least this long.
DOUBTFUL_SECONDS = 0.001
RUNS = 3
# If a match can't be longer than this, its time at each position does not depend on the text's length.
FEW_CHARACTERS = 100
MIGRATIONS = "instep.platform.migrations"
ALPHABET = (" ", "\n", "a", "1", "`", "[", '"', "<", "_", "-", "é")
MOST_PIECES = 6
METHODS = {"match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split"}
IsSlow = Callable[["Pattern", str, "Attack"], bool]
SEARCHING = METHODS - {"match", "fullmatch"}
Pattern = re.Pattern[Any]

# Modules that only read bounded texts: the number of characters, and the reason for the bound.
BOUNDED: dict[str, tuple[int, str]] = {
    "drafting.writer.facts.": (
        1_000,
        "They read lines of code, of which longer ones are left out (LONG_LINE).",
    ),
}


@dataclass(frozen=True, slots=True)
class Attack:
    """A text of any length that may be slow to match."""

    before: str
    pump: str
    after: str

    def text(self, length: int) -> str:
        return self.before + self.pump * (length // len(self.pump)) + self.after


def patterns() -> dict[str, Pattern]:
    """All patterns at module level, including those in collections, by module and name."""
    names: dict[Pattern, str] = {}
    for module in pkgutil.walk_packages(instep.__path__, "instep."):
        if module.name.startswith(MIGRATIONS) or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for pattern in held_by(value):
                if value is not None and pattern not in names:
                    names[pattern] = f"{module.name.removeprefix('instep.')}.{name}"
    named: dict[str, Pattern] = {}
    for pattern, name in names.items():
        number = sum(earlier.partition("#")[0] == name for earlier in named)
        named[f"{name}#{number}" if number else name] = pattern
    return named


def held_by(value: object) -> Iterator[Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from held_by(item)
    elif isinstance(value, tuple | list | set | frozenset):
        for item in value:
            yield from held_by(item)


def pieces_of(pattern: Pattern) -> list[str]:
    """Building blocks of texts that almost match: literal runs, and one character of each class."""
    pieces: list[str] = []
    collect(tree_of(pattern), pieces)
    return list(dict.fromkeys(piece for piece in pieces if piece))


def tree_of(pattern: Pattern) -> Any:
    is_text = isinstance(pattern.pattern, str)
    text = pattern.pattern if is_text else pattern.pattern.decode("latin-1")
    return parser.parse(text, pattern.flags & ~re.DEBUG & ~(0 if is_text else re.UNICODE))


def collect(tree: Any, pieces: list[str]) -> str:
    """Return an example of what the tree matches; add its parts and their longer runs to the pieces."""
    example = ""
    for code, argument in tree:
        example += example_of(code, argument, pieces)
    pieces.append(example)
    return example


def example_of(code: Any, argument: Any, pieces: list[str]) -> str:
    if code in SINGLE_SIGNS:
        return SINGLE_SIGNS[code](argument)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        least: int = argument[0]
        return collect(argument[2], pieces) * max(1, min(least, 20))
    if code is codes.SUBPATTERN:
        return collect(argument[3], pieces)
    if code is codes.ATOMIC_GROUP:
        return collect(argument, pieces)
    if code is codes.BRANCH:
        examples = [collect(branch, pieces) for branch in argument[1]]
        return examples[0]
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        collect(argument[1], pieces)
    return ""


def class_example(items: Any) -> str:
    if items[0][0] is codes.NEGATE:
        refusal = (
            re.compile("[" + "".join(re.escape(sign) for sign in signs_of(items[1:])) + "]")
            if items[1:]
            else None
        )
        return next((sign for sign in "a ~1\n\x01" if refusal is None or not refusal.match(sign)), "~")
    return signs_of(items)[0]


def signs_of(items: Any) -> list[str]:
    signs: list[str] = []
    for code, argument in items:
        if code is codes.LITERAL:
            signs.append(chr(argument))
        elif code is codes.RANGE:
            signs.append(chr(argument[0]))
        elif code is codes.CATEGORY:
            signs.append(
                {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "1", "CATEGORY_WORD": "a"}.get(str(argument), "~")
            )
    return signs or ["a"]


SINGLE_SIGNS: dict[Any, Callable[[Any], str]] = {
    codes.LITERAL: chr,
    codes.NOT_LITERAL: lambda _: "a",
    codes.ANY: lambda _: "a",
    codes.IN: class_example,
}


def attacks(pattern: Pattern) -> Iterator[Attack]:
    """Texts of any length: a repeated piece between possible beginnings and ends."""
    pieces = sorted(pieces_of(pattern), key=len)
    pumps = dict.fromkeys([*ALPHABET, *pieces[:MOST_PIECES], *pieces[-MOST_PIECES:]])
    befores = dict.fromkeys(["", *pieces[:3], *pieces[-2:]])
    yield from (Attack(*parts) for parts in product(befores, pumps, ("\x01", "b\n")))


def uses() -> dict[str, set[str]]:
    """The methods called on each pattern, by the pattern's module and name."""
    methods: dict[str, set[str]] = {}
    for file in product_modules():
        module = file.name.removeprefix("instep.")
        imported = {name: source.removeprefix("instep.") for _, source, name in imports_of(file) if name}
        for node in file.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
                name = node.value.id
                methods.setdefault(f"{imported.get(name, module)}.{name}", set()).add(node.attr)
                if name.islower() and node.attr != "split":
                    methods.setdefault(module, set()).add(node.attr)
    return methods


def methods_for(name: str, methods: dict[str, set[str]]) -> set[str]:
    """The methods called on a pattern; for those in collections, all that their module calls on variables."""
    module = name.partition("#")[0]
    return methods.get(module) or methods.get(module.rpartition(".")[0], set())


def seconds(pattern: Pattern, method: str, text: str) -> float:
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "replace")
    matcher = getattr(pattern, method)
    began = time.thread_time()
    deque(matcher(subject) or (), 0) if method == "finditer" else matcher(subject)
    return time.thread_time() - began


def is_hopeless(pattern: Pattern, method: str, attack: Attack) -> bool:
    """True if even a short text takes long; it is measured twice in case the machine is busy."""
    texts = [attack.text(length) for length in (TINY, SHORTEST)]
    return any(all(seconds(pattern, method, text) > FLOOR_SECONDS for _ in range(2)) for text in texts)


def takes_too_long(pattern: Pattern, method: str, attack: Attack) -> bool:
    if seconds(pattern, method, attack.text(TINY)) > FLOOR_SECONDS:
        return is_hopeless(pattern, method, attack) or grows_too_fast(pattern, method, attack)
    short = seconds(pattern, method, attack.text(SHORTEST))
    # Nearly all texts take hardly any time, so they need no further measurement.
    if short < SUSPICIOUS_SECONDS:
        return False
    if short > FLOOR_SECONDS and is_hopeless(pattern, method, attack):
        return True
    doubtful = seconds(pattern, method, attack.text(SHORTER))
    if doubtful < DOUBTFUL_SECONDS:
        return False
    return doubtful > HOPELESS_SECONDS or grows_too_fast(pattern, method, attack)


def grows_too_fast(pattern: Pattern, method: str, attack: Attack) -> bool:
    longer = seconds(pattern, method, attack.text(LONGER))
    if longer < FLOOR_SECONDS:
        return False
    shorter = seconds(pattern, method, attack.text(SHORTER))
    if longer > CERTAIN_GROWTH * shorter:
        return True
    longer, shorter = (
        min(seconds(pattern, method, attack.text(length)) for _ in range(RUNS))
        for length in (LONGER, SHORTER)
    )
    return longer > max(FLOOR_SECONDS, GROWTH * shorter)


def takes_too_long_at_a_place(pattern: Pattern, method: str, attack: Attack) -> bool:
    """For patterns with short matches, the only risk is the number of ways to match at one position."""
    return all(seconds(pattern, method, attack.text(TINY)) > FLOOR_SECONDS for _ in range(2))


def longest_match(tree: Any) -> int:
    """The maximum number of characters that a match reads, including lookaheads."""
    looks = 0
    for code, argument in tree:
        if code in (codes.ASSERT, codes.ASSERT_NOT):
            looks += longest_match(argument[1])
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            looks += argument[1] * looks_of(argument[2])
        elif code is codes.SUBPATTERN:
            looks += looks_of(argument[3])
        elif code is codes.ATOMIC_GROUP:
            looks += looks_of(argument)
        elif code is codes.BRANCH:
            looks += sum(looks_of(branch) for branch in argument[1])
        elif code in (codes.GROUPREF, codes.GROUPREF_EXISTS):
            looks += FEW_CHARACTERS + 1
    longest: int = tree.getwidth()[1]
    return longest + looks


def looks_of(tree: Any) -> int:
    longest: int = tree.getwidth()[1]
    return longest_match(tree) - longest


def takes_too_long_within(length: int, pattern: Pattern, method: str, attack: Attack) -> bool:
    if is_hopeless(pattern, method, attack):
        return True
    text = attack.text(length)
    if seconds(pattern, method, text) < FLOOR_SECONDS:
        return False
    return min(seconds(pattern, method, text) for _ in range(RUNS)) > FLOOR_SECONDS


def is_always(is_slow: IsSlow, pattern: Pattern, method: str, attack: Attack) -> bool:
    """True if this text is slow each time; a busy machine slows down different texts each time."""
    return all(is_slow(pattern, method, attack) for _ in range(3))


def slow_uses(name: str, pattern: Pattern, methods: set[str]) -> Iterator[str]:
    """Each use of a pattern that some text makes slow, with that text."""
    lengths = [length for module, (length, _) in BOUNDED.items() if name.startswith(module)]
    is_slow: IsSlow = partial(takes_too_long_within, lengths[0]) if lengths else takes_too_long
    if longest_match(tree_of(pattern)) <= FEW_CHARACTERS:
        is_slow = takes_too_long_at_a_place
    for method in {"finditer" if method in SEARCHING else method for method in methods or {"finditer"}}:
        slow = next(
            (attack for attack in attacks(pattern) if is_always(is_slow, pattern, method, attack)), None
        )
        if slow:
            yield f"{name}.{method}: {slow.before!r}, then {slow.pump!r} again and again, then {slow.after!r}"


def test_no_text_takes_a_pattern_more_than_linear_time() -> None:
    methods = uses()
    slow = [
        sentence
        for name, pattern in patterns().items()
        for sentence in slow_uses(name, pattern, methods_for(name, methods))
    ]

    assert slow == []


@pytest.mark.parametrize("slow", [r"\s*a", r"(?:x+)+y", r"#(.*?)(?: +#+)?$"])
def test_a_slow_pattern_is_noticed(slow: str) -> None:
    assert list(slow_uses("slow", re.compile(slow), {"search"}))
