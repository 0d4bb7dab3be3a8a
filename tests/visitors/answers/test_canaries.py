"""Text of articles that a visitor may not read never appears in an answer or in its metadata."""

from collections.abc import Awaitable, Callable

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import Response
from tests.support.questions import CHAT, ask
from tests.support.scripted_model import Scripted
from tests.support.site_pages import collect, crawl, publish, set_article
from tests.support.visitor_tokens import claims, secret_of, sign
from tests.support.visitors import credentials

CANARY = "kookaburra"
QUESTIONS = (f"What is the {CANARY}?", "How do I laugh at the archive?", "archive", CANARY)
NEVER = [
    "status = 'draft'",
    "status = 'in_review'",
    "status = 'archived'",
    "deleted_at = now()",
    "visibility = 'authenticated'",
]
Act = Callable[[], Awaitable[Response]]


async def secret_article(client: Client, **fields: object) -> Json:
    words = f"The {CANARY} laughs at the archive."
    return await publish(client, f"Archive {CANARY}", f"## {CANARY}\n\n{words}", description=words, **fields)


async def heard(api: Api, cast: Cast, **sent: object) -> str:
    """Everything in the responses, without the questions."""
    content = ""
    for question in QUESTIONS:
        answer = await ask(api(None), cast.acme, question, **sent)
        body = {**credentials(cast.acme), "question": question, "visitor": "bob", **sent}
        events = await api(None).post(CHAT, json=body, headers={"Accept": "text/event-stream"})
        content += f"{answer} {events.text}"
    return content.lower()


@pytest.mark.parametrize("assignment", NEVER)
async def test_no_answer_holds_a_word_of_an_article_that_is_not_public(
    api: Api, cast: Cast, owner: Tx, assignment: str
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Install", "Run the installer of the archive.")
    for fields in ({}, {"locale": "de"}):
        await set_article(owner, await secret_article(client, **fields), assignment)

    assert CANARY not in await heard(api, cast)
    assert CANARY not in await heard(api, cast, locale="de")
    assert CANARY not in str(await crawl(api, cast)).lower()


@pytest.mark.parametrize("assignment", NEVER[:4])
async def test_a_token_opens_none_that_is_not_live(api: Api, cast: Cast, owner: Tx, assignment: str) -> None:
    await set_article(owner, await secret_article(api(cast.acme.write_key)), assignment)
    token = sign(await secret_of(owner, cast.acme), claims())

    assert CANARY not in await heard(api, cast, visitorToken=token)


async def test_hidden_article_leaves_the_answers_at_once(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    group = await collect(client, "First steps")
    article = await secret_article(client, collectionId=group["id"])
    path, collection = f"/v1/articles/{article['id']}", "/v1/collections/first-steps"
    hide, show = {"visibility": "authenticated"}, {"visibility": "public"}
    acts: list[tuple[Act, Act]] = [
        (lambda: client.post(f"{path}/unpublish"), lambda: client.post(f"{path}/publish")),
        (lambda: client.patch(path, json=hide), lambda: client.patch(path, json=show)),
        (lambda: client.patch(collection, json=hide), lambda: client.patch(collection, json=show)),
    ]

    for leave, come_back in acts:
        assert await is_told(api, cast)
        assert (await leave()).status_code == 200
        assert not await is_told(api, cast)
        assert (await come_back()).status_code == 200
    assert (await client.delete(path)).status_code == 200
    assert not await is_told(api, cast)


async def is_told(api: Api, cast: Cast) -> bool:
    answer = await ask(api(None), cast.acme, "What laughs at the archive?")
    return CANARY in str(answer).lower()


async def test_a_working_copy_and_a_proposal_are_told_by_no_answer(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Archive", "The archive is upstairs.")
    body = {"title": CANARY, "contentMarkdown": f"The archive of the {CANARY}.", "reason": CANARY}
    await client.post("/v1/articles/archive/drafts", json=body)

    assert CANARY not in await heard(api, cast)


async def test_the_model_is_told_no_word_of_it(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Archive", "The archive is upstairs.")
    for assignment in NEVER:
        await set_article(owner, await secret_article(client), assignment)
    visitor = api(None)
    app.state.model = model = Scripted(lambda asked: {"parts": []})

    await ask(visitor, cast.acme, "Where is the archive?")

    [prompt] = model.prompts
    assert CANARY not in (prompt.system + prompt.user).lower()


async def test_nothing_is_told_of_another_companys_articles(api: Api, cast: Cast) -> None:
    await secret_article(api(cast.globex.write_key))
    await publish(api(cast.acme.write_key), "Archive", "The archive is upstairs.")

    assert CANARY not in await heard(api, cast)


async def test_canaries_are_told_while_they_are_public(api: Api, cast: Cast) -> None:
    await secret_article(api(cast.acme.write_key))

    assert CANARY in await heard(api, cast)
