"""Collections inside collections: levels, order, moves and deletion (contract section 10)."""

from asyncio import gather
from random import Random
from typing import Any

import pytest

from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import (
    Response,
    all_pages,
    at_once,
    create_article,
    create_collection,
    error,
    named_fields,
    ok,
)

LIST = "/v1/collections"


async def nest(client: Client, title: str, parent: Json | None = None, **fields: Any) -> Json:
    return await create_collection(client, title, parentId=parent and parent["id"], **fields)


async def move(client: Client, ref: str, parent: str | None) -> Response:
    return await client.patch(f"{LIST}/{ref}", json={"parentId": parent})


async def reading_order(client: Client, page_size: int = 100) -> list[str]:
    return [row["slug"] for row in await all_pages(client, LIST, page_size=page_size)]


async def three_levels(client: Client, prefix: str = "") -> list[Json]:
    rows: list[Json] = []
    for title in ("One", "Two", "Three"):
        rows.append(await nest(client, f"{prefix}{title}", rows[-1] if rows else None))
    return rows


@pytest.mark.parametrize("by", ["id", "slug"])
async def test_a_parent_is_named_by_its_id_or_slug(api: Api, cast: Cast, by: str) -> None:
    client = api(cast.acme.write_key)
    parent = await create_collection(client)

    child = await create_collection(client, "Tips", parentId=parent[by])

    assert child["parentId"] == parent["id"]
    assert ok(await client.get(f"{LIST}/tips")) == child
    moved = ok(await move(client, "tips", None))
    assert moved == {**child, "parentId": None, "updatedAt": moved["updatedAt"]}
    assert ok(await move(client, "tips", parent[by]))["parentId"] == parent["id"]


async def test_new_ones_go_last_beside_their_siblings(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    first = await nest(client, "First")
    await nest(client, "Second")

    assert [(await nest(client, "Inner", first))["sortOrder"] for _ in range(2)] == [0, 1]


@pytest.mark.parametrize("size", [1, 2, 100])
async def test_the_list_is_in_reading_order(api: Api, cast: Cast, size: int) -> None:
    client = api(cast.acme.write_key)
    second = await nest(client, "B")
    first = await nest(client, "A")
    ok(await client.patch(f"{LIST}/a", json={"sortOrder": 0}))
    ok(await client.patch(f"{LIST}/b", json={"sortOrder": 7}))
    for parent, letter in ((second, "b"), (first, "a")):
        inner = await nest(client, f"{letter} one", parent)
        await nest(client, f"{letter} two", parent)
        await nest(client, f"{letter} one deep", inner)

    expected = ["a", "a-one", "a-one-deep", "a-two", "b", "b-one", "b-one-deep", "b-two"]
    assert await reading_order(client, size) == expected
    ok(await client.patch(f"{LIST}/b-two", json={"sortOrder": 0, "parentId": "a"}))
    # If the order is equal, the older collection comes first.
    expected = ["a", "b-two", "a-one", "a-one-deep", "a-two", "b", "b-one", "b-one-deep"]
    assert await reading_order(client, size) == expected


@pytest.mark.parametrize("size", [1, 3])
async def test_rows_that_stay_come_once_while_whole_branches_move(api: Api, cast: Cast, size: int) -> None:
    client = api(cast.acme.write_key)
    for number in range(4):
        root = await nest(client, f"Root {number}")
        for inner in range(2):
            await nest(client, f"Inner {number} {inner}", root)
    stayed = [slug for slug in await reading_order(client) if "-2" not in slug]
    seen: list[str] = []
    cursor: Json = {}
    while True:
        page = ok(await client.get(LIST, params={"page_size": size, **cursor}))
        seen += [row["slug"] for row in page["results"]]
        ok(await move(client, "root-2", None if len(seen) % 2 else "root-0"))
        if not page["has_more"]:
            break
        cursor = {"start_cursor": page["next_cursor"]}

    assert [slug for slug in seen if slug in stayed] == stayed


async def test_a_fourth_level_is_refused(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    *_, deepest = await three_levels(client)

    refused = await client.post(LIST, json={"title": "Four", "parentId": deepest["id"]})

    assert named_fields(refused) == ["parentId"]
    assert "at most 3 levels" in refused.json()["error"]
    assert len(await reading_order(client)) == 3


async def test_a_move_counts_what_stands_in_the_collection(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await three_levels(client)
    outer = await nest(client, "Outer")
    inner = await nest(client, "Inner", outer)

    assert named_fields(await move(client, "one", outer["id"])) == ["parentId"]
    assert named_fields(await move(client, "two", inner["id"])) == ["parentId"]
    assert named_fields(await move(client, "outer", "two")) == ["parentId"]
    assert ok(await move(client, "two", outer["id"]))["parentId"] == outer["id"]
    assert await reading_order(client) == ["one", "outer", "two", "three", "inner"]


@pytest.mark.parametrize("target", ["one", "two", "three"])
async def test_a_collection_can_not_stand_in_itself_or_below(api: Api, cast: Cast, target: str) -> None:
    client = api(cast.acme.write_key)
    await three_levels(client)

    refused = await move(client, "one", target)

    assert named_fields(refused) == ["parentId"]
    assert ok(await client.get(f"{LIST}/one"))["parentId"] is None


async def test_a_parent_of_another_bot_is_as_unknown_as_none(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await create_collection(client)
    theirs = await create_collection(api(cast.globex.write_key), "Theirs")
    others = (await api(cast.wide_key).post(LIST, json={"title": "Other"}, params=second_bot(cast))).json()

    refs = (theirs["id"], others["id"], "theirs", "nothing", "")
    answers = [await client.post(LIST, json={"title": "Tips", "parentId": ref}) for ref in refs]
    answers += [await move(client, "guides", ref) for ref in refs]

    assert {tuple(named_fields(answer)) for answer in answers} == {("parentId",)}
    assert len({answer.content for answer in answers}) == 1


def second_bot(cast: Cast) -> dict[str, str]:
    return {"bot_id": str(cast.second_bot_id)}


async def test_a_move_to_where_it_is_leaves_no_trace(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    parent = await create_collection(client)
    child = await nest(client, "Tips", parent)

    assert ok(await move(client, "tips", "guides")) == child
    assert ok(await move(client, "guides", None)) == parent


async def test_articles_are_counted_where_they_are(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    for row in await three_levels(client):
        await create_article(client, row["title"], collectionId=row["id"])

    assert [row["articleCount"] for row in await all_pages(client, LIST)] == [1, 1, 1]


async def test_children_of_a_deleted_collection_move_to_its_parent(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    one, two, _ = await three_levels(client)
    for title in ("one", "two", "three"):
        await create_article(client, f"In {title}", collectionId=title)

    assert ok(await client.delete(f"{LIST}/two")) == {"id": two["id"], "deleted": True}
    assert ok(await client.get(f"{LIST}/three"))["parentId"] == one["id"]
    ok(await client.delete(f"{LIST}/one"))
    three = ok(await client.get(f"{LIST}/three"))

    assert three["parentId"] is None
    homes = {row["title"]: row["collectionId"] for row in await all_pages(client, "/v1/articles")}
    assert homes == {"In one": None, "In two": None, "In three": three["id"]}


async def test_the_address_and_the_etag_tell_of_hidden_ancestors(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    *_, deepest = await three_levels(client)
    path = f"{LIST}/three"
    etag = (await client.get(path)).headers["ETag"]

    ok(await client.patch(f"{LIST}/one", json={"visibility": "authenticated"}))
    changed = await client.get(path, headers={"If-None-Match": etag})

    assert ok(changed) == {**deepest, "url": None}
    assert ok(await client.get(path))["visibility"] == "public"
    assert error(await client.patch(path, json={"title": "3"}, headers={"If-Match": etag})) == (
        400,
        "conflict",
    )
    assert ok(await move(client, "three", None))["url"] == deepest["url"]


async def test_two_that_move_into_each_other_make_no_cycle(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    for number in range(12):
        left, right = await nest(client, f"Left {number}"), await nest(client, f"Right {number}")
        answers = await gather(move(client, left["id"], right["id"]), move(client, right["id"], left["id"]))

        assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert len(await reading_order(client)) == 24


async def test_many_moves_at_once_leave_a_tree_of_three_levels(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    refs: list[str] = [(await nest(client, f"No {number}"))["id"] for number in range(9)]
    choice = Random(5)

    async def shuffle(number: int) -> int:
        row, parent = choice.choice(refs), choice.choice([None, *refs])
        if number % 12 == 11:
            return (await client.delete(f"{LIST}/{row}")).status_code
        if number % 7 == 6:
            return (await client.post(LIST, json={"title": "New", "parentId": parent})).status_code
        return (await move(client, row, parent)).status_code

    assert set(await at_once(60, shuffle)) <= {200, 201, 400, 404}

    left = {row["id"]: row["parentId"] for row in await all_pages(client, LIST)}
    for ref in left:
        lineage = [ref]
        while parent := left[lineage[-1]]:
            assert parent not in lineage
            lineage.append(parent)
        assert len(lineage) <= 3


async def test_parallel_creation_and_deletion_leave_no_child_without_parent(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    for number in range(12):
        await nest(client, f"Parent {number}")

        body = {"title": f"Child {number}", "parentId": f"parent-{number}"}
        entered, deleted = await gather(
            client.post(LIST, json=body), client.delete(f"{LIST}/parent-{number}")
        )

        assert (entered.status_code, deleted.status_code) in ((201, 200), (400, 200))
    assert {row["parentId"] for row in await all_pages(client, LIST)} <= {None}
