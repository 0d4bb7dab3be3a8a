"""Units in the names of settings and in the sentences of articles."""

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
