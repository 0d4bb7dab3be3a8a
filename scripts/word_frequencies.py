"""Writes the frequencies of common words: `python -m scripts.word_frequencies FOLDER`.

FOLDER is `wordfreq/data` of the package wordfreq 3.1.1, whose data are licensed CC BY-SA 4.0 by Robyn Speer
and others; so are the files that this writes. The package `msgpack` reads them. A word is kept if at least
three of a thousand articles have it by chance.
"""

import gzip
import importlib
import sys
from itertools import pairwise
from math import log10
from pathlib import Path
from typing import Any

from instep.search.query.frequencies import FOLDER, LANGUAGES, WORDS_OF_ARTICLE
from instep.search.query.tokenizer import UNSEGMENTED_RUN, tokenize

MIN_SHARE = 0.003


def main(folder: Path) -> None:
    for language in LANGUAGES:
        by_level: dict[int, list[str]] = {}
        for word, frequency in sorted(frequencies_of(folder / f"small_{language}.msgpack.gz").items()):
            if frequency * WORDS_OF_ARTICLE >= MIN_SHARE:
                by_level.setdefault(round(-10 * log10(frequency)), []).append(word)
        lines = [f"{level} {' '.join(words)}" for level, words in sorted(by_level.items())]
        text = "\n".join(lines).encode()
        (FOLDER / f"{language}.txt.gz").write_bytes(gzip.compress(text, 9, mtime=0))


def frequencies_of(path: Path) -> dict[str, float]:
    """The frequency of each word as the search reads it; in scripts without blanks, of pairs of letters."""
    msgpack: Any = importlib.import_module("msgpack")
    frequencies: dict[str, float] = {}
    # The first item is a header; word lists follow, by hundredths of a Bel below 1.
    for level, words in enumerate(msgpack.loads(gzip.decompress(path.read_bytes()))[1:]):
        for word in words:
            for part in parts_of(word):
                frequencies[part] = frequencies.get(part, 0) + 10 ** (-level / 100)
    return frequencies


def parts_of(word: str) -> list[str]:
    if UNSEGMENTED_RUN.search(word):
        return [*word, *map("".join, pairwise(word))]
    words = [part for token in tokenize(word) for part in token]
    return words if len(words) == 1 else []


if __name__ == "__main__":
    main(Path(sys.argv[1]))
