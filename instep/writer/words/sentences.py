"""The title of a change as a sentence about the product."""

import re

from instep.writer.words.prose import prose_of
from instep.writer.words.safety import is_safe

_PREFIX = re.compile(r"^(?:[\w-]+(?:\([^)]*\))?!?|[\w/.-]+):\s+|^[^\w`\"'/.-]+|^\[[^\]]*\]\s*")
_SUFFIX = re.compile(
    r"(?<![\s,;(-])[\s,;(-]*+(?:(?:fix(?:es|ed)?|close[sd]?|refs?|see|resolves?|part of)\s+"
    r"(?:#\d++[,\s]*+(?:and\s++)?)+"
    r"|\(?#\d+\)?)\W*$",
    re.IGNORECASE,
)
_ARTICLE = r"\s+(?:the |an? )?(.+)"
_ADDED = re.compile(
    rf"(?:adds?|added|introduc(?:es?|ed)|implement(?:s|ed)?|create[sd]?|new){_ARTICLE}", re.IGNORECASE
)

_SUPPORTED = re.compile(rf"(?:supports?|allows?|enables?|exposes?){_ARTICLE}", re.IGNORECASE)
_TOLD = (
    ("New", _ADDED),
    (
        "Removed",
        re.compile(rf"(?:removes?|removed|removing|drop(?:s|ped)?|delete[sd]?){_ARTICLE}", re.IGNORECASE),
    ),
    ("Renamed", re.compile(rf"(?:rename[sd]?){_ARTICLE}", re.IGNORECASE)),
    ("Moved", re.compile(rf"(?:move[sd]?){_ARTICLE}", re.IGNORECASE)),
    ("Replaced", re.compile(rf"(?:replace[sd]?){_ARTICLE}", re.IGNORECASE)),
    ("Changed", re.compile(rf"(?:change[sd]?|update[sd]?){_ARTICLE}", re.IGNORECASE)),
    ("Fixed", re.compile(rf"(?:fix(?:es|ed)?){_ARTICLE}", re.IGNORECASE)),
    ("Deprecated", re.compile(rf"(?:deprecate[sd]?){_ARTICLE}", re.IGNORECASE)),
    ("Supported", re.compile(rf"(?:supports?){_ARTICLE}", re.IGNORECASE)),
)
_SUPPORT = re.compile(r"^(?:api )?(?:support|ability|option)s? (?:for|to)\s+", re.IGNORECASE)
_CLAUSE = re.compile(r",\s| -- | - |: |; | \(| so that | to (?:support|allow|make|fix)\b")
_LONGEST = 70


def subject_of(title: str) -> str:
    """The title without the marks of commits: `feat(api): add x (#12)` says `add x`."""
    subject, before = title.strip(), ""
    while subject != before:
        before = subject
        subject = _SUFFIX.sub("", _PREFIX.sub("", subject, count=1)).strip()
    return subject


def sentence_of(title: str) -> str:
    """One safe sentence that tells what is so now; empty where the title is no prose."""
    subject = subject_of(title)
    for label, pattern in _TOLD:
        found = pattern.match(subject)
        if found:
            return prose_of(f"{label}: {found[1]}")
    return prose_of(subject)


def is_new(subject: str) -> bool:
    """Whether a title says that it adds something."""
    return bool(_ADDED.match(subject))


def heading_of(title: str) -> str:
    """The thing that a title says is new, as a heading; empty for any other change."""
    added = _ADDED.match(subject_of(title)) or _SUPPORTED.match(subject_of(title))
    name = _CLAUSE.split(added[1], maxsplit=1)[0].strip(" .") if added else ""
    name = _SUPPORT.sub("", name)
    is_whole = 3 <= len(name) <= _LONGEST and name.count("`") % 2 == 0
    return name[:1].upper() + name[1:] if is_whole and is_safe("", name) else ""
