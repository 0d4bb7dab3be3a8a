"""Values that an article states without the name of their setting, as in "files of up to 10 MB"."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from instep.writer.articles.passages import is_in_code
from instep.writer.editing.value_binding import (
    LIMIT_WORDS,
    is_of_section,
    is_on_topic,
    is_price,
    statement_at,
)
from instep.writer.facts.values import Value
from instep.writer.shapes import Article
from instep.writer.words.identifiers import parts_of
from instep.writer.words.units import MEASURES, UNITS, words_and_unit

_NUMBER = re.compile(r"(\d[\d_]*)(?:\.0+)?|(\d+\.\d+)")
_WORD_WITH_PLURAL = re.compile(
    r"(?:milli)?seconds?|minutes?|hours?|days?|(?:kilo|mega|giga)?bytes?|characters?", re.IGNORECASE
)
# How many of a unit make one of a larger one.
_SCALES: Mapping[str, Mapping[str, int]] = {
    "ms": {"seconds": 1_000, "minutes": 60_000, "hours": 3_600_000},
    "seconds": {"minutes": 60, "hours": 3_600, "days": 86_400},
    "minutes": {"hours": 60, "days": 1_440},
    "hours": {"days": 24},
    "bytes": {"kb": 1_024, "mb": 1_024**2, "gb": 1_024**3},
    "kb": {"mb": 1_024, "gb": 1_024**2},
    "mb": {"gb": 1_024},
}
# A value whose name has no unit may be in one of these.
_USUAL_UNITS = ("ms", "seconds", "bytes")
# What a unit says already.
_SAID_BY_UNIT = LIMIT_WORDS | {
    "cents",
    "delay",
    "duration",
    "expiry",
    "interval",
    "lifetime",
    "period",
    "retention",
    "ttl",
}
# What tells nothing of a price but its period.
_BARE_PRICE_WORDS = "amount annual base cents cost eur month monthly per price prices pricing usd year yearly"
_PRICE_TERMS = frozenset(_BARE_PRICE_WORDS.split())
# What comes on top of a value is another one: "for another 14 days".
_MORE = re.compile(r"\b(?:another|additional|further|extra)\s\Z", re.IGNORECASE)
_MAX_MORE_CHARACTERS = 14
_CENT = Decimal("0.01")
_CENTS = re.compile(r"\.\d\d\Z")
_MIN_TOPIC_CHARACTERS = 3
_MIN_PORT_DIGITS = 4


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A value in a unit that articles may state it in, before and after the change."""

    old: Decimal
    new: Decimal
    unit: str


@dataclass(frozen=True, slots=True)
class StatedQuantity:
    """A number with its unit in an article (offsets in characters), and the new value of both."""

    start: int
    end: int
    fact: Value
    # Whether what the value is of stands in the sentence, its item or the heading right above it.
    is_near_topic: bool


def stated_quantities(fact: Value, article: Article) -> list[StatedQuantity]:
    """Where an article states a value with its unit among words of its name."""
    places: dict[int, StatedQuantity] = {}
    for quantity in _quantities(fact):
        for place in _places(fact, quantity, article):
            places.setdefault(place.start, place)
    return list(places.values())


def says_unit(name: str) -> bool:
    """Whether a name says what its value counts: days, megabytes, money."""
    return is_price(name) or "port" in parts_of(name) or words_and_unit(name)[1] is not None


def _quantities(fact: Value) -> Iterator[_Quantity]:
    old, new = _NUMBER.fullmatch(fact.old), _NUMBER.fullmatch(fact.new)
    if not old or not new:
        return
    before, after = (Decimal(match[1] or match[2]) for match in (old, new))
    unit = words_and_unit(fact.names[0])[1]
    if is_price(fact.names[0]) and unit is None:
        size = 100 if "cents" in parts_of(fact.names[0]) else 1
        yield _Quantity(before / size, after / size, "currency")
    elif _is_port(fact):
        if not fact.is_elsewhere_too:
            yield _Quantity(before, after, "port")
    else:
        yield from _in_units(before, after, unit)


def _in_units(before: Decimal, after: Decimal, own_unit: str | None) -> Iterator[_Quantity]:
    """The quantities in their own unit, or else in any, and in larger ones."""
    for unit in [own_unit] if own_unit else UNITS:
        yield _Quantity(before, after, unit)
    for unit in [own_unit] if own_unit else _USUAL_UNITS:
        for larger_unit, size in _SCALES.get(unit, {}).items():
            if before % size == after % size == 0 and before and after:
                yield _Quantity(before // size, after // size, larger_unit)


def _places(fact: Value, quantity: _Quantity, article: Article) -> Iterator[StatedQuantity]:
    pattern, words = _pattern(quantity.old, quantity.unit), _topic_of(fact)
    for match in pattern.finditer(article.text):
        place = statement_at(article.text, *match.span())
        nearby = f"{place.text} {place.topic}"
        is_address = quantity.unit == "port"
        says_topic = _has_all(words[-1:], f"{nearby} {article.title}") and is_of_section(fact, place)
        if MEASURES.issuperset(words) and not is_on_topic(fact, place, article.title):
            says_topic = False
        if _MORE.search(article.text, max(0, match.start() - _MAX_MORE_CHARACTERS), match.start()):
            continue
        is_one_of_two = quantity.unit == "currency" and len(pattern.findall(place.text)) > 1
        if not is_address and (is_in_code(article.text, match.start()) or not says_topic or is_one_of_two):
            continue
        unit = _agreeing(match["unit"], quantity.old, quantity.new)
        number = _number_like(match["number"], quantity)
        new = f"{number}{match['gap']}{unit}"
        named = replace(fact, old=match[0], new=new, is_beside_name=False)
        is_near_topic = is_address or _has_all(
            words, nearby if place.topic.strip() else f"{nearby} {article.title}"
        )
        yield StatedQuantity(*match.span(), named, is_near_topic)


def _number_like(text: str, quantity: _Quantity) -> str:
    """The new number with the cents, and the commas between its thousands, that the old one has."""
    number = quantity.new
    if quantity.unit == "currency" and (_CENTS.search(text) or number != number.to_integral_value()):
        number = number.quantize(_CENT)
    return f"{number:,}" if "," in text else str(number)


@lru_cache(maxsize=1_024)
def _pattern(number: Decimal, unit: str) -> re.Pattern[str]:
    spellings = [str(number), f"{number:,}"]
    if unit == "currency":
        spellings += [f"{number:.2f}", f"{number:,.2f}"]
    spelled = "|".join(map(re.escape, sorted(dict.fromkeys(spellings), key=len, reverse=True)))
    if unit == "port":
        return re.compile(
            rf"(?:(?<=localhost:)|(?<=127\.0\.0\.1:)|(?<=0\.0\.0\.0:))(?P<number>{number})(?P<gap>)(?P<unit>)(?!\d)"
        )
    if unit == "currency":
        prefixed, followed = (
            rf"(?<=[$€£])(?:{spelled})",
            rf"(?<![\w.,-])(?:{spelled})(?=\s?(?:[$€£]|EUR|GBP|USD|euros?|dollars?|pounds?)(?!\w))",
        )
        return re.compile(rf"(?P<number>{prefixed}|{followed})(?P<gap>)(?P<unit>)(?![\w,]|\.\d)")
    return re.compile(
        rf"(?<![\w.,$-])(?P<number>{spelled})(?P<gap>[\s-]?)(?P<unit>{UNITS[unit]})(?![\w-])", re.IGNORECASE
    )


def _is_port(fact: Value) -> bool:
    return parts_of(fact.names[0])[-1:] == ["port"] and len(fact.old) >= _MIN_PORT_DIGITS


def _has_all(words: Sequence[str], text: str) -> bool:
    """Whether a text has all of these words, which are some, in any form."""
    lower = text.lower()
    return bool(words) and all(re.search(rf"\b{re.escape(word)}", lower) for word in words)


def _topic_of(fact: Value) -> list[str]:
    """The telling words of a name, the last of which an article must have; a price is that of its section."""
    parts = words_and_unit(fact.names[0])[0]
    is_of_plan = fact.section is not None and is_price(fact.names[0])
    plain = _SAID_BY_UNIT | _PRICE_TERMS if is_of_plan else _SAID_BY_UNIT
    words = [part for part in parts if len(part) >= _MIN_TOPIC_CHARACTERS and part not in plain]
    return words or (parts_of(fact.section.name) if is_of_plan and fact.section else [])


def _agreeing(unit: str, old: Decimal, new: Decimal) -> str:
    """The unit in the singular or plural of the new number; abbreviations have none."""
    if not _WORD_WITH_PLURAL.fullmatch(unit) or (old == 1) == (new == 1):
        return unit
    if new == 1:
        return unit.removesuffix("s")
    return unit if unit.endswith("s") else f"{unit}s"
