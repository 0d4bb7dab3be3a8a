"""POST /v1/insights/unanswered/{id}/dismiss."""

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core.database import Database, Tx
from tests.support.cast import Api, Cast
from tests.support.http import at_once, error, ok
from tests.support.unanswered import LIST, ask, questions, unanswered


async def test_a_dismissed_question_leaves_the_list(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    question_id = await ask(database, cast.acme)
    (before,) = await unanswered(client)

    dismissed = ok(await client.post(f"{LIST}/{question_id}/dismiss"))

    assert dismissed == before | {"status": "dismissed"}
    assert await unanswered(client) == []
    assert await unanswered(client, status="dismissed") == [dismissed]


async def test_dismissed_question_stays_dismissed_and_is_counted_if_repeated(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    question_id = await ask(database, cast.acme)
    ok(await client.post(f"{LIST}/{question_id}/dismiss"))

    await ask(database, cast.acme, visitor="bob")

    assert await unanswered(client) == []
    (row,) = await unanswered(client, status="dismissed")
    assert (row["id"], row["askedCount"], row["visitorCount"]) == (question_id, 2, 2)


async def test_second_dismissal_is_refused(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    path = f"{LIST}/{await ask(database, cast.acme)}/dismiss"
    ok(await client.post(path))

    assert error(await client.post(path)) == (400, "invalid_state")


async def test_one_of_several_concurrent_dismissals_succeeds(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    ids = [await ask(database, cast.acme, f"topic{number}") for number in range(10)]

    answers = await at_once(40, lambda number: client.post(f"{LIST}/{ids[number // 4]}/dismiss"))

    for start in range(0, 40, 4):
        assert sorted(answer.status_code for answer in answers[start : start + 4]) == [200, 400, 400, 400]


async def test_asking_and_dismissing_at_once_lose_nothing(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    question_id = await ask(database, cast.acme)

    async def act(number: int) -> None:
        if number == 3:
            ok(await client.post(f"{LIST}/{question_id}/dismiss"))
        else:
            await ask(database, cast.acme, visitor=f"visitor {number}")

    await at_once(8, act)

    (row,) = await unanswered(client, status="all")
    assert (row["status"], row["askedCount"], row["visitorCount"]) == ("dismissed", 8, 8)


@pytest.mark.parametrize("ref", ["q_00000000000000000000000000", "nothing", "%00", "art_x", "%F0%9F%98%80"])
async def test_unknown_questions_are_not_dismissed(api: Api, cast: Cast, ref: str) -> None:
    assert error(await api(cast.acme.write_key).post(f"{LIST}/{ref}/dismiss"))[0] in (400, 404)


async def test_a_read_key_another_company_and_a_paused_one_dismiss_nothing(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    path = f"{LIST}/{await ask(database, cast.acme)}/dismiss"

    assert error(await api(cast.acme.read_key).post(path)) == (403, "insufficient_scope")
    assert error(await api(cast.globex.write_key).post(path)) == (404, "not_found")
    other = await api(cast.wide_key).post(path, params={"bot_id": str(cast.second_bot_id)})
    assert error(other) == (404, "not_found")
    await pause_workspace(owner, cast.acme.workspace_id)
    assert error(await api(cast.acme.write_key).post(path)) == (402, "plan_inactive")
    assert len(await questions(api(cast.acme.read_key))) == 1
