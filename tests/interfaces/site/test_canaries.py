"""Internal text never appears on a public page or in machine-readable documents."""

from collections.abc import Awaitable, Callable
from urllib.parse import unquote

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changelog_entries import ENTRIES, archive, create_entry, publish_entry
from tests.support.http import Response
from tests.support.site_pages import FOR_PROGRAMS, collect, crawl, publish, set_article

Act = Callable[[], Awaitable[Response]]
CANARY = "kookaburra"
# This misspelling also finds it, and the results page repeats only the misspelling.
MISSPELT = "kookabura"
# This prefix suggests it.
BEGINNING = "about the k"
PLACES = ("title", "contentMarkdown", "description")
HIDDEN = [
    "status = 'draft'",
    "status = 'in_review'",
    "status = 'archived'",
    "deleted_at = now()",
    "visibility = 'authenticated'",
]
# The home page, the changelog, its feed, the sitemap, the pages to ask, to contact a person and to connect an
# AI client, and the other documents for programs.
ALWAYS = 7 + len(FOR_PROGRAMS)


@pytest.mark.parametrize("assignment", HIDDEN)
async def test_nothing_holds_a_word_of_an_article_that_is_not_public(
    client: Client, api: Api, cast: Cast, owner: Tx, assignment: str
) -> None:
    group = await collect(client, "First steps")
    await publish(client, "Install", collectionId=group["id"])
    fields: list[Json] = [{"collectionId": group["id"]}, {}, {"locale": "de"}]
    for hidden in [await secret(client, **of_one) for of_one in fields]:
        await set_article(owner, hidden, assignment)

    assert await sightings(api, cast) == []
    # The collection, the article, its Markdown, and for both a follow page and a feed.
    assert len(await crawl(api, cast)) == ALWAYS + 7


async def test_an_article_is_gone_at_once_when_it_is_unpublished_hidden_or_deleted(
    client: Client, api: Api, cast: Cast
) -> None:
    group = await collect(client, "First steps")
    article = await secret(client, collectionId=group["id"])
    path = f"/v1/articles/{article['id']}"
    collection = "/v1/collections/first-steps"
    hide, show = {"visibility": "authenticated"}, {"visibility": "public"}
    acts: list[tuple[Act, Act]] = [
        (lambda: client.post(f"{path}/unpublish"), lambda: client.post(f"{path}/publish")),
        (lambda: client.patch(path, json=hide), lambda: client.patch(path, json=show)),
        (lambda: client.patch(collection, json=hide), lambda: client.patch(collection, json=show)),
    ]

    for leave, come_back in acts:
        # The home page, its collection, its own page and Markdown, the sitemap, both files for language
        # models, suggestions, search results, its follow page, its feed and its collection's feed.
        assert len(await sightings(api, cast)) == 12
        assert (await leave()).status_code == 200
        assert await sightings(api, cast) == []
        assert (await come_back()).status_code == 200
    assert (await client.delete(path)).status_code == 200
    assert await sightings(api, cast) == []


@pytest.mark.parametrize("state", ["draft", "archived", "unpublished"])
async def test_nothing_holds_a_word_of_an_entry_that_is_not_published(
    client: Client, api: Api, cast: Cast, owner: Tx, state: str
) -> None:
    await publish_entry(client, "Exports")
    hidden = await news(client)
    if state == "draft":
        await create_entry(client, f"Draft {CANARY}", contentMarkdown=CANARY)
    if state == "archived":
        await archive(owner, hidden)
    else:
        await client.post(f"{ENTRIES}/{hidden['id']}/unpublish")

    assert await sightings(api, cast) == []
    # The changelog links to its follow page.
    assert len(await crawl(api, cast)) == ALWAYS + 3


async def test_canaries_are_found_while_they_are_public(client: Client, api: Api, cast: Cast) -> None:
    await secret(client)
    await news(client)

    names = {"", "changelog", "changelog.xml", "sitemap.xml", *FOR_PROGRAMS} - {"opensearch.xml"}
    names |= {f"search?q={MISSPELT}", f"suggestions?q={BEGINNING}"}
    names |= {f"{kind}/about-the-{CANARY}{end}" for kind in ("articles", "changelog") for end in ("", ".md")}
    names |= {f"follow?article=about-the-{CANARY}", f"articles/about-the-{CANARY}.atom"}
    assert set(await sightings(api, cast)) == {f"/help/{cast.acme.slug}/{name}" for name in names}


async def test_the_source_of_an_entry_is_for_people_inside(client: Client, api: Api, cast: Cast) -> None:
    await publish_entry(client, "Exports", sourceUrl=f"https://git.test/{CANARY}")

    assert await sightings(api, cast) == []


async def test_nothing_names_an_authenticated_collection(client: Client, api: Api, cast: Cast) -> None:
    staff = await collect(client, f"Staff {CANARY}", description=CANARY, visibility="authenticated")
    await secret(client, collectionId=staff["id"])
    await publish(client, "Install")

    assert await sightings(api, cast) == []


async def test_nothing_holds_a_word_of_a_proposal(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")
    body = {"title": CANARY, "contentMarkdown": CANARY, "reason": CANARY}
    await client.post("/v1/articles/install/drafts", json=body)

    assert await sightings(api, cast) == []


async def test_nothing_holds_a_word_of_another_company(
    client: Client, globex: Client, api: Api, cast: Cast
) -> None:
    await secret(globex)
    await news(globex)
    await publish(client, "Install")

    assert await sightings(api, cast) == []


async def sightings(api: Api, cast: Cast) -> list[str]:
    """Paths with the canary in their URL or content."""
    pages = await crawl(api, cast)
    for locale in ("", "de/"):
        path = f"/help/{cast.acme.slug}/{locale}search?q={MISSPELT}"
        pages[path] = found_page(await api(None).get(path))
    path = f"/help/{cast.acme.slug}/suggestions?q={BEGINNING}"
    pages[path] = found_page(await api(None).get(path))
    return [path for path, content in pages.items() if CANARY in unquote(path + content).lower()]


def found_page(answer: Response) -> str:
    assert answer.status_code == 200, answer.text
    return answer.text


async def secret(client: Client, **fields: object) -> Json:
    """A live article with the canary in every field that a page could show."""
    words = dict.fromkeys(PLACES, f"About the {CANARY}")
    return await publish(
        client, words["title"], words["contentMarkdown"], description=words["description"], **fields
    )


async def news(client: Client) -> Json:
    """A published changelog entry that contains the canary."""
    return await publish_entry(client, f"About the {CANARY}", contentMarkdown=f"The {CANARY} laughs.")
