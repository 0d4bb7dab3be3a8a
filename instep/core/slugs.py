"""Slugs: lower-case words joined by hyphens, letters of any script kept (contract section 2)."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from psycopg.errors import UniqueViolation

from instep.core import limits
from instep.core.errors import AppError
from instep.core.ids import looks_like_id

RESERVED = {"search"}
WORD = re.compile(r"\w\S*")
# Soft hyphens, joiners and variants of a character: they change how a word looks, not what it says.
UNSEEN = re.compile("[\u00ad\u200d\ufe00-\ufe0f]")


class SlugTaken(AppError):
    """The slug is in use already: choose another one."""

    code = "slug_taken"


def slugify(text: str, fallback: str) -> str:
    """The slug of a title; `fallback` where no letter or digit is left."""
    plain = UNSEEN.sub("", unicodedata.normalize("NFKC", text).lower())
    kept = "".join(sign if is_of_word(sign) else " " for sign in unicodedata.normalize("NFKC", plain))
    return "-".join(WORD.findall(kept))[: limits.MAX_SLUG_CHARACTERS].strip("-") or fallback


def is_of_word(sign: str) -> bool:
    """Marks are a part of their letter: without its vowel signs a Hindi or Thai word is another one."""
    return sign.isalnum() or unicodedata.category(sign) in ("Mn", "Mc")


def is_slug(text: str) -> bool:
    return text != "" and text == slugify(text, "") and text not in RESERVED and not looks_like_id(text)


def valid_slug(text: str) -> str:
    """For wire shapes: the slug itself, or why it can't be one."""
    if text in RESERVED or looks_like_id(text):
        raise ValueError("this slug is reserved: choose another one")
    if not is_slug(text):
        suggestion = slugify(text, "my-article")
        raise ValueError(f"it must be lower-case words joined by hyphens, such as {suggestion}")
    return text


def free_slug(base: str, taken: Collection[str]) -> str:
    """`base`, or `base-2`, `base-3`, … where it is taken or reserved."""
    if base not in taken and is_slug(base):
        return base
    number = 2
    while (candidate := numbered(base, number)) in taken or looks_like_id(candidate):
        number += 1
    return candidate


def numbered(base: str, number: int) -> str:
    suffix = f"-{number}"
    return base[: limits.MAX_SLUG_CHARACTERS - len(suffix)].rstrip("-") + suffix


@contextmanager
def slug_must_be_free() -> Iterator[None]:
    """Let the database decide, which no race can deceive: its unique indexes of slugs end in `_slug`."""
    try:
        yield
    except UniqueViolation as error:
        if (error.diag.constraint_name or "").endswith("_slug"):
            raise SlugTaken from None
        raise
