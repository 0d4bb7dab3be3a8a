"""The tree of collections, and the forms that create, change, move and delete one."""

from starlette.responses import Response

from instep.content.articles.actions import count_articles
from instep.content.collections import actions
from instep.content.collections.schemas import Collection, CollectionCreate, CollectionUpdate
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.article_list import VISIBILITIES, members
from instep.interfaces.dashboard.content.article_page import CONFLICT, etag_to_send, sent_etag
from instep.interfaces.dashboard.content.collection_tree import NO_COLLECTION, CollectionTree, read_tree
from instep.interfaces.dashboard.field_errors import errors_by_field
from instep.platform.core import limits
from instep.platform.core.errors import AppError, Conflict, InvalidRequest, NotFound
from instep.platform.identity.audit import find_last_change
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import body_from

NEW_FIELDS = {"title": "", "description": "", "icon": "", "visibility": "public", "slug": "", "parentId": ""}

# The fields that a collection has once it is there.
CARE_FIELDS = ("owner", "reviewBy")
router = PageRouter("collections")


@router.get()
async def show_collections(page: BotPage) -> Response:
    tree = await read_tree(page, await count_articles(page.ctx))
    return await page.show("content/collections.html", tree=tree)


@router.get("new", Role.EDITOR)
async def show_new_collection(page: BotPage) -> Response:
    return await collection_form(page, {**NEW_FIELDS, "parentId": page.query.get("parent", "")})


@router.post("new", Role.EDITOR)
async def add_collection(page: BotPage) -> Response:
    fields = sent_fields(page)
    try:
        async with page.ctx.tx.transaction():
            body = body_from(CollectionCreate, {name: value for name, value in fields.items() if value})
            collection = await actions.create_collection(page.ctx, body)
    except InvalidRequest as error:
        return await collection_form(page, fields, error=error)
    return page.leave("collections", f"Created “{collection.title}”.")


@router.get("{id}", Role.EDITOR)
async def show_collection(page: BotPage) -> Response:
    collection = await actions.get_collection(page.ctx, page.param("id"))
    return await collection_form(page, fields_of(collection), collection=collection)


@router.post("{id}", Role.EDITOR)
async def change_collection(page: BotPage) -> Response:
    """Save the form; if it is refused, the typed values stay."""
    fields = sent_fields(page, CARE_FIELDS)
    try:
        async with page.ctx.tx.transaction():
            body = body_from(CollectionUpdate, changes_of(fields))
            collection = await actions.update_collection(page.ctx, page.param("id"), body, sent_etag(page))
    except (InvalidRequest, Conflict) as error:
        present = await actions.get_collection(page.ctx, page.param("id"))
        return await collection_form(page, fields, collection=present, error=error)
    return page.leave("collections", f"Saved “{collection.title}”.")


def sent_fields(page: BotPage, more: tuple[str, ...] = ()) -> dict[str, str]:
    fields = {name: page.form.get(name, "").strip() for name in (*NEW_FIELDS, *more)}
    return {**fields, "parentId": fields["parentId"].removeprefix(NO_COLLECTION)}


def changes_of(fields: dict[str, str]) -> dict[str, str | None]:
    """The body of a change; an empty address keeps the current one."""
    changes = {name: value for name, value in fields.items() if name != "slug" or value}
    return {**changes, **{name: fields[name] or None for name in ("parentId", *CARE_FIELDS)}}


def fields_of(collection: Collection) -> dict[str, str]:
    return {
        "title": collection.title,
        "description": collection.description or "",
        "icon": collection.icon or "",
        "visibility": collection.visibility,
        "slug": collection.slug,
        "parentId": collection.parent_id or "",
        "owner": collection.owner_name or "",
        "reviewBy": str(collection.review_by or ""),
    }


async def collection_form(
    page: BotPage,
    fields: dict[str, str],
    *,
    collection: Collection | None = None,
    error: AppError | None = None,
) -> Response:
    """The form with the typed values; after a conflict it is based on the collection's current state."""
    is_conflict = isinstance(error, Conflict)
    status = CONFLICT if is_conflict else error.status if error else 200
    last_change = await find_last_change(page.ctx, collection.id) if is_conflict and collection else None
    return await page.show(
        "content/collection.html",
        status,
        collection=collection,
        etag=etag_to_send(page, collection.etag, error) if collection else None,
        fields=fields,
        faults=faults_of(error),
        is_conflict=is_conflict,
        last_change=last_change,
        parents=parents(await read_tree(page, []), collection),
        nowhere=NO_COLLECTION,
        visibilities=VISIBILITIES,
        members=await members(page),
    )


def faults_of(error: AppError | None) -> dict[str, str]:
    """The problems of each field, as sentences."""
    if not isinstance(error, InvalidRequest):
        return {}
    return errors_by_field(error) or {"title": error.message}


def parents(tree: CollectionTree, collection: Collection | None) -> list[tuple[str, str]]:
    """The possible parents: not itself, nothing inside it, and no fourth level."""
    return [
        (node.collection.id, label)
        for node, (_, label) in zip(tree.nodes, tree.choices, strict=True)
        if node.level + 1 < limits.MAX_COLLECTION_LEVELS
        and (collection is None or collection.id not in (node.collection.id, *node.collection.ancestor_ids))
    ]


@router.post("{id}/move/{step}", Role.EDITOR)
async def move_collection_by_step(page: BotPage) -> Response:
    step = page.request.path_params["step"]
    if step not in ("up", "down"):
        raise NotFound
    await actions.move_collection(page.ctx, page.param("id"), step)
    return page.leave("collections")


@router.get("{id}/delete", Role.EDITOR)
async def ask_whether_to_delete_collection(page: BotPage) -> Response:
    """Ask, and say what happens to the articles and subcollections."""
    collection = await actions.get_collection(page.ctx, page.param("id"))
    tree = await read_tree(page, [])
    children = [node.collection for node in tree.nodes if node.collection.parent_id == collection.id]
    return await page.show(
        "content/delete_collection.html",
        collection=collection,
        children=children,
        parent=tree.titles.get(collection.parent_id or ""),
    )


@router.post("{id}/delete", Role.EDITOR)
async def remove_collection(page: BotPage) -> Response:
    collection = await actions.get_collection(page.ctx, page.param("id"))
    await actions.delete_collection(page.ctx, collection.id)
    return page.leave("collections", f"Deleted “{collection.title}”. Its articles were kept.")
