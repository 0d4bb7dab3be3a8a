"""GET /help/{bot}/."""

import pytest

from tests.support.cast import Api, Cast, Client
from tests.support.limits import SetLimit
from tests.support.site_pages import Page, collect, publish, visit


async def test_the_home_page_lists_articles_by_collection_in_order(
    client: Client, api: Api, cast: Cast
) -> None:
    later = await collect(client, "Billing", description="What it costs", icon="💳")
    first = await collect(client, "First steps")
    await client.patch(f"/v1/collections/{later['id']}", json={"sortOrder": 9})
    await client.patch(f"/v1/collections/{first['id']}", json={"sortOrder": 1})
    await publish(client, "Loose")
    await publish(client, "Prices", collectionId=later["id"])
    await publish(client, "Sign in", collectionId=first["id"], position=2)
    await publish(client, "Install", collectionId=first["id"], position=1)

    answer = await visit(api, f"{cast.acme.slug}/")

    text = Page(answer.text).text
    lines = ["First steps", "Install", "Sign in", "Billing", "What it costs", "Prices"]
    places = [text.index(words) for words in [*lines, "Loose"]]
    assert places == sorted(places)
    assert "💳" in text
    assert "<title>Acme</title>" in answer.text


async def test_every_link_of_the_home_page_leads_to_a_page(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    group = await collect(client, "First steps")
    await publish(client, "Install", collectionId=group["id"])
    await publish(client, "Loose")

    links = Page((await visit(api, f"{cast.acme.slug}/")).text).links

    assert len([link for link in links if "/articles/" in link]) == 2
    for link in links:
        assert link == "#content" or (await visitor.get(link)).status_code == 200


async def test_a_help_center_without_articles_says_so(api: Api, cast: Cast) -> None:
    answer = await visit(api, f"{cast.acme.slug}/")

    assert (answer.status_code, "no articles yet" in answer.text) == (200, True)


async def test_an_empty_collection_is_not_shown(client: Client, api: Api, cast: Cast) -> None:
    await collect(client, "Nothing inside")
    await publish(client, "Install")

    assert "Nothing inside" not in (await visit(api, f"{cast.acme.slug}/")).text


async def test_only_the_help_centers_own_language_is_listed(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Einrichten", locale="de")

    assert "Einrichten" not in (await visit(api, f"{cast.acme.slug}/")).text


async def test_an_unknown_help_center_is_not_found(api: Api, cast: Cast) -> None:
    answer = await visit(api, "nobody/")

    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "this address" in answer.text


async def test_the_address_without_its_slash_leads_to_the_page(api: Api, cast: Cast) -> None:
    answer = await visit(api, cast.acme.slug)

    assert answer.status_code == 301
    assert answer.headers["Location"].endswith(f"/help/{cast.acme.slug}/")


async def test_static_files_are_served_and_checked_for_changes(visitor: Client) -> None:
    icon = await visitor.get("/static/icon.svg")
    again = await visitor.get("/static/icon.svg", headers={"If-None-Match": icon.headers["ETag"]})

    assert (icon.status_code, icon.headers["content-type"]) == (200, "image/svg+xml")
    assert again.status_code == 304
    assert "no-cache" in icon.headers["Cache-Control"]
    assert icon.headers["X-Content-Type-Options"] == "nosniff"
    for path in ("/static/nothing.css", "/static/../pages.py", "/static/%2e%2e/pages.py", "/static/"):
        assert (await visitor.get(path)).status_code == 404


async def test_each_page_has_one_style_sheet_and_it_is_there(api: Api) -> None:
    for path in ("/sign-in", "/docs/api"):
        page = Page((await api(None).get(path)).text)
        [style] = [link["href"] or "" for link in page.attributes("link") if link["rel"] == "stylesheet"]
        answer = await api(None).get(style)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/css; charset=utf-8")


async def test_a_large_collection_shows_its_first_articles_and_links_to_all(
    client: Client, api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("HOME_ARTICLES", 2)
    set_limit("HOME_LOOSE_ARTICLES", 2)
    group = await collect(client, "Guides")
    for position in range(3):
        await publish(client, f"Guide {position}", collectionId=group["id"], position=position)
        await publish(client, f"Loose {position}", position=position)

    page = Page((await visit(api, f"{cast.acme.slug}/")).text)

    assert "Guide 0 Guide 1 All 3 articles Loose 0 Loose 1 All 3 articles" in page.text
    names = [link["aria-label"] for link in page.attributes("a") if "aria-label" in link]
    assert names == ["All 3 articles: Guides", "All 3 articles: Acme"]
    for path, title in (("collections/guides", "Guide 2"), ("articles", "Loose 2")):
        assert f"/help/{cast.acme.slug}/{path}" in page.links
        assert title in (await visit(api, f"{cast.acme.slug}/{path}")).text


async def test_many_collections_come_page_by_page(
    client: Client, api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("HOME_COLLECTIONS", 2)
    for number in range(4):
        group = await collect(client, f"Group {number}")
        await publish(client, f"Article {number}", collectionId=group["id"])
    await publish(client, "Loose")

    titles, path = [], f"{cast.acme.slug}/"
    while path:
        page = Page((await visit(api, path)).text)
        titles += [words for words in page.words if words.startswith(("Article ", "Loose"))]
        onward = [link["href"] or "" for link in page.attributes("a") if link.get("rel") == "next"]
        path = onward[0].removeprefix("/help/") if onward else ""

    assert titles == ["Article 0", "Article 1", "Article 2", "Article 3", "Loose"]


@pytest.mark.parametrize("page", ["2", "0", "-1", "x", "", "1e3", "1000000", "9" * 2_000])
async def test_there_is_no_page_beyond_the_last(client: Client, api: Api, cast: Cast, page: str) -> None:
    await publish(client, "Install")

    for path in ("", "articles"):
        assert (await visit(api, f"{cast.acme.slug}/{path}?page={page}")).status_code == 404
