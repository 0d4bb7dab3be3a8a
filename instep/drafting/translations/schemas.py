"""The shapes of translations that follow their original."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from instep.content.articles.revision_schemas import VersionText
from instep.content.articles.schemas import Article, Status
from instep.drafting.drafts.proposals import Statement
from instep.drafting.drafts.translated_versions import statement_of_versions
from instep.drafting.writer.shapes import Article as WriterArticle
from instep.drafting.writer.translating.translation_step import RootChange, TitledMarkdown


@dataclass(frozen=True, slots=True)
class FollowedTexts:
    """An original as it was when its translation was made, the original now, and the translation."""

    old: VersionText
    root: Article
    translation: Article

    @property
    def statement(self) -> Statement:
        summary = f"“{self.root.title}”, version {self.root.version}"
        return statement_of_versions(self.old.version, self.root.version, summary)

    @property
    def work_id(self) -> str:
        """The id under which completions for this change are kept until it is stored."""
        return f"{self.translation.id} {self.statement.key}"

    @property
    def change(self) -> RootChange:
        return RootChange(
            TitledMarkdown(self.old.title, self.old.content),
            writer_article(self.root),
            writer_article(self.translation),
        )


@dataclass(frozen=True, slots=True)
class ChangedBlock:
    """A part of the original before and now, and its present translation, all in Markdown."""

    old: str
    new: str
    present: str


@dataclass(frozen=True, slots=True)
class RootChanges:
    """The changes of an original since its translation was made.

    `line` is the line of the translation, from 1, at which the first change belongs. If the two texts do not
    have the same blocks, the parts have no translation.
    """

    blocks: list[ChangedBlock]
    is_aligned: bool
    line: int

    def evidence(self, file: str) -> tuple[dict[str, Any], ...]:
        """The new text, as lines that a place asks to write about."""
        return tuple(
            {"file": file, "start_line": 1, "end_line": 1, "excerpt": block.new, "article_line": self.line}
            for block in self.blocks
            if block.new
        )


@dataclass(frozen=True, slots=True)
class Following:
    """A translation with the changes of its original: its new text, or else the reason if that was refused.

    `model_name` is the model that has written the new text.
    """

    texts: FollowedTexts
    changes: RootChanges
    written: TitledMarkdown | None = None
    refusal: str = ""
    model_name: str | None = None

    @property
    def is_covered(self) -> bool:
        """True if the translation needs no change."""
        article = self.texts.translation
        return not self.changes.blocks or self.written == TitledMarkdown(article.title, article.content)


@dataclass(frozen=True, slots=True)
class CoveredLanguage:
    """A translation of an original; `outdated_since` is None if it is up to date.

    It has a proposal if a draft or a place waits for review.
    """

    root_id: str
    id: str
    locale: str
    status: Status
    outdated_since: datetime | None
    has_proposal: bool


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """The numbers of originals that a language has, up to date and outdated."""

    locale: str
    originals: int
    current: int
    outdated: int

    @property
    def missing(self) -> int:
        return self.originals - self.current - self.outdated


def writer_article(article: Article) -> WriterArticle:
    return WriterArticle(article.id, article.title, article.content, locale=article.locale)
