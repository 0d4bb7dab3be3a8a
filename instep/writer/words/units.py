"""Units in the names of settings and in the sentences of articles."""

from instep.writer.words.identifiers import parts_of

# Words of a name that say which end of a range it sets.
BOUNDS = frozenset(("max", "min", "maximum", "minimum", "default", "limit"))
# Words that say of a name what is measured, and not of what: `expire_after`, `timeout`, `maxRows`.
_MEASURES = """
    after age amount attempt attempts capacity cost count days delay duration entries every
    expiration expire expires expiry fee hours in interval items keep length lifetime limit limits
    lines max min minutes number out per period price quota records results retention retries retry
    rows seconds size threshold time timeout total ttl wait within
"""
MEASURES = frozenset(_MEASURES.split())
# Each unit with the spellings of it that articles use.
UNITS = {
    "ms": r"ms|milliseconds?",
    "seconds": r"s|secs?|seconds?",
    "minutes": r"m|mins?|minutes?",
    "hours": r"h|hrs?|hours?",
    "days": r"d|days?",
    "bytes": r"b|bytes?",
    "kb": r"k|kb|kib|kilobytes?",
    "mb": r"m|mb|mib|megabytes?",
    "gb": r"g|gb|gib|gigabytes?",
    "percent": r"%|percent",
    "characters": r"chars?|characters?",
}
_UNIT_NAMES = {"millis": "ms", "sec": "seconds", "secs": "seconds", "mins": "minutes", "second": "seconds"}


def words_and_unit(name: str) -> tuple[list[str], str | None]:
    """The words of a name that prose would use, and the unit that its last word names."""
    parts = [part for part in parts_of(name) if part not in BOUNDS]
    unit = _UNIT_NAMES.get(parts[-1], parts[-1]) if parts else ""
    if unit in UNITS and len(parts) > 1:
        return parts[:-1], unit
    return parts or parts_of(name), None
