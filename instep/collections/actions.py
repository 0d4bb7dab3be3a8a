"""What can be done with collections."""

from typing import Any

from instep.collections import queries
from instep.collections.queries import Lock
from instep.collections.schemas import Collection, CollectionCreate, CollectionUpdate
from instep.core.errors import InvalidValue, NotFound
from instep.core.etags import refuse_stale
from instep.core.ids import new_id
from instep.core.paging import Page, PageRequest
from instep.core.slug_rules import SlugTaken, slug_must_be_free
from instep.identity.access import writes
from instep.identity.schemas import Ctx
from instep.text.slugs import free_slug, slugify


async def list_collections(ctx: Ctx, page: PageRequest) -> Page[Collection]:
    """List the collections, in the order of the help center."""
    return await queries.list_page(ctx, page)


async def get_collection(ctx: Ctx, ref: str) -> Collection:
    """Get a collection by its id or slug."""
    return await find_collection(ctx, ref)


@writes
async def create_collection(ctx: Ctx, new: CollectionCreate) -> Collection:
    """Create a collection, last in the order."""
    sent = new.model_dump()
    base = sent.get("slug") or slugify(new.title, "collection")
    row = {
        "id": new_id("col"),
        "title": new.title,
        "description": sent.get("description") or None,
        "icon": sent.get("icon") or None,
        "visibility": new.visibility,
    }
    while True:
        slug = sent.get("slug") or free_slug(base, await queries.slugs_like(ctx, base))
        collection = await queries.insert(ctx, {**row, "slug": slug})
        if collection is not None:
            return collection
        if "slug" in sent:
            raise SlugTaken


@writes
async def update_collection(
    ctx: Ctx, ref: str, update: CollectionUpdate, if_match: str | None = None
) -> Collection:
    """Change the fields of a collection that are sent."""
    collection = await find_collection(ctx, ref, lock="no key update")
    refuse_stale(if_match, collection.etag)
    changes = _changed_fields(collection, update.model_dump())
    if not changes:
        return collection
    with slug_must_be_free():
        return await queries.update(ctx, collection.id, changes)


@writes
async def delete_collection(ctx: Ctx, ref: str) -> str:
    """Delete a collection; its articles stay, without a collection."""
    collection = await find_collection(ctx, ref, lock="update")
    await queries.delete(ctx, collection.id)
    return collection.id


async def find_collection(ctx: Ctx, ref: str, *, lock: Lock | None = None) -> Collection:
    collection = await queries.find(ctx, ref, lock=lock)
    if collection is None:
        raise NotFound("There is no such collection.")
    return collection


async def referenced_id(ctx: Ctx, ref: str | None, field: str, *, lock: Lock | None = None) -> str | None:
    """The id of the collection that a field of a body names; an unknown one is a bad value, not a 404."""
    if ref is None:
        return None
    try:
        return (await find_collection(ctx, ref, lock=lock)).id
    except NotFound:
        raise InvalidValue(field, "there is no such collection") from None


def _changed_fields(row: object, sent: dict[str, Any]) -> dict[str, Any]:
    """The fields sent that differ from the row; an empty description or icon clears it."""
    values = {
        name: value or None if name in ("description", "icon") else value for name, value in sent.items()
    }
    return {name: value for name, value in values.items() if getattr(row, name) != value}
