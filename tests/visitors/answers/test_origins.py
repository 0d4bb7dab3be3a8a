"""Origins that may call the answer API, and the headers sent to their browsers (contract section 6)."""

from typing import Any

import pytest

from instep.accounts.workspaces.actions import change_origins
from instep.platform.core.database import Database, Tx
from instep.platform.web.origins import origin_of, valid_origin
from tests.support.cast import Api, Cast, Client, Company
from tests.support.http import Response, created, ok
from tests.support.visitors import (
    ANN,
    LEADS,
    SITE,
    begin,
    cors_of,
    credentials,
    escalation,
    is_untouched,
    open_to,
    refusal,
    rows,
    spend,
)

OWN = "http://help.test"
EXPOSED = "RateLimit, RateLimit-Policy, Request-Id, Retry-After"
FOREIGN = [
    "null",
    "Null",
    "",
    "*",
    "acme.example",
    "//acme.example",
    "https://",
    "http://acme.example",
    "https://acme.example:8443",
    "https://acme.example:80",
    "https://acme.example:0443",
    "https://acme.example:",
    "https://www.acme.example",
    "https://evil-acme.example",
    "https://acme.example.evil.example",
    "https://acme.exampleevil",
    "https://acme.example.",
    "https://acme.example/",
    "https://acme.example/x",
    "https://acme.example?x",
    "https://acme.example#x",
    "https://acme.example\\@evil.example",
    "https://acme.example@evil.example",
    "https://evil.example@acme.example",
    "https://acme.example https://evil.example",
    "https://acme.example,https://evil.example",
    " https://evil.example",
    "https:acme.example",
    "https:/acme.example",
    "wss://acme.example",
    "file://",
    "https://acme_example",
    "https://[::1",
    "https://127.1",
    "https://acme.example:99999",
    "https://" + "a." * 5_000 + "example",
    "http://help.test:8000",
    "https://help.test",
    "http://evil.help.test",
]


async def send(client: Client, company: Company, *origins: str) -> Response:
    headers = [(b"Origin", origin.encode()) for origin in origins]
    return await client.post(LEADS, json={**credentials(company), "email": ANN}, headers=headers)


async def ask_first(client: Client, *origins: str, path: str = LEADS) -> Response:
    """Send a browser's preflight."""
    headers = [(b"Origin", origin.encode()) for origin in origins]
    headers += [(b"Access-Control-Request-Method", b"POST")]
    headers += [(b"Access-Control-Request-Headers", b"content-type")]
    return await client.request("OPTIONS", path, headers=headers)


@pytest.mark.parametrize(
    "origin", [SITE, f"{SITE}:443", "HTTPS://ACME.example", "http://localhost:3000", OWN, f"{OWN}:80"]
)
async def test_an_allowed_page_may_send_and_read_the_answer(
    api: Api, cast: Cast, owner: Tx, origin: str
) -> None:
    await open_to(owner, cast.acme, SITE, "http://localhost:3000")

    preflight = await ask_first(api(None), origin)
    answer = await send(api(None), cast.acme, origin)

    created(answer)
    assert cors_of(answer) == {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": EXPOSED,
    }
    assert preflight.status_code == 204
    assert cors_of(preflight) == {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": EXPOSED,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "Content-Type",
        "access-control-max-age": "600",
    }
    assert all("origin" in each.headers["Vary"].lower() for each in (preflight, answer))


@pytest.mark.parametrize("origin", FOREIGN, ids=lambda origin: origin[:40] or "empty")
async def test_any_other_page_is_refused_and_its_browser_is_told_nothing(
    api: Api, cast: Cast, owner: Tx, origin: str
) -> None:
    await open_to(owner, cast.acme, SITE)

    preflight = await ask_first(api(None), origin)
    answer = await send(api(None), cast.acme, origin)

    for refused in (preflight, answer):
        assert refusal(refused) == (403, "origin_not_allowed")
        assert cors_of(refused) == {}
        assert "origin" in refused.headers["Vary"].lower()
    assert await is_untouched(owner, cast)


async def test_two_origins_are_none(api: Api, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, SITE)

    assert refusal(await send(api(None), cast.acme, SITE, SITE)) == (403, "origin_not_allowed")
    assert refusal(await ask_first(api(None), SITE, SITE)) == (403, "origin_not_allowed")


async def test_servers_send_no_origin_and_are_told_nothing_of_pages(api: Api, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, SITE)

    answer = await send(api(None), cast.acme)
    options = await ask_first(api(None))

    created(answer)
    assert (options.status_code, options.headers["Allow"]) == (204, "OPTIONS, POST")
    assert cors_of(answer) == cors_of(options) == {}
    assert all("origin" in each.headers["Vary"].lower() for each in (answer, options))


async def test_without_origins_only_servers_and_the_service_itself_may_ask(
    api: Api, cast: Cast, owner: Tx
) -> None:
    assert refusal(await send(api(None), cast.acme, SITE)) == (403, "origin_not_allowed")
    assert await is_untouched(owner, cast)

    created(await send(api(None), cast.acme, OWN))
    created(await send(api(None), cast.acme))


async def test_the_origin_of_one_bot_opens_no_other(api: Api, cast: Cast, owner: Tx) -> None:
    """The preflight passes because it names no bot; the call itself does not."""
    await open_to(owner, cast.globex, SITE)

    preflight = await ask_first(api(None), SITE)
    refused = await send(api(None), cast.acme, SITE)

    assert preflight.status_code == 204
    assert refusal(refused) == (403, "origin_not_allowed")
    assert cors_of(refused) == {}
    assert await is_untouched(owner, cast)


async def test_an_origin_that_was_taken_away_is_refused_at_once(api: Api, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, "https://gone.example")
    created(await send(api(None), cast.acme, "https://gone.example"))

    await change_origins(owner, cast.acme.workspace_id, cast.acme.bot_id, [], ["https://gone.example"])

    for refused in (
        await send(api(None), cast.acme, "https://gone.example"),
        await ask_first(api(None), "https://gone.example"),
    ):
        assert refusal(refused) == (403, "origin_not_allowed")


async def test_an_allowed_page_may_read_refusals_too(api: Api, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, SITE)
    headers = {"Origin": SITE}
    sent = {**credentials(cast.acme), "email": ANN}

    answers = [
        await api(None).post(LEADS, json={**sent, "email": "ann"}, headers=headers),
        await api(None).post(escalation("conv_x"), json=credentials(cast.acme), headers=headers),
    ]
    await spend(owner, "widget-address", f"{cast.acme.bot_id} 127.0.0.1", 1_000)
    answers.append(await api(None).post(LEADS, json=sent, headers=headers))

    assert [answer.status_code for answer in answers] == [400, 404, 429]
    assert {answer.headers["Access-Control-Allow-Origin"] for answer in answers} == {SITE}


async def test_request_without_a_bot_gets_no_cors_headers(api: Api, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, SITE)
    wrong = {**credentials(cast.acme), "botKey": "pk_wrong", "email": ANN}

    bodies: list[Any] = [wrong, {}, []]
    for body in bodies:
        refused = await api(None).post(LEADS, json=body, headers={"Origin": SITE})
        assert refused.status_code in (400, 401)
        assert cors_of(refused) == {}


async def test_a_conversation_is_escalated_from_an_allowed_page_only(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    await open_to(owner, cast.acme, SITE)
    path = escalation(await begin(database, cast.acme))
    body = credentials(cast.acme)

    refused = await api(None).post(path, json=body, headers={"Origin": "https://evil.example"})
    assert refusal(refused) == (403, "origin_not_allowed")
    assert (await ask_first(api(None), "https://evil.example", path=path)).status_code == 403
    [row] = await rows(owner, "conversations", cast.acme)
    assert row["status"] == "open"

    assert (await ask_first(api(None), SITE, path=path)).status_code == 204
    ok(await api(None).post(path, json=body, headers={"Origin": SITE}))


async def test_no_page_of_elsewhere_may_read_the_management_api(api: Api, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, SITE)

    answer = await api(cast.acme.read_key).get("/v1/bots", headers={"Origin": SITE})
    preflight = await ask_first(api(None), SITE, path="/v1/bots")

    assert cors_of(answer) == cors_of(preflight) == {}


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("https://example.com", "https://example.com"),
        ("HTTPS://Example.COM:443", "https://example.com"),
        ("http://example.com:80", "http://example.com"),
        ("http://example.com:443", "http://example.com:443"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://127.0.0.1:81", "http://127.0.0.1:81"),
        ("https://[2001:DB8:0::1]", "https://[2001:db8::1]"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
    ],
)
def test_an_origin_has_one_spelling(text: str, spelled: str) -> None:
    assert valid_origin(text) == spelled
    assert valid_origin(spelled) == spelled


@pytest.mark.parametrize(
    "text",
    [*FOREIGN[:5], "https://bücher.example", "https://exam\u017fple.com", "https://*.example", "https://a\n"],
)
def test_invalid_origins_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be"):
        valid_origin(text)


def test_the_origin_of_an_address_leaves_its_path_out() -> None:
    assert origin_of("https://Help.example.com:8443/sub/folder") == "https://help.example.com:8443"
    assert origin_of("help.example.com") is None


async def test_a_bot_keeps_each_origin_once_and_in_order(cast: Cast, owner: Tx) -> None:
    async def change(add: list[str], remove: list[str]) -> list[str]:
        changed = await change_origins(owner, cast.acme.workspace_id, cast.acme.bot_id, add, remove)
        return changed.origins

    assert await change([], []) == []
    assert await change(["https://B.example", "https://a.example", "https://b.example:443"], []) == [
        "https://b.example",
        "https://a.example",
    ]
    assert await change(["https://c.example"], ["https://B.EXAMPLE", "https://never.example"]) == [
        "https://a.example",
        "https://c.example",
    ]
