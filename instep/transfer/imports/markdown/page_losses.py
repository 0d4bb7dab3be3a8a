"""The losses of one page, each with its line in the file."""

from collections import defaultdict

from instep.transfer.imports.tree.schemas import Losses


class PageLosses:
    """Finds the lines itself, so that a text can be changed in many steps before a loss is recorded.

    The same words, recorded several times, refer to their occurrences in the file in order.
    """

    def __init__(self, path: str, source: str, losses: Losses) -> None:
        self.path, self.source, self.losses = path, source, losses
        self._ends: defaultdict[str, int] = defaultdict(int)

    def add(self, what: str, words: str = "") -> None:
        """Record `what` as lost at the occurrence of `words`, the beginning of a passage in the file."""
        self.losses.add(self.path, what, self._line_of(words))

    def _line_of(self, words: str) -> int | None:
        # Behind a NUL there is code that is hidden from the reader.
        beginning = words.strip().partition("\n")[0].partition("\x00")[0].strip()
        if not beginning:
            return None
        start = self.source.find(beginning, self._ends[beginning])
        if start < 0:
            start = self.source.find(beginning)
        self._ends[beginning] = start + len(beginning)
        return None if start < 0 else self.source.count("\n", 0, start) + 1
