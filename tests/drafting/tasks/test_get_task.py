"""GET /v1/tasks/{id}."""

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, RunJobs
from tests.support.changes import change, get, send, write
from tests.support.http import error


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


async def test_a_key_of_several_bots_need_not_name_the_tasks_bot(api: Api, cast: Cast) -> None:
    wide = api(cast.wide_key)
    first = await send(api(cast.acme.write_key))
    second = (await wide.post(f"/v1/tasks?bot_id={cast.second_bot_id}", json=change(url=None))).json()

    assert await get(wide, f"tasks/{first['id']}") == first
    assert await get(wide, f"tasks/{second['id']}") == second
    assert await get(wide, f"tasks/{second['id']}?bot_id={cast.second_bot_id}") == second
    assert second["botId"] == str(cast.second_bot_id)


async def test_a_key_of_one_bot_sees_no_task_of_another_bot(api: Api, cast: Cast) -> None:
    wide = api(cast.wide_key)
    task = (await wide.post(f"/v1/tasks?bot_id={cast.second_bot_id}", json=change())).json()

    unnamed = await api(cast.acme.read_key).get(f"/v1/tasks/{task['id']}")
    misnamed = await wide.get(f"/v1/tasks/{task['id']}", headers={"Service-Bot": str(cast.acme.bot_id)})
    elsewhere = await api(cast.globex.read_key).get(f"/v1/tasks/{task['id']}")

    assert [error(answer) for answer in (unnamed, misnamed, elsewhere)] == [(404, "not_found")] * 3


async def test_a_draft_whose_article_was_purged_leaves_the_task_as_it_was(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    task = await write(client)
    await run_jobs()
    done = await get(client, f"tasks/{task['id']}")
    [draft] = done["drafts"]
    await owner.execute("delete from articles where id = %(id)s", id=draft["articleId"])

    assert await get(client, f"tasks/{task['id']}") == done | {"drafts": []}
    assert error(await client.get(f"/v1/drafts/{draft['id']}")) == (404, "not_found")
