"""Amounts that code states with their unit: `Duration.ofMinutes(10)`, `14.days`, `90 * 24 * time.Hour`."""

import re
from collections.abc import Iterator
from decimal import Decimal
from math import prod
from typing import NamedTuple

from instep.drafting.writer.facts.line_alignment import LinePair
from instep.drafting.writer.words.identifiers import parts_of
from instep.drafting.writer.words.units import SCALES, unit_named
from instep.platform.text.file_kinds import LONG_LINE

_NUMBER = r"\d[\d_]{0,17}(?:\.\d{1,9})?"
# `const KEEP: Duration = `, `"ttl": `, `keep => `; the assigned text continues to the end of the line.
_ASSIGNED = re.compile(
    r"(?<![\w-])([A-Za-z_][\w-]*)[\"']?\s*(?:\??:\s*[A-Za-z][\w.<>?\[\]]*\s*(?==[^=>])|\{[\w; ]+\}\s*(?==))?"
    r"(?:=>|:=|=(?!=)|:\s)\s*"
)
_END = re.compile(r"[;,]?(?<!\s)\s*+(?:#.*|//.*)?$")
# A call or a member that names the unit: `ofMinutes(10)`, `days(30)`, `Duration::from_secs(5)`.
_CALL = re.compile(rf"(?<!\w)(?:new\s+)?(?:\w++(?:\.|::)){{0,8}}([A-Za-z_]\w*+)\(\s*({_NUMBER})[Ll]?\s*\)")
_KEYWORD = re.compile(rf"(?:\w+\.)*\w+\(\s*(\w+)\s*[=:]\s*({_NUMBER})\s*\)")
_MEMBER = re.compile(rf"({_NUMBER})\.(?:to\w+\(\s*\w+\.)?([A-Za-z]+)\)?")
_SUFFIXED = re.compile(rf"[\"']?({_NUMBER})\s?([A-Za-z]{{1,12}})[\"']?")
# Languages with many number types mark them: `25L`.
_FACTOR = re.compile(rf"({_NUMBER})[LlUu]{{0,3}}|(?:\w+\.)*([A-Za-z]\w*)")
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\(")
_CLOSED = re.compile(r"\([^()]*\)")
_MAX_FACTORS = 6
_BINARY = frozenset((Decimal(1_000), Decimal(1_024)))


class Quantity(NamedTuple):
    """An amount in a unit (see `words.units.UNITS`, empty if the code names none), with its name."""

    name: str
    amount: Decimal
    unit: str


def changed_quantity(pair: LinePair) -> tuple[Quantity, Quantity] | None:
    """Both amounts, if two versions of a line differ in one comparable amount."""
    olds, news = quantities_in(pair.old.text), quantities_in(pair.new.text)
    if len(olds) != len(news):
        return None
    compared = (in_largest_unit(*_in_one_unit(*sides)) for sides in zip(olds, news, strict=True))
    changed = [(old, new) for old, new in compared if (old.amount, old.unit) != (new.amount, new.unit)]
    return changed[0] if len(changed) == 1 and changed[0][0].unit == changed[0][1].unit else None


def quantities_in(line: str) -> list[Quantity]:
    """Amounts that a line assigns to names, unless they are bare numbers, or passes to a call."""
    if len(line) > LONG_LINE:
        return []
    assigned = [
        Quantity(match[1], *reading)
        for match in _ASSIGNED.finditer(line)
        if (reading := next(_readings(_expression_at(line, match.end())), None))
    ]
    return assigned or list(_arguments(line))


def _expression_at(line: str, start: int) -> str:
    """The assigned text: up to a comma or bracket that ends it, or to the end of the line."""
    depth = 0
    for index in range(start, len(line)):
        char = line[index]
        if depth == 0 and char in ",;)]}":
            return line[start:index].rstrip()
        depth += (char in "([{") - (char in ")]}")
    return _END.sub("", line[start:])


def _arguments(line: str) -> Iterator[Quantity]:
    """Amounts that are arguments of a call, with the name of the called function."""
    for match in _CALL.finditer(line):
        unit = unit_named(parts_of(match[1])[-1])
        callers = _CALLED.findall(_CLOSED.sub("", line[: match.start()]))
        if unit and callers:
            yield Quantity(callers[-1], Decimal(match[2].replace("_", "")), unit)


def _readings(expression: str) -> Iterator[tuple[Decimal, str]]:
    call, keyword = _CALL.fullmatch(expression), _KEYWORD.fullmatch(expression)
    member, suffixed = _MEMBER.fullmatch(expression), _SUFFIXED.fullmatch(expression)
    for number, word in (
        (call and call[2], call and parts_of(call[1])[-1]),
        (keyword and keyword[2], keyword and keyword[1]),
        (member and member[1], member and member[2]),
        (suffixed and suffixed[1], suffixed and suffixed[2]),
    ):
        unit = unit_named(word) if word else None
        if number and unit:
            yield Decimal(number.replace("_", "")), unit
    if "*" in expression:
        yield from _products(expression)


def _products(expression: str) -> Iterator[tuple[Decimal, str]]:
    """The product of numbers with one unit at most: `90 * 24 * time.Hour`, `5 * 1024 * 1024`."""
    factors = [_FACTOR.fullmatch(factor.strip(" ()")) for factor in expression.split("*")]
    if len(factors) > _MAX_FACTORS or not all(factors):
        return
    numbers = [Decimal(factor[1].replace("_", "")) for factor in factors if factor and factor[1]]
    words = [factor[2] for factor in factors if factor and factor[2]]
    units = [unit for word in words if (unit := unit_named(parts_of(word)[-1]))]
    if not numbers or len(words) > 1 or len(units) < len(words):
        return
    is_size = not units and numbers[-1] in _BINARY and numbers[-1] != 1_000
    yield prod(numbers, start=Decimal(1)), units[0] if units else ("bytes" if is_size else "")


def _in_one_unit(old: Quantity, new: Quantity) -> tuple[Quantity, Quantity]:
    """Both amounts in the smaller of their units: if 90 minutes replace 2 hours, they replace 120 minutes."""
    sizes = (SCALES.get(new.unit, {}).get(old.unit), SCALES.get(old.unit, {}).get(new.unit))
    if sizes[0]:
        old = old._replace(amount=old.amount * sizes[0], unit=new.unit)
    elif sizes[1]:
        new = new._replace(amount=new.amount * sizes[1], unit=old.unit)
    return old, new


def in_largest_unit(old: Quantity, new: Quantity) -> tuple[Quantity, Quantity]:
    """Both amounts in the largest unit in which they are whole: 2,160 and 720 hours are 90 and 30 days."""
    if old.unit == new.unit:
        for unit, size in sorted(SCALES.get(old.unit, {}).items(), key=lambda scale: -scale[1]):
            if old.amount % size == new.amount % size == 0:
                return (
                    old._replace(amount=old.amount / size, unit=unit),
                    new._replace(amount=new.amount / size, unit=unit),
                )
    return old, new


def plain_number(amount: Decimal) -> str:
    """An amount without trailing zeros: 14, 0.5."""
    return f"{amount.normalize():f}"
