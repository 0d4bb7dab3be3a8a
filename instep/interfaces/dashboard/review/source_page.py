"""The page of a source: its pending drafts, those approved for its release, and the considered articles."""

from starlette.responses import Response

from instep.drafting.drafts import queue_pages, source_queue
from instep.drafting.drafts.pending import find_draft
from instep.drafting.drafts.previews import create_preview, list_previews, preview_token, revoke_preview
from instep.drafting.drafts.queue_schemas import SourceBatch
from instep.drafting.drafts.schemas import Draft
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.review import queries
from instep.interfaces.dashboard.review.decisions import suffix_of
from instep.interfaces.dashboard.review.queue_pane import read_pane
from instep.interfaces.dashboard.review.wording import bundle_words, source_words
from instep.platform.core import limits
from instep.platform.core.errors import AppError, NotFound
from instep.platform.identity.scopes import Role

router = PageRouter("review/{draft_id}")


@router.get("source")
async def show_source(page: BotPage) -> Response:
    draft = await find_draft(page.ctx, page.param("draft_id"))
    rows = await queue_pages.list_of_source(page.ctx, draft.id)
    bundle = queue_pages.bundle_of(await source_key_of(page))
    counts = (await queue_pages.count_bundles(page.ctx)).get(bundle) if bundle else None
    proposals = [row for row in rows if row.source_kind == "author" and not row.can_be_released]
    base_url, key = page.request.app.state.settings.base_url, page.request.app.state.cursor_key
    return await page.show(
        "review/source.html",
        pane=await read_pane(page, draft.id),
        draft=draft,
        bundle=bundle,
        words=bundle_words(counts) if counts else bundle or source_title_of(draft),
        rows=rows,
        approved=[row for row in rows if row.is_approved],
        certain=[row for row in rows if row.certainty == "certain"],
        approvable=[
            row
            for row in rows
            if row.can_be_released and row.type != "place" and not row.is_approved and not row.is_conflict
        ],
        proposals=proposals,
        states=await source_queue.find_draft_states(page.ctx, [row.id for row in proposals]),
        previews=[
            (preview, f"{base_url}/preview/{preview_token(key, preview.id)}")
            for preview in await list_previews(page.ctx, draft.id)
        ],
        titles={row.id: row.title for row in rows},
        no_edit=await queries.list_verdicts(page.ctx, draft.task_id) if draft.task_id else [],
    )


def source_title_of(draft: Draft) -> str:
    return source_words(draft.source_kind, draft.source_title, draft.source_url, draft.author_name)


@router.post("apply-certain", Role.EDITOR)
async def send_apply_certain(page: BotPage) -> Response:
    """Apply all certain drafts of a source; those that can't be applied stay pending."""
    return await show_batch(
        page, await source_queue.apply_certain(page.ctx, await source_key_of(page)), "Applied"
    )


@router.post("approve-all", Role.EDITOR)
async def send_approve_all(page: BotPage) -> Response:
    """Approve all drafts of a source for its release."""
    return await show_batch(
        page, await source_queue.approve_source(page.ctx, await source_key_of(page)), "Approved"
    )


@router.post("apply-all", Role.EDITOR)
async def send_apply_all(page: BotPage) -> Response:
    """Apply the shown proposals of a source; those that can't be applied stay pending."""
    batch = await source_queue.apply_proposals(page.ctx, await source_key_of(page), shown_drafts(page))
    return await show_batch(page, batch, "Applied")


@router.post("dismiss-all", Role.EDITOR)
async def send_dismiss_all(page: BotPage) -> Response:
    """Dismiss the shown proposals of a source."""
    batch = await source_queue.dismiss_proposals(page.ctx, await source_key_of(page), shown_drafts(page))
    return await show_batch(page, batch, "Dismissed")


def shown_drafts(page: BotPage) -> dict[str, str]:
    """The drafts that the page showed, with their states: what came or changed later is not decided."""
    pairs = page.form.get("drafts", "").split(",")[: limits.MAX_SOURCE_DRAFTS]
    return {draft_id: state for draft_id, _, state in (pair.partition(" ") for pair in pairs)}


async def source_key_of(page: BotPage) -> str:
    key = await queue_pages.find_source_key(page.ctx, page.param("draft_id"))
    if key is None:
        raise NotFound.of("draft")
    return key


async def show_batch(page: BotPage, batch: SourceBatch, verb: str) -> Response:
    """Say how many were decided; show the ones that need attention next."""
    refused_ids = [result.draft.id for result in batch.results if result.refusal is not None]
    count = len(batch.results) - len(refused_ids)
    words = f"{verb} {count} draft{'' if count == 1 else 's'}."
    if not refused_ids:
        return page.leave(f"review{suffix_of(page)}", words)
    noun = "One more needs" if len(refused_ids) == 1 else f"{len(refused_ids)} more need"
    return page.leave(
        f"review/{refused_ids[0]}{suffix_of(page)}",
        f"{words} {noun} your attention: nothing from it is live.",
    )


async def leave_to_previews(page: BotPage, refusal: AppError) -> Response:
    return page.leave(f"review/{page.param('draft_id')}/source#previews", refusal.message)


@router.post("preview", Role.EDITOR, refused=leave_to_previews)
async def send_preview(page: BotPage) -> Response:
    """Create a preview link for the draft, or for all drafts of its source."""
    draft_id = page.param("draft_id")
    await create_preview(page.ctx, draft_id, shows_source=page.form.get("of") == "source")
    return page.leave(f"review/{draft_id}/source#previews", "Link created: anyone who has it can see this.")


@router.post("revoke-preview", Role.EDITOR, refused=leave_to_previews)
async def send_revocation(page: BotPage) -> Response:
    """End a preview link."""
    draft_id = page.param("draft_id")
    await revoke_preview(page.ctx, draft_id, page.form.get("preview", ""))
    return page.leave(f"review/{draft_id}/source#previews", "Link revoked: it no longer works.")
