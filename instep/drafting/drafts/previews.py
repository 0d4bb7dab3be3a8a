"""Preview links: show a draft, or all drafts of a source, on the help center before they are live."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime

from instep.drafting.drafts.pending import find_pending
from instep.drafting.drafts.queries import VERSION
from instep.drafting.drafts.queue_pages import find_source_key
from instep.drafting.drafts.source_queries import SOURCE_KEY
from instep.platform.core import limits
from instep.platform.core.errors import InvalidState, NotFound
from instep.platform.core.ids import new_id
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx

PREVIEW = "id, draft_id, source_key, author_name, created_at, expires_at"


@dataclass(frozen=True, slots=True)
class Preview:
    """A link to pages that are not public; without `draft_id` it shows all drafts of the source."""

    id: str
    draft_id: str | None
    source_key: str
    author_name: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class PreviewedDraft:
    """A pending draft that a link shows, and the address of its article.

    `version` is the slug of the product version that its change is for.
    """

    id: str
    article_id: str
    slug: str
    locale: str
    title: str
    version: str | None


@writes
async def create_preview(ctx: Ctx, draft_id: str, *, shows_source: bool = False) -> str:
    """Create a link to a pending draft, or to all drafts of its source; it works for `PREVIEW_TTL`.

    A source has at most `MAX_PREVIEWS` links; expired ones are removed. Returns the draft's id, which stays
    in the audit log when the link is gone.
    """
    await find_pending(ctx, draft_id)
    source_key = await find_source_key(ctx, draft_id)
    await lock_count(ctx)
    await ctx.execute(
        """
        delete from previews
        where bot_id = %(bot)s and workspace_id = %(workspace)s and expires_at <= %(now)s
        """
    )
    count: int = await ctx.value(
        """
        select count(*) from previews
        where bot_id = %(bot)s and workspace_id = %(workspace)s and source_key = %(key)s
        """,
        key=source_key,
    )
    if count >= limits.MAX_PREVIEWS:
        raise InvalidState(f"This source has {limits.MAX_PREVIEWS} preview links: revoke one first.")
    await ctx.execute(
        """
        insert into previews
            (id, workspace_id, bot_id, draft_id, source_key, author_name, created_at, expires_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(draft)s, %(key)s, %(author)s, %(now)s, %(expires)s)
        """,
        id=new_id("prev"),
        draft=None if shows_source else draft_id,
        key=source_key,
        author=ctx.actor.name,
        expires=ctx.now + limits.PREVIEW_TTL,
    )
    return draft_id


async def lock_count(ctx: Ctx) -> None:
    """Lock the numbers of the bot's links until this transaction ends."""
    await ctx.tx.advisory_lock(f"previews {ctx.bot.id}")


@writes
async def revoke_preview(ctx: Ctx, draft_id: str, preview_id: str) -> str:
    """End a link to a draft, or to all drafts of its source, at once; return the draft's id."""
    count = await ctx.execute(
        """
        delete from previews
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and source_key = %(key)s
        """,
        id=preview_id,
        key=await find_source_key(ctx, draft_id),
    )
    if count == 0:
        raise NotFound("This preview link does not exist: it has expired or was revoked.")
    return draft_id


async def list_previews(ctx: Ctx, draft_id: str) -> list[Preview]:
    """The valid links that show a draft or others of its source, newest first."""
    return await ctx.all(
        Preview,
        f"""
        select {PREVIEW} from previews
        where bot_id = %(bot)s and workspace_id = %(workspace)s and source_key = %(key)s
          and expires_at > %(now)s
        order by created_at desc, id desc
        """,
        key=await find_source_key(ctx, draft_id),
    )


async def list_previewed_drafts(ctx: Ctx, draft_id: str | None, source_key: str) -> list[PreviewedDraft]:
    """The pending drafts that a link shows, by title."""
    return await ctx.all(
        PreviewedDraft,
        f"""
        select d.id, a.id as article_id, a.slug, a.locale, coalesce(d.title, a.title) as title,
            {VERSION} as version
        from drafts d
        join articles a on a.workspace_id = %(workspace)s and a.id = d.article_id
        left join tasks t on t.workspace_id = %(workspace)s and t.id = d.task_id
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and a.deleted_at is null
          and case when %(draft)s::text is null then {SOURCE_KEY} = %(key)s else d.id = %(draft)s end
        order by lower(coalesce(d.title, a.title)), d.id limit {limits.MAX_SOURCE_DRAFTS}
        """,
        draft=draft_id,
        key=source_key,
    )


def preview_token(key: bytes, preview_id: str) -> str:
    """The signed end of a link's address."""
    return f"{preview_id}.{signature(key, preview_id)}"


def preview_of(key: bytes, token: str) -> str | None:
    """The id of the link with this token; None if this installation did not sign it."""
    preview_id, _, sent = token.partition(".")
    is_ours = hmac.compare_digest(sent.encode(), signature(key, preview_id).encode())
    return preview_id if is_ours else None


def signature(key: bytes, preview_id: str) -> str:
    return hmac.new(key, b"preview\0" + preview_id.encode(), hashlib.sha256).hexdigest()
