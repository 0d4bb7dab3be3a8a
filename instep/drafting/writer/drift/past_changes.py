"""Changes of the past as a checkout reports them, and the statements that they have made wrong."""

import re
from dataclasses import dataclass
from typing import Literal

from instep.drafting.writer.articles.passages import line_of
from instep.drafting.writer.editing.edits import Edit
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.shapes import Article

DriftKind = Literal["gone", "renamed", "value"]
_SEPARATORS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class TodaysLine:
    """The current positions of a line that a commit added; it was `line` of `file` in the commit."""

    file: str
    line: int
    file_today: str
    line_today: int


@dataclass(frozen=True, slots=True)
class PastChange:
    """A commit, with those of its hunks that took names out of the code, and the names."""

    commit: str
    title: str
    date: str
    diff: str
    names: tuple[str, ...]
    standing: tuple[TodaysLine, ...]


@dataclass(frozen=True, slots=True)
class MovedFile:
    """A path of the repository that a change has renamed, to its path of today, or deleted."""

    old: str
    new: str | None
    change: PastChange


@dataclass(frozen=True, slots=True)
class CodeToday:
    """The names that the current code lacks: `gone_names` of articles, and `absent_keys` of other names.

    `moves` are of files and folders of the repository `home`, such as `github.com/acme/shop`.
    """

    gone_names: frozenset[str]
    absent_keys: frozenset[str]
    moves: tuple[MovedFile, ...] = ()
    home: str = ""

    def lacks(self, text: str) -> bool:
        return (
            text in self.gone_names
            or f"--{text}" in self.gone_names
            or spelling_key(text) in self.absent_keys
        )


@dataclass(frozen=True, slots=True)
class Drift:
    """A statement of an article (offsets in characters) that a past change has made wrong."""

    kind: DriftKind
    article: Article
    start: int
    end: int
    change: PastChange
    source: SourceLine
    edit: Edit | None = None

    @property
    def name(self) -> str:
        return self.article.text[self.start : self.end]

    @property
    def line(self) -> int:
        return line_of(self.article.text, self.start)


def spelling_key(name: str) -> str:
    """The same key for all spellings of a name: `--max-size`, `max_size`, `MaxSize`."""
    return _SEPARATORS.sub("", name).lower()
