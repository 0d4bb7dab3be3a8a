"""The changelog: its entries, and publishing, unpublishing and deleting one."""

import re
from html import unescape

from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Client, Json
from tests.support.changelog_entries import ENTRIES, create_entry, publish_entry
from tests.support.http import Response, error, ok

TITLE = re.compile(r'<a class="title"[^>]*><bdi>([^<]*)</bdi>')
ETAG = re.compile(r'name="etag" value="([^"]*)"')


def titles(page: Response) -> list[str]:
    assert page.status_code == 200, page.text
    return [unescape(title) for title in TITLE.findall(page.text)]


async def etag_on(desk: Desk, page: str) -> str:
    tag = ETAG.search((await desk.get(page)).text)
    assert tag is not None
    return unescape(tag[1])


async def act(desk: Desk, entry: Json, action: str) -> Response:
    page = f"changelog/{entry['id']}"
    return await desk.send(page, f"{page}/{action}", etag=await etag_on(desk, page))


async def test_without_entries_the_page_says_what_to_do(desk: Desk, viewer: Desk) -> None:
    assert "the entry stays a draft" in (await desk.get("changelog")).text
    assert "An editor" in (await viewer.get("changelog")).text


async def test_entries_are_listed_newest_first_and_by_status(desk: Desk, client: Client) -> None:
    await publish_entry(client, "Version 1")
    await create_entry(client, title="Version 2")

    assert titles(await desk.get("changelog")) == ["Version 2", "Version 1"]
    assert titles(await desk.get("changelog?status=draft")) == ["Version 2"]
    assert titles(await desk.get("changelog?status=archived")) == []
    assert titles(await desk.get("changelog?status=nothing")) == ["Version 2", "Version 1"]


async def test_an_entry_goes_live_and_comes_down(desk: Desk, client: Client, visitor: Client) -> None:
    entry = await create_entry(client, title="Exports", contentMarkdown="Choose **CSV**.")

    told = await desk.follow(await act(desk, entry, "publish"))

    assert "“Exports” is published." in told.text
    assert "<strong>CSV</strong>" in told.text
    assert f'action="{desk.path("changelog/" + entry["id"] + "/unpublish")}"' in told.text
    live = ok(await client.get(f"{ENTRIES}/{entry['id']}"))
    assert (await visitor.get(live["url"])).status_code == 200
    told = await desk.follow(await act(desk, entry, "unpublish"))
    assert "“Exports” is unpublished." in told.text
    assert (await visitor.get(live["url"])).status_code == 404
    told = await desk.follow(await act(desk, entry, "archive"))
    assert "“Exports” is archived." in told.text
    assert titles(await desk.get("changelog?status=archived")) == ["Exports"]


async def test_a_deleted_entry_is_gone(desk: Desk, client: Client, visitor: Client) -> None:
    entry = await publish_entry(client, "Exports")
    page = f"changelog/{entry['id']}/delete"
    assert "can't be restored" in unescape((await desk.get(page)).text)

    told = await desk.follow(await desk.send(page, page, etag=await etag_on(desk, page)))

    assert "“Exports” is deleted." in told.text
    assert error(await client.get(f"{ENTRIES}/{entry['id']}")) == (404, "not_found")
    assert (await visitor.get(entry["url"])).status_code == 404


async def test_stale_page_gets_409_and_changes_nothing(desk: Desk, client: Client) -> None:
    entry = await create_entry(client)
    page = f"changelog/{entry['id']}"
    etag = await etag_on(desk, page)
    ok(await client.patch(f"{ENTRIES}/{entry['id']}", json={"contentMarkdown": "Other words."}))

    for action, outcome in (("publish", "published"), ("delete", "deleted")):
        answer = await desk.send(page, f"{page}/{action}", etag=etag)
        assert answer.status_code == 409
        assert f"<strong>Not {outcome}" in answer.text
        assert "Acme writer" in answer.text
        assert "Other words." in answer.text
    assert ok(await client.get(f"{ENTRIES}/{entry['id']}"))["status"] == "draft"


async def test_a_viewer_reads_and_is_offered_nothing(viewer: Desk, client: Client) -> None:
    entry = await publish_entry(client)
    for page in ("changelog", f"changelog/{entry['id']}"):
        text = (await viewer.get(page)).text
        main = text[text.index("<main") : text.index("</main>")]
        assert 'method="post"' not in main
        assert "New entry" not in main
