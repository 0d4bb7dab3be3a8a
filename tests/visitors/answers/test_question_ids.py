"""POST /chat with a `questionId`: a repeated request gets the same answer and counts once."""

import asyncio

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database, Tx
from tests.support.cast import Api, Cast, Json
from tests.support.http import at_once, ok
from tests.support.questions import CHAT, RESET, ask, post
from tests.support.scripted_model import Scripted, replying
from tests.support.site_pages import publish
from tests.support.visitor_tokens import claims, secret_of, sign
from tests.support.visitors import credentials, named_fields, rows
from tests.visitors.answers.test_streaming import events_in

HOW = "How do I reset my password?"
UNKNOWN = "Which hotels accept lamas?"


async def test_the_same_question_again_gets_the_same_answer_and_is_kept_once(
    api: Api, cast: Cast, owner: Tx
) -> None:
    article = await publish(api(cast.acme.write_key), "Reset your password", RESET)
    first = await ask(api(None), cast.acme, HOW, questionId="q-1")
    text = {"contentMarkdown": "Nobody can reset it."}
    ok(await api(cast.acme.write_key).patch(f"/v1/articles/{article['id']}", json=text))

    again = await ask(api(None), cast.acme, HOW, questionId="q-1", conversationId=first["conversationId"])
    body = {**credentials(cast.acme), "question": HOW, "visitor": "ann-7", "questionId": "q-1"}
    streamed = await api(None).post(CHAT, json=body, headers={"Accept": "text/event-stream"})

    assert first == again
    events = events_in(streamed.text)
    assert events[-1] == ("done", first)
    assert "".join(data["text"] for name, data in events if name == "delta") == first["answer"]
    assert len(await rows(owner, "messages", cast.acme)) == 1
    assert len(await rows(owner, "conversations", cast.acme)) == 1


async def test_parallel_requests_with_one_id_are_stored_once(api: Api, cast: Cast, owner: Tx) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)

    answers = await at_once(6, lambda _: ask(api(None), cast.acme, UNKNOWN, questionId="q-1"))

    assert all(answer == answers[0] for answer in answers)
    assert len(await rows(owner, "messages", cast.acme)) == 1
    [unanswered] = await rows(owner, "unanswered_questions", cast.acme)
    assert unanswered["asked_count"] == 1


async def test_other_words_under_the_same_id_are_refused(api: Api, cast: Cast) -> None:
    await ask(api(None), cast.acme, HOW, questionId="q-1")

    assert named_fields(await post(api(None), cast.acme, UNKNOWN, questionId="q-1")) == ["questionId"]
    assert named_fields(await post(api(None), cast.acme, HOW, questionId="")) == ["questionId"]
    assert named_fields(await post(api(None), cast.acme, HOW, questionId="q" * 101)) == ["questionId"]


async def test_the_id_of_another_visitor_or_bot_opens_nothing(api: Api, cast: Cast, owner: Tx) -> None:
    mine = await ask(api(None), cast.acme, HOW, questionId="q-1")
    others = [
        await ask(api(None), cast.acme, HOW, questionId="q-1", visitor="bob"),
        await ask(api(None), cast.globex, HOW, questionId="q-1"),
        await ask(api(None), cast.acme, HOW),
    ]

    assert len({answer["messageId"] for answer in (mine, *others)}) == 4


async def test_a_private_answer_is_given_again_only_to_the_visitor_whose_token_opened_it(
    api: Api, cast: Cast, owner: Tx
) -> None:
    text = "The payroll archive can be reached through the kookaburra."
    await publish(api(cast.acme.write_key), "Payroll archive", text, visibility="authenticated")
    secret = await secret_of(owner, cast.acme)
    asked = {"questionId": "q-1", "visitor": "ann-7"}
    question = "How do I reach the payroll archive?"
    first = await ask(api(None), cast.acme, question, **asked, visitorToken=sign(secret, claims()))

    renewed = await ask(api(None), cast.acme, question, **asked, visitorToken=sign(secret, claims(iat=1)))
    without = await ask(api(None), cast.acme, question, **asked)
    forged = await post(api(None), cast.acme, question, **asked, visitorToken=sign("vis_other", claims()))
    other = await ask(api(None), cast.acme, question, **asked, visitorToken=sign(secret, claims(sub="bob")))

    assert "kookaburra" in first["answer"]
    assert renewed == first
    assert "kookaburra" not in str(without)
    assert named_fields(forged) == ["visitorToken"]
    assert other["messageId"] != first["messageId"]


@pytest.mark.parametrize("closing", ["unpublish", "visibility"])
async def test_an_answer_is_not_given_again_once_its_article_is_closed(
    api: Api, cast: Cast, owner: Tx, closing: str
) -> None:
    writer = api(cast.acme.write_key)
    article = await publish(writer, "Reset your password", RESET)
    first = await ask(api(None), cast.acme, HOW, questionId="q-1")
    path = f"/v1/articles/{article['id']}"
    if closing == "unpublish":
        ok(await writer.post(f"{path}/unpublish"))
    else:
        ok(await writer.patch(path, json={"visibility": "authenticated"}))

    again = [await ask(api(None), cast.acme, HOW, questionId="q-1") for _ in range(2)]

    assert (first["answered"], again[0]["answered"]) == (True, False)
    assert "Reset" not in again[0]["answer"]
    assert again[0] == again[1]
    assert len(await rows(owner, "messages", cast.acme)) == 2


async def test_lost_connection_asks_the_model_at_most_twice(
    app: FastAPI, api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)
    client = api(None)
    model = Scripted(replying(("You can change your password at any time.", 1)), asyncio.Event())
    app.state.model = model
    lost = asyncio.ensure_future(post(client, cast.acme, HOW, questionId="q-1"))
    await model.was_asked.wait()
    lost.cancel()
    await model.was_stopped.wait()
    assert model.may_reply is not None
    model.may_reply.set()

    answers: list[Json] = [await ask(client, cast.acme, HOW, questionId="q-1") for _ in range(2)]

    assert answers[0] == answers[1]
    assert len(model.prompts) == 2
    assert len(await rows(owner, "messages", cast.acme)) == 1
