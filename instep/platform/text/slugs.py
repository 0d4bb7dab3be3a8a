"""Slugs: lower-case words joined by hyphens, in letters of any script (contract section 2)."""

import re
import unicodedata
from collections.abc import Collection

from instep.platform.core import limits
from instep.platform.core.ids import looks_like_id
from instep.platform.text.characters import is_word_character

RESERVED = {"search"}
WORD = re.compile(r"\w\S*")
# Soft hyphens, joiners and variation selectors change how a word looks, not what it says.
INVISIBLE = re.compile("[\u00ad\u200d\ufe00-\ufe0f]")


def slugify(text: str, fallback: str) -> str:
    """The slug of a title; `fallback` if the title has no letter or digit."""
    lower = INVISIBLE.sub("", unicodedata.normalize("NFKC", text).lower())
    words = "".join(char if is_word_character(char) else " " for char in unicodedata.normalize("NFKC", lower))
    return "-".join(WORD.findall(words))[: limits.MAX_SLUG_CHARACTERS].strip("-") or fallback


def is_slug(text: str) -> bool:
    return text != "" and text == slugify(text, "") and text not in RESERVED and not looks_like_id(text)


def valid_slug(text: str) -> str:
    """The slug itself, for wire shapes; raises `ValueError` with a reason for any other text."""
    if text in RESERVED or looks_like_id(text):
        raise ValueError("this slug is reserved: choose another one")
    if not is_slug(text):
        suggestion = slugify(text, "my-article")
        raise ValueError(f"it must be lowercase words joined by hyphens, such as {suggestion}")
    return text


def free_slug(base: str, taken: Collection[str]) -> str:
    """`base`, or the first of `base-2`, `base-3`, … that is free, if `base` is taken or reserved."""
    if base not in taken and is_slug(base):
        return base
    number = 2
    while (candidate := numbered_slug(base, number)) in taken or looks_like_id(candidate):
        number += 1
    return candidate


def numbered_slug(base: str, number: int) -> str:
    suffix = f"-{number}"
    return base[: limits.MAX_SLUG_CHARACTERS - len(suffix)].rstrip("-") + suffix
