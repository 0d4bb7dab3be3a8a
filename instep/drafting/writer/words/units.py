"""Units in the names of settings and in the sentences of articles."""

from collections.abc import Mapping
from functools import lru_cache

from instep.drafting.writer.words.identifiers import parts_of

# Words in a name that say which end of a range it sets.
BOUNDS = frozenset(("max", "min", "maximum", "minimum", "default", "limit"))
# Each unit with its spellings in articles.
UNITS = {
    "ms": r"ms|milliseconds?",
    "seconds": r"s|secs?|seconds?",
    "minutes": r"m|mins?|minutes?",
    "hours": r"h|hrs?|hours?",
    "days": r"d|days?",
    "weeks": r"w|weeks?",
    "bytes": r"b|bytes?",
    "kb": r"k|kb|kib|kilobytes?",
    "mb": r"m|mb|mib|megabytes?",
    "gb": r"g|gb|gib|gigabytes?",
    "percent": r"%|percent",
    "characters": r"chars?|characters?|digits?|letters?",
    "times": r"times|attempts|tries|retries",
}
_UNIT_NAMES = {
    "millis": "ms",
    "sec": "seconds",
    "secs": "seconds",
    "mins": "minutes",
    "second": "seconds",
    "week": "weeks",
    "attempts": "times",
    "retries": "times",
    "tries": "times",
}
# Short names of units in code, as a suffix of a number or as a word of an expression.
_UNITS_OF_CODE = {
    "s": "seconds",
    "m": "minutes",
    "min": "minutes",
    "h": "hours",
    "d": "days",
    "Ki": "kb",
    "Mi": "mb",
    "Gi": "gb",
    "KB": "kb",
    "MB": "mb",
    "GB": "gb",
}
# The number of units in a larger one.
SCALES: Mapping[str, Mapping[str, int]] = {
    "ms": {"seconds": 1_000, "minutes": 60_000, "hours": 3_600_000},
    "seconds": {"minutes": 60, "hours": 3_600, "days": 86_400},
    "minutes": {"hours": 60, "days": 1_440},
    "hours": {"days": 24},
    "bytes": {"kb": 1_024, "mb": 1_024**2, "gb": 1_024**3},
    "kb": {"mb": 1_024, "gb": 1_024**2},
    "mb": {"gb": 1_024},
}
_LONGEST_ABBREVIATION = 2


def words_and_unit(name: str) -> tuple[list[str], str | None]:
    """The words of a name that prose would use, and the unit that its last word names."""
    parts = [part for part in parts_of(name) if part not in BOUNDS]
    unit = _UNIT_NAMES.get(parts[-1], parts[-1]) if parts else ""
    if unit in UNITS and len(parts) > 1:
        return parts[:-1], unit
    return parts or parts_of(name), None


# Words in names of limits in code, and of required versions in build files.
_UNTELLING_WORDS = "allowed count length number require required requires size target total version"
_UNTELLING = frozenset(_UNTELLING_WORDS.split())


@lru_cache(maxsize=1_024)
def subject_words(name: str) -> tuple[str, ...]:
    """The words that say what a name is about, without bounds, units and generic words of limits."""
    words = words_and_unit(name)[0]
    telling = [word for word in words if word not in _UNTELLING] or words
    return tuple(telling[-1:] if BOUNDS.issuperset(telling) else telling)


def unit_named(word: str) -> str | None:
    """The unit that a word of an expression names: `MINUTES`, `Hour`, `secs`, the `s` of `30s`."""
    if word in _UNITS_OF_CODE:
        return _UNITS_OF_CODE[word]
    if len(word) <= _LONGEST_ABBREVIATION and word != "ms":
        return None
    lower = word.lower()
    plural = lower if lower.endswith("s") else f"{lower}s"
    names = (_UNIT_NAMES.get(lower, lower), plural)
    return next((name for name in names if name in UNITS), None)
