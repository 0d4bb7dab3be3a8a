"""Rules for every URL of a help center: methods, caches, compression, headers, SQL statements."""

from typing import Any

import pytest

from instep.platform.core.database import Tx
from instep.platform.core.pipeline import SqlStatement
from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import publish_entry
from tests.support.site_pages import collect, publish, visit

ADDRESSES = [
    *("", "articles/install", "collections/guides", "changelog", "changelog/exports"),
    *("changelog.xml", "sitemap.xml"),
]


@pytest.fixture(autouse=True)
async def help_center(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    group = await collect(client, "Guides")
    words = {"description": "Many words. " * 40, "collectionId": group["id"]}
    await publish(client, "Install", "Many words. " * 200, **words)
    await publish_entry(client, "Exports", contentMarkdown="Many words. " * 200)


async def test_each_can_be_asked_for_its_head(visitor: Client, cast: Cast) -> None:
    for address in ADDRESSES:
        path = f"/help/{cast.acme.slug}/{address}"
        whole = await visitor.get(path)

        head = await visitor.head(path)

        assert head.status_code == 200
        for name in ("Content-Type", "ETag", "Cache-Control"):
            assert head.headers[name] == whole.headers[name], address


async def test_each_is_kept_by_caches_that_ask_each_time(api: Api, cast: Cast) -> None:
    for address in ADDRESSES:
        path = f"{cast.acme.slug}/{address}"
        first = await visit(api, path)

        again = await visit(api, path, **{"If-None-Match": first.headers["ETag"]})

        assert (again.status_code, again.content) == (304, b""), address
        assert "no-cache" in first.headers["Cache-Control"], address


async def test_each_is_compressed_when_asked(client: Client, api: Api, cast: Cast) -> None:
    for number in range(8):
        await publish(client, f"No {number}")

    for address in ADDRESSES:
        packed = await visit(api, f"{cast.acme.slug}/{address}", **{"Accept-Encoding": "gzip"})
        plain = await visit(api, f"{cast.acme.slug}/{address}", **{"Accept-Encoding": "identity"})

        assert packed.headers["Content-Encoding"] == "gzip", address
        assert "Content-Encoding" not in plain.headers, address
        assert packed.content == plain.content, address


async def test_each_carries_the_security_headers(api: Api, cast: Cast) -> None:
    for address in ADDRESSES:
        headers = (await visit(api, f"{cast.acme.slug}/{address}")).headers

        assert headers["Content-Security-Policy"].startswith("default-src 'none';"), address
        assert headers["X-Content-Type-Options"] == "nosniff", address
        assert headers["Request-Id"], address


async def test_each_takes_no_other_method(visitor: Client, cast: Cast) -> None:
    for address in ADDRESSES:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            refusal = await visitor.request(method, f"/help/{cast.acme.slug}/{address}")

            answer = (refusal.status_code, refusal.headers["Allow"])
            assert answer == (405, "GET, HEAD"), (method, address)


# Every page takes two statements to authorize and find it. Further ones read the collection tree, the
# neighboring articles and, for related articles, the state of the search index; the sitemap reads the last
# change, the articles and the changelog.
STATEMENTS = {"collections/guides": 3, "articles/install": 5, "sitemap.xml": 4}


@pytest.mark.parametrize("address", ADDRESSES)
async def test_page_runs_few_statements_whatever_its_content(
    client: Client, api: Api, cast: Cast, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        group = await collect(client, f"Group {number}")
        await publish(client, f"No {number}", collectionId=group["id"])
        await publish_entry(client, f"No {number}")
    # Pages do not wait for the index, which ranks related articles, so it is loaded first.
    await client.get("/v1/articles/search", params={"q": "words"})
    statements: list[str] = []
    monkeypatch.setattr(Tx, "send", counted(Tx.send, statements))

    assert (await visit(api, f"{cast.acme.slug}/{address}")).status_code == 200

    assert len(statements) == STATEMENTS.get(address, 2)


def counted(send: Any, statements: list[str]) -> Any:
    """Records each round trip's statements."""

    async def run(tx: Tx, items: list[SqlStatement], **options: Any) -> Any:
        statements.append(" ".join(item.sql for item in items))
        return await send(tx, items, **options)

    return run


@pytest.mark.parametrize(
    ("asked", "usual"),
    [
        ("articles/install/", "articles/install"),
        ("/articles//install", "articles/install"),
        ("articles/install.md/", "articles/install.md"),
        ("collections/guides/?page=1", "collections/guides?page=1"),
        ("changelog/", "changelog"),
        ("changelog.xml/", "changelog.xml"),
        ("search/?q=words", "search?q=words"),
        ("articles/gro%CC%88%C3%9Fe", "articles/gr%C3%B6%C3%9Fe"),
        ("de/articles/einrichten/", "de/articles/einrichten"),
        ("de", "de/"),
    ],
)
async def test_other_spellings_lead_to_the_one_address(api: Api, cast: Cast, asked: str, usual: str) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Größe")
    await publish(client, "Einrichten", locale="de")

    moved = await visit(api, f"{cast.acme.slug}/{asked}")

    assert (moved.status_code, moved.headers["Location"]) == (301, f"/help/{cast.acme.slug}/{usual}")
    assert (await visit(api, f"{cast.acme.slug}/{usual}")).status_code == 200


@pytest.mark.parametrize("address", ["articles/nowhere", "nowhere/", "nl", "nl/", "articles/%E2%80%AEx/"])
async def test_an_address_of_no_page_in_any_spelling_is_not_found(api: Api, cast: Cast, address: str) -> None:
    assert (await visit(api, f"{cast.acme.slug}/{address}")).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_a_form_is_not_led_to_another_spelling(visitor: Client, cast: Cast, method: str) -> None:
    path = f"/help/{cast.acme.slug}/contact/"

    assert (await visitor.request(method, path)).status_code in (404, 405)
