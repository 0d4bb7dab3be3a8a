"""Operations on comments: list, add, change, resolve, reopen, delete."""

import re

from pydantic import MISSING

from instep.content.articles.texts import find_article
from instep.drafting.comments import queries
from instep.drafting.comments.schemas import (
    CommentCreate,
    CommentRow,
    CommentSubject,
    CommentThread,
    CommentUpdate,
)
from instep.drafting.drafts.pending import find_draft
from instep.drafting.places.actions import get_place
from instep.notifications.inbox.actions import notify
from instep.notifications.inbox.schemas import NoticeSubject
from instep.platform.core import limits
from instep.platform.core.errors import InvalidState, InvalidValue, NotFound
from instep.platform.core.ids import DRAFT_PREFIXES
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import proposes
from instep.platform.identity.schemas import Ctx

MENTION = re.compile(r"(?<![\w@.])@([\w.+-]+(?:@[\w.-]+)?)")


async def list_comments(ctx: Ctx, subject: str, page: PageRequest) -> Page[CommentRow]:
    """List the comments on a draft, a place or an article, oldest first."""
    about = await find_subject(ctx, subject)
    return await queries.list_page(ctx, about.id, page)


async def list_threads(ctx: Ctx, subject_id: str) -> list[CommentThread]:
    """List the newest comments on a subject as threads; a reply stands alone if its thread began earlier."""
    threads: dict[str, CommentThread] = {}
    for comment in await queries.list_newest(ctx, subject_id):
        thread = threads.get(comment.reply_to or "")
        if thread is None:
            threads[comment.id] = CommentThread(comment, [])
        else:
            thread.replies.append(comment)
    return list(threads.values())


@proposes
async def add_comment(ctx: Ctx, subject: str, request: CommentCreate) -> CommentRow:
    """Comment on a draft, a place or an article, or reply to a comment on it.

    The members whom the text names are notified in their inbox, as are the person asked to review, the person
    who proposed a draft, and those who wrote in the thread.
    """
    about = await find_subject(ctx, subject)
    sent = request.model_dump()
    block, reply_to = sent.get("block"), sent.get("reply_to")
    if reply_to is not None:
        await _require_thread(ctx, about, reply_to)
        if request.block is not MISSING:
            raise InvalidValue("block", "leave it out: a reply is about the words of its thread")
    comment = await queries.insert(ctx, about, request.body, block, reply_to)
    await _notify(ctx, about, comment)
    return comment


@proposes
async def update_comment(ctx: Ctx, comment_id: str, request: CommentUpdate) -> CommentRow:
    """Change the text of your own comment; the dashboard shows the earlier texts too."""
    comment = await _find(ctx, comment_id, lock=True)
    if not _is_own(ctx, comment):
        raise InvalidState("Only its author can edit a comment: reply to it instead.")
    if comment.body == request.body:
        return comment
    if len(comment.earlier) == limits.MAX_COMMENT_EDITS:
        raise InvalidState(f"A comment can be edited {limits.MAX_COMMENT_EDITS} times: write a new one.")
    edited = await queries.change_body(ctx, comment.id, request.body)
    names = set(mentioned_names(request.body)) - set(mentioned_names(comment.body))
    if names:
        about = await find_subject(ctx, comment.subject)
        people = await queries.find_members(ctx, names)
        await notify(ctx, people, "mentioned", NoticeSubject(about.id, about.title), edited.body)
    return edited


@proposes
async def resolve_comment(ctx: Ctx, comment_id: str) -> CommentRow:
    """Resolve the thread that a comment began."""
    return await _settle(ctx, comment_id, is_resolved=True)


@proposes
async def reopen_comment(ctx: Ctx, comment_id: str) -> CommentRow:
    """Open a resolved thread again."""
    return await _settle(ctx, comment_id, is_resolved=False)


@proposes
async def delete_comment(ctx: Ctx, comment_id: str) -> CommentRow:
    """Delete your own comment, with its replies if it began a thread."""
    comment = await _find(ctx, comment_id)
    if not _is_own(ctx, comment):
        raise InvalidState("Only its author can delete a comment: resolve its thread instead.")
    await queries.delete(ctx, comment.id)
    return comment


async def find_subject(ctx: Ctx, subject: str) -> CommentSubject:
    """The draft, place or article with this id; an article also by its slug."""
    if subject.startswith("plc_"):
        place = await get_place(ctx, subject)
        return CommentSubject(place.id, place.article_title, place.article_id, (place.assignee_id,))
    if subject.startswith(tuple(f"{prefix}_" for prefix in DRAFT_PREFIXES.values())):
        draft = await find_draft(ctx, subject)
        followers = (draft.assignee_id, draft.proposer_id)
        return CommentSubject(draft.id, draft.title, draft.article_id, followers)
    article = await find_article(ctx, subject)
    return CommentSubject(article.id, article.title, article.id, ())


def mentioned_names(body: str) -> list[str]:
    """The names after an `@`, in lowercase."""
    names = dict.fromkeys(name.rstrip(".").lower() for name in MENTION.findall(body))
    return list(names)[: limits.MAX_MENTIONS]


async def _notify(ctx: Ctx, subject: CommentSubject, comment: CommentRow) -> None:
    names = mentioned_names(comment.body)
    mentioned = set(await queries.find_members(ctx, names)) if names else set()
    thread = await queries.list_authors(ctx, comment.reply_to) if comment.reply_to else []
    about = NoticeSubject(subject.id, subject.title)
    await notify(ctx, mentioned, "mentioned", about, comment.body)
    await notify(ctx, {*subject.followers, *thread} - mentioned, "commented", about, comment.body)


async def _require_thread(ctx: Ctx, subject: CommentSubject, comment_id: str) -> None:
    first = await queries.find(ctx, comment_id)
    if first is None or first.subject != subject.id or first.reply_to is not None:
        raise InvalidValue("replyTo", "it must be the first comment of a thread of the same subject")


async def _settle(ctx: Ctx, comment_id: str, *, is_resolved: bool) -> CommentRow:
    comment = await _find(ctx, comment_id)
    if comment.reply_to is not None:
        raise InvalidState("Only the first comment of a thread can be resolved.")
    settled = await queries.settle(ctx, comment_id, is_resolved=is_resolved)
    if settled is None:
        raise InvalidState(f"The thread is already {'resolved' if is_resolved else 'open'}.")
    return settled


def _is_own(ctx: Ctx, comment: CommentRow) -> bool:
    return (comment.author_type, comment.author_id) == (ctx.actor.type, ctx.actor.id)


async def _find(ctx: Ctx, comment_id: str, *, lock: bool = False) -> CommentRow:
    comment = await queries.find(ctx, comment_id, lock=lock)
    if comment is None:
        raise NotFound.of("comment")
    return comment
