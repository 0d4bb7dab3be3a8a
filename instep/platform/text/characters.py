"""Rules about single characters: word characters, hidden characters, and those that a terminal can show."""

import re
import unicodedata

# Scripts that put no spaces between words, and Korean, whose words carry their endings. The ranges are meant
# for a character class of a regular expression.
UNSEGMENTED_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
# General categories (Unicode 15, section 4.5) of characters without a shape: controls, format characters such
# as direction marks, private use, halves of surrogate pairs, and unassigned code points.
HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Co", "Cs", "Cn"))
# Separators, fillers and variation selectors, which Unicode counts among the letters, marks and separators.
_UNSEEN = frozenset("\u2028\u2029\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | set(
    map(chr, range(0xE0100, 0xE01F0))
)
# Without joiners some scripts and emoji would look different.
JOINERS = "\u200c\u200d"
# Characters that leave a text visibly empty, for a character class of a regular expression: white
# space, controls, and the format characters that occur in texts, such as the zero-width space.
INVISIBLE = r"\s\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
VISIBLE = re.compile(f"[^{INVISIBLE}]")
ELLIPSIS = "…"
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def is_word_character(char: str) -> bool:
    """True if a character is a letter, a digit or a mark.

    Marks belong to their letter: without its vowel signs a Hindi or Thai word is a different word.
    """
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc")


def whole_number(text: str, max_digits: int = 9) -> int | None:
    """The number made of at most `max_digits` digits from 0 to 9; None for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= max_digits else None


def shows_something(text: str) -> bool:
    """True if any part of a text is visible."""
    return VISIBLE.search(text) is not None


def has_hidden(text: str) -> bool:
    """True if a text contains a character that a reader can't see; line breaks and joiners count too."""
    return not (text.isascii() and text.isprintable()) and any(map(is_hidden, text))


def remove_hidden(text: str) -> str:
    """The text without hidden characters, except line feeds, tabs and joiners."""
    return "".join(char for char in text if char in "\n\t" or char in JOINERS or not is_hidden(char))


def filled(text: str | None) -> str | None:
    """A field of a form without spaces around it; None if it was left empty."""
    return (text or "").strip() or None


def with_single_spaces(text: str) -> str:
    """The text in one line, with single spaces between its words."""
    return " ".join(text.split())


def in_one_line(text: str) -> str:
    """The text without hidden characters except joiners, and with single spaces between its words."""
    return with_single_spaces(remove_hidden(with_single_spaces(text)))


def replace_unprintable(text: str, allowed: str = "") -> str:
    """The text with U+FFFD for hidden or terminal-controlling characters, unless they are `allowed`."""
    return "".join(
        char
        if char in allowed or (char.isprintable() and char not in _UNSEEN)
        else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )


def shorten(text: str, max_characters: int, *, at_word: bool = False) -> str:
    """The text cut to `max_characters` with an ellipsis, `at_word` after a whole word."""
    if len(text) <= max_characters:
        return text
    beginning = text[: max_characters - len(ELLIPSIS)]
    return (beginning.rsplit(" ", 1)[0] if at_word else beginning).rstrip() + ELLIPSIS


def quantity(number: int, noun: str) -> str:
    """`1 draft`, `2,000 drafts`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def is_storable(text: str) -> bool:
    """True if PostgreSQL can store a text: it has no NUL and no lone surrogate.

    Lone surrogates come from JSON, and from command arguments that are not UTF-8 (PEP 383).
    """
    return UNSTORABLE.search(text) is None


def replace_unstorable(text: str) -> str:
    """The text with U+FFFD for characters that PostgreSQL can't store."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def is_hidden(char: str) -> bool:
    """True if a reader can't see a character; line breaks, tabs and joiners are hidden, too."""
    return unicodedata.category(char) in HIDDEN_CATEGORIES or char in _UNSEEN
