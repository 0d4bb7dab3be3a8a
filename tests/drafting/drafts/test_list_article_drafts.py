"""GET /v1/articles/{id}/drafts."""

from tests.support.cast import Api, Cast, Client, Json
from tests.support.drafts import get, propose, write_article


async def test_the_pending_edits_of_one_article_newest_first(
    client: Client, article: Json, reader: Client
) -> None:
    drafts = [await propose(client, article, f"Text {number}.") for number in range(3)]
    await propose(client, await write_article(client, "Sign in"))
    await client.post(f"/v1/drafts/{drafts[1]['id']}/dismiss")

    listed = await get(reader, "articles/install/drafts")

    assert [row["id"] for row in listed["results"]] == [drafts[2]["id"], drafts[0]["id"]]


async def test_pages_follow_each_other(client: Client, article: Json) -> None:
    drafts = [await propose(client, article, f"Text {number}.") for number in range(3)]

    first = await get(client, "articles/install/drafts?page_size=2")
    second = await get(client, f"articles/install/drafts?page_size=2&start_cursor={first['next_cursor']}")

    ids = [row["id"] for page in (first, second) for row in page["results"]]
    assert ids == [draft["id"] for draft in reversed(drafts)]
    assert (first["has_more"], second["has_more"]) == (True, False)


async def test_an_article_of_another_company_is_not_there(article: Json, api: Api, cast: Cast) -> None:
    refusal = await api(cast.globex.read_key).get(f"/v1/articles/{article['id']}/drafts")

    assert (refusal.status_code, refusal.json()["code"]) == (404, "not_found")
