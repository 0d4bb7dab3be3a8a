"""GET /v1/drafts."""

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.drafts import AFTER, BEFORE, get, propose, queue, write_article

FIELDS = {
    *("id", "type", "status", "title", "articleId", "articleTitle", "reason", "sourceUrl", "taskId"),
    *("source", "version", "certainty", "approvedBy", "approvedAt"),
    *("conflict", "additions", "deletions", "author", "createdAt", "updatedAt"),
}


async def test_the_queue_holds_what_waits_newest_first(client: Client, reader: Client) -> None:
    articles = [await write_article(client, title) for title in ("Install", "Sign in")]
    drafts = [await propose(client, article) for article in articles]

    listed = await get(reader, "drafts")

    assert (listed["has_more"], listed["next_cursor"]) == (False, None)
    assert [row["id"] for row in listed["results"]] == [drafts[1]["id"], drafts[0]["id"]]
    assert listed["results"][0] == {name: drafts[1][name] for name in FIELDS}


async def test_an_empty_queue_is_an_empty_list(reader: Client) -> None:
    listed = await get(reader, "drafts")

    assert listed == {"results": [], "has_more": False, "next_cursor": None}


async def test_settled_drafts_leave_the_queue(client: Client, article: Json) -> None:
    drafts = [await propose(client, article, f"Text {number}.") for number in range(3)]
    await client.post(f"/v1/drafts/{drafts[0]['id']}/apply", json={})
    await client.post(f"/v1/drafts/{drafts[2]['id']}/dismiss")

    assert await queue(client) == [drafts[1]["id"]]


async def test_the_queue_of_an_article_by_id_or_slug(client: Client) -> None:
    match = await propose(client, await write_article(client, "Install"))
    await propose(client, await write_article(client, "Sign in"))

    for ref in (match["articleId"], "install"):
        listed = await get(client, f"drafts?article_id={ref}")
        assert [row["id"] for row in listed["results"]] == [match["id"]]


async def test_an_article_that_is_not_there_has_no_queue(reader: Client) -> None:
    refusal = await reader.get("/v1/drafts?article_id=nothing")

    assert (refusal.status_code, refusal.json()["code"]) == (404, "not_found")


async def test_the_queue_by_type(client: Client, draft: Json) -> None:
    by_type = {
        name: [row["id"] for row in (await get(client, f"drafts?type={name}"))["results"]]
        for name in ("edit", "new_article", "gap_draft")
    }

    assert by_type == {"edit": [draft["id"]], "new_article": [], "gap_draft": []}


async def test_an_unknown_type_or_page_size_is_refused(reader: Client) -> None:
    for query, field in (
        ("type=article", "type"),
        ("page_size=0", "page_size"),
        ("page_size=101", "page_size"),
    ):
        refusal = await reader.get(f"/v1/drafts?{query}")
        assert (refusal.status_code, refusal.json()["details"][0]["field"]) == (400, field)


async def test_a_conflict_shows_in_the_list_with_the_counts_of_its_merge(
    client: Client, article: Json
) -> None:
    quiet = await propose(client, await write_article(client, "Sign in"))
    await propose(client, article)
    live = BEFORE.replace("ten minutes", "a minute") + "\nDone.\n"
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": live})

    conflicted, calm = (await get(client, "drafts"))["results"]

    assert (conflicted["conflict"], conflicted["additions"], conflicted["deletions"]) == (True, 1, 1)
    assert calm == {name: quiet[name] for name in FIELDS}


async def test_large_texts_keep_the_counts_that_they_were_proposed_with(client: Client) -> None:
    large = "".join(f"Line {number}.\n" for number in range(6_000))
    article = await write_article(client, text=large)
    await propose(client, article, large.replace("Line 7.", "Line seven.") + "One more.\n")
    await client.patch(
        f"/v1/articles/{article['id']}", json={"contentMarkdown": large.replace("Line 7.", "Line seven.")}
    )

    [listed] = (await get(client, "drafts"))["results"]
    detail = await get(client, f"drafts/{listed['id']}")

    assert (listed["conflict"], listed["additions"], listed["deletions"]) == (True, 2, 1)
    assert (detail["additions"], detail["deletions"]) == (1, 0)


async def test_paging_misses_and_repeats_nothing_while_the_queue_moves(client: Client, article: Json) -> None:
    drafts = [await propose(client, article, f"Text {number}.") for number in range(7)]

    first = await get(client, "drafts?page_size=3")
    await propose(client, article, "A newer one.")
    await client.post(f"/v1/drafts/{drafts[5]['id']}/dismiss")
    rest = await pages(client, first)

    ids = [row["id"] for row in first["results"]] + rest
    assert ids == [draft["id"] for draft in reversed(drafts)]


async def test_drafts_of_one_moment_are_paged_once_each(
    client: Client, article: Json, cast: Cast, owner: Tx
) -> None:
    drafts = {(await propose(client, article, f"Text {number}."))["id"] for number in range(5)}
    await owner.execute("update drafts set created_at = now() where bot_id = %(bot)s", bot=cast.acme.bot_id)

    first = await get(client, "drafts?page_size=2")
    ids = [row["id"] for row in first["results"]] + await pages(client, first)

    assert len(ids) == 5
    assert set(ids) == drafts


async def test_a_cursor_of_another_list_or_with_other_words_is_refused(client: Client, article: Json) -> None:
    for number in range(3):
        await propose(client, article, f"Text {number}.")
    cursor = (await get(client, "drafts?page_size=1"))["next_cursor"]

    for query in (f"type=edit&start_cursor={cursor}", f"start_cursor={cursor}x", "start_cursor=x"):
        refusal = await client.get(f"/v1/drafts?page_size=1&{query}")
        assert (refusal.status_code, refusal.json()["code"]) == (400, "invalid_cursor")


async def test_other_companies_and_bots_have_queues_of_their_own(
    client: Client, wide: Client, api: Api, cast: Cast
) -> None:
    await propose(client, await write_article(client), AFTER)

    assert await queue(api(cast.globex.read_key)) == []
    other_bot = await get(wide, f"drafts?bot_id={cast.second_bot_id}")
    assert other_bot["results"] == []


async def test_without_a_key_there_is_no_queue(visitor: Client) -> None:
    refusal = await visitor.get("/v1/drafts")

    assert (refusal.status_code, refusal.headers["WWW-Authenticate"]) == (401, "Bearer")


async def pages(client: Client, page: Json) -> list[str]:
    """The ids on all pages after this one."""
    ids: list[str] = []
    while page["has_more"]:
        page = await get(client, f"drafts?page_size=3&start_cursor={page['next_cursor']}")
        ids += [row["id"] for row in page["results"]]
    return ids
