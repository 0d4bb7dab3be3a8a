"""The passage of a text that answers a question best, as plain text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape

from instep.search.query.tokens import UNSEGMENTED_RUN

LENGTH = 200
# How much of it comes before the first word that was found.
LEAD = 40
# A word that stands everywhere says nothing about a place.
MOST_PLACES = 300
# Shorter ones begin too many other words.
SHORTEST_BEGINNING = 3
# In rendered text attributes have no `<` and `>`; a tag that does not end is where the text was cut.
TAG = re.compile(r"</?(\w*)[^>]*(?:>|$)")
INLINE = {"a", "code", "del", "em", "kbd", "strong", "sub", "sup"}
FOOTNOTE_MARK = re.compile(
    r'<sup class="footnote-ref"><a[^<>]*>[^<]*</a></sup>|<a [^<>]*\bclass="footnote-backref"[^<>]*>[^<]*</a>'
)
Place = tuple[int, str]


def plain_text(html: str) -> str:
    """The words of a rendered text on one line."""
    words = TAG.sub(lambda tag: "" if tag[1] in INLINE else " ", FOOTNOTE_MARK.sub("", html))
    return " ".join(unescape(words).split())


def best_passage(text: str, beginnings: Sequence[str]) -> str | None:
    """Where most of the words stand close together; None where none of them does."""
    small = lowered(text)
    held = (beginning for beginning in beginnings if beginning in small)
    places = sorted(place for beginning in held for place in places_of(small, beginning))
    return cut(text, densest(places)) if places else None


def cut(text: str, place: int = 0) -> str:
    """So much of a text around a place as an excerpt holds, from word to word."""
    start = max(0, min(place - LEAD, len(text) - LENGTH))
    if start > 0:
        start = text.find(" ", start, place) + 1 or place
    end = start + LENGTH
    if end < len(text):
        blank = text.rfind(" ", start + LENGTH // 2, end + 1)
        end = blank if blank > 0 else end
    return ("…" if start > 0 else "") + text[start:end] + ("…" if end < len(text) else "")


def densest(places: Sequence[Place]) -> int:
    """The first place from which an excerpt reaches the most different words."""
    best, most = places[0][0], 0
    reached: Counter[str] = Counter()
    end = 0
    for start, beginning in places:
        while end < len(places) and places[end][0] < start + LENGTH - LEAD:
            reached[places[end][1]] += 1
            end += 1
        if len(reached) > most:
            best, most = start, len(reached)
        reached[beginning] -= 1
        if not reached[beginning]:
            del reached[beginning]
    return best


def places_of(text: str, beginning: str) -> Iterator[Place]:
    clings = UNSEGMENTED_RUN.match(beginning)
    found, at = 0, text.find(beginning)
    while at >= 0 and found < MOST_PLACES:
        end = at + len(beginning)
        if clings or not ((at and text[at - 1].isalnum()) or is_cut_short(text, beginning, end)):
            found += 1
            yield at, beginning
        at = text.find(beginning, end)


def is_cut_short(text: str, beginning: str, end: int) -> bool:
    return len(beginning) < SHORTEST_BEGINNING and text[end : end + 1].isalnum()


def lowered(text: str) -> str:
    """In small letters, each in its place: a few capitals have two small letters."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(letter.lower()[0] for letter in text)
