"""GET /widget/{botId}/config."""

import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import change_accent, pause_workspace
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Company
from tests.support.http import Response, ok, stranger
from tests.support.limits import SetLimit
from tests.support.questions import post
from tests.support.visitor_tokens import secret_of
from tests.support.visitors import SITE, cors_of, named_fields, open_to, refusal, rows


async def configure(client: Client, company: Company, **params: str) -> Response:
    return await client.get(f"/widget/{company.bot_id}/config", params={"botKey": company.bot_key, **params})


async def test_config_holds_the_texts_of_the_widget_and_no_secret(api: Api, cast: Cast, owner: Tx) -> None:
    secret = await secret_of(owner, cast.acme)
    await open_to(owner, cast.acme, SITE)

    answer = await configure(api(None), cast.acme)

    config = ok(answer)
    assert config.pop("texts").keys() == {"greeting", "placeholder", "send", "askPerson", "sources"}
    assert config == {
        "botId": str(cast.acme.bot_id),
        "name": "Acme",
        "locale": "en",
        "helpUrl": f"http://help.test/help/{cast.acme.slug}",
        "accent": None,
    }
    for private in (secret, cast.acme.workspace_id, SITE):
        assert private not in answer.text


async def test_the_texts_are_in_the_language_asked_for(api: Api, cast: Cast) -> None:
    labels = [
        ok(await configure(api(None), cast.acme, locale=locale))["texts"]["send"]
        for locale in ("de", "de-CH", "fr", "tlh")
    ]

    assert labels == ["Senden", "Senden", "Envoyer", "Send"]


async def test_only_the_bots_own_key_opens_it(app: FastAPI, api: Api, cast: Cast) -> None:
    async with stranger(app) as client:
        wrong = [
            await client.get(f"/widget/{bot}/config", params={"botKey": key})
            for bot, key in (
                (cast.acme.bot_id, cast.globex.bot_key),
                (cast.acme.bot_id, ""),
                (cast.acme.bot_id, "é\0"),
                (cast.globex.bot_id, cast.acme.bot_key),
                ("0190163d-8694-439b-aea5-966c26f8ad91", cast.acme.bot_key),
                ("acme", cast.acme.bot_key),
            )
        ]
        missing = await client.get(f"/widget/{cast.acme.bot_id}/config")
        twice = await client.get(f"/widget/{cast.acme.bot_id}/config?botKey=a&botKey=b")

    assert {refusal(answer) for answer in wrong} == {(401, "invalid_credentials")}
    assert len({answer.content for answer in wrong}) == 1
    assert named_fields(missing) == named_fields(twice) == ["botKey"]


@pytest.mark.parametrize("locale", ["", "english", "a\0b", "x" * 5_000])
async def test_invalid_locales_are_refused(api: Api, cast: Cast, locale: str) -> None:
    assert named_fields(await configure(api(None), cast.acme, locale=locale)) == ["locale"]


async def test_pages_of_elsewhere_may_not_read_it(api: Api, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, SITE)
    path, params = f"/widget/{cast.acme.bot_id}/config", {"botKey": cast.acme.bot_key}

    refused = await api(None).get(path, params=params, headers={"Origin": "https://evil.example"})
    allowed = await api(None).get(path, params=params, headers={"Origin": SITE})
    first = {"Origin": SITE, "Access-Control-Request-Method": "GET"}
    preflight = await api(None).request("OPTIONS", path, headers=first)

    assert refusal(refused) == (403, "origin_not_allowed")
    assert cors_of(refused) == {}
    assert cors_of(allowed)["access-control-allow-origin"] == SITE
    assert cors_of(preflight)["access-control-allow-methods"] == "GET"


async def test_config_is_served_while_the_workspace_is_paused(api: Api, cast: Cast, owner: Tx) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)

    ok(await configure(api(None), cast.paused))

    assert await rows(owner, "conversations", cast.paused) == []


async def test_the_bots_colour_is_told_for_both_schemes(api: Api, cast: Cast, owner: Tx) -> None:
    await change_accent(owner, cast.acme.workspace_id, cast.acme.bot_id, "#e8b500")

    accent = ok(await configure(api(None), cast.acme))["accent"]

    assert accent.keys() == {"light", "dark"}
    assert accent["light"] != accent["dark"]


async def test_calls_are_counted_by_address_and_take_nothing_from_questions(
    app: FastAPI, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("WIDGET_READS_PER_MINUTE", 3)
    async with stranger(app) as client:
        answers = [await configure(client, cast.acme) for _ in range(4)]
        question = await post(client, cast.acme, "Hello?")

    assert [answer.status_code for answer in answers] == [200] * 3 + [429]
    assert refusal(answers[-1]) == (429, "rate_limited")
    assert answers[0].headers["RateLimit-Policy"] == '"widget-reads";q=3;w=60'
    assert question.headers["RateLimit"].startswith('"widget-chat";r=29;t=60, "widget-address";r=119;')
