"""Finds the earlier change that a revert undoes, in the forms that revert tools write."""

import re
from dataclasses import dataclass

from instep.platform.core.like_patterns import escape_like

_TITLE = re.compile(r"\s*+[Rr]evert(?:s|ed)?:?\s++(?P<title>\S.*)")
_COMMIT = re.compile(r"\b[Rr]everts commit ([0-9a-f]{7,64})\b")
_NUMBER = re.compile(r"\b[Rr]everts (?:[\w.-]{1,100}/[\w./-]{1,200})?[#!](\d{1,10})\b")
_NUMBERED_URL = re.compile(r"(?P<start>.+/)\d{1,10}/?")
_SUFFIX = re.compile(r" \([#!]\d{1,10}\)$")
_QUOTES = "\"'“”"


@dataclass(frozen=True, slots=True)
class RevertedChange:
    """The reverted change, by its title, and by patterns of its URL if the revert gives it.

    `url_patterns` are patterns of SQL's `like`.
    """

    title: str
    url_patterns: tuple[str, ...]


def reverted_change(title: str, body: str | None, url: str | None) -> RevertedChange | None:
    """The change that this one, by its title, description and URL, reverts; None if it is not a revert.

    A number refers to a change in the same repository, whose URLs begin like the revert's.
    """
    match = _TITLE.match(title)
    if match is None:
        return None
    reverted_title = _SUFFIX.sub("", match["title"].strip()).strip(_QUOTES + " ")
    commits = [f"%/{commit}%" for commit in _COMMIT.findall(body or "")]
    numbered = _NUMBERED_URL.fullmatch(url or "")
    start = escape_like(numbered["start"]) if numbered else None
    numbers = [f"{start}{number}" for number in _NUMBER.findall(body or "") if start]
    return RevertedChange(_SUFFIX.sub("", reverted_title), (*commits, *numbers))
