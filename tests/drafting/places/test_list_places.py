"""Pending places: which of them are listed, and their fields."""

from instep.platform.core.database import Database
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import publish
from tests.support.http import TIMESTAMP, all_pages, created, error, ok
from tests.support.places import LABEL, REASON, URL, find_places, new_place, waiting


async def test_a_place_says_where_why_and_for_which_lines_of_code(
    client: Client, cast: Cast, place: Json
) -> None:
    assert place["id"].startswith("plc_")
    assert TIMESTAMP.fullmatch(place["createdAt"])
    assert place == {
        "id": place["id"],
        "articleId": place["articleId"],
        "articleTitle": "Exports",
        "heading": "Schedule exports",
        "line": 5,
        "reason": REASON,
        "evidence": [{"file": "app/export.html", "startLine": 2, "endLine": 2, "excerpt": LABEL}],
        "status": "open",
        "assignee": None,
        "taskId": place["taskId"],
        "version": None,
        "sinceVersion": None,
        "untilVersion": None,
        "source": {"kind": "pr", "title": "Pause scheduled exports", "url": URL},
        "botId": str(cast.acme.bot_id),
        "createdAt": place["createdAt"],
        "updatedAt": place["createdAt"],
    }
    assert ok(await client.get(f"/v1/places/{place['id']}")) == place
    task = ok(await client.get(f"/v1/tasks/{place['taskId']}"))
    assert task["places"] == [
        {"id": place["id"], "articleId": place["articleId"], "heading": "Schedule exports"}
    ]


async def test_places_of_articles_with_the_same_title_say_their_versions(
    client: Client, cast: Cast, database: Database, place: Json
) -> None:
    for slug in ("1.x", "2.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug, "isCurrent": slug == "2.x"}))
    ok(await client.patch(f"/v1/articles/{place['articleId']}", json={"sinceVersion": "2.x"}))
    older = await publish(client, "Exports", "# Exports\n")
    ok(await client.patch(f"/v1/articles/{older['id']}", json={"untilVersion": "1.x"}))
    await find_places(client, database, cast.acme, new_place(older["id"], heading=None, key="b"))

    rows = await waiting(client)

    assert [(row["articleTitle"], row["sinceVersion"], row["untilVersion"]) for row in rows] == [
        ("Exports", None, "1.x"),
        ("Exports", "2.x", None),
    ]


async def test_the_list_is_narrowed_by_status_article_and_task(
    client: Client, cast: Cast, database: Database, place: Json
) -> None:
    other = await publish(client, "Imports", "# Imports\n")
    task = await find_places(
        client, database, cast.acme, new_place(other["id"], heading=None, key="b"), url=f"{URL}0"
    )
    newest = (await waiting(client))[0]

    assert [row["articleId"] for row in await waiting(client)] == [other["id"], place["articleId"]]
    assert newest["heading"] is None
    assert await waiting(client, article_id="exports") == [place]
    assert await waiting(client, task_id=task["id"]) == [newest]
    assert await waiting(client, task_id="task_1") == []
    assert error(await client.get("/v1/places", params={"article_id": "nothing"})) == (404, "not_found")
    assert error(await client.get("/v1/places", params={"status": "pending"})) == (400, "invalid_request")

    ok(await client.post(f"/v1/places/{place['id']}/resolve"))
    assert [row["id"] for row in await waiting(client)] == [newest["id"]]
    assert [row["id"] for row in await waiting(client, status="resolved")] == [place["id"]]


async def test_the_list_comes_in_pages(client: Client, cast: Cast, database: Database, place: Json) -> None:
    places = [new_place(place["articleId"], key=str(number), heading=str(number)) for number in range(4)]
    await find_places(client, database, cast.acme, *places, url=f"{URL}0")

    pages = await all_pages(client, "/v1/places?page_size=2")

    assert len({row["id"] for row in pages}) == 5


async def test_places_of_a_deleted_article_come_back_with_it(client: Client, place: Json) -> None:
    path = f"/v1/articles/{place['articleId']}"
    await client.delete(path)
    assert await waiting(client) == []
    assert error(await client.post(f"/v1/places/{place['id']}/reopen")) == (400, "invalid_state")

    ok(await client.post(f"{path}/restore"))

    assert await waiting(client) == [place]


async def test_a_place_is_nobody_elses(api: Api, cast: Cast, place: Json) -> None:
    stranger = api(cast.globex.write_key)
    assert await waiting(stranger) == []
    for verb in ("", "/resolve", "/dismiss", "/reopen"):
        method = "POST" if verb else "GET"
        refusal = await stranger.request(method, f"/v1/places/{place['id']}{verb}")
        assert error(refusal) == (404, "not_found")
