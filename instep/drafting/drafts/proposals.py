"""Proposals before they are drafts: an edit of an article or a new one, and why."""

from dataclasses import dataclass

from instep.drafting.drafts.schemas import Certainty, EvidenceOut, TitledText


@dataclass(frozen=True, slots=True)
class Statement:
    """What an edit of the writer says: `key` is the same in every task that finds the same."""

    key: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftOrigin:
    """Why a draft is proposed, and by which change and task."""

    reason: str | None = None
    source_url: str | None = None
    task_id: str | None = None
    evidence: tuple[EvidenceOut, ...] = ()
    warnings: tuple[str, ...] = ()
    certainty: Certainty | None = None
    statements: tuple[Statement, ...] = ()
    # The name of the language model that wrote a part of it.
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditProposal(DraftOrigin):
    """A proposed text of an article, and the text that it was made against."""

    content: str
    base_version: int
    base_title: str
    base_content: str
    title: str | None = None
    # Who wrote words of it into earlier drafts, in which lines, and the text without those of them that only
    # drafts of the same change have.
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
    collection_id: str | None = None
    locale: str | None = None
    questions: tuple[str, ...] = ()
