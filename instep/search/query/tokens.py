"""Words of texts and of questions; of a question also its terms, which are words that belong together."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

PUNCTUATION = (
    r"!-/:-@\[-`{-~\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u055a-\u055f\u0589\u058a"
    r"\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u060d\u061b-\u061f\u066a-\u066d\u06d4\u0700-\u070d\u0964\u0965"
    r"\u0e3f\u0e4f\u0e5a\u0e5b\u0f01-\u0f14\u104a-\u104f\u1360-\u1368\u17d4-\u17db\u1800-\u180a"
    r"\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f"
    r"\u30a0\u30fb\ufe00-\ufe0f\ufeff\ufff0-\uffff\U0001f000-\U0001faff"
)
UNSEGMENTED_SCRIPTS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3040-\u30ff"
    r"\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f"
    r"\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
TERM = re.compile(r'"([^"]*)"|(\S+)')
PUNCTUATION_RUN = re.compile(f"[{PUNCTUATION}]+")
UNSEGMENTED_RUN = re.compile(f"([{UNSEGMENTED_SCRIPTS}]+)")
CAMEL_CASE_BOUNDARY = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# What is asked for beyond these many words tells little, and each costs time.
MAX_QUERY_WORDS = 40
MIN_PREFIX_CHARACTERS = 3
# PostgreSQL takes words of up to 2,046 bytes.
MAX_WORD_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class QueryText:
    """A term is a word, a quoted phrase or a name in code such as `--dry-run`: words with blanks between."""

    terms: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        return list(dict.fromkeys(word for term in self.terms for word in term.split()))

    @property
    def beginning(self) -> str | None:
        """The last word, where it may be the beginning of one; too short a one begins everything."""
        last = self.words[-1]
        return last if len(last) >= MIN_PREFIX_CHARACTERS or UNSEGMENTED_RUN.match(last) else None


def parse_query(text: str) -> QueryText:
    """No text is refused: what is neither word nor quote is a blank."""
    terms: dict[str, None] = {}
    left = MAX_QUERY_WORDS
    for term in terms_of(unicodedata.normalize("NFKC", text)):
        words = term.split()[:left]
        left -= len(words)
        if words:
            terms[" ".join(word[:MAX_WORD_CHARACTERS] for word in words)] = None
    return QueryText(tuple(terms))


def terms_of(text: str) -> Iterator[str]:
    for quoted, plain in TERM.findall(text):
        for part in UNSEGMENTED_RUN.split(PUNCTUATION_RUN.sub(" ", quoted or plain)):
            if UNSEGMENTED_RUN.fullmatch(part):
                yield from bigrams(part)
            elif part.strip():
                yield part


def bigrams(run: str) -> list[str]:
    """A script without blanks is searched by pairs of letters; one letter alone is a word."""
    return [first + second for first, second in pairwise(run)] or [run]


def tokenize(text: str) -> Iterator[list[str]]:
    """The words of a text in small letters, those together between which there is no blank: a name in code.

    `pageSize` is the words `page` and `size`, as `page_size` is. A run of a script without blanks is its
    letters and its pairs of letters, each alone.
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


def title_of(text: str) -> str:
    """What makes two titles the same to somebody who types one."""
    return " ".join(PUNCTUATION_RUN.sub(" ", unicodedata.normalize("NFKC", text)).lower().split())


def holds(text: str, phrase: str) -> bool:
    """Whether the words of a phrase stand together in a text, in capitals or not."""
    words = f" {title_of(text)} "
    return f" {phrase.lower()} " in words or (
        bool(UNSEGMENTED_RUN.search(phrase)) and phrase.lower() in words
    )
