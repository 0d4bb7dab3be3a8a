"""What goes into the writer and what comes out of it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the product: a pull request, a commit, a release."""

    title: str
    body: str | None
    diff: str


@dataclass(frozen=True, slots=True)
class Article:
    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The lines of the code behind one edit, and the line of the proposed text that it touches."""

    file: str
    start_line: int
    end_line: int
    excerpt: str
    article_line: int | None


@dataclass(frozen=True, slots=True)
class Proposal:
    type: Literal["edit", "new_article"]
    article_id: str | None
    title: str
    text: str
    reason: str
    evidence: tuple[Evidence, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why an article that was considered got a draft, or none."""

    article_id: str
    verdict: Literal["edit", "no_edit"]
    reason: str


@dataclass(frozen=True, slots=True)
class StaleMention:
    """A name that the change removes, and an article that says it."""

    article_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Report:
    """Articles by how likely they are concerned, how likely any is (0 to 1), and the drafts."""

    ranking: tuple[str, ...]
    need: float
    proposals: tuple[Proposal, ...]
    reviewed: tuple[Verdict, ...]
    summary: str
    stale_mentions: tuple[StaleMention, ...] = ()
