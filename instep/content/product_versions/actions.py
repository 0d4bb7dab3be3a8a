"""Operations on product versions."""

from collections.abc import Iterable, Sequence

from pydantic import MISSING

from instep.content.product_versions import queries
from instep.content.product_versions.schemas import ProductVersion, ProductVersionCreate, ProductVersionUpdate
from instep.platform.core import limits
from instep.platform.core.errors import InvalidState, InvalidValue, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Page, PageRequest
from instep.platform.core.slug_rules import slug_must_be_free
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx

# Articles that the refusal to delete a version names.
MAX_NAMED = 5


async def list_product_versions(ctx: Ctx, page: PageRequest) -> Page[ProductVersion]:
    """List the versions of the product, the oldest first."""
    return await queries.list_page(ctx, page)


async def get_product_version(ctx: Ctx, ref: str) -> ProductVersion:
    """Get a version of the product by its id or slug."""
    version = await queries.find(ctx, ref)
    if version is None:
        raise NotFound.of("version")
    return version


@writes
async def create_product_version(ctx: Ctx, new: ProductVersionCreate) -> ProductVersion:
    """Create a version of the product: the newest one, if no `position` is sent.

    Articles without versions of their own are in every version. The first version of a help center becomes
    the current one.
    """
    return await add_product_version(ctx, new)


async def add_product_version(ctx: Ctx, new: ProductVersionCreate) -> ProductVersion:
    """Create a version, inside an action that is marked `@writes`."""
    await queries.lock_versions(ctx)
    versions = await queries.list_all(ctx)
    if len(versions) >= limits.MAX_PRODUCT_VERSIONS:
        raise InvalidState(f"A bot has at most {limits.MAX_PRODUCT_VERSIONS} versions: delete one first.")
    _refuse_repeated_branches(new.branches, versions)
    version_id = new_id("ver")
    row = {
        "id": version_id,
        "slug": new.slug,
        "name": new.slug if new.name is MISSING else new.name,
        "position": len(versions),
        "is_current": False,
        "branches": new.branches,
    }
    with slug_must_be_free():
        await queries.insert(ctx, row)
    if new.position is not MISSING:
        await _move(ctx, [version.id for version in versions], version_id, new.position)
    if new.is_current or not versions:
        await _make_current(ctx, version_id)
    await ctx.stamp_at_commit()
    return await get_product_version(ctx, version_id)


@writes
async def update_product_version(ctx: Ctx, ref: str, update: ProductVersionUpdate) -> ProductVersion:
    """Change only the sent fields of a version; `position` moves it, `isCurrent` makes it the current one.

    An order in which an article would end before it begins is refused.
    """
    sent = update.model_dump()
    await queries.lock_versions(ctx)
    version = await get_product_version(ctx, ref)
    others = [row for row in await queries.list_all(ctx) if row.id != version.id]
    _refuse_repeated_branches(sent.get("branches", ()), others)
    position = sent.pop("position", version.position)
    becomes_current = sent.pop("is_current", False) and not version.is_current
    changes = {name: value for name, value in sent.items() if getattr(version, name) != value}
    if changes:
        with slug_must_be_free():
            await queries.update(ctx, version.id, changes)
    if position != version.position:
        await _move(ctx, [row.id for row in others], version.id, position)
    if becomes_current:
        await _make_current(ctx, version.id)
    await ctx.stamp_at_commit()
    return await get_product_version(ctx, version.id)


@writes
async def delete_product_version(ctx: Ctx, ref: str) -> str:
    """Delete a version with which no article begins or ends. The current one is deleted last.

    While a draft, a place or a task of a change for the version waits, it can't be deleted.
    """
    await queries.lock_versions(ctx)
    version = await get_product_version(ctx, ref)
    others = [row for row in await queries.list_all(ctx) if row.id != version.id]
    if titles := await queries.list_bounded(ctx, version.id):
        more = f" and {len(titles) - MAX_NAMED} more" if len(titles) > MAX_NAMED else ""
        names = ", ".join(f"“{title}”" for title in titles[:MAX_NAMED])
        verbs = "begins or ends" if len(titles) == 1 else "begin or end"
        whose = "its" if len(titles) == 1 else "their"
        raise InvalidState(
            f"{names}{more} {verbs} with the version {version.slug}: change {whose} versions first."
        )
    if count := await queries.count_unsettled(ctx, version.id):
        # Without the version, their changes would be for all versions.
        subject = "1 change waits" if count == 1 else f"{count} changes wait"
        raise InvalidState(
            f"{subject} for the version {version.slug}, as a draft, a place or a task that has not ended:"
            " settle the drafts and places first."
        )
    if version.is_current and others:
        raise InvalidState(f"{version.slug} is the current version: make another one current first.")
    await queries.delete(ctx, version.id)
    await queries.set_order(ctx, [row.id for row in others])
    await ctx.stamp_at_commit()
    return version.id


async def lock_versions(ctx: Ctx) -> None:
    """Prevent other changes of versions, and of the versions of articles, until this transaction ends."""
    await queries.lock_versions(ctx)


async def lock_existing_versions(ctx: Ctx) -> None:
    """Lock the versions as `lock_versions` does, if the help center has any."""
    await queries.lock_existing(ctx)


async def list_all_versions(ctx: Ctx) -> list[ProductVersion]:
    """All versions of the help center, the oldest first."""
    return await queries.list_all(ctx)


async def referenced_version(ctx: Ctx, ref: str | None, field: str) -> ProductVersion | None:
    """The version that a field names; an unknown one is an invalid value, with the list of versions."""
    if ref is None:
        return None
    version = await queries.find(ctx, ref)
    if version is None:
        slugs = ", ".join(version.slug for version in await queries.list_all(ctx))
        raise InvalidValue(
            field, f"it must be one of {slugs}" if slugs else "the help center has no versions"
        )
    return version


async def refuse_contradictions(ctx: Ctx, family: str | None = None) -> None:
    """Refuse articles that end before they begin, and two articles of a family in the same version.

    It checks one family, or with None the whole help center, after the caller's change.
    """
    for contradiction in await queries.list_contradictions(ctx, family):
        if contradiction.other is None:
            raise InvalidState(f"“{contradiction.title}” would end before the version that it begins with.")
        raise InvalidState(
            f"“{contradiction.title}” and “{contradiction.other}” are about the same topic, and both would be"
            f" in {contradiction.version}: change the versions of one of them first."
        )


async def _move(ctx: Ctx, other_ids: Sequence[str], version_id: str, position: int) -> None:
    ids = list(other_ids)
    ids.insert(position, version_id)
    await queries.set_order(ctx, ids)
    await refuse_contradictions(ctx)


async def _make_current(ctx: Ctx, version_id: str) -> None:
    await queries.clear_current(ctx)
    await queries.update(ctx, version_id, {"is_current": True})


def _refuse_repeated_branches(patterns: Iterable[str], others: Sequence[ProductVersion]) -> None:
    for other in others:
        if repeated := sorted(set(patterns).intersection(other.branches)):
            raise InvalidValue("branches", f"“{repeated[0]}” belongs to the version {other.slug} already")
