"""`visitorToken`: only a token signed with the bot's secret unlocks articles for signed-in visitors."""

import base64
import json
from typing import Any

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Json
from tests.support.http import at_once
from tests.support.questions import ask, post
from tests.support.site_pages import collect, publish
from tests.support.visitor_tokens import claims, encoded, now, secret_of, sign
from tests.support.visitors import is_untouched, named_fields, second_bot

HOW = "How do I reach the payroll archive?"
CANARY = "kookaburra"


async def publish_closed(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    text = f"The payroll archive can be reached through the {CANARY}."
    await publish(client, "Payroll archive", text, visibility="authenticated")


async def is_opened(api: Api, cast: Cast, token: str) -> bool:
    """True if the token unlocks the article; otherwise checks that the error names it and reveals nothing."""
    answer = await post(api(None), cast.acme, HOW, visitorToken=token)
    if answer.status_code == 200:
        assert CANARY in answer.json()["answer"]
        return True
    assert named_fields(answer) == ["visitorToken"]
    assert CANARY not in answer.text
    return False


async def test_token_opens_private_articles(api: Api, cast: Cast, owner: Tx) -> None:
    await publish_closed(api, cast)
    token = sign(await secret_of(owner, cast.acme), claims())

    closed = await ask(api(None), cast.acme, HOW)
    opened = await ask(api(None), cast.acme, HOW, visitorToken=token)

    assert (closed["answered"], closed["sources"]) == (False, [])
    assert opened["answered"] is True
    assert CANARY in opened["answer"]


async def test_the_stricter_of_article_and_collection_counts(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    staff = await collect(client, "Staff", visibility="authenticated")
    text = f"The payroll archive can be reached through the {CANARY}."
    await publish(client, "Payroll archive", text, collectionId=staff["id"])
    token = sign(await secret_of(owner, cast.acme), claims())

    assert CANARY not in str(await ask(api(None), cast.acme, HOW))
    assert CANARY in str(await ask(api(None), cast.acme, HOW, visitorToken=token))


async def test_next_question_without_the_token_sees_no_private_text(api: Api, cast: Cast, owner: Tx) -> None:
    await publish_closed(api, cast)
    token = sign(await secret_of(owner, cast.acme), claims())
    first = await ask(api(None), cast.acme, HOW, visitorToken=token)

    second = await ask(api(None), cast.acme, "And how?", conversationId=first["conversationId"])

    assert CANARY not in str(second)


async def test_time_is_told_with_a_minute_of_leeway(api: Api, cast: Cast, owner: Tx) -> None:
    await publish_closed(api, cast)
    secret = await secret_of(owner, cast.acme)
    times: list[tuple[Json, bool]] = [
        ({"exp": now() - 30}, True),
        ({"exp": now() - 90}, False),
        ({"nbf": now() + 30}, True),
        ({"nbf": now() + 90}, False),
        ({"iat": now() + 30}, True),
        ({"iat": now() + 3_600}, False),
        ({"exp": now() + 10**10}, True),
    ]

    assert [await is_opened(api, cast, sign(secret, claims(**changed))) for changed, _ in times] == [
        opens for _, opens in times
    ]


@pytest.mark.parametrize(
    "payload",
    [
        {"sub": "ann"},
        {"exp": 4_102_444_800},
        {"sub": "", "exp": 4_102_444_800},
        {"sub": " ", "exp": 4_102_444_800},
        {"sub": None, "exp": 4_102_444_800},
        {"sub": 7, "exp": 4_102_444_800},
        {"sub": "ann", "exp": None},
        {"sub": "ann", "exp": "4102444800"},
        {"sub": "ann", "exp": True},
        {"sub": "ann", "exp": [4_102_444_800]},
        {"sub": "ann", "exp": float("nan")},
        {"sub": "ann", "exp": -(10**400)},
        {"sub": "ann", "exp": 4_102_444_800, "nbf": "now"},
        [],
        "ann",
        None,
        {},
    ],
    ids=lambda payload: str(payload)[:40],
)
async def test_claims_that_are_missing_or_odd_open_nothing(
    api: Api, cast: Cast, owner: Tx, payload: Any
) -> None:
    await publish_closed(api, cast)

    assert not await is_opened(api, cast, sign(await secret_of(owner, cast.acme), payload))


@pytest.mark.parametrize("algorithm", ["none", "None", "HS384", "HS512", "RS256", "hs256", "", "HS256 "])
async def test_only_one_algorithm_opens(api: Api, cast: Cast, owner: Tx, algorithm: str) -> None:
    await publish_closed(api, cast)

    assert not await is_opened(api, cast, sign(await secret_of(owner, cast.acme), claims(), algorithm))


async def test_forged_tokens_open_nothing(api: Api, cast: Cast, owner: Tx) -> None:
    await publish_closed(api, cast)
    secret = await secret_of(owner, cast.acme)
    second = await second_bot(owner, cast)
    good = sign(secret, claims())
    head, payload, signature = good.split(".")
    forged = [
        sign(await secret_of(owner, cast.globex), claims()),
        sign(await secret_of(owner, second), claims()),
        sign(cast.acme.bot_key, claims()),
        sign("", claims()),
        sign(secret[:-1], claims()),
        sign(secret, claims(), crit=["exp"]),
        sign(secret, claims(), b64=False, crit=["b64"]),
        f"{head}.{payload}.",
        f"{head}.{payload}",
        f"{head}.{payload}.{signature}.{signature}",
        f"{head}.{encoded(json.dumps(claims(sub='eve')))}.{signature}",
        f"{encoded('{}')}.{payload}.{signature}",
        f"{head}.{payload}.{signature[:-2]}",
        f" {good[:-1]}",
        base64.b64encode(good.encode()).decode(),
        json.dumps({"payload": payload, "signatures": [{"protected": head, "signature": signature}]}),
        ".".join([encoded("[" * 2_000), payload, signature]),
        ".",
        "..",
        "a.b.c.d.e",
        "é.é.é",
    ]

    assert [token for token in forged if await is_opened(api, cast, token)] == []
    assert await is_opened(api, cast, good)


async def test_a_bot_without_a_secret_takes_no_token(api: Api, cast: Cast, owner: Tx) -> None:
    assert not await is_opened(api, cast, sign("", claims()))
    assert await is_untouched(owner, cast)


async def test_the_secret_stays_until_it_is_replaced_and_then_its_tokens_are_over(
    api: Api, cast: Cast, owner: Tx
) -> None:
    await publish_closed(api, cast)
    first = await secret_of(owner, cast.acme)
    assert await secret_of(owner, cast.acme) == first
    assert len(first) > 40

    second = await secret_of(owner, cast.acme, rotate=True)

    assert second != first
    assert await secret_of(owner, cast.acme) == second
    assert not await is_opened(api, cast, sign(first, claims()))
    assert await is_opened(api, cast, sign(second, claims()))


async def test_the_secret_is_sealed_for_its_own_row(cast: Cast, owner: Tx, api: Api) -> None:
    """A secret copied to another bot's row is useless."""
    await publish_closed(api, cast)
    secret = await secret_of(owner, cast.globex)
    await secret_of(owner, cast.acme)
    sealed = await owner.value(
        "select sealed from visitor_secrets where bot_id = %(bot)s", bot=cast.globex.bot_id
    )
    await owner.execute(
        "update visitor_secrets set sealed = %(sealed)s where bot_id = %(bot)s",
        sealed=sealed,
        bot=cast.acme.bot_id,
    )

    assert secret.encode() not in bytes(sealed)
    assert not await is_opened(api, cast, sign(secret, claims()))


async def test_tokens_come_at_once(api: Api, cast: Cast, owner: Tx) -> None:
    await publish_closed(api, cast)
    secret = await secret_of(owner, cast.acme)

    opened = await at_once(
        8, lambda n: is_opened(api, cast, sign(secret if n % 2 else "wrong", claims(sub=f"visitor {n}")))
    )

    assert opened == [False, True] * 4
