"""POST /feedback."""

import re
from typing import Any

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core.database import Tx
from instep.visitors.privacy.visitor_data import Subject, erase_visitor, export_visitor
from tests.support.cast import Api, Cast, Client
from tests.support.http import ID
from tests.support.site_pages import publish
from tests.support.visitors import credentials, named_fields, open_to, rate, refusal, rows


async def test_rating_is_stored_with_its_reason_and_comment(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    article = await publish(client, "Invite people")

    feedback = await rate(api(None), cast.acme, article, reason="outdated", comment=" It is Team now. ")

    assert re.fullmatch("fb" + ID, feedback["id"])
    assert feedback == {
        "id": feedback["id"],
        "articleId": article["id"],
        "helpful": False,
        "reason": "outdated",
    }
    [row] = await rows(owner, "article_feedback", cast.acme)
    assert (row["article_id"], row["helpful"], row["comment"]) == (article["id"], False, "It is Team now.")


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ({"helpful": "no"}, "helpful"),
        ({"reason": "boring"}, "reason"),
        ({"helpful": True, "reason": "wrong"}, "reason"),
        ({"comment": "x" * 2_001}, "comment"),
        ({"comment": "a\0b"}, "comment"),
        ({"visitor": "ann"}, "visitor"),
    ],
    ids=str,
)
async def test_a_bad_value_is_refused_by_name(
    client: Client, api: Api, cast: Cast, owner: Tx, sent: dict[str, Any], name: str
) -> None:
    article = await publish(client, "Invite people")
    body = {**credentials(cast.acme), "articleId": article["id"], "helpful": False, **sent}

    assert named_fields(await api(None).post("/feedback", json=body)) == [name]
    assert await rows(owner, "article_feedback", cast.acme) == []


async def test_articles_that_are_not_public_cant_be_rated(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    draft = (await client.post("/v1/articles", json={"title": "Draft", "contentMarkdown": "."})).json()["id"]
    signed_in = (await publish(client, "Members", visibility="authenticated"))["id"]
    globex = (await publish(api(cast.globex.write_key), "Theirs"))["id"]

    for article in (draft, signed_in, globex, "art_nothing"):
        body = {**credentials(cast.acme), "articleId": article, "helpful": True}
        assert refusal(await api(None).post("/feedback", json=body)) == (404, "not_found")
    assert await rows(owner, "article_feedback", cast.acme) == []


async def test_a_foreign_page_may_not_send_it_and_a_wrong_key_neither(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    article = await publish(client, "Invite people")
    body = {**credentials(cast.acme), "articleId": article["id"], "helpful": True}
    await open_to(owner, cast.acme, "https://acme.example")

    foreign = await api(None).post("/feedback", json=body, headers={"Origin": "https://evil.example"})
    allowed = await api(None).post("/feedback", json=body, headers={"Origin": "https://acme.example"})
    wrong = await api(None).post("/feedback", json={**body, "botKey": "pk_wrong"})

    assert refusal(foreign) == (403, "origin_not_allowed")
    assert allowed.status_code == 201
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://acme.example"
    assert refusal(wrong) == (401, "invalid_credentials")


async def test_a_paused_workspace_takes_no_rating(api: Api, cast: Cast, owner: Tx) -> None:
    article = await publish(api(cast.paused.write_key), "Invite people")
    await pause_workspace(owner, cast.paused.workspace_id)

    body = {**credentials(cast.paused), "articleId": article["id"], "helpful": True}
    assert refusal(await api(None).post("/feedback", json=body)) == (402, "plan_inactive")
    assert await rows(owner, "article_feedback", cast.paused) == []


async def test_a_comment_that_names_an_address_is_handed_out_and_erased_with_the_rest(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    article = await publish(client, "Invite people")
    await rate(api(None), cast.acme, article, comment="Write to Ann@example.com")
    await rate(api(None), cast.acme, article, comment="Write to Bob")
    subject = Subject(email="ann@example.com")

    export = await export_visitor(owner, cast.acme.workspace_id, subject)
    erasure = await erase_visitor(owner, cast.acme.workspace_id, subject)

    assert [row["comment"] for row in export.article_feedback] == ["Write to Ann@example.com"]
    assert erasure.article_feedback == 1
    assert [row["comment"] for row in await rows(owner, "article_feedback", cast.acme)] == ["Write to Bob"]
