"""Prose that may go into an article: safe sentences made from code, docstrings and titles of changes."""

import re
from functools import lru_cache

from instep.platform.text.characters import has_hidden

_DIRECTIVE = re.compile(r"(?m)^\.\. [\w-]+::|^\.\. _|``\w")
_MARKDOWN = re.compile(r"(?m)^#{1,6} |^```|\]\(")
# Texts that pages turn into links by themselves.
_HOST_OR_MAIL = re.compile(r"\bwww\.|[\w.+-]@[\w-]{1,63}\.\w", re.IGNORECASE)
_MARKUP = ("://", "](", "][", "![", "<", "**", "`", "&lt", "&#", "javascript:", "data:", "|", "{{", "{%")
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
_SUPPORT = re.compile(r"^(?:api )?(?:support|ability|option)s? (?:for|to)\s+", re.IGNORECASE)
_CLAUSE = re.compile(r",\s| -- | - |: |; | \(| so that | to (?:support|allow|make|fix)\b")
_MAX_HEADING_CHARACTERS = 70


@lru_cache(maxsize=512)
def is_restructured(text: str) -> bool:
    return len(_DIRECTIVE.findall(text)) > len(_MARKDOWN.findall(text))


def is_safe(old: str, new: str) -> bool:
    """True if `new` has no more markup than the text that it replaces, and no hidden characters."""
    if has_hidden(new) or (_HOST_OR_MAIL.search(new) and not _HOST_OR_MAIL.search(old)):
        return False
    lowered = old.lower(), new.lower()
    return all(lowered[1].count(char) <= lowered[0].count(char) for char in _MARKUP)


def subject_of(title: str) -> str:
    """The title without commit conventions: `feat(api): add x (#12)` becomes `add x`."""
    subject, before = title.strip(), ""
    while subject != before:
        before = subject
        subject = _SUFFIX.sub("", _PREFIX.sub("", subject, count=1)).strip()
    return subject


def is_new(subject: str) -> bool:
    """True if a title says that the change adds something."""
    return bool(_ADDED.match(subject))


def heading_of(title: str) -> str:
    """The new thing that a title names, as a heading; empty for any other change."""
    added = _ADDED.match(subject_of(title)) or _SUPPORTED.match(subject_of(title))
    name = _CLAUSE.split(added[1], maxsplit=1)[0].strip(" .") if added else ""
    name = _SUPPORT.sub("", name)
    is_whole = 3 <= len(name) <= _MAX_HEADING_CHARACTERS and name.count("`") % 2 == 0
    return name[:1].upper() + name[1:] if is_whole and is_safe("", name) else ""
