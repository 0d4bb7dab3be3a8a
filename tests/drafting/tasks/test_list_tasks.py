"""GET /v1/tasks."""

from tests.support.cast import Api, Cast
from tests.support.changes import get, send


async def test_the_newest_task_comes_first(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    tasks = [await send(client, title=f"Change {number}") for number in range(3)]

    listed = await get(api(cast.acme.read_key), "tasks")

    assert listed == {"results": tasks[::-1], "has_more": False, "next_cursor": None}


async def test_pages_follow_each_other_while_tasks_are_added(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    tasks = [await send(client, title=f"Change {number}") for number in range(5)]

    first = await get(client, "tasks?page_size=2")
    await send(client, title="A newer one")
    second = await get(client, f"tasks?page_size=3&start_cursor={first['next_cursor']}")

    seen = [task["id"] for page in (first, second) for task in page["results"]]
    assert seen == [task["id"] for task in reversed(tasks)]
    assert second["has_more"] is False


async def test_the_cursor_of_another_bot_is_refused(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    for number in range(2):
        await send(client, title=f"Change {number}")
    cursor = (await get(client, "tasks?page_size=1"))["next_cursor"]

    refused = await api(cast.globex.read_key).get(f"/v1/tasks?start_cursor={cursor}")

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_cursor")


async def test_companies_and_bots_see_their_own_tasks(api: Api, cast: Cast) -> None:
    await send(api(cast.acme.write_key))

    assert (await get(api(cast.globex.read_key), "tasks"))["results"] == []
    assert (await get(api(cast.wide_key), f"tasks?bot_id={cast.second_bot_id}"))["results"] == []
