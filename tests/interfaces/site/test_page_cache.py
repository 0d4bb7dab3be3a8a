"""Public pages are rendered once, served to everyone, and dropped as soon as anything changes."""

import asyncio

import pytest
from starlette.requests import Request

from instep.interfaces.site.page_cache import PageCache
from instep.interfaces.site.schemas import SiteState
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_uuid
from tests.interfaces.site.test_addresses import counted
from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import publish_entry
from tests.support.limits import SetSetting
from tests.support.site_pages import collect, publish, visit


async def test_a_page_is_looked_up_in_one_round_trip_once_it_was_read(
    client: Client, api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(client, "Install", "Run it. " * 400)
    path = f"{cast.acme.slug}/articles/install"
    await client.get("/v1/articles/search", params={"q": "words"})
    first = await visit(api, path)
    statements: list[str] = []
    monkeypatch.setattr(Tx, "send", counted(Tx.send, statements))

    again = await visit(api, path)
    plain = await visit(api, path, **{"Accept-Encoding": "identity"})
    unchanged = await visit(api, path, **{"If-None-Match": first.headers["ETag"]})

    assert len(statements) == 3
    assert not any("content_html" in statement for statement in statements)
    assert first.text == again.text == plain.text
    assert {answer.headers["ETag"] for answer in (first, again, plain, unchanged)} == {first.headers["ETag"]}
    assert (again.headers["Content-Encoding"], "Content-Encoding" in plain.headers) == ("gzip", False)
    assert {answer.headers["Vary"] for answer in (first, again, plain, unchanged)} == {
        "Accept, Accept-Encoding"
    }
    assert (unchanged.status_code, unchanged.content) == (304, b"")


async def test_changes_are_on_the_page_at_once(client: Client, api: Api, cast: Cast, owner: Tx) -> None:
    group = await collect(client, "First steps")
    await publish(client, "Install", collectionId=group["id"])
    path = f"{cast.acme.slug}/articles/install"
    assert "First steps" in (await visit(api, path)).text

    await client.patch(f"/v1/collections/{group['id']}", json={"title": "Beginnings"})
    assert "Beginnings" in (await visit(api, path)).text

    await publish(client, "Upgrade", collectionId=group["id"])
    assert "Upgrade" in (await visit(api, path)).text

    await publish_entry(client, "Exports")
    assert f"/help/{cast.acme.slug}/changelog" in (await visit(api, path)).text

    await owner.execute("update bots set name = 'Acme Docs' where id = %(id)s", id=cast.acme.bot_id)
    assert "Acme Docs" in (await visit(api, path)).text

    await client.patch(f"/v1/collections/{group['id']}", json={"visibility": "authenticated"})
    assert (await visit(api, path)).status_code == 404


async def test_the_page_of_an_empty_collection_goes_with_it(client: Client, api: Api, cast: Cast) -> None:
    group = await collect(client, "Nothing yet")
    path = f"{cast.acme.slug}/collections/{group['slug']}"
    assert [(await visit(api, path)).status_code for _ in range(2)] == [200, 200]

    await client.delete(f"/v1/collections/{group['id']}")

    assert (await visit(api, path)).status_code == 404


async def test_a_page_for_a_possible_person_is_not_shared(
    client: Client, api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(client, "Install")
    path = f"{cast.acme.slug}/articles/install"
    await visit(api, path)
    statements: list[str] = []
    monkeypatch.setattr(Tx, "send", counted(Tx.send, statements))

    for name, value in (("Cookie", "visitor=1"), ("Authorization", "Bearer x")):
        assert (await visit(api, path, **{name: value})).status_code == 200

    assert sum("content_html" in statement for statement in statements) == 2


async def test_a_network_in_front_may_keep_pages_where_the_operator_says_so(
    client: Client, api: Api, cast: Cast, set_setting: SetSetting
) -> None:
    await publish(client, "Install")
    path = f"{cast.acme.slug}/articles/install"
    assert "CDN-Cache-Control" not in (await visit(api, path)).headers

    set_setting("INSTEP_CDN_SECONDS", "3600")
    await publish(client, "Upgrade")

    headers = (await visit(api, path)).headers
    assert headers["CDN-Cache-Control"] == "public, max-age=3600"
    # The tag equals an event's `botId`, so a receiver can purge all pages of the help center.
    assert headers["Cache-Tag"] == headers["Surrogate-Key"] == str(cast.acme.bot_id)
    assert headers["Cache-Control"] == "public, no-cache"


def test_the_pages_that_were_read_longest_ago_make_room() -> None:
    state = SiteState("ws_1", new_uuid(), "acme", "Acme", "en", None, None, {}, utc_now(), None)
    cache = PageCache(max_bytes=2_500)

    for number in range(4):
        cache.keep(request(f"/help/acme/articles/{number}"), state, b"x" * 900, {"ETag": '"1"'})
        assert cache.find_current(request("/help/acme/articles/0"), state)

    assert {path for path, _, _ in cache.pages} == {"/help/acme/articles/3", "/help/acme/articles/0"}
    assert cache.pages.currsize == 1_800


def request(path: str) -> Request:
    scope = {"type": "http", "path": path, "query_string": b"", "headers": []}
    return Request({**scope, "path_params": {"bot": "acme"}, "endpoint": None})


async def test_readers_of_one_page_change_nothing_for_each_other(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install", "Run it. " * 400)
    path = f"{cast.acme.slug}/articles/install"
    kinds: list[dict[str, str]] = [{}, {"Accept-Encoding": "identity"}]
    await visit(api, path)

    for headers in kinds:
        fields = [dict((await visit(api, path, **headers)).headers.multi_items()) for _ in range(3)]
        ids = {field.pop("request-id") for field in fields}

        assert len(ids) == 3
        assert fields[0] == fields[1] == fields[2]


async def test_parallel_requests_share_a_statement(
    client: Client, api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(client, "Install", "Run it.")
    path = f"{cast.acme.slug}/articles/install"
    await client.get("/v1/articles/search", params={"q": "words"})
    await visit(api, path)
    statements: list[str] = []
    monkeypatch.setattr(Tx, "send", counted(Tx.send, statements))

    answers = await asyncio.gather(*(visit(api, path) for _ in range(20)))

    assert {answer.status_code for answer in answers} == {200}
    assert len(statements) <= 5
