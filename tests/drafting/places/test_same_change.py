"""A change that is sent again finds the same places again."""

import pytest

from instep.platform.core.database import Database
from tests.drafting.tasks.test_dropped_drafts import OTHER
from tests.support.cast import Cast, Client, Json, RunJobs
from tests.support.changes import publish, send
from tests.support.http import created, ok
from tests.support.places import TEXT, URL, find_places, new_place, waiting


@pytest.mark.parametrize("url", [URL, None])
async def test_the_same_change_makes_no_second_place(
    client: Client, cast: Cast, database: Database, place: Json, url: str | None
) -> None:
    new = new_place(place["articleId"])
    task = await find_places(client, database, cast.acme, new, url=url)
    again = await find_places(client, database, cast.acme, new, url=url)

    [only] = await waiting(client)

    assert only["id"] == place["id"]
    assert only["taskId"] == again["id"] != task["id"]
    assert [row["id"] for row in again["places"]] == [place["id"]]


@pytest.mark.parametrize(("url", "same_key"), [(f"{URL}0", "pause"), (None, "pause"), (None, "other")])
async def test_the_same_change_for_another_version_is_another_place(
    client: Client, cast: Cast, database: Database, url: str | None, same_key: str
) -> None:
    for slug in ("1.x", "2.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug, "branches": [slug]}))
    article = await publish(client, "Exports", TEXT)
    await find_places(client, database, cast.acme, new_place(article["id"]), url=url, branch="1.x")

    later = new_place(article["id"], key=same_key)
    await find_places(client, database, cast.acme, later, url=url and URL, branch="2.x")

    assert {place["version"] for place in await waiting(client)} == {"1.x", "2.x"}


async def test_a_later_state_of_the_change_renews_the_place_of_the_section(
    client: Client, cast: Cast, database: Database, place: Json
) -> None:
    later = new_place(place["articleId"], key="other", line=7, reason="It adds “Resume”.")
    await find_places(client, database, cast.acme, later)

    [only] = await waiting(client)

    assert (only["id"], only["line"], only["reason"]) == (place["id"], 7, "It adds “Resume”.")


@pytest.mark.parametrize("verb", ["resolve", "dismiss"])
@pytest.mark.parametrize("key", ["pause", "other"])
async def test_settled_places_are_not_opened_again_by_the_same_change(
    client: Client, cast: Cast, database: Database, place: Json, verb: str, key: str
) -> None:
    ok(await client.post(f"/v1/places/{place['id']}/{verb}"))

    task = await find_places(client, database, cast.acme, new_place(place["articleId"], key=key))

    assert await waiting(client) == []
    assert task["places"] == []


async def test_two_places_of_one_section_are_two(
    client: Client, cast: Cast, database: Database, place: Json
) -> None:
    both = [new_place(place["articleId"], key="resume"), new_place(place["articleId"])]
    for _ in range(2):
        await find_places(client, database, cast.acme, *both)

    assert len(await waiting(client)) == 2


async def test_places_that_a_later_state_drops_leave_the_queue(
    client: Client, cast: Cast, database: Database, place: Json
) -> None:
    other = await publish(client, "Imports", "# Imports\n")
    await find_places(client, database, cast.acme, new_place(other["id"]), url=f"{URL}0")

    await find_places(client, database, cast.acme, withdrawable=[place["articleId"], other["id"]])

    assert [row["articleId"] for row in await waiting(client)] == [other["id"]]
    assert [row["id"] for row in await waiting(client, status="dismissed")] == [place["id"]]
    assert ok(await client.get("/v1/insights/suppressed"))["results"] == []


async def test_a_place_of_an_article_that_was_not_read_stays(
    client: Client, cast: Cast, database: Database, place: Json
) -> None:
    await find_places(client, database, cast.acme)

    assert await waiting(client) == [place]


async def test_a_later_push_that_asks_for_nothing_takes_the_place_out(
    client: Client, place: Json, run_jobs: RunJobs
) -> None:
    await send(client, url=URL, title="Pause scheduled exports", diff=OTHER)
    await run_jobs()

    assert await waiting(client) == []
    assert [row["id"] for row in await waiting(client, status="dismissed")] == [place["id"]]


async def test_place_stays_after_another_change_and_one_without_a_diff(
    client: Client, place: Json, run_jobs: RunJobs
) -> None:
    await send(client, url=f"{URL}0", title="Pause scheduled exports", diff=OTHER)
    await send(client, url=URL, title="Pause scheduled exports", diff=None)
    await run_jobs()

    assert [row["id"] for row in await waiting(client)] == [place["id"]]


@pytest.mark.parametrize(
    ("title", "is_reverted"),
    [('Revert "Pause scheduled exports"', True), ('Revert "Pause all exports"', False)],
)
async def test_a_revert_takes_the_places_of_its_change_out(
    client: Client, place: Json, run_jobs: RunJobs, title: str, is_reverted: bool
) -> None:
    await send(client, url=f"{URL}0", title=title, diff=OTHER)
    await run_jobs()

    assert (await waiting(client) == []) is is_reverted
    assert len(await waiting(client, status="dismissed")) == is_reverted


async def test_a_place_that_two_changes_ask_for_waits_once_for_the_later_one(
    client: Client, cast: Cast, database: Database, place: Json
) -> None:
    later = await find_places(
        client, database, cast.acme, new_place(place["articleId"]), url=f"{URL}0", title="Backport"
    )

    [only] = await waiting(client)

    assert (only["id"], only["taskId"]) == (place["id"], later["id"])
    assert only["source"] == {"kind": "pr", "title": "Backport", "url": f"{URL}0"}
