"""Changes of a pending draft's title and text, which keep the text before as a version."""

from typing import Any

from instep.content.articles.schemas import TextSource
from instep.content.articles.texts import replace_text
from instep.drafting.drafts import queries, version_queries
from instep.drafting.drafts.applying import NoChanges
from instep.drafting.drafts.edited_lines import lines_after_edit
from instep.drafting.drafts.hunks import SIDES
from instep.drafting.drafts.pending import lock_article
from instep.drafting.drafts.schemas import DraftTexts, DraftUpdate
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import compare


async def change_proposal(
    ctx: Ctx, draft: DraftTexts, update: DraftUpdate, columns: dict[str, Any] | None = None
) -> bool:
    """Give a locked pending draft another title or text, and its `columns`; return False if it has both.

    Without `columns`, the caller has edited the text: the code change does not prove it any more.
    """
    changes = _changed_columns(draft, update)
    if not changes:
        return False
    content = changes.get("content_markdown", draft.content)
    if columns is None:
        columns = await edited_columns(draft, content, ctx.actor.name)
    change = _change_edit if draft.type == "edit" else _change_new
    await version_queries.keep(ctx, draft.id)
    await change(ctx, draft, changes, columns)
    return True


async def edited_columns(draft: DraftTexts, content: str, editor: str) -> dict[str, Any]:
    """The columns of a draft after `editor` gave it this text."""
    lines = await lines_after_edit(draft, content)
    columns = {"edited_by_name": editor, **queries.line_columns(lines)}
    if draft.type == "edit":
        columns |= {"certainty": None if draft.certainty is None else "likely"}
    if draft.type == "edit" and draft.edited_by_name is None:
        columns |= {"written_title": draft.proposed_title, "written_markdown": draft.content}
    return columns


async def _change_edit(ctx: Ctx, draft: DraftTexts, changes: dict[str, Any], columns: dict[str, Any]) -> None:
    content = changes.get("content_markdown", draft.content)
    if content == draft.current_content and changes.get("title", draft.proposed_title) is None:
        raise NoChanges
    counts = await compare(draft.base_content, content, SIDES)
    counted = {"additions": counts.additions, "deletions": counts.deletions}
    await queries.change_text(ctx, draft.id, {**changes, **counted, **columns})


async def _change_new(ctx: Ctx, draft: DraftTexts, changes: dict[str, Any], columns: dict[str, Any]) -> None:
    article = await lock_article(ctx, draft)
    title, content = changes.get("title", article.title), changes.get("content_markdown", article.content)
    await queries.change_columns(ctx, draft.id, columns)
    await replace_text(ctx, article, title, content, TextSource("update", draft.id))


def _changed_columns(draft: DraftTexts, update: DraftUpdate) -> dict[str, Any]:
    """The columns that the sent fields really change; an edit's title equal to the article's is null."""
    sent: dict[str, Any] = update.model_dump()
    old = {"title": draft.proposed_title, "content_markdown": draft.content}
    if draft.type != "edit":
        old["title"] = draft.title
    elif sent.get("title") == draft.article_title:
        sent["title"] = None
    return {name: value for name, value in sent.items() if old[name] != value}
