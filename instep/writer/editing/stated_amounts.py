"""How articles state an amount in a unit, and how they state the new one: "24 hours", "$29", "2 devices"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from instep.writer.editing.value_binding import LIMIT_WORDS
from instep.writer.facts.values import Value
from instep.writer.words.identifiers import parts_of
from instep.writer.words.units import SCALES, UNITS, unit_named, words_and_unit

_NUMBER = re.compile(r"(\d[\d_]*)(?:\.0+)?|(\d+\.\d+)")
_WORD_WITH_PLURAL = re.compile(
    r"(?:milli)?seconds?|minutes?|hours?|days?|weeks?|(?:kilo|mega|giga)?bytes?|characters?|digits?|letters?|times?",
    re.IGNORECASE,
)
# A value whose name has no unit may be in one of these.
_USUAL_UNITS = ("ms", "seconds", "bytes")
CURRENCY_WORDS = frozenset(("cents", "dollars", "eur", "euro", "euros", "gbp", "usd"))
_CENTS = 100
_MIN_PORT_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Amount:
    """A value in a unit that articles may state it in, before and after the change."""

    old: Decimal
    new: Decimal
    unit: str
    # The unit of the new amount, where it is not whole in that of the old one.
    new_unit: str = ""
    # What is counted, in the singular: device.
    noun: str = ""


def unit_of(fact: Value) -> str | None:
    """The unit that the code says, in the value or in its name; `currency`, `port` and `count` are others."""
    name = fact.names[0]
    words, unit = words_and_unit(name)
    if fact.unit or unit:
        return fact.unit or unit
    if fact.is_money or not CURRENCY_WORDS.isdisjoint(parts_of(name)):
        return "currency"
    if parts_of(name)[-1:] == ["port"]:
        return "port"
    if len(words) == 1:
        return unit_named(words[0])
    return None


def amounts_of(fact: Value) -> Iterator[Amount]:
    """The amounts that articles may state: in the unit of the value, in larger ones, with what is counted."""
    old, new = _NUMBER.fullmatch(fact.old), _NUMBER.fullmatch(fact.new)
    if not old or not new:
        return
    before, after = (Decimal((match[1] or match[2]).replace("_", "")) for match in (old, new))
    unit = unit_of(fact)
    if unit == "currency":
        is_in_cents = "cents" in parts_of(fact.names[0])
        yield Amount(before / _CENTS, after / _CENTS, unit) if is_in_cents else Amount(before, after, unit)
    elif unit == "port":
        if not fact.is_elsewhere_too and len(fact.old) >= _MIN_PORT_DIGITS:
            yield Amount(before, after, unit)
    else:
        yield from _in_units(before, after, unit)
        if unit is None and (noun := _counted_noun(fact.names[0])):
            yield Amount(before, after, "count", noun=noun)


def _counted_noun(name: str) -> str:
    """The last word of a name that is a plural, and so says what is counted: device for `MAX_DEVICES`.

    It is before what the count is for, as in `CARDS_PER_LESSON`.
    """
    parts = parts_of(name)
    counted = parts[: parts.index("per")] if "per" in parts else parts
    words = [part for part in counted if part not in LIMIT_WORDS]
    return words[-1].removesuffix("s") if words and words[-1].endswith("s") else ""


def _in_units(before: Decimal, after: Decimal, own_unit: str | None) -> Iterator[Amount]:
    """The amounts in their own unit, or else in any, and in larger ones."""
    for unit in [own_unit] if own_unit else UNITS:
        yield Amount(before, after, unit)
    for unit in [own_unit] if own_unit else _USUAL_UNITS:
        for larger_unit, size in SCALES.get(unit, {}).items():
            if before % size == 0 and before and after:
                is_whole = after % size == 0
                new, new_unit = (after / size, "") if is_whole else _in_largest_unit(after, unit)
                yield Amount(before / size, new, larger_unit, new_unit)


def _in_largest_unit(amount: Decimal, unit: str) -> tuple[Decimal, str]:
    sizes = [(size, larger) for larger, size in SCALES.get(unit, {}).items() if amount % size == 0]
    size, largest = max(sizes, default=(1, unit))
    return amount / size, largest


@lru_cache(maxsize=1_024)
def amount_pattern(amount: Amount) -> re.Pattern[str]:
    """Finds the old amount, with the groups `number`, `gap` and `unit`."""
    number = f"{amount.old.normalize():f}"
    cents = f"{amount.old:.2f}"
    spellings = dict.fromkeys(
        (number, f"{amount.old:,}", cents) if amount.unit == "currency" else (number, f"{Decimal(number):,}")
    )
    spelled = "|".join(map(re.escape, spellings))
    if amount.unit == "port":
        address = r"(?<=localhost:)|(?<=127\.0\.0\.1:)|(?<=0\.0\.0\.0:)"
        # The port of a container, and one of the host that is the same: `8080:8080`, `80:8080`.
        mapped, same = rf"(?<=\d:){number}(?=[\"'\s])", rf"(?<![\w.:]){number}(?=:{number}[\"'\s])"
        return re.compile(rf"(?P<number>(?:{address}){number}(?!\d)|{mapped}|{same})(?P<gap>)(?P<unit>)")
    if amount.unit == "currency":
        prefixed, followed = (
            rf"(?<=[$€£])(?:{spelled})",
            rf"(?<![\w.,-])(?:{spelled})(?=\s?(?:[$€£]|EUR|GBP|USD|euros?|dollars?|pounds?)(?!\w))",
        )
        return re.compile(rf"(?P<number>{prefixed}|{followed})(?P<gap>)(?P<unit>)(?![\w,]|\.\d)")
    unit = rf"{re.escape(amount.noun)}s?" if amount.noun else UNITS[amount.unit]
    return re.compile(
        rf"(?<![\w.,$€£-])(?P<number>{spelled})(?P<gap>[\s-]?)(?P<unit>{unit})(?![\w-])", re.IGNORECASE
    )


def restated(match: re.Match[str], amount: Amount) -> str | None:
    """The new amount in the form of the old one; None where an abbreviated unit would have to change."""
    unit = match["unit"]
    number = f"{amount.new.normalize():f}"
    if amount.unit == "currency" and ("." in match["number"] or "." in number):
        number = f"{amount.new:.2f}"
    number = f"{Decimal(number):,}" if "," in match["number"] else number
    if amount.new_unit:
        if not _WORD_WITH_PLURAL.fullmatch(unit):
            return None
        unit = amount.new_unit
        return f"{number}{match['gap']}{unit.removesuffix('s') if amount.new == 1 else unit}"
    return f"{number}{match['gap']}{_agreeing(unit, amount)}"


def _agreeing(unit: str, amount: Amount) -> str:
    """The unit in the singular or plural of the new number; abbreviations have none."""
    has_plural = bool(amount.noun) or bool(_WORD_WITH_PLURAL.fullmatch(unit))
    if not has_plural or (amount.old == 1) == (amount.new == 1):
        return unit
    if amount.new == 1:
        return unit.removesuffix("s")
    return unit if unit.endswith("s") else f"{unit}s"
