"""The shapes of a drift check (contract section 11)."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import MISSING, Field

from instep.platform.core import limits
from instep.platform.web.shapes import Body, Out, Text, Title

FindingKind = Literal["gone", "renamed", "value", "unknown"]
Commit = Annotated[
    Text, Field(pattern="^[0-9a-f]{7,64}$", examples=["4b825dc642cb6eb9a060e54bf8d69288fbee4904"])
]
Name = Annotated[Text, Field(min_length=1, max_length=limits.MAX_DRIFT_NAME_CHARACTERS)]
Path = Annotated[Text, Field(min_length=1, max_length=limits.MAX_DRIFT_PATH_CHARACTERS)]
Day = Annotated[Text, Field(pattern=r"^\d{4}-\d{2}-\d{2}$", examples=["2026-11-03"])]
LineNumber = Annotated[int, Field(ge=1, le=limits.MAX_INTEGER)]
Names = Annotated[list[Name], Field(max_length=limits.MAX_DRIFT_NAMES)]


class StandingLineIn(Body):
    """A line that a commit added, and where the code of the checked commit has it."""

    file: Path
    line: LineNumber
    file_today: Path
    line_today: LineNumber


class PastChangeIn(Body):
    """A commit of the history that took out names or values which articles state."""

    commit: Commit
    title: Title
    date: Day
    diff: Text = Field(description="Its hunks with these names, as a unified diff.")
    names: Names = Field(description="The names of `goneNames` that it took out.")
    standing: list[StandingLineIn] = Field(max_length=limits.MAX_DRIFT_LINES)


class MoveIn(Body):
    """A file or folder that an article names, and that a commit renamed or deleted."""

    commit: Commit
    title: Title
    date: Day
    old: Path
    new: Path | None = Field(description="Its path in the checked commit; null: it was deleted.")


class ArticleCodeIn(Body):
    """The code that bears on an article, or on a part of a long one."""

    article_id: Name
    first_line: LineNumber = Field(description="The first line of the part, as `reads` has it.")
    diff: Annotated[Text, Field(max_length=limits.MAX_ARTICLE_CODE_CHARACTERS)] = Field(
        description="A unified diff. Hunks without a changed line are of the checked commit; the others are"
        " of its history and removed names of the article, each with its date and title after `@@`."
    )


class DriftCheck(Body):
    """The contents of a checkout that bear on the statements of articles."""

    commit: Commit = Field(description="The commit whose code was read.")
    changes: list[PastChangeIn] = Field(
        max_length=limits.MAX_DRIFT_COMMITS, description="Commits of its history, newest first."
    )
    gone_names: Names = Field(description="The names of articles that the code does not have.")
    absent_keys: Names = Field(
        description="Other names in the diffs that it does not have: lower-case, only letters and digits."
    )
    moves: list[MoveIn] = Field(
        default_factory=list,
        max_length=limits.MAX_DRIFT_MOVES,
        description="New paths of files that articles name and it does not have.",
    )
    home: Text = Field(
        default="",
        max_length=limits.MAX_DRIFT_PATH_CHARACTERS,
        examples=["github.com/acme/app"],
        description="The repository whose files `moves` has: host and path, in lower case.",
    )
    code: list[ArticleCodeIn] = Field(
        default_factory=list,
        max_length=limits.MAX_DRIFT_READINGS,
        description="Code for the articles in `reads` that the bot's language model compares with it.",
    )
    is_partial: bool | MISSING = Field(
        default=MISSING, description="True if not the whole history was read: then no article is verified."
    )
    limit: Annotated[int, Field(ge=1, le=limits.MAX_DRIFT_FINDINGS)] | MISSING = Field(
        default=MISSING, description="The maximum number of findings."
    )


class ArticleNamesOut(Out):
    """An article or a part of a long one to compare with code, and the names that it states."""

    article_id: str
    first_line: int = Field(description="The first line of the part, from 1.")
    titles: list[str] = Field(description="The title and the slug of the article, as files may be named.")
    names: list[str]


class StatementsOut(Out):
    """The names and values that articles state, which the client searches the checkout for."""

    names: list[str] = Field(description="Names and addresses.")
    values: list[str] = Field(description="Numbers as code writes them: 10000 for 10,000.")
    paths: list[str] = Field(
        description="Files: app/send.py; linked ones with their repository: github.com/acme/app/send.py.",
    )
    articles: int
    statements: int
    reads: list[ArticleNamesOut] = Field(
        description="The articles that the bot's language model can compare with code, those to read first."
    )


class CodeLineOut(Out):
    """A line of the code of the checked commit."""

    file: str
    line: int
    text: str


class PastChangeOut(Out):
    """The commit that made the statement wrong."""

    commit: str
    title: str
    date: str


class DriftFindingOut(Out):
    """A statement of an article that the code contradicts."""

    article_id: str
    title: str = Field(description="The title of the article.")
    line: int = Field(description="The line of the article, from 1.")
    statement: str = Field(description="The line of the article that is wrong.")
    kind: FindingKind
    old: str = Field(description="The name or value that the article states.")
    new: str | None = Field(description="The name or value that the code has; null: none is known.")
    now: CodeLineOut | None = Field(description="The line of the code that says so; null: the name is gone.")
    changed: PastChangeOut | None = Field(description="The commit that changed it, if the history shows it.")
    draft_id: str | None = Field(description="The draft that waits for review.")
    place_id: str | None = Field(description="The place that waits for words.")


class DriftOut(Out):
    """The findings of a check, with what waits for review because of them."""

    findings: list[DriftFindingOut]
    articles: int = Field(description="Articles that were read.")
    statements: int = Field(description="Names and values that they state, counted once for each article.")
    readings: int = Field(
        description="Articles that the bot's language model compares with the code now, each in a task."
    )


@dataclass(frozen=True, slots=True)
class CheckedDrift:
    """The outcome of a check of `article_ids` against a commit; `id` is the commit, for the audit log."""

    id: str
    findings: list[DriftFindingOut]
    article_ids: list[str]
    statements: int
    readings: int

    @property
    def articles_in_step(self) -> list[str]:
        """The ids of the articles that were read and in which nothing was found."""
        wrong_articles = {finding.article_id for finding in self.findings}
        return [id for id in self.article_ids if id not in wrong_articles]


def drift_out(checked: CheckedDrift) -> DriftOut:
    return DriftOut(
        findings=checked.findings,
        articles=len(checked.article_ids),
        statements=checked.statements,
        readings=checked.readings,
    )
