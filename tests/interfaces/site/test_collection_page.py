"""GET /help/{bot}/collections/{slug}."""

from tests.support.cast import Api, Cast, Client
from tests.support.limits import SetLimit
from tests.support.site_pages import Page, collect, publish, visit


async def test_a_collection_shows_its_articles(client: Client, api: Api, cast: Cast) -> None:
    group = await collect(client, "First steps", description="Begin here", icon="🚀")
    await publish(client, "Sign in", collectionId=group["id"], position=2)
    await publish(client, "Install", collectionId=group["id"], position=1)
    await publish(client, "Elsewhere")

    answer = await visit(api, f"{cast.acme.slug}/collections/first-steps")

    text = Page(answer.text).text
    assert answer.status_code == 200
    assert "<title>First steps · Acme</title>" in answer.text
    assert text.index("Begin here") < text.index("Install") < text.index("Sign in")
    assert "Elsewhere" not in text


async def test_a_public_collection_without_live_articles_says_so(client: Client, visitor: Client) -> None:
    empty = await collect(client, "Empty", description="Soon")
    await publish(client, "Secret", collectionId=empty["id"], visibility="authenticated")
    await publish(client, "Einrichten", collectionId=empty["id"], locale="de")

    answer = await visitor.get(empty["url"])

    text = Page(answer.text).text
    assert (answer.status_code, "Soon" in text, "no articles yet" in text) == (200, True, True)
    assert "Secret" not in text
    assert "Einrichten" not in text


async def test_a_collection_that_is_not_public_is_not_found(client: Client, api: Api, cast: Cast) -> None:
    staff = await collect(client, "Staff", visibility="authenticated")
    await collect(client, "Empty staff", visibility="authenticated")
    await publish(client, "Secret", collectionId=staff["id"])

    for slug in ("staff", "empty-staff", "nothing"):
        answer = await visit(api, f"{cast.acme.slug}/collections/{slug}")
        assert answer.status_code == 404
        assert "Secret" not in answer.text


async def test_a_collection_of_another_help_center_is_not_found(client: Client, api: Api, cast: Cast) -> None:
    group = await collect(client, "First steps")
    await publish(client, "Install", collectionId=group["id"])

    assert (await visit(api, f"{cast.globex.slug}/collections/first-steps")).status_code == 404


async def test_a_large_collection_comes_page_by_page(
    client: Client, api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("COLLECTION_ARTICLES", 2)
    group = await collect(client, "Guides")
    for position in range(5):
        await publish(client, f"Guide {position}", collectionId=group["id"], position=position)

    page_titles = []
    for number in (1, 2, 3):
        page = Page((await visit(api, f"{cast.acme.slug}/collections/guides?page={number}")).text)
        page_titles.append([words for words in page.words if words.startswith("Guide ")])
        onward = {
            link.get("rel"): link["href"]
            for link in page.attributes("a")
            if link.get("rel") in ("prev", "next")
        }
        assert onward == {
            **({"prev": f"?page={number - 1}"} if number > 1 else {}),
            **({"next": f"?page={number + 1}"} if number < 3 else {}),
        }

    assert page_titles == [["Guide 0", "Guide 1"], ["Guide 2", "Guide 3"], ["Guide 4"]]
    assert (await visit(api, f"{cast.acme.slug}/collections/guides?page=4")).status_code == 404
