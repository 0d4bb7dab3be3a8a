"""POST /v1/changelog/entries/{id}/publish."""

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.changelog_entries import ENTRIES, archive, create_entry, publish_entry
from tests.support.events import before, heard, told
from tests.support.http import TIMESTAMP, at_once, error, ok
from tests.support.webhook_endpoints import create_webhook

ENTRY = f"{ENTRIES}/exports-as-csv"


async def test_a_published_entry_is_live_at_its_address(client: Client, visitor: Client, cast: Cast) -> None:
    draft = await create_entry(client)

    live = ok(await client.post(f"{ENTRY}/publish"))

    assert live["url"] == f"http://help.test/help/{cast.acme.slug}/changelog/exports-as-csv"
    assert TIMESTAMP.fullmatch(live["publishedAt"])
    changed = {name: live[name] for name in ("url", "publishedAt", "updatedAt")}
    assert live == {**draft, **changed, "status": "published"}
    assert ok(await client.get(ENTRY)) == live
    page = await visitor.get(live["url"])
    assert (page.status_code, "Now also so." in page.text) == (200, True)


async def test_publishing_again_changes_nothing(client: Client) -> None:
    first = await publish_entry(client)

    again = await client.post(f"{ENTRY}/publish")

    assert ok(again) == first
    assert again.headers["ETag"] == (await client.get(ENTRY)).headers["ETag"]


async def test_publishing_once_more_keeps_the_first_date(client: Client) -> None:
    first = await publish_entry(client)
    ok(await client.post(f"{ENTRY}/unpublish"))

    again = ok(await client.post(f"{ENTRY}/publish"))

    assert again == {**first, "updatedAt": again["updatedAt"]}
    assert again["updatedAt"] >= first["updatedAt"]


async def test_an_archived_entry_can_be_published(client: Client, visitor: Client, owner: Tx) -> None:
    first = await publish_entry(client)
    await archive(owner, first)

    again = ok(await client.post(f"{ENTRY}/publish"))

    assert again == {**first, "updatedAt": again["updatedAt"]}
    assert (await visitor.get(first["url"])).status_code == 200


async def test_ten_at_once_publish_it_once(client: Client) -> None:
    async def publish(ref: str) -> set[bytes]:
        return {
            answer.content for answer in await at_once(10, lambda _: client.post(f"{ENTRIES}/{ref}/publish"))
        }

    # In the first round the pool is still opening connections, so few requests really overlap.
    for _ in range(5):
        entry = await create_entry(client)
        assert len(await publish(entry["id"])) == 1
        assert ok(await client.get(f"{ENTRIES}/{entry['id']}"))["status"] == "published"


async def test_a_stale_etag_is_refused(client: Client) -> None:
    await create_entry(client)
    stale = (await client.get(ENTRY)).headers["ETag"]
    present = (await client.patch(ENTRY, json={"title": "New"})).headers["ETag"]

    refusal = await client.post(f"{ENTRY}/publish", headers={"If-Match": stale})

    assert error(refusal) == (400, "conflict")
    assert ok(await client.get(ENTRY))["status"] == "draft"
    assert ok(await client.post(f"{ENTRY}/publish", headers={"If-Match": present}))


async def test_an_entry_that_became_live_is_told_once(client: Client, cast: Cast, owner: Tx) -> None:
    await create_webhook(client)
    entry = await create_entry(client)
    path = f"{ENTRIES}/{entry['id']}"
    ok(await client.patch(path, json={"title": "Exports"}))
    draft = ok(await client.get(path))

    answers = await at_once(20, lambda _: client.post(f"{path}/publish"))
    ok(await client.patch(path, json={"contentMarkdown": "Another."}))

    live = ok(answers[0])
    [event] = await heard(owner, cast.acme)
    assert told(event) == ("changelog_entry.published", live, before(draft, live))
    assert event["data"]["previousAttributes"].keys() == {"status", "url", "publishedAt", "updatedAt"}


async def test_each_time_that_it_becomes_live_is_told(client: Client, cast: Cast, owner: Tx) -> None:
    await create_webhook(client)
    entry = await publish_entry(client)
    path = f"{ENTRIES}/{entry['id']}"
    ok(await client.post(f"{path}/unpublish"))
    ok(await client.post(f"{path}/publish"))
    await archive(owner, entry)
    stale = await client.post(f"{path}/publish", headers={"If-Match": '"stale"'})
    assert error(stale) == (400, "conflict")
    ok(await client.post(f"{path}/publish"))

    events = [told(event) for event in await heard(owner, cast.acme)]

    assert [kind for kind, _, _ in events] == ["changelog_entry.published"] * 3
    assert [old["status"] for _, _, old in events] == ["draft", "draft", "archived"]
    assert ["publishedAt" in old for _, _, old in events] == [True, False, False]
