"""Splits texts and queries into words; the words of a name in code stay together."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from instep.platform.text.characters import UNSEGMENTED_SCRIPTS
from instep.platform.text.terms import bigrams

PUNCTUATION = (
    r"!-/:-@\[-`{-~\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u055a-\u055f\u0589\u058a"
    r"\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u060d\u061b-\u061f\u066a-\u066d\u06d4\u0700-\u070d\u0964\u0965"
    r"\u0e3f\u0e4f\u0e5a\u0e5b\u0f01-\u0f14\u104a-\u104f\u1360-\u1368\u17d4-\u17db\u1800-\u180a"
    r"\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f"
    r"\u30a0\u30fb\ufe00-\ufe0f\ufeff\ufff0-\uffff\U0001f000-\U0001faff"
)
TERM = re.compile(r'"([^"]*)"|(\S+)')
PUNCTUATION_RUN = re.compile(f"[{PUNCTUATION}]+")
UNSEGMENTED_RUN = re.compile(f"([{UNSEGMENTED_SCRIPTS}]+)")
# Characters that belong to a name, as in C++ and C#.
SIGNED_NAME = re.compile(r"\b[A-Za-z]\w*(?:\+\+|#)(?![\w+#])")
CAMEL_CASE_BOUNDARY = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Further words of a query add little, and each of them costs time.
MAX_QUERY_WORDS = 40
# PostgreSQL accepts words of up to 2,046 bytes.
MAX_WORD_CHARACTERS = 500


def parse_query(text: str) -> tuple[str, ...]:
    """The distinct terms of a query: a word, a quoted phrase, or a name in code such as `--dry-run`.

    A phrase or a name in code is one string, its words separated by spaces. A name with special characters,
    such as C++, is a term in addition to its letters. No text is refused: a character that is neither part
    of a word nor a quote separates words.
    """
    terms: dict[str, None] = {}
    words_left = MAX_QUERY_WORDS
    for term in split_terms(unicodedata.normalize("NFKC", text)):
        words = term.split()[:words_left]
        words_left -= len(words)
        if words:
            terms[" ".join(word[:MAX_WORD_CHARACTERS] for word in words)] = None
    return tuple(terms)


def split_terms(text: str) -> Iterator[str]:
    for quoted, plain in TERM.findall(text):
        for part in UNSEGMENTED_RUN.split(PUNCTUATION_RUN.sub(" ", quoted or plain)):
            if UNSEGMENTED_RUN.fullmatch(part):
                yield from bigrams(part)
            elif part.strip():
                yield part
        yield from SIGNED_NAME.findall(plain)


def tokenize(text: str) -> Iterator[list[str]]:
    """The words of a text in lower case, one list per token: a name in code has several words.

    `pageSize` becomes the words `page` and `size`, like `page_size`, and in a separate list `pagesize`,
    because people write `github` for GitHub. A name with special characters, such as C++, comes in its own
    list after its letters. A run of a script without spaces becomes its letters and its pairs of
    letters, each in its own list.
    """
    for chunk in (text if text.isascii() else unicodedata.normalize("NFKC", text)).split():
        if chunk.isascii() and chunk.isalnum() and not CAMEL_CASE_BOUNDARY.search(chunk):
            yield [chunk.lower()[:MAX_WORD_CHARACTERS]]
            continue
        for part in UNSEGMENTED_RUN.split(PUNCTUATION_RUN.sub(" ", chunk)):
            if UNSEGMENTED_RUN.fullmatch(part):
                yield from ([pair] for pair in (*dict.fromkeys(part), *map("".join, pairwise(part))))
            elif words := [
                word.lower()[:MAX_WORD_CHARACTERS] for word in CAMEL_CASE_BOUNDARY.sub(" ", part).split()
            ]:
                yield words
                yield from ([word.lower()[:MAX_WORD_CHARACTERS]] for word in camel_case_words(part))
        yield from ([name.lower()[:MAX_WORD_CHARACTERS]] for name in SIGNED_NAME.findall(chunk))


def camel_case_words(text: str) -> list[str]:
    """The words without punctuation that consist of several words, such as `GitHub`."""
    return [word for word in text.split() if CAMEL_CASE_BOUNDARY.search(word)]


def normalize_title(text: str) -> str:
    """A title without case and punctuation, so that a typed title equals the stored one."""
    return " ".join(PUNCTUATION_RUN.sub(" ", unicodedata.normalize("NFKC", text)).lower().split())


def contains_phrase(text: str, phrase: str) -> bool:
    """True if a text contains the words of a phrase in a row, ignoring case."""
    # A phrase has the words of `pageSize` apart. None has a line break, so none is in both forms at once.
    words = f" {normalize_title(text)} \n {normalize_title(CAMEL_CASE_BOUNDARY.sub(' ', text))} "
    return f" {phrase.lower()} " in words or (
        bool(UNSEGMENTED_RUN.search(phrase)) and phrase.lower() in words
    )
