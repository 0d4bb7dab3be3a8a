"""Proposals that are not drafts yet: an edit or a new article, and its reason."""

from dataclasses import dataclass

from instep.content.articles.schemas import Article
from instep.drafting.drafts.schemas import Certainty, EvidenceOut, TitledText


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of an edit; `key` is the same in every task that finds the same."""

    key: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftOrigin:
    """The reason for a draft, and its change and task."""

    reason: str | None = None
    source_url: str | None = None
    task_id: str | None = None
    evidence: tuple[EvidenceOut, ...] = ()
    warnings: tuple[str, ...] = ()
    certainty: Certainty | None = None
    statements: tuple[Statement, ...] = ()
    # The language model that wrote a part of it.
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditProposal(DraftOrigin):
    """A proposed text of an article, and the text that it was made against."""

    content: str
    base_version: int
    base_title: str
    base_content: str
    title: str | None = None
    # The people who wrote text into earlier drafts, their lines, and the text without the lines that exist
    # only in drafts of the same change.
    edited_by_name: str | None = None
    edited_lines: tuple[int, ...] = ()
    written_title: str | None = None
    written_content: str | None = None

    @property
    def base(self) -> TitledText:
        return TitledText(self.base_title, self.base_content)

    @property
    def text(self) -> TitledText:
        return TitledText(self.title or self.base_title, self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewArticle(DraftOrigin):
    """A proposed article, and the questions of visitors that it answers."""

    title: str
    content: str
    description: str | None = None
    collection_id: str | None = None
    locale: str | None = None
    # The ids of the first and the last version of the product that it is about; None: no bound.
    since_version: str | None = None
    until_version: str | None = None
    # The article that it translates: it has the same visibility and position.
    original: Article | None = None
    questions: tuple[str, ...] = ()
