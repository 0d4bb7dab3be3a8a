"""GET /v1/tasks/{id}."""

from tests.cast import Api, Cast
from tests.tasks.changes import get, send


async def test_a_read_key_may_poll(api: Api, cast: Cast) -> None:
    task = await send(api(cast.acme.write_key))

    assert await get(api(cast.acme.read_key), f"tasks/{task['id']}") == task


async def test_the_diff_is_not_sent_back(api: Api, cast: Cast) -> None:
    task = await send(api(cast.acme.write_key), body="A long description")

    answer = await api(cast.acme.read_key).get(f"/v1/tasks/{task['id']}")

    assert "settings.py" not in answer.text
    assert "A long description" not in answer.text


async def test_the_task_of_another_company_or_bot_is_not_there(api: Api, cast: Cast) -> None:
    task = await send(api(cast.acme.write_key))

    by_stranger = await api(cast.globex.read_key).get(f"/v1/tasks/{task['id']}")
    by_other_bot = await api(cast.wide_key).get(f"/v1/tasks/{task['id']}?bot_id={cast.second_bot_id}")
    missing = await api(cast.globex.read_key).get("/v1/tasks/task_nothing")

    assert (by_stranger.status_code, by_stranger.json()["code"]) == (404, "not_found")
    assert by_stranger.json() == by_other_bot.json() == missing.json()
