"""GET /insights/feedback, and the health of articles that did not help."""

from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import ok
from tests.support.site_pages import publish
from tests.support.visitors import rate
from tests.support.wording import like


async def listed(client: Client, **query: str) -> Json:
    return ok(await client.get("/v1/insights/feedback", params=query))


async def test_list_counts_ratings_by_article_and_shows_the_comments(
    client: Client, api: Api, cast: Cast
) -> None:
    good, bad = await publish(client, "Good"), await publish(client, "Bad")
    await rate(api(None), cast.acme, good, helpful=True, comment="Thank you")
    await rate(api(None), cast.acme, bad, reason="outdated")
    await rate(api(None), cast.acme, bad, reason="outdated", comment="It is Team now.")
    await rate(api(None), cast.acme, bad, helpful=True)

    first = await listed(client, page_size="1")
    rest = await listed(client, page_size="1", start_cursor=first["next_cursor"])

    [row] = first["results"]
    [comment] = row.pop("comments")
    assert row == {
        "articleId": bad["id"],
        "title": "Bad",
        "helpfulCount": 1,
        "unhelpfulCount": 2,
        "reasons": {"unclear": 0, "outdated": 2, "incomplete": 0, "wrong": 0},
    }
    assert comment.pop("givenAt")
    assert comment == {"helpful": False, "reason": "outdated", "comment": "It is Team now."}
    assert [row["articleId"] for row in rest["results"]] == [good["id"]]


async def test_a_new_text_begins_anew(client: Client, api: Api, cast: Cast) -> None:
    article = await publish(client, "Bad")
    await rate(api(None), cast.acme, article)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Better."})

    assert (await listed(client))["results"] == []


async def test_another_bot_sees_none_of_it(client: Client, api: Api, cast: Cast) -> None:
    await rate(api(None), cast.acme, await publish(client, "Bad"))

    assert (await listed(api(cast.globex.write_key)))["results"] == []


async def test_the_health_of_an_article_tells_when_it_helps_too_few(
    client: Client, api: Api, cast: Cast
) -> None:
    article = await publish(client, "Bad")
    for _ in range(2):
        await rate(api(None), cast.acme, article)
    assert await complaints(client, article) == []

    await rate(api(None), cast.acme, article)
    await rate(api(None), cast.acme, article, helpful=True)

    assert await complaints(client, article) == [like("3 of 4 readers…")]


async def complaints(client: Client, article: Json) -> list[str]:
    rows = ok(await client.get("/v1/insights/health"))["results"]
    [row] = [row for row in rows if row["articleId"] == article["id"]]
    return [problem["message"] for problem in row["problems"] if problem["code"] == "unhelpful"]
