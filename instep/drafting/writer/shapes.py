"""The input and the output of the writer."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self

from instep.platform.text.characters import remove_hidden

_MAX_EXCERPT_CHARACTERS = 300
_RECORD = re.compile(r"\b(?:change ?log|release notes|what['\u2019]s new|version history)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LinkedIssue:
    """An issue that a change refers to; other people may have written it."""

    title: str
    body: str = ""

    @property
    def text(self) -> str:
        return f"{self.title}\n\n{self.body}".strip()


@dataclass(frozen=True, slots=True)
class CodeExcerpt:
    """Lines of a file after a change, the first with its number."""

    file: str
    start_line: int
    text: str


@dataclass(frozen=True, slots=True)
class ChangeContext:
    """More about a change, which only a language model reads; the next version may be empty."""

    issues: tuple[LinkedIssue, ...] = ()
    code: tuple[CodeExcerpt, ...] = ()
    next_version: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A change to the product, such as a pull request: its title, description and unified diff.

    `locales` are the languages of the articles, if they are known.
    """

    title: str
    body: str | None
    diff: str
    locales: frozenset[str] = frozenset()
    context: ChangeContext = ChangeContext()


@dataclass(frozen=True, slots=True)
class Article:
    """A published article, in Markdown or reStructuredText; `url` is its public URL, if known.

    It may also be a part, a text that articles show.
    """

    id: str
    title: str
    text: str
    url: str = ""
    locale: str = ""
    is_part: bool = False

    @property
    def is_record(self) -> bool:
        """True if the title says that it records past versions: an edit would make it false."""
        return bool(_RECORD.search(self.title))


@dataclass(frozen=True, slots=True)
class Evidence:
    """The lines of code that prove one edit, and the line of the proposed text that it touches.

    `reason` says in a sentence why the edit is needed; None if the draft's reason says it.
    """

    file: str
    start_line: int
    end_line: int
    excerpt: str
    article_line: int | None
    reason: str | None = None


def excerpt_of(code: str) -> str:
    """The beginning of lines of code for display as evidence: bounded, without invisible characters."""
    return remove_hidden(code[:_MAX_EXCERPT_CHARACTERS])


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of an edit: `key` is the same in each change that states it, `summary` is for people."""

    key: str
    summary: str


@dataclass(frozen=True, slots=True)
class DismissedEdit:
    """A dismissed edit in short, and why; without an article id it was a new article."""

    article_id: str | None
    summary: str
    reason: str


@dataclass(frozen=True, slots=True)
class WaitingEdit:
    """An article's title and text, and the same with an edit of another change that waits for review."""

    article_id: str
    text: str
    new_text: str


# The keys of suppressed statements, by the article's id; "" for new articles.
Suppressed = Mapping[str, Collection[str]]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A draft: the full new text of an article, or of a new article (without an id).

    It is certain if the change proves each of its edits, and doubtful if one of them is only likely. A new
    article belongs in the collection of the article `neighbor_id`, if there is one.
    """

    type: Literal["edit", "new_article"]
    article_id: str | None
    title: str
    text: str
    reason: str
    evidence: tuple[Evidence, ...]
    warnings: tuple[str, ...]
    is_certain: bool = False
    is_doubtful: bool = False
    statements: tuple[Statement, ...] = ()
    neighbor_id: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The reason that an article that was considered got a draft, or got none.

    A `concerned` article should say more, but the change does not provide the text: `heading` is the section
    of the article to write in (None for no section), and `evidence` has the lines of code.
    """

    article_id: str
    verdict: Literal["edit", "concerned", "no_edit"]
    reason: str
    heading: str | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A place where an article needs text that the change does not provide.

    `heading` is the section to write in (None for no section), `line` the line of the article, from 1, and
    `reason` a sentence. `evidence` has the lines of code that the text should cover.
    """

    article_id: str
    heading: str | None
    line: int
    reason: str
    evidence: tuple[Evidence, ...]
    statement: Statement


@dataclass(frozen=True, slots=True)
class StaleMention:
    """A name that the change removes, and an article that still mentions it."""

    article_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Report:
    """`ranking` has article ids, best first; `need` is the probability (0 to 1) that any needs an edit.

    `edit_sentence` is about the edits that the change proves, if there are any; `notes` come last.
    """

    ranking: tuple[str, ...]
    need: float
    proposals: tuple[Proposal, ...]
    reviewed: tuple[Verdict, ...]
    edit_sentence: str
    stale_mentions: tuple[StaleMention, ...] = ()
    places: tuple[Place, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """A few sentences: what was edited, how many articles need writing, and what was not read."""
        needs = "" if self.proposals else "No article clearly needs an edit."
        if self.places:
            needs = f"{with_noun(len(self.places), 'article')} may need writing."
        sentences = list(filter(None, [self.edit_sentence, needs, *self.notes]))
        new_articles = sum(row.type == "new_article" for row in self.proposals)
        return " ".join(sentences) or f"Proposed {with_noun(new_articles, 'new article')}."

    def with_note(self, sentence: str) -> Self:
        return replace(self, notes=(*self.notes, sentence))


def with_noun(count: int, noun: str) -> str:
    """The number with its noun: “no articles”, “1 article”, “2 articles”."""
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"
