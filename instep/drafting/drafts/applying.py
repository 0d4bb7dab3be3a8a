"""Applies a draft's text to its article, immediately or with a release."""

import re
from dataclasses import replace

from pydantic import MISSING

from instep.content.articles.schemas import Article, TextSource, Verification
from instep.content.articles.splitting import isolate, read_reach
from instep.content.articles.texts import publish_text, replace_text
from instep.content.product_versions.actions import lock_existing_versions
from instep.content.product_versions.schemas import named
from instep.drafting.drafts import queries
from instep.drafting.drafts.assigning import notify_proposer
from instep.drafting.drafts.edited_lines import lines_after_merge
from instep.drafting.drafts.hunks import SIDES, content_with_hunks
from instep.drafting.drafts.merging import ALL_IS_LIVE, overwrite_warnings, text_to_apply
from instep.drafting.drafts.pending import ProposalChanged, find_pending, lock_article
from instep.drafting.drafts.schemas import Draft, DraftApply, DraftTexts, TitledText
from instep.drafting.drafts.translated_versions import follow_same_change, note_versions
from instep.platform.core.errors import AppError, Conflict, InvalidRequest, InvalidValue
from instep.platform.core.etags import refuse_stale
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import compare

NOW = DraftApply()
# The end of the address of a commit's page on the forges.
COMMIT_PAGE = re.compile(r"/commits?/([0-9a-f]{7,64})$")
WORKING_COPY_IN_HISTORY = "The article had unpublished changes: they are now in its history."
WITHOUT_SOURCE = (
    "This draft has neither a `sourceUrl` nor a task, so no release can find it: apply it yourself."
)
WITHOUT_URL = (
    "The change has no web page (`--url` of `instep change`), so `instep release` can't find its drafts:"
    " name the task in `taskIds` of the API, or apply the draft yourself."
)


class NoChanges(AppError):
    """The proposal equals the article's current text and title: there is nothing to review."""

    code = "no_changes"


async def apply_pending(
    ctx: Ctx,
    draft_id: str,
    request: DraftApply,
    if_match: str | None = None,
    *,
    accepts_no_changes: bool = False,
    seen: str | None = None,
) -> Draft:
    """Apply a pending draft now, or approve it for a release, as the request says.

    `accepts_no_changes` settles a draft whose text is already live, instead of refusing it. `seen` is the
    digest of the proposal that the reviewer saw: a different proposal is not applied.
    """
    # A split moves drafts to another article.
    await lock_existing_versions(ctx)
    draft = await find_pending(ctx, draft_id)
    _refuse_misuse(draft, request)
    # Every writer locks the article first, so that there is no deadlock.
    article = await lock_article(ctx, draft)
    # The draft may have been changed or settled since it was read.
    draft = await find_pending(ctx, draft_id, lock=True)
    refuse_stale(if_match, article.etag)
    if seen not in (None, draft.text_digest):
        raise ProposalChanged
    if request.base_version not in (MISSING, article.version):
        raise Conflict
    text = await text_to_apply(draft, request)
    if request.hunks is not MISSING:
        text = TitledText(text.title, await content_with_hunks(draft, request.hunks))
    is_live = draft.type == "edit" and text == draft.live
    if is_live and not accepts_no_changes:
        raise NoChanges(ALL_IS_LIVE)
    if request.when == "release":
        return await _approve(ctx, article, draft, text, request.all_versions)
    is_approved_for_all = draft.approved_at is not None and draft.changes_all_versions
    if not is_live and not (request.all_versions or is_approved_for_all):
        article = await _article_of_version(ctx, article, draft)
    return await _apply_text(ctx, article, draft, article if is_live else text)


async def _article_of_version(ctx: Ctx, article: Article, draft: Draft) -> Article:
    """The article to change: for one version of the product, without the versions that keep their text."""
    if draft.type != "edit" or draft.version_id is None:
        return article
    reach = await read_reach(ctx, article, draft.version_id)
    if reach.others:
        ctx.warnings.append(
            f"The text changed for {named(reach.versions)}, and not for {named(reach.others)}."
        )
    return await isolate(ctx, article, reach)


async def _apply_text(ctx: Ctx, article: Article, draft: DraftTexts, text: TitledText | Article) -> Draft:
    """Settle the draft and update its article; `text` is the article if its text is already live."""
    applied_version = article.version
    await queries.settle(ctx, draft.id, "applied")
    source = TextSource("apply", draft.id, _verification_of(ctx, draft))
    if draft.type != "edit":
        applied_version = (await publish_text(ctx, article, text.title, text.content, source)).version
    elif isinstance(text, TitledText):
        if draft.conflict:
            ctx.warnings.extend(await overwrite_warnings(draft, text))
        if article.has_unpublished_changes:
            ctx.warnings.append(WORKING_COPY_IN_HISTORY)
        applied_version = (await replace_text(ctx, article, text.title, text.content, source)).version
        await follow_same_change(ctx, draft, article.version, applied_version)
    await queries.set_versions(ctx, draft.id, article.version, applied_version)
    await note_versions(ctx, article.id, draft.statement_keys)
    await notify_proposer(ctx, draft, "applied")
    return replace(draft, status="applied", article_id=article.id)


def _verification_of(ctx: Ctx, draft: Draft) -> Verification | None:
    """A task has compared the draft's text with its change; another draft a person has read."""
    if draft.task_id is not None:
        commit = COMMIT_PAGE.search(draft.source_url or "")
        return Verification("task", commit[1] if commit else None)
    return Verification("person") if ctx.actor.type == "person" else None


async def _approve(
    ctx: Ctx, article: Article, draft: DraftTexts, text: TitledText, all_versions: bool
) -> Draft:
    """Store the text as the proposal, if it differs, and record who approves it."""
    if draft.type != "edit" and text.title != article.title:
        await replace_text(ctx, article, text.title, text.content, TextSource("update", draft.id))
    if draft.type == "edit" and (draft.conflict or text != TitledText(draft.title, draft.content)):
        counts = await compare(draft.current_content, text.content, SIDES)
        await queries.rebase(ctx, draft, text, counts)
        await queries.set_lines(ctx, draft.id, await lines_after_merge(draft, text.content))
    await queries.approve(ctx, draft.id, all_versions)
    if draft.source_url is None:
        ctx.warnings.append(WITHOUT_SOURCE if draft.task_id is None else WITHOUT_URL)
    return draft


def _refuse_misuse(draft: Draft, request: DraftApply) -> None:
    has_text, has_hunks = request.content_markdown is not MISSING, request.hunks is not MISSING
    if draft.type != "edit" and has_text:
        message = "only the text of an edit can be replaced here: change this draft with PATCH first"
        raise InvalidValue("contentMarkdown", message)
    if not has_hunks:
        return
    if draft.type != "edit":
        raise InvalidValue("hunks", "only an edit has hunks: apply the new article as a whole")
    if has_text:
        raise InvalidRequest("Send either `hunks` or `contentMarkdown`, not both.")
    if request.base_version is MISSING:
        message = "send the `currentVersion` of the draft whose hunks you chose"
        raise InvalidValue("baseVersion", message)
