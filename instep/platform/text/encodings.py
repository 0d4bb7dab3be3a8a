"""Decodes text of unknown encoding: Unicode by marks and validity, older encodings by plausibility."""

import codecs
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

# The marks of UTF-32 begin with those of UTF-16, so they come first.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
BYTE_ORDER_MARK = "\ufeff"
# The share of characters in UTF-16 with a zero first byte, as every ASCII character has.
MIN_ZEROS = 0.6
MIN_UTF16_BYTES = 8
# Accented letters occur alone or in pairs, next to plain letters.
ACCENTED = re.compile(r"[^\x00-\x7f]+")
MAX_ACCENTED_IN_A_ROW = 2
PUNCTUATION = frozenset("\u2019\u2013\u201c\u201d\u201e\u2026«»€°§")
WORD = re.compile(r"\w+")
DECOMPOSED = re.compile(r"[^\W\d_][\u0300-\u036f\u3099\u309a]+")
# The number of characters that suffice to recognize the encoding.
MAX_JUDGED = 20_000


class Decoded(NamedTuple):
    """A text; `guess` names the encoding if only plausibility determined it."""

    text: str
    guess: str | None = None


def decode_bytes(content: bytes) -> Decoded | None:
    """The text of bytes without byte order mark; None for bytes that are no text in any encoding."""
    text = decode_unicode(content)
    return Decoded(text) if text is not None else guess_text(content)


def decode_unicode(content: bytes) -> str | None:
    """The text of bytes in UTF-8, UTF-16 or UTF-32; None for all others."""
    encoding = next((name for mark, name in MARKS if content.startswith(mark)), None) or utf16_of(content)
    try:
        return content.decode(encoding or "utf-8").lstrip(BYTE_ORDER_MARK)
    except UnicodeDecodeError:
        return None


def utf16_of(content: bytes) -> str | None:
    """The UTF-16 variant of bytes without a mark, if it is evident."""
    if len(content) % 2 or len(content) < MIN_UTF16_BYTES:
        return None
    for encoding, zeros, others in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        least = MIN_ZEROS * len(content) / 2
        if content[zeros::2].count(0) >= least and not content[others::2].count(0):
            return encoding
    return None


def guess_text(content: bytes) -> Decoded | None:
    """The text in the first older encoding that yields plausible words."""
    for encoding, name, is_plausible in GUESSES:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if is_plausible(text):
            return Decoded(text, name)
    return None


def is_western(text: str) -> bool:
    """True if all non-ASCII characters are accented Latin letters among plain ones."""
    words = ACCENTED.findall(text[:MAX_JUDGED])
    signs = set("".join(words))
    if not all(sign in PUNCTUATION or is_latin(sign) for sign in signs):
        return False
    plain = sum(sign.isascii() and sign.isalpha() for sign in text[:MAX_JUDGED])
    return max(map(len, words), default=0) <= MAX_ACCENTED_IN_A_ROW and plain >= sum(map(len, words))


def is_latin(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith("LATIN ") and sign not in "ªº"


def is_cyrillic(text: str) -> bool:
    """True if all non-ASCII characters are Cyrillic, and most of the words have small letters."""
    words = [word for word in WORD.findall(text[:MAX_JUDGED]) if not word.isascii()]
    small = sum(word[1:].islower() for word in words)
    is_written = all(word[1:].islower() or word.isupper() or len(word) == 1 for word in words)
    return is_of(text, "CYRILLIC ") and is_written and 2 * small >= len(words)


def is_japanese(text: str) -> bool:
    return is_of(text, "CJK UNIFIED", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH")


def is_korean(text: str) -> bool:
    return is_of(text, "HANGUL SYLLABLE")


def is_chinese(text: str) -> bool:
    return is_of(text, "CJK UNIFIED", "IDEOGRAPHIC", "FULLWIDTH", "LEFT", "RIGHT")


def is_of(text: str, *beginnings: str) -> bool:
    """True if the names of all non-ASCII characters begin with one of these."""
    signs = {sign for sign in text[:MAX_JUDGED] if not sign.isascii()}
    return all(unicodedata.name(sign, "").startswith(beginnings) for sign in signs)


# The first plausible one counts, so those that make words of few bytes come first.
GUESSES: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("cp1252", "Windows-1252", is_western),
    ("cp437", "code page 437", is_western),
    ("cp850", "code page 850", is_western),
    ("cp1250", "Windows-1250", is_western),
    ("cp852", "code page 852", is_western),
    ("cp1251", "Windows-1251", is_cyrillic),
    ("cp866", "code page 866", is_cyrillic),
    ("cp932", "Shift-JIS", is_japanese),
    ("euc_kr", "EUC-KR", is_korean),
    ("gb2312", "GBK", is_chinese),
    ("big5", "Big5", is_chinese),
    ("gb18030", "GBK", is_chinese),
)


def composed(text: str) -> str:
    """The text with each letter and its accents as one character; other characters are unchanged."""
    return DECOMPOSED.sub(lambda letter: unicodedata.normalize("NFC", letter[0]), text)
