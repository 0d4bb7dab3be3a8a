"""The losses of one page, each with its line in the file."""

from collections import defaultdict

from instep.transfer.imports.tree.schemas import Losses


class PageLosses:
    """Records losses of a page and finds their lines in the file, however much the text was changed before.

    If the same words are recorded several times, they refer to successive occurrences in the file.
    """

    def __init__(self, path: str, source: str, losses: Losses) -> None:
        self.path, self.source, self.losses = path, source, losses
        self._ends: defaultdict[str, int] = defaultdict(int)

    def add(self, what: str, words: str = "") -> None:
        """Record the loss `what` at the next occurrence of `words`, the beginning of a passage."""
        self.losses.add(self.path, what, self._line_of(words))

    def add_refusal(self, path: str, words: str) -> None:
        """Record that the text of a file is not included because of the limits of a page."""
        what = "files include each other too deeply, or the page's included texts are too large"
        self.add(f"file {path}, because {what}", words)

    def _line_of(self, words: str) -> int | None:
        # Hidden code begins at a NUL.
        beginning = words.strip().partition("\n")[0].partition("\x00")[0].strip()
        if not beginning:
            return None
        start = self.source.find(beginning, self._ends[beginning])
        if start < 0:
            start = self.source.find(beginning)
        self._ends[beginning] = start + len(beginning)
        return None if start < 0 else self.source.count("\n", 0, start) + 1
