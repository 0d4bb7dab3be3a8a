"""Turns changes in git that need review into drafts, and dismisses drafts of texts that git no longer has."""

from instep.drafting.drafts.actions import dismiss_draft, queue_edit
from instep.drafting.drafts.pending import DraftNotPending, find_draft
from instep.drafting.drafts.proposals import EditProposal
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Ctx
from instep.transfer.exports.page_file import PageFile, split_page, with_value
from instep.transfer.git_sync.article_plans import ArticlePlan
from instep.transfer.git_sync.article_updates import article_values_of_plan, update
from instep.transfer.git_sync.folder_collections import conflicts_sentence
from instep.transfer.git_sync.pages import values_of_article
from instep.transfer.git_sync.schemas import SyncedArticle, SyncedFile
from instep.transfer.git_sync.three_way import Values
from instep.transfer.git_sync.work import SyncWork, article_values_of_file, base_values, set_next

SHORT_COMMIT = 12
NOT_PUBLISHED = "Git publishes the article, but nothing goes live with drafts: publish it in Instep."


async def propose(work: SyncWork, plan: ArticlePlan, text: str, *, is_conflict: bool) -> None:
    """Queue the file's title and text as an edit of the base; the file stays unchanged.

    The article gets the file's other values, except conflicting ones.
    """
    row, article, merged = plan.row, plan.article, plan.merged
    assert row is not None, "the plan has a row"
    assert article is not None, "the plan has an article"
    assert merged is not None, "the plan has an article"
    values = {**merged.article, "title": article.title}
    await update(work, article, values, article.content)
    draft = await queue_edit(work.ctx, article.id, proposal_of(work, plan, row, article, text))
    article_values = await article_values_of_plan(work, plan, row, article)
    keep_values(work, plan, row, article_values)
    set_next(row, plan.page.file.text, text, article_values, draft.id)
    message = (
        "Git and Instep changed the same lines: a draft is waiting for review. The reviewer decides,"
        " and the next sync writes the article's text to the file."
        if is_conflict
        else "The changes from git are in a draft that waits for review."
    )
    if values != values_of_article(article):
        message += " The other changes from git are in Instep."
    message += conflicts_sentence([name for name in merged.conflicts if name != "title"])
    if plan.stays_unpublished:
        message += f" {NOT_PUBLISHED}"
    work.sync.report(
        plan.page.path,
        "conflict" if is_conflict else "proposed",
        message,
        article_id=article.id,
        draft_id=draft.id,
    )


def proposal_of(
    work: SyncWork, plan: ArticlePlan, row: SyncedFile, article: SyncedArticle, text: str
) -> EditProposal:
    article_values = row.article_values or values_of_article(article)
    title = plan.values["title"]
    commit = work.request.commit[:SHORT_COMMIT]
    return EditProposal(
        content=text,
        base_version=version_of_base(row, article),
        base_title=article_values["title"] or article.title,
        base_content=article.content if row.article_text is None else row.article_text,
        title=title if title != article.title and "title" in changed_names(work, plan) else None,
        reason=f"{plan.page.path} changed in git, in commit {commit}.",
    )


def version_of_base(row: SyncedFile, article: SyncedArticle) -> int:
    """The article's version if it has the text of the base, otherwise an earlier one.

    An earlier version shows a reviewer that there is a conflict, even if the article never had the base's
    text.
    """
    base = row.article_text, (row.article_values or {}).get("title")
    if row.article_text is None or base == (article.content, article.title):
        return article.version
    return min(row.article_version or article.version, article.version - 1)


def keep_values(work: SyncWork, plan: ArticlePlan, row: SyncedFile, article_values: Values) -> None:
    """Make all values except the title part of the base immediately: the draft does not cover them."""
    base = base_values(work, row)
    if base is None or row.file_text is None or row.article_values is None:
        return
    file = PageFile(plan.page.file.head, split_page(row.file_text).body)
    if base["title"] != plan.values["title"]:
        file = with_value(file, "title", base["title"])
    row.file_text = file.text
    row.article_values = {**article_values, "title": row.article_values["title"]}


def changed_names(work: SyncWork, plan: ArticlePlan) -> set[str]:
    """The names of the values that changed in git."""
    assert plan.row is not None, "the plan has a row"
    if plan.row.article_values is None:
        return set(plan.values)
    article_values = article_values_of_file(work, plan.row, plan.values)
    return {name for name, value in article_values.items() if plan.row.article_values.get(name) != value}


async def dismiss_forgotten(work: SyncWork) -> None:
    """Dismiss drafts that a restart left without a file, except those that a person edited or approved."""
    for draft_id in sorted(work.pending_drafts):
        draft = await find_draft(work.ctx, draft_id)
        if draft.updated_at == draft.created_at and draft.approved_at is None:
            await dismiss_former(work.ctx, draft_id)


async def dismiss_former(ctx: Ctx, draft_id: str) -> None:
    try:
        await dismiss_draft(ctx, draft_id)
    except (DraftNotPending, NotFound):
        # Someone settled it in the meantime.
        return
