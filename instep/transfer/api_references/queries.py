"""The SQL of API references that follow an address."""

from psycopg.types.json import Jsonb

from instep.platform.core.errors import NotFound
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx
from instep.transfer.api_references.schemas import ApiReference

ORDER = Order(("r.url", "r.id"), descending=False)
REFERENCE = """
    select r.id, r.url, {descriptions} as descriptions, r.error, r.checked_at, r.changed_at, r.author_name
    from api_references r
    where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
"""


async def list_page(ctx: Ctx, request: PageRequest) -> Page[ApiReference]:
    page = request.page(ORDER, "api references", ctx.bot.id)
    statement = REFERENCE.format(descriptions="null::jsonb")
    return await page.read(ctx, ApiReference, f"{statement} and {page.condition} {page.tail}")


async def list_all(ctx: Ctx) -> list[ApiReference]:
    """The references without their descriptions, which can be long."""
    return await ctx.all(ApiReference, f"{REFERENCE.format(descriptions='null::jsonb')} order by r.url, r.id")


async def find(ctx: Ctx, reference_id: str) -> ApiReference | None:
    statement = f"{REFERENCE.format(descriptions='r.descriptions')} and r.id = %(id)s"
    return await ctx.first(ApiReference, statement, id=reference_id)


async def insert(ctx: Ctx, reference_id: str, url: str) -> None:
    await ctx.execute(
        """
        insert into api_references (id, workspace_id, bot_id, url, author_name, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(url)s, %(author)s, now())
        """,
        id=reference_id,
        url=url,
        author=ctx.actor.name,
    )


async def delete(ctx: Ctx, reference_id: str) -> None:
    deleted = await ctx.execute(
        "delete from api_references where id = %(id)s and bot_id = %(bot)s and workspace_id = %(workspace)s",
        id=reference_id,
    )
    if not deleted:
        raise NotFound.of("API reference")


async def record_check(ctx: Ctx, reference_id: str, error: str | None) -> None:
    await ctx.execute(
        """
        update api_references set checked_at = now(), error = %(error)s
        where id = %(id)s and bot_id = %(bot)s and workspace_id = %(workspace)s
        """,
        id=reference_id,
        error=error,
    )


async def record_change(ctx: Ctx, reference_id: str, descriptions: dict[str, str]) -> None:
    await ctx.execute(
        """
        update api_references
        set checked_at = now(), changed_at = now(), error = null, descriptions = %(descriptions)s
        where id = %(id)s and bot_id = %(bot)s and workspace_id = %(workspace)s
        """,
        id=reference_id,
        descriptions=Jsonb(descriptions),
    )
