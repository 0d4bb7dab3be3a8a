"""The collection tree: create, change, move, hide and delete a collection."""

import re
from html import unescape

from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Client, Json
from tests.support.http import all_pages, create_article, create_collection, ok

TITLE = re.compile(
    r'data-level="(\d)">\s*<a class="title"[^>]*>(?:<span[^>]*>[^<]*</span> )?<bdi>([^<]*)</bdi>'
)
ETAG = re.compile(r'name="etag" value="([^"]*)"')


async def tree(desk: Desk) -> list[tuple[int, str]]:
    page = await desk.get("collections")
    assert page.status_code == 200, page.text
    return [(int(level), unescape(title)) for level, title in TITLE.findall(page.text)]


async def form_of(desk: Desk, collection: Json, **changes: str) -> dict[str, str]:
    """The fields of a collection's form as its page has them, with some changed."""
    etag = ETAG.search((await desk.get(f"collections/{collection['id']}")).text)
    assert etag is not None
    fields = {name: collection[name] or "" for name in ("title", "description", "icon", "slug", "visibility")}
    return {**fields, "parentId": collection["parentId"] or "none", "etag": unescape(etag[1]), **changes}


async def test_without_collections_the_page_says_what_they_are_for(desk: Desk, viewer: Desk) -> None:
    assert "Collections are the sections" in (await desk.get("collections")).text
    assert "An editor" in (await viewer.get("collections")).text


async def test_a_collection_is_created_inside_another(desk: Desk, client: Client) -> None:
    guides = await create_collection(client, "Guides & more")
    page = f"collections/new?parent={guides['id']}"
    assert f'<option value="{guides["id"]}" selected' in (await desk.get(page)).text

    told = await desk.follow(
        await desk.send(page, "collections/new", title="On Linux", icon="🐧", parentId=guides["id"])
    )

    assert "Created “On Linux”." in told.text
    assert await tree(desk) == [(0, "Guides & more"), (1, "On Linux")]
    [_, inner] = await all_pages(client, "/v1/collections")
    assert (inner["slug"], inner["icon"], inner["visibility"]) == ("on-linux", "🐧", "public")


async def test_refused_form_keeps_its_values_and_shows_the_reason(desk: Desk, client: Client) -> None:
    await create_collection(client, "Guides")
    fields = {"title": "x" * 201, "slug": "Bad slug", "description": "Typed with care."}

    answer = await desk.send("collections/new", "collections/new", **fields)

    assert answer.status_code == 400
    assert "200 characters" in answer.text
    assert "joined by hyphens" in answer.text
    assert 'value="Typed with care."' in answer.text
    answer = await desk.send("collections/new", "collections/new", title="Other", slug="guides")
    assert "in use" in answer.text
    assert await tree(desk) == [(0, "Guides")]


async def test_a_collection_is_renamed_hidden_and_moved(desk: Desk, client: Client) -> None:
    guides, inner = await create_collection(client, "Guides"), await create_collection(client, "Inner")
    path = f"collections/{inner['id']}"
    fields = await form_of(
        desk, inner, title="Inside", parentId=guides["id"], visibility="authenticated", slug=""
    )

    told = await desk.follow(await desk.send(path, path, **fields))

    assert "Saved “Inside”." in told.text
    assert "signed-in only" in told.text
    saved = ok(await client.get("/v1/collections/inner"))
    assert (saved["title"], saved["parentId"], saved["visibility"]) == (
        "Inside",
        guides["id"],
        "authenticated",
    )
    # A collection can't be moved into its own descendant, so the form does not offer it.
    assert f'value="{inner["id"]}"' not in (await desk.get(f"collections/{guides['id']}")).text


async def test_second_save_keeps_the_words_and_names_the_first_editor(
    desk: Desk, editor: Desk, client: Client
) -> None:
    guides = await create_collection(client, "Guides")
    path = f"collections/{guides['id']}"
    first, second = (
        await form_of(editor, guides, title="Manuals"),
        await form_of(desk, guides, title="Handbook"),
    )
    await editor.send(path, path, **first)

    answer = await desk.send(path, path, **second)

    assert answer.status_code == 409
    assert "Not saved." in answer.text
    assert editor.user.email in answer.text
    assert 'value="Handbook"' in answer.text
    assert await tree(desk) == [(0, "Manuals")]
    [etag] = ETAG.findall(answer.text)
    again = unescape(etag)
    await desk.send(path, path, **{**second, "etag": again})
    assert await tree(desk) == [(0, "Handbook")]


async def test_collections_move_up_and_down_among_those_beside_them(desk: Desk, client: Client) -> None:
    first = await create_collection(client, "First")
    await create_collection(client, "Inner", parentId=first["id"])
    second = await create_collection(client, "Second")

    await desk.send("collections", f"collections/{second['id']}/move/up")
    assert await tree(desk) == [(0, "Second"), (0, "First"), (1, "Inner")]
    await desk.send("collections", f"collections/{second['id']}/move/up")
    await desk.send("collections", f"collections/{second['id']}/move/down")
    assert await tree(desk) == [(0, "First"), (1, "Inner"), (0, "Second")]
    assert (await desk.send("collections", f"collections/{second['id']}/move/away")).status_code == 404


async def test_deleting_says_what_becomes_of_what_stands_in_it(desk: Desk, client: Client) -> None:
    guides = await create_collection(client, "Guides")
    await create_collection(client, "Inner", parentId=guides["id"])
    await create_article(client, collectionId=guides["id"])
    page = f"collections/{guides['id']}/delete"

    asked = unescape((await desk.get(page)).text)
    assert "1 article stays" in asked
    assert "“<bdi>Inner</bdi>” moves to the top." in asked
    told = await desk.follow(await desk.send(page, page))

    assert "Deleted “Guides”" in told.text
    assert await tree(desk) == [(0, "Inner")]
