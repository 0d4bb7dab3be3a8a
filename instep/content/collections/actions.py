"""Operations on collections."""

from typing import Any, Literal

from instep.accounts.people.actions import find_member_id
from instep.content.collections import queries
from instep.content.collections.queries import Lock
from instep.content.collections.schemas import Collection, CollectionCreate, CollectionUpdate
from instep.platform.core import limits
from instep.platform.core.errors import InvalidValue, NotFound
from instep.platform.core.etags import refuse_stale
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Page, PageRequest
from instep.platform.core.slug_rules import SlugTaken, slug_must_be_free
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.text.slugs import free_slug, slugify


async def list_collections(ctx: Ctx, page: PageRequest) -> Page[Collection]:
    """List the collections in the order of the help center: parents before children, depth first."""
    return await queries.list_page(ctx, page)


async def get_collection(ctx: Ctx, ref: str) -> Collection:
    """Get a collection by its id or slug."""
    return await find_collection(ctx, ref)


@writes
async def create_collection(ctx: Ctx, new: CollectionCreate) -> Collection:
    """Create a collection as the last one in its parent or at the top."""
    sent = new.model_dump()
    parent_id = None
    if new.parent_id is not None:
        await queries.lock_tree(ctx)
        parent_id = await _parent_id(ctx, new.parent_id)
    base = sent.get("slug") or slugify(new.title, "collection")
    row = {
        "id": new_id("col"),
        "title": new.title,
        "description": sent.get("description") or None,
        "icon": sent.get("icon") or None,
        "visibility": new.visibility,
        "parent_id": parent_id,
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
    """Change only the fields of a collection that are sent; `parentId` moves it with everything in it."""
    sent = update.model_dump()
    care = await owner_columns(ctx, sent)
    if "parent_id" in sent:
        await queries.lock_tree(ctx)
    collection = await find_collection(ctx, ref, lock="no key update")
    refuse_stale(if_match, collection.etag)
    if sent.get("parent_id") is not None:
        sent["parent_id"] = await _parent_id(ctx, sent["parent_id"], collection)
    changes = _changed_fields(collection, sent | care)
    if not changes:
        return collection
    with slug_must_be_free():
        return await queries.update(ctx, collection.id, changes)


@writes
async def move_collection(ctx: Ctx, ref: str, step: Literal["up", "down"]) -> Collection:
    """Move a collection one position up or down among its siblings; at the end it does not move."""
    await queries.lock_tree(ctx)
    collection = await find_collection(ctx, ref)
    ids = await queries.siblings_of(ctx, collection.parent_id)
    old = ids.index(collection.id)
    new = min(max(old + (-1 if step == "up" else 1), 0), len(ids) - 1)
    ids.insert(new, ids.pop(old))
    await queries.order_siblings(ctx, ids)
    return await find_collection(ctx, collection.id)


@writes
async def delete_collection(ctx: Ctx, ref: str, if_match: str | None = None) -> str:
    """Delete a collection. Its articles stay, without a collection; its subcollections move to its parent."""
    await queries.lock_tree(ctx)
    collection = await find_collection(ctx, ref, lock="update")
    refuse_stale(if_match, collection.etag)
    await queries.delete(ctx, collection)
    return collection.id


async def lock_tree(ctx: Ctx) -> None:
    """Prevent other transactions from creating, moving or deleting nested collections until this one ends."""
    await queries.lock_tree(ctx)


async def find_collection(ctx: Ctx, ref: str, *, lock: Lock | None = None) -> Collection:
    collection = await queries.find(ctx, ref, lock=lock)
    if collection is None:
        raise NotFound.of("collection")
    return collection


async def find_collection_id(ctx: Ctx, ref: str, *, lock: Lock | None = None) -> str:
    collection_id = await queries.find_id(ctx, ref, lock=lock)
    if collection_id is None:
        raise NotFound.of("collection")
    return collection_id


async def referenced_id(ctx: Ctx, ref: str | None, field: str, *, lock: Lock | None = None) -> str | None:
    """The id of the collection that a body's field names; an unknown one is an invalid value, not a 404."""
    if ref is None:
        return None
    try:
        return await find_collection_id(ctx, ref, lock=lock)
    except NotFound:
        raise InvalidValue(field, "this collection does not exist") from None


async def owner_columns(ctx: Ctx, sent: dict[str, Any]) -> dict[str, Any]:
    """Take `owner` and `review_by` out of the fields of a PATCH, as columns; an owner must be a member."""
    care = {"review_by": sent.pop("review_by")} if "review_by" in sent else {}
    if "owner" in sent:
        email = sent.pop("owner")
        member_id = await find_member_id(ctx.tx, ctx.workspace_id, email) if email is not None else None
        if email is not None and member_id is None:
            raise InvalidValue("owner", "it must be the email address of a member of the workspace")
        care["owner_id"] = member_id
    return care


async def _parent_id(ctx: Ctx, ref: str, moved: Collection | None = None) -> str:
    """The id of the parent for a new or moved collection; the caller has locked the tree."""
    try:
        parent = await find_collection(ctx, ref)
    except NotFound:
        raise InvalidValue("parentId", "this collection does not exist") from None
    if moved is not None and moved.id in (parent.id, *parent.ancestor_ids):
        raise InvalidValue(
            "parentId", "a collection can't be inside itself or inside one of its own collections"
        )
    levels = len(parent.ancestor_ids) + 1 + (await queries.count_levels(ctx, moved.id) if moved else 1)
    if levels > limits.MAX_COLLECTION_LEVELS:
        raise InvalidValue(
            "parentId", f"collections have at most {limits.MAX_COLLECTION_LEVELS} levels: choose a higher one"
        )
    return parent.id


def _changed_fields(row: object, sent: dict[str, Any]) -> dict[str, Any]:
    """The sent fields that differ from the row; an empty description or icon clears it."""
    values = {
        name: value or None if name in ("description", "icon") else value for name, value in sent.items()
    }
    return {name: value for name, value in values.items() if getattr(row, name) != value}
