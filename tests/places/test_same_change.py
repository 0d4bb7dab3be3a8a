"""A change that is sent again finds the places that it has found before."""

import pytest

from instep.core.database import Database
from tests.places.finding import URL, find_places, new_place, waiting
from tests.support.cast import Cast, Client, Json
from tests.support.http import ok
from tests.tasks.changes import publish


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


async def test_a_later_state_of_the_change_renews_the_place_of_the_section(
    client: Client, cast: Cast, database: Database, place: Json
) -> None:
    later = new_place(place["articleId"], key="other", line=7, reason="It adds “Resume”.")
    await find_places(client, database, cast.acme, later)

    [only] = await waiting(client)

    assert (only["id"], only["line"], only["reason"]) == (place["id"], 7, "It adds “Resume”.")


@pytest.mark.parametrize("verb", ["resolve", "dismiss"])
@pytest.mark.parametrize("key", ["pause", "other"])
async def test_what_people_settled_is_not_opened_by_the_same_change(
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


async def test_what_a_later_state_does_not_ask_for_leaves_the_queue(
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
