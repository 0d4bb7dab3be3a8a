"""Operations on API references: follow an address, update now, end."""

from datetime import datetime, timedelta

from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.jobs import defer
from instep.platform.core.outbound.allowed import refuse_url
from instep.platform.core.outbound.urls import parse_url
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.transfer.api_references import queries
from instep.transfer.api_references.schemas import ApiReference

UPDATE_API_REFERENCE = "update_api_reference"


async def list_api_references(ctx: Ctx, page: PageRequest) -> Page[ApiReference]:
    """List the addresses of OpenAPI documents that the help center follows."""
    return await queries.list_page(ctx, page)


async def list_all_api_references(ctx: Ctx) -> list[ApiReference]:
    """List them all on one page."""
    return await queries.list_all(ctx)


@writes
async def follow_api_description(ctx: Ctx, url: str) -> ApiReference:
    """Import the OpenAPI document at an address now, and each day again.

    Its pages are live without a review. Raises `InvalidRequest`.
    """
    try:
        url = url.strip()
        refuse_url(parse_url(url), settings().allow_list)
    except ValueError as error:
        raise InvalidRequest(f"Enter the address of an OpenAPI document: {error}.") from None
    # The second of two requests at once finds what the first has inserted.
    await ctx.tx.advisory_lock(f"api references {ctx.bot.id}")
    references = await queries.list_all(ctx)
    if any(reference.url == url for reference in references):
        raise InvalidRequest("The help center already follows this address.")
    if len(references) >= limits.MAX_API_REFERENCES:
        raise InvalidRequest(
            f"A help center follows at most {limits.MAX_API_REFERENCES} addresses: end one first."
        )
    reference_id = new_id("api")
    await queries.insert(ctx, reference_id, url)
    await schedule_update(ctx, reference_id, ctx.now)
    return await find_api_reference(ctx, reference_id)


@writes
async def update_api_reference_now(ctx: Ctx, reference_id: str) -> ApiReference:
    """Import the document again without waiting for the next day."""
    reference = await find_api_reference(ctx, reference_id)
    await schedule_update(ctx, reference_id, ctx.now)
    return reference


@writes
async def unfollow_api_description(ctx: Ctx, reference_id: str) -> str:
    """Follow the address no longer; its articles stay."""
    await queries.delete(ctx, reference_id)
    return reference_id


async def find_api_reference(ctx: Ctx, reference_id: str) -> ApiReference:
    reference = await queries.find(ctx, reference_id)
    if reference is None:
        raise NotFound.of("API reference")
    return reference


async def schedule_update(ctx: Ctx, reference_id: str, moment: datetime) -> None:
    """Schedule the next update; of two times, the earlier one counts."""
    payload = {"workspace": ctx.workspace_id, "bot": str(ctx.bot.id), "reference": reference_id}
    await defer(ctx.tx, UPDATE_API_REFERENCE, payload, run_at=moment, dedupe=f"{ctx.bot.id} {reference_id}")


def next_update(moment: datetime) -> datetime:
    return moment + timedelta(days=1)
