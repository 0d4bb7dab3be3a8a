"""Words that only people inside may read never stand on a page of the help center."""

import pytest

from instep.core.database import Tx
from tests.cast import Api, Cast, Client, Json
from tests.site.pages import collect, crawl, publish, set_article

CANARY = "kookaburra"
PLACES = ("title", "contentMarkdown", "description")
HIDDEN = [
    "status = 'draft'",
    "status = 'in_review'",
    "status = 'archived'",
    "deleted_at = now()",
    "visibility = 'authenticated'",
]


@pytest.mark.parametrize("assignment", HIDDEN)
async def test_no_page_holds_a_word_of_an_article_that_is_not_public(
    api: Api, cast: Cast, owner: Tx, assignment: str
) -> None:
    client = api(cast.acme.write_key)
    group = await collect(client, "First steps")
    await publish(client, "Install", collectionId=group["id"])
    for hidden in [await secret(client, collectionId=group["id"]), await secret(client)]:
        await set_article(owner, hidden, assignment)

    pages = await crawl(api, cast)

    assert len(pages) == 3
    assert not [path for path, html in pages.items() if CANARY in (path + html).lower()]


async def test_a_canary_is_found_while_it_is_public(api: Api, cast: Cast) -> None:
    await secret(api(cast.acme.write_key))

    assert len([path for path, html in (await crawl(api, cast)).items() if CANARY in html]) == 2


async def test_no_page_names_an_authenticated_collection(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    staff = await collect(client, f"Staff {CANARY}", description=CANARY, visibility="authenticated")
    await secret(client, collectionId=staff["id"])
    await publish(client, "Install")

    assert not [path for path, html in (await crawl(api, cast)).items() if CANARY in html.lower()]


async def test_no_page_holds_a_word_of_a_proposal(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Install")
    body = {"title": CANARY, "contentMarkdown": CANARY, "reason": CANARY}
    await client.post("/v1/articles/install/drafts", json=body)

    assert not [path for path, html in (await crawl(api, cast)).items() if CANARY in html.lower()]


async def test_no_page_holds_a_word_of_another_company(api: Api, cast: Cast) -> None:
    await secret(api(cast.globex.write_key))
    await publish(api(cast.acme.write_key), "Install")

    assert not [path for path, html in (await crawl(api, cast)).items() if CANARY in html.lower()]


async def secret(client: Client, **fields: object) -> Json:
    """A live article with the canary in every place that a page could show."""
    words = dict.fromkeys(PLACES, f"About the {CANARY}")
    return await publish(
        client, words["title"], words["contentMarkdown"], description=words["description"], **fields
    )
