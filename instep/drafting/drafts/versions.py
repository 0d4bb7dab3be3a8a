"""Earlier versions of a draft's text, to which people can go back."""

from psycopg.types.json import Jsonb

from instep.drafting.drafts import version_queries
from instep.drafting.drafts.changing import change_proposal
from instep.drafting.drafts.pending import find_draft, lock_pending
from instep.drafting.drafts.schemas import DraftTexts, DraftUpdate
from instep.drafting.drafts.version_queries import DraftVersion, DraftVersionText
from instep.platform.core.errors import NotFound
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx


async def list_draft_versions(ctx: Ctx, draft_id: str) -> list[DraftVersion]:
    """The earlier versions, newest first; empty while nobody has changed the draft."""
    return await version_queries.list_all(ctx, draft_id)


async def get_draft_version(ctx: Ctx, draft_id: str, number: int) -> DraftVersionText:
    version = await version_queries.find(ctx, draft_id, number)
    if version is None:
        raise NotFound("This version of the draft is not stored.")
    return version


@writes
async def restore_draft_version(ctx: Ctx, draft_id: str, number: int) -> DraftTexts:
    """Go back to an earlier title and text, with the evidence and warnings of then.

    The present text becomes an earlier version too.
    """
    draft = await lock_pending(ctx, draft_id)
    version = await get_draft_version(ctx, draft_id, number)
    update = DraftUpdate.model_validate({"title": version.title, "contentMarkdown": version.content})
    columns = {
        "certainty": version.certainty,
        "evidence": Jsonb(version.evidence),
        "warnings": Jsonb(version.warnings),
        "edited_by_name": version.edited_by_name,
        "edited_lines": version.edited_lines,
        "model": version.model,
    }
    await change_proposal(ctx, draft, update, columns)
    return await find_draft(ctx, draft_id)
