"""The shapes of translations that follow their original."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import MISSING, Field

from instep.content.articles.revision_schemas import VersionText
from instep.content.articles.schemas import Article, Status
from instep.drafting.drafts.proposals import Statement
from instep.drafting.drafts.translated_versions import statement_of_versions
from instep.drafting.writer.shapes import Article as WriterArticle
from instep.drafting.writer.translating.translation_step import RootChange, TitledMarkdown
from instep.platform.llm.budget import ModelUse
from instep.platform.web.catalogues import catalogue_of
from instep.platform.web.shapes import Body, Locale, Out, Text


@dataclass(frozen=True, slots=True)
class FollowedTexts:
    """An original as it was when its translation was made, the original now, and the translation."""

    old: VersionText
    root: Article
    translation: Article

    @property
    def is_old_text_lost(self) -> bool:
        """True if an import has brought an outdated translation without the text that it was made from."""
        is_outdated = any(
            row["outdated"] for row in self.root.translations if row["id"] == self.translation.id
        )
        return is_outdated and self.old.version == self.root.version

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
        if self.texts.is_old_text_lost:
            return False
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


@dataclass(frozen=True, slots=True)
class TranslatableArticle:
    """An original, its size, and whether its translation into a language exists or waits.

    It waits for its job, or for a person after the model's text was refused.
    """

    id: str
    bytes: int
    state: Literal["missing", "translated", "waiting"]


@dataclass(frozen=True, slots=True)
class WaitingLanguage:
    """The number of articles that wait for their translation into a language."""

    locale: str
    count: int


def translation_key(locale: str) -> str:
    """The key of the statement that an article has no translation into a language."""
    return f"translation into {locale}"


@dataclass(frozen=True, slots=True)
class MissingTranslation:
    """An article without a translation: its new text, or else the reason if that was refused."""

    root: Article
    locale: str
    written: TitledMarkdown | None = None
    refusal: str = ""
    model_name: str | None = None

    @property
    def statement(self) -> Statement:
        return Statement(translation_key(self.locale), f"“{self.root.title}” in {self.language}")

    @property
    def work_id(self) -> str:
        """The id under which completions are kept until the translation is stored."""
        return f"{self.root.id} {self.locale} {self.root.version}"

    @property
    def language(self) -> str:
        return catalogue_of("en").language(self.locale)

    @property
    def reason(self) -> str:
        if self.written is None:
            return f"“{self.root.title}” has no translation into {self.language}."
        return (
            f"“{self.root.title}” was translated into {self.language} by {self.model_name}: compare the whole"
            " text with the original."
        )


@dataclass(frozen=True, slots=True)
class TranslationPlan:
    """The articles that get a translation, the numbers of others, and the model's estimated usage.

    `translated` articles have one or a draft of one, `waiting` ones wait for it or have a place because the
    model's text was refused, and `left` ones are more than one request may schedule. `model` and `use`
    are None without a model for translations.
    """

    locale: str
    article_ids: list[str]
    translated: int
    waiting: int
    left: int
    model: str | None
    use: ModelUse | None

    @property
    def id(self) -> str:
        """The name of the request in the audit log."""
        return self.locale


class ArticlesToTranslate(Body):
    """The articles to translate: one, those of a collection and the collections in it, or all."""

    locale: Locale = Field(description="The language to translate into.")
    article_id: Text | MISSING = Field(default=MISSING, description="Only this article, by its id or slug.")
    collection_id: Text | MISSING = Field(
        default=MISSING, description="Only articles of this collection, by its id or slug."
    )
    dry_run: bool | MISSING = Field(default=MISSING, description="True: only count and estimate.")


class ModelEstimateOut(Out):
    """The estimated usage of a language model."""

    name: str
    input_tokens: int
    output_tokens: int
    cost: str | None = Field(description="In the currency of the model's prices; null without prices.")


class TranslationPlanOut(Out):
    """The numbers of articles of a request for translations."""

    locale: str
    articles: int = Field(description="Articles that get a translation, as a draft for review.")
    translated: int = Field(description="Skipped: they have a translation, or a draft of one.")
    waiting: int = Field(
        description="Articles that wait for their translation, or for a person because the model's text was"
        " refused; name such an article to try again."
    )
    left: int = Field(description="Articles beyond the limit of one request: send it again later.")
    model: ModelEstimateOut | None = Field(
        description="The estimated usage; null without a model for translations: the articles get places."
    )


def translation_plan_out(plan: TranslationPlan) -> TranslationPlanOut:
    model = None
    if plan.model is not None and plan.use is not None:
        use, cost = plan.use, f"{plan.use.cost:.2f}" if plan.use.cost else None
        model = ModelEstimateOut(
            name=plan.model, input_tokens=use.input_tokens, output_tokens=use.output_tokens, cost=cost
        )
    return TranslationPlanOut(
        locale=plan.locale,
        articles=len(plan.article_ids),
        translated=plan.translated,
        waiting=plan.waiting,
        left=plan.left,
        model=model,
    )


def writer_article(article: Article) -> WriterArticle:
    return WriterArticle(article.id, article.title, article.content, locale=article.locale)
