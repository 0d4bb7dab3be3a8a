"""POST /chat/messages/{messageId}/feedback."""

from typing import Any

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Company
from tests.support.http import Response, at_once, ok
from tests.support.questions import ask
from tests.support.visitors import credentials, named_fields, refusal, rows, second_bot


async def judge(client: Client, company: Company, message: str, **sent: Any) -> Response:
    body = {**credentials(company), **sent}
    return await client.post(f"/chat/messages/{message}/feedback", json=body)


async def answer_of(api: Api, company: Company) -> str:
    message: str = (await ask(api(None), company, "How do I reset it?"))["messageId"]
    return message


async def test_feedback_is_stored_with_its_answer(api: Api, cast: Cast, owner: Tx) -> None:
    message = await answer_of(api, cast.acme)

    judged = ok(await judge(api(None), cast.acme, message, helpful=False, comment=" Too short. "))

    assert judged == {"messageId": message, "helpful": False}
    [row] = await rows(owner, "messages", cast.acme)
    assert (row["helpful"], row["comment"]) == (False, "Too short.")
    assert row["judged_at"]


async def test_the_last_word_counts_and_a_comment_stays(api: Api, cast: Cast, owner: Tx) -> None:
    message = await answer_of(api, cast.acme)

    await judge(api(None), cast.acme, message, helpful=False, comment="Too short.")
    ok(await judge(api(None), cast.acme, message, helpful=True, comment=""))

    [row] = await rows(owner, "messages", cast.acme)
    assert (row["helpful"], row["comment"]) == (True, "Too short.")


async def test_parallel_ratings_store_one_whole_rating(api: Api, cast: Cast, owner: Tx) -> None:
    message = await answer_of(api, cast.acme)
    clients = [api(None) for _ in range(4)]

    answers = await at_once(
        8,
        lambda n: judge(clients[n % 4], cast.acme, message, helpful=n % 2 == 0, comment=f"{n % 2 == 0}"),
    )

    assert {answer.status_code for answer in answers} == {200}
    [row] = await rows(owner, "messages", cast.acme)
    assert row["comment"] == str(row["helpful"])


async def test_an_answer_of_another_bot_is_as_unknown_as_none(api: Api, cast: Cast, owner: Tx) -> None:
    others = [cast.globex, await second_bot(owner, cast)]
    messages = [await answer_of(api, company) for company in others]

    answers = [
        await judge(api(None), cast.acme, message, helpful=True)
        for message in (*messages, "msg_01kbb6x4mwh2v7n8q9r0s1t2v8", "%00", "x" * 5_000)
    ]

    assert {refusal(answer) for answer in answers[:3]} == {(404, "not_found")}
    assert all(answer.status_code in (400, 404) for answer in answers)
    for company in others:
        assert [row["helpful"] for row in await rows(owner, "messages", company)] in ([None], [None, None])


@pytest.mark.parametrize(
    "sent",
    [
        {"helpful": None},
        {"helpful": "yes"},
        {"helpful": 1},
        {"comment": None},
        {"comment": 7},
        {"comment": "a\0b"},
        {"comment": "x" * 2_001},
        {"visitor": "ann"},
    ],
    ids=lambda sent: str(sent)[:40],
)
async def test_a_bad_value_is_refused_by_name(api: Api, cast: Cast, owner: Tx, sent: dict[str, Any]) -> None:
    message = await answer_of(api, cast.acme)

    refused = await judge(api(None), cast.acme, message, **{"helpful": True, **sent})

    assert named_fields(refused) == list(sent)
    assert (await rows(owner, "messages", cast.acme))[0]["judged_at"] is None


async def test_whether_it_helped_is_required(api: Api, cast: Cast) -> None:
    assert named_fields(await judge(api(None), cast.acme, "msg_x")) == ["helpful"]


async def test_a_paused_workspace_takes_it(api: Api, cast: Cast, owner: Tx) -> None:
    """A paused workspace still answers questions, and feedback belongs to the answers."""
    message = await answer_of(api, cast.paused)
    await pause_workspace(owner, cast.paused.workspace_id)

    ok(await judge(api(None), cast.paused, message, helpful=True))
