"""Nested collections on the site: the paths to them, and hiding them everywhere at once."""

from collections.abc import Awaitable, Callable

from tests.interfaces.site.test_canaries import CANARY, sightings
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import Response, ok
from tests.support.mcp import DOCS, call, of
from tests.support.site_pages import Page, collect, publish, visit
from tests.visitors.answers.test_canaries import is_told, secret_article

Act = Callable[[], Awaitable[Response]]


async def branch(client: Client) -> list[Json]:
    """Three collections, each inside the previous one."""
    rows: list[Json] = []
    for title in ("Product", "Setup", "First steps"):
        parent = rows[-1]["id"] if rows else None
        rows.append(await collect(client, title, parentId=parent, description=f"About {title}"))
    return rows


async def test_an_article_is_gone_everywhere_at_once_when_one_above_it_is_hidden(
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    product, setup, steps = [f"/v1/collections/{row['id']}" for row in await branch(client)]
    await collect(client, "Staff", visibility="authenticated")
    await secret_article(client, collectionId="first-steps")
    hide, show = {"visibility": "authenticated"}, {"visibility": "public"}

    def patching(path: str, body: Json) -> Act:
        return lambda: client.patch(path, json=body)

    acts = [(patching(path, hide), patching(path, show)) for path in (product, setup, steps)]
    acts += [
        (patching(setup, {"parentId": "staff"}), patching(setup, {"parentId": "product"})),
        (patching(steps, {"parentId": "staff"}), patching(steps, {"parentId": "setup"})),
    ]
    for leave, come_back in acts:
        # Its collection, its own page and Markdown, the sitemap, both files for language models, search
        # results, its follow page, its feed and the feeds of three collections.
        assert len(await sightings(api, cast)) == 12
        assert await is_told(api, cast)
        assert await agent_reads(api, cast)
        ok(await leave())
        assert await sightings(api, cast) == []
        assert not await is_told(api, cast)
        assert not await agent_reads(api, cast)
        ok(await come_back())


async def agent_reads(api: Api, cast: Cast) -> bool:
    answer = await call(api(None), DOCS, "search_docs", of(cast.acme) | {"query": "archive"})
    return CANARY in str(answer).lower()


async def test_article_comes_back_when_the_hidden_parent_is_deleted(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await branch(client)
    ok(await client.patch("/v1/collections/product", json={"visibility": "authenticated"}))
    article = await secret_article(client, collectionId="first-steps")
    assert (await api(None).get(article["url"])).status_code == 404

    ok(await client.delete("/v1/collections/product"))

    assert (await api(None).get(article["url"])).status_code == 200


async def test_a_collection_leads_up_and_down(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    _, setup, steps = await branch(client)
    await collect(client, "Empty", parentId=setup["id"])
    await collect(client, "Staff", parentId=setup["id"], visibility="authenticated")
    await publish(client, "Secret", collectionId="staff")
    await publish(client, "Install", collectionId=steps["id"])
    here = f"/help/{cast.acme.slug}"

    page = Page((await visit(api, f"{cast.acme.slug}/collections/setup")).text)
    article = Page((await visit(api, f"{cast.acme.slug}/articles/install")).text)

    up, down = f"{here}/collections/product", f"{here}/collections/first-steps"
    assert page.links_in("nav", "Breadcrumb") == [f"{here}/", up]
    assert page.links_in("ul", "Collections") == [down]
    names = ("product", "setup", "first-steps")
    trail = [f"{here}/collections/{name}" for name in names]
    assert article.links_in("nav", "Breadcrumb") == [f"{here}/", *trail]
    assert "no articles yet" not in page.text


async def test_the_home_page_has_a_card_for_each_top_collection_in_reading_order(
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    product, setup, steps = await branch(client)
    await collect(client, "Nothing inside", parentId=product["id"])
    await publish(client, "Install", collectionId=steps["id"])
    await publish(client, "Prices", collectionId=(await collect(client, "Billing"))["id"])
    await publish(client, "Overview", collectionId=product["id"])
    await publish(client, "Loose")

    page = Page((await visit(api, f"{cast.acme.slug}/")).text)

    words = ("Product", "Overview", "Setup", "All 2 articles", "Billing", "Prices", "Loose")
    places = [page.text.index(title) for title in words]
    assert places == sorted(places)
    assert [name for name, _ in page.tags if name in ("h2", "h3", "h4")] == ["h2", "h2"]
    for title in ("Nothing inside", steps["title"], "Install"):
        assert title not in page.text
    assert setup["url"].removeprefix("http://help.test") in page.links


async def test_the_sitemap_lists_every_collection_that_leads_to_an_article(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    rows = await branch(client)
    await collect(client, "Nothing inside", parentId=rows[0]["id"])
    await publish(client, "Install", collectionId=rows[-1]["id"])

    sitemap = (await visit(api, f"{cast.acme.slug}/sitemap.xml")).text

    assert all(f"<loc>{row['url']}</loc>" in sitemap for row in rows)
    assert "nothing-inside" not in sitemap
