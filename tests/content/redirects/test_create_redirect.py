"""POST /v1/redirects."""

import re
from typing import Any

import pytest

from instep.platform.core import limits
from tests.support.cast import Api, Cast
from tests.support.former_links import ELSEWHERE, REDIRECTS, follow, home, redirect, sentence
from tests.support.http import ID, TIMESTAMP, all_pages, at_once, create_article, error, named_fields, ok
from tests.support.site_pages import collect, publish


async def test_a_new_redirect_has_every_field(api: Api, cast: Cast) -> None:
    row = await redirect(api(cast.acme.write_key), "https://old.example.com/hc/en-us/?page=2#top")

    assert re.fullmatch("rdr" + ID, row.pop("id"))
    assert TIMESTAMP.fullmatch(row.pop("createdAt"))
    assert row == {
        "from": "/hc/en-us",
        "articleId": None,
        "url": ELSEWHERE,
        "botId": str(cast.acme.bot_id),
    }


@pytest.mark.parametrize("by", ["id", "slug"])
async def test_an_article_is_named_by_its_id_or_slug(api: Api, cast: Cast, by: str) -> None:
    client = api(cast.acme.write_key)
    article = await create_article(client)

    row = await redirect(client, "/old", articleId=article[by])

    assert (row["articleId"], row["url"]) == (article["id"], None)


async def test_an_address_of_the_help_center_counts_from_its_root(api: Api, cast: Cast) -> None:
    assert (await redirect(api(cast.acme.write_key), f"{home(cast)}/old/"))["from"] == "/old"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("from", None),
        ("from", "old"),
        ("from", "/"),
        ("from", "/a*b"),
        ("from", "/a\0b"),
        ("from", "/docs/%2A"),
        ("from", "/" + "x" * 500),
        ("from", 1),
        ("articleId", "nothing"),
        ("articleId", None),
        ("url", "/old"),
        ("url", "javascript:alert(1)"),
        ("url", "ftp://example.com/"),
        ("url", "https://user:secret@example.com/"),
        ("url", "https://example.com/\r\nX: y"),
        ("url", "https://example.com/" + "x" * 2_000),
        ("url", "//example.com/"),
        ("url", None),
        ("botId", "x"),
    ],
)
async def test_a_bad_value_is_refused_by_name(api: Api, cast: Cast, field: str, value: Any) -> None:
    client = api(cast.acme.write_key)
    target = {} if field in ("articleId", "url") else {"url": ELSEWHERE}

    refused = await client.post(REDIRECTS, json={"from": "/old", **target, field: value})

    assert named_fields(refused) == [field]
    assert await all_pages(client, REDIRECTS) == []


async def test_the_first_page_of_the_help_center_has_no_redirect(api: Api, cast: Cast) -> None:
    body = {"from": f"{home(cast)}/?page=2", "url": ELSEWHERE}

    assert named_fields(await api(cast.acme.write_key).post(REDIRECTS, json=body)) == ["from"]


@pytest.mark.parametrize("target", [{}, {"articleId": "install", "url": ELSEWHERE}])
async def test_exactly_one_target_is_sent(api: Api, cast: Cast, target: dict[str, str]) -> None:
    client = api(cast.acme.write_key)
    await create_article(client)

    refused = await client.post(REDIRECTS, json={"from": "/old", **target})

    assert error(refused) == (400, "invalid_request")
    assert "`articleId` and `url`" in sentence(refused)


async def test_an_article_of_another_bot_is_as_unknown_as_none(api: Api, cast: Cast) -> None:
    theirs = await create_article(api(cast.globex.write_key))
    client = api(cast.acme.write_key)

    answers = [
        await client.post(REDIRECTS, json={"from": "/old", "articleId": ref})
        for ref in (theirs["id"], "install", "nothing")
    ]

    assert {tuple(named_fields(answer)) for answer in answers} == {("articleId",)}
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.parametrize("again", ["/old/page", "/old/page/?x=1", "http://other.example/old//page#x"])
async def test_the_same_path_twice_is_refused(api: Api, cast: Cast, again: str) -> None:
    client = api(cast.acme.write_key)
    await redirect(client, "/old/page")

    refused = await client.post(REDIRECTS, json={"from": again, "url": ELSEWHERE})

    assert named_fields(refused) == ["from"]
    assert "already" in sentence(refused)
    await redirect(api(cast.globex.write_key), "/old/page")


async def test_ten_parallel_requests_for_one_path_create_one_redirect(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    body = {"from": "/old", "url": ELSEWHERE}

    answers = await at_once(10, lambda _: client.post(REDIRECTS, json=body))

    assert sorted(answer.status_code for answer in answers) == [201] + [400] * 9


async def test_a_bot_has_a_bounded_number_however_many_come_at_once(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_REDIRECTS", 3)
    client = api(cast.acme.write_key)
    await redirect(api(cast.globex.write_key), "/theirs")

    answers = await at_once(
        8, lambda number: client.post(REDIRECTS, json={"from": f"/{number}", "url": ELSEWHERE})
    )

    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [400] * 5
    assert {error(answer) for answer in answers if answer.status_code == 400} == {(400, "invalid_state")}


async def test_a_url_that_is_redirected_itself_is_stored_as_what_it_leads_to(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Install")
    await redirect(client, "/second", articleId=article["id"])
    await redirect(client, "/outward")
    await redirect(client, "/docs/*/page-*", url=f"{home(cast)}/outward")

    first = await redirect(client, "/first", url=f"{home(cast)}/second/")
    third = await redirect(client, "/third", url=f"{home(cast)}/docs/v2/page-7?x=1")

    assert (first["articleId"], first["url"]) == (article["id"], None)
    assert (third["articleId"], third["url"]) == (None, ELSEWHERE)


async def test_a_former_slug_is_stored_as_its_article(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Install")
    ok(await client.patch("/v1/articles/install", json={"slug": "set-up"}))

    moved = await redirect(client, "/old", url=f"{home(cast)}/articles/install")
    present = await redirect(client, "/other", url=f"{home(cast)}/articles/set-up#linux")

    assert (moved["articleId"], moved["url"]) == (article["id"], None)
    assert present["url"] == f"{home(cast)}/articles/set-up#linux"


async def test_a_place_on_the_page_of_a_former_slug_stays(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Install")
    ok(await client.patch("/v1/articles/install", json={"slug": "set-up"}))

    row = await redirect(client, "/old", url=f"{home(cast)}/articles/install#linux")

    assert row["url"] == f"{home(cast)}/articles/set-up#linux"
    ok(await client.patch("/v1/articles/set-up", json={"slug": "begin"}))
    assert await follow(api, cast, "/old") == (301, f"{home(cast)}/articles/begin#linux")


async def test_a_url_of_a_page_stays_though_a_pattern_covers_it(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await collect(client, "Guides")
    await redirect(client, "/*")
    await redirect(client, "/*/*")

    for number, path in enumerate(("/", "/search?q=x", "/changelog", "/collections/guides")):
        row = await redirect(client, f"/a/b/{number}", url=home(cast) + path)
        assert row["url"] == home(cast) + path


@pytest.mark.parametrize("source", ["/old", "/*", "/o*"])
async def test_a_redirect_to_itself_is_refused(api: Api, cast: Cast, source: str) -> None:
    client = api(cast.acme.write_key)

    refused = await client.post(REDIRECTS, json={"from": source, "url": f"{home(cast)}/old"})

    assert named_fields(refused) == ["url"]
    assert "leads back" in sentence(refused)


async def test_two_that_lead_to_each_other_are_refused(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await redirect(client, "/first", url=f"{home(cast)}/second")

    refused = await client.post(REDIRECTS, json={"from": "/second", "url": f"{home(cast)}/first"})

    assert named_fields(refused) == ["url"]
    assert await follow(api, cast, "/second") == (404, None)


async def test_creation_and_deletion_are_in_the_audit_log(api: Api, cast: Cast, owner: Any) -> None:
    row = await redirect(api(cast.acme.write_key), "/old")
    await api(cast.acme.write_key).delete(f"{REDIRECTS}/{row['id']}")

    actions = await owner.value(
        "select array_agg(action order by created_at, id) from audit_entries where resource = %(id)s",
        id=row["id"],
    )
    assert actions == ["create_redirect", "delete_redirect"]


@pytest.mark.parametrize(
    ("source", "url", "field"),
    [
        ("/docs", "/*", "from"),
        ("/*", "https://elsewhere.example/*", "from"),
        ("/a/*/b/*", "/*", "from"),
        ("/a/b-*", "/*", "from"),
        ("/docs/*", "/docs/*", "url"),
        ("/docs/*", "/docs/new/*", "url"),
        ("/docs/*", "//elsewhere.example/*", "url"),
        ("/docs/*", "/new", "url"),
    ],
)
async def test_a_prefix_redirect_that_cannot_work_is_refused(
    api: Api, cast: Cast, source: str, url: str, field: str
) -> None:
    refused = await api(cast.acme.write_key).post(REDIRECTS, json={"from": source, "url": url})

    assert named_fields(refused) == [field]


@pytest.mark.parametrize("targets", [("/*", ELSEWHERE), (ELSEWHERE, "/*")])
async def test_a_pattern_and_a_prefix_redirect_from_one_path_are_the_same(
    api: Api, cast: Cast, targets: tuple[str, str]
) -> None:
    client = api(cast.acme.write_key)
    await redirect(client, "/docs/*", url=targets[0])

    refused = await client.post(REDIRECTS, json={"from": "/docs/*", "url": targets[1]})

    assert named_fields(refused) == ["from"]
    await redirect(client, "/docs*")
    await redirect(client, "/docs")
