"""The lines of an article, to find runs of other lines in."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

# Lines that occur more often than this do not show where a text belongs.
_MAX_CANDIDATES = 500
# Two lines with a smaller share of common words are different lines, not an edited one.
_MIN_RESEMBLANCE = 0.6


def squeezed(line: str) -> str:
    """A line with normalized white space, as `patch -l` compares lines."""
    return " ".join(line.split())


class ArticleLines:
    """The lines of a text with their offsets; `starts` has one extra entry, the end of the text."""

    def __init__(self, text: str) -> None:
        whole = text.split("\n")
        self.lines = [squeezed(line) for line in whole]
        self.has_final_newline = text.endswith("\n")
        if self.has_final_newline or not text:
            self.lines.pop()
        self.newline = "\r\n" if text.count("\r\n") * 2 > len(whole) else "\n"
        self.starts = [0]
        for line in whole[: len(self.lines)]:
            self.starts.append(min(len(text), self.starts[-1] + len(line) + 1))
        self._places: dict[str, list[int]] = defaultdict(list)
        for index, line in enumerate(self.lines):
            self._places[line].append(index)

    def places_of(self, lines: Sequence[str]) -> list[int]:
        """The indexes at which a run of squeezed lines begins, found by its rarest line."""
        if not lines:
            return []
        offset = min(range(len(lines)), key=lambda index: len(self._places.get(lines[index], ())))
        candidates = [place - offset for place in self._places.get(lines[offset], ())]
        if len(candidates) > _MAX_CANDIDATES:
            return []
        run, length = list(lines), len(lines)
        return [place for place in candidates if place >= 0 and self.lines[place : place + length] == run]

    def resemblance(self, index: int, line: str) -> float:
        """The resemblance of the line at an index to another: 1 if equal, 0 if different."""
        if not 0 <= index < len(self.lines):
            return 0.0
        if self.lines[index] == line:
            return 1.0
        words, others = _words(self.lines[index]), _words(line)
        common = len(words & others)
        share = common / (len(words) + len(others) - common or 1)
        return share if share >= _MIN_RESEMBLANCE else 0.0


@lru_cache(maxsize=20_000)
def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


@lru_cache(maxsize=64)
def article_lines(text: str) -> ArticleLines:
    return ArticleLines(text)
