"""The editor's operations on the text of an article: open, autosave, save, publish."""

from dataclasses import dataclass
from datetime import datetime

from instep.content.articles import overviews, queries
from instep.content.articles.body_schemas import TextEdit
from instep.content.articles.queries import NO_WORKING_COPY
from instep.content.articles.schemas import Article, TextSource
from instep.content.articles.texts import find_article, find_working_copy, replace_text, save
from instep.platform.core.errors import Conflict
from instep.platform.core.etags import etag_of
from instep.platform.identity.access import refuse_beyond, refuse_paused, writes
from instep.platform.identity.schemas import Ctx
from instep.platform.identity.scopes import Scope
from instep.platform.text.diff import changed_lines, split_lines
from instep.platform.text.line_ends import value_in_field, with_line_ends_of


@dataclass(frozen=True, slots=True)
class EditedText:
    """The text of an article in the editor, with its author and time.

    It is the working copy, or else the article's own text.
    """

    article: Article
    title: str
    content: str
    author_name: str
    saved_at: datetime

    @property
    def id(self) -> str:
        return self.article.id

    @property
    def version(self) -> str:
        """Changes only with the text: a client that saves sends the version that its text is based on."""
        return etag_of(self.article.id, self.title, self.content).strip('"')


@dataclass(frozen=True, slots=True)
class TranslatedText:
    """The source of a translation; `new_lines` are the lines, from 0, added since it was written."""

    title: str
    locale: str
    lines: list[str]
    new_lines: frozenset[int]


class EditedMeanwhile(Conflict):
    """Someone else has changed this text since you opened it: compare both, and save yours again."""

    def __init__(self, current: EditedText) -> None:
        super().__init__()
        self.current = current


async def open_text(ctx: Ctx, ref: str, *, lock: bool = False) -> EditedText:
    """The initial state of the editor."""
    article = await find_article(ctx, ref, lock=lock)
    if copy := await find_working_copy(ctx, article):
        return EditedText(article, copy.title, copy.content, copy.author_name, copy.saved_at)
    author = await queries.find_text_author(ctx, article.id)
    return EditedText(article, article.title, article.content, author.name, author.changed_at)


async def autosave_text(ctx: Ctx, ref: str, edit: TextEdit, version: str) -> EditedText:
    """Store typed text as the working copy; the article's own text, live or draft, does not change.

    `version` is that of the opened text. Raises `EditedMeanwhile` if it is no longer current, unless
    the same text has already arrived. Saving and publishing are in the audit log; autosaves, which come
    with every pause in typing, are not.
    """
    refuse_beyond(ctx.actor.scope, Scope.WRITE)
    await refuse_paused(ctx)
    current = await open_text(ctx, ref, lock=True)
    title, content = (
        value_in_field(current.title, edit.title),
        with_line_ends_of(current.content, edit.content),
    )
    if (title, content) == (current.title, current.content):
        return current
    if version != current.version:
        raise EditedMeanwhile(current)
    article = current.article
    is_own_text = (title, content) == (article.title, article.content)
    changes = NO_WORKING_COPY if is_own_text else queries.working_columns(ctx, title, content)
    await save(ctx, article, changes, "markdown")
    return await open_text(ctx, article.id)


async def open_source(ctx: Ctx, source_ref: str, translation_id: str | None) -> TranslatedText:
    """The source text, with its changes since the translation was last written."""
    source = await find_article(ctx, source_ref)
    before = (
        (await overviews.find_source_text(ctx, translation_id)).content if translation_id else source.content
    )
    changes = await changed_lines(before, source.content) if before != source.content else None
    new_lines = changes.added if changes else frozenset()
    return TranslatedText(source.title, source.locale, split_lines(source.content), new_lines)


@writes
async def save_text(ctx: Ctx, ref: str, edit: TextEdit, version: str) -> EditedText:
    """Save the editor's text: as the text of a draft, or as the working copy of a published article.

    The live text does not change until it is published again.
    """
    edited = await autosave_text(ctx, ref, edit, version)
    if edited.article.is_live or not edited.article.has_unpublished_changes:
        return edited
    await replace_text(ctx, edited.article, edited.title, edited.content, TextSource("update"))
    return await open_text(ctx, edited.id)
