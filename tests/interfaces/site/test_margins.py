"""Next to an article: the collection tree, its headings, and the previous and next articles."""

import pytest

from instep.interfaces.site.contents import contents_of
from instep.platform.core import limits
from tests.support.cast import Api, Cast
from tests.support.site_pages import Page, collect, publish, visit


async def test_the_tree_is_open_on_the_way_to_the_article_and_closed_elsewhere(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    product = await collect(client, "Product")
    setup = await collect(client, "Setup", parentId=product["id"])
    billing = await collect(client, "Billing")
    invoices = await collect(client, "Invoices", parentId=billing["id"])
    await collect(client, "Empty")
    await publish(client, "Install", collectionId=setup["id"], position=1)
    await publish(client, "Update", collectionId=setup["id"], position=2)
    await publish(client, "Pay", collectionId=invoices["id"])
    here = f"/help/{cast.acme.slug}"

    page = Page((await visit(api, f"{cast.acme.slug}/articles/update")).text)
    collection = Page((await visit(api, f"{cast.acme.slug}/collections/setup")).text)

    top, way = f"{here}/collections/billing", [f"{here}/collections/product", f"{here}/collections/setup"]
    articles = [f"{here}/articles/install", f"{here}/articles/update"]
    assert page.links_in("nav", "Articles") == [*way, *articles, top]
    assert collection.links_in("nav", "Articles") == [*way, top]
    for shown, path in ((page, articles[1]), (collection, way[1])):
        [current] = [link["href"] for link in shown.attributes("a") if link.get("aria-current") == "page"]
        assert current == path


async def test_an_article_in_no_collection_stands_among_the_others_in_none(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Guide", collectionId=(await collect(client, "Guides"))["id"])
    await publish(client, "Loose", position=1)
    await publish(client, "Looser", position=2)
    here = f"/help/{cast.acme.slug}"

    page = Page((await visit(api, f"{cast.acme.slug}/articles/looser")).text)

    paths = [f"{here}/collections/guides", f"{here}/articles/loose", f"{here}/articles/looser"]
    assert page.links_in("nav", "Articles") == paths


async def test_an_article_leads_to_those_before_and_after_it_in_its_language(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    group = await collect(client, "Guides")
    for number, title in enumerate(("One", "Two", "Three")):
        await publish(client, title, collectionId=group["id"], position=number)
        await publish(client, title, collectionId=group["id"], position=number, locale="de")
    await publish(client, "Elsewhere")
    here = f"/help/{cast.acme.slug}"

    async def neighbours(path: str) -> dict[str, str]:
        page = Page((await visit(api, f"{cast.acme.slug}/{path}")).text)
        links = [link for link in page.attributes("a") if link.get("rel") in ("prev", "next")]
        return {link["rel"] or "": link["href"] or "" for link in links}

    assert await neighbours("articles/one") == {"next": f"{here}/articles/two"}
    assert await neighbours("articles/two") == {
        "prev": f"{here}/articles/one",
        "next": f"{here}/articles/three",
    }
    assert await neighbours("de/articles/three") == {"prev": f"{here}/de/articles/two"}
    assert await neighbours("articles/elsewhere") == {}


async def test_the_tree_shows_the_articles_around_the_current_one_if_there_are_many(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "TREE_NEIGHBOURS", 1)
    client = api(cast.acme.write_key)
    for number in range(5):
        await publish(client, f"Guide {number}", position=number)

    page = Page((await visit(api, f"{cast.acme.slug}/articles/guide-2")).text)

    paths = [f"/help/{cast.acme.slug}/articles/guide-{number}" for number in (1, 2, 3)]
    assert page.links_in("nav", "Articles") == paths


async def test_drafts_and_private_collections_are_in_no_tree(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    staff = await collect(client, "Staff", visibility="authenticated")
    await publish(client, "Secret", collectionId=staff["id"])
    guides = await collect(client, "Guides")
    await publish(client, "Guide", collectionId=guides["id"])
    await client.post("/v1/articles", json={"title": "Draft", "collectionId": guides["id"]})

    page = (await visit(api, f"{cast.acme.slug}/articles/guide")).text

    assert "Staff" not in page
    assert "Draft" not in page


async def test_the_headings_of_an_article_are_its_contents(api: Api, cast: Cast) -> None:
    text = "## Before `you` & me\n\n### Details\n\n#### Too deep\n\n## After <b>it</b>\n"
    await publish(api(cast.acme.write_key), "Install", text)

    page = Page((await visit(api, f"{cast.acme.slug}/articles/install")).text)

    targets = page.links_in("nav", "On this page")
    ids = {f"#{attrs['id']}" for _, attrs in page.tags if "id" in attrs}
    assert len(targets) == 3
    assert set(targets) <= ids


async def test_one_heading_needs_no_contents(api: Api, cast: Cast) -> None:
    await publish(api(cast.acme.write_key), "Install", "## Only this\n\nWords.")

    assert "On this page" not in (await visit(api, f"{cast.acme.slug}/articles/install")).text


def test_contents_begin_with_the_highest_level_that_there_is() -> None:
    html = '<h3 id="h-a">A</h3><h4 id="h-b">B &amp; <code>c</code></h4><h3 id="h-d"> </h3><h3 id="h-e">E</h3>'

    contents = contents_of(html)

    assert [(heading.title, [below.title for below in heading.subheadings]) for heading in contents] == [
        ("A", ["B & c"]),
        ("E", []),
    ]
    assert contents_of("<p>Words.</p>") == []
