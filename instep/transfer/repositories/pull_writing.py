"""Writes the comment on a pull request and the status of its head commit, if what they say has changed."""

import hashlib
import json
from dataclasses import asdict, replace

from instep.client.ci.report import dashboard_page
from instep.drafting.drafts.previews import create_preview, list_previews, preview_token
from instep.platform.core.config import settings
from instep.platform.core.errors import InvalidState
from instep.platform.core.restarts import restartable
from instep.platform.core.secret_keys import secret_key
from instep.platform.identity.schemas import Ctx
from instep.transfer.repositories.held_pulls import HeldPull, entries_after
from instep.transfer.repositories.hosts.host_requests import HostApi, HostRefused
from instep.transfer.repositories.pull_boxes import comment_digest
from instep.transfer.repositories.pull_text import CommentFrame, ReviewState, command_word, comment_of
from instep.transfer.repositories.schemas import PullRequest, PullStatus, WrittenComment


async def write_pull_comment(work: HeldPull, api: HostApi, state: ReviewState, obstacle: str | None) -> None:
    """Write the comment if it differs; commands that are later by the host's clock mean what it shows."""
    if not work.repository.comments:
        await work.store(work.pull, entries_after(work.entries, state, None))
        return
    is_needed = bool(state.drafts or state.places)
    frame = await restartable(lambda: frame_of(work, state, obstacle))
    text = comment_of(frame, state)
    digest = comment_digest(text)
    if digest == work.pull.comment_digest or not (is_needed or work.pull.comment_id):
        return
    written = await put_comment(work, api, text)
    pull = replace(work.pull, comment_id=written.id, comment_digest=digest)
    await work.store(pull, entries_after(work.entries, state, written.written_at))


def marker_of(work: HeldPull) -> str:
    return f"<!-- instep {work.pull.marker} -->"


async def put_comment(work: HeldPull, api: HostApi, text: str) -> WrittenComment:
    place = (api, work.repository.name, work.pull.number)
    comment_id = work.pull.comment_id
    if comment_id is None:
        comment_id = await work.form.find_comment(*place, marker_of(work))
    if comment_id is not None:
        try:
            return await work.form.update_comment(*place, comment_id, text)
        except HostRefused as refusal:
            # Someone has deleted it.
            if refusal.status != 404:
                raise
    return await work.form.create_comment(*place, text)


async def frame_of(work: HeldPull, state: ReviewState, obstacle: str | None) -> CommentFrame:
    hears = work.repository.hears_comments
    pending = [item.detail.id for item in state.drafts if item.standing in ("open", "approved")]
    preview_url = await find_preview(work, pending[0]) if pending else None
    return CommentFrame(
        marker_of(work),
        settings().base_url,
        work.bot,
        preview_url,
        has_boxes=hears and work.form.says_who_edits,
        command=command_word(work.slug) if hears else None,
        obstacle=obstacle,
        docs_folder=work.repository.docs_folder,
    )


async def find_preview(work: HeldPull, draft_id: str) -> str | None:
    """The address of a link that shows the drafts before they are live; None if there are too many."""
    async with work.context(work.host_actor) as ctx, ctx.tx.transaction():
        try:
            if not await list_own_previews(ctx, draft_id):
                await create_preview(ctx, draft_id, shows_source=True)
        except InvalidState:
            return None
        preview_id = (await list_own_previews(ctx, draft_id))[0]
    return f"{settings().base_url}/preview/{preview_token(secret_key(settings()), preview_id)}"


async def list_own_previews(ctx: Ctx, draft_id: str) -> list[str]:
    """The ids of the links that a review has made for all drafts of the source."""
    previews = await list_previews(ctx, draft_id)
    return [row.id for row in previews if row.draft_id is None and row.author_name == ctx.actor.name]


async def write_pull_status(work: HeldPull, api: HostApi, request: PullRequest, state: ReviewState) -> None:
    """Give the head commit its status; one that blocks nothing is given only if it says something."""
    mode = work.repository.status_mode
    says_something = bool(state.drafts or state.places or state.error)
    if mode == "off" or request.is_abandoned or not (says_something or mode == "required"):
        return
    status = PullStatus(
        f"Instep ({work.bot.slug})",
        state.title,
        dashboard_page(settings().base_url, work.bot, "review"),
        is_decided=state.is_decided,
        is_required=mode == "required",
    )
    digest = digest_of(request.head, asdict(status))
    if digest != work.pull.status_digest:
        await work.form.put_status(api, work.repository.name, request.head, status)
        await work.store(replace(work.pull, status_digest=digest), work.entries)


def digest_of(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
