"""POST /v1/articles/{id}/revisions/{revisionId}/restore."""

import pytest

from tests.support.articles import revisions_of
from tests.support.cast import Client, Json
from tests.support.http import at_once, create_article, error, ok

INSTALL = "/v1/articles/install"
MISSING = (404, "not_found")


@pytest.mark.parametrize("live", [True, False])
async def test_the_article_has_the_former_text_and_title_again(
    client: Client, visitor: Client, live: bool
) -> None:
    first = await create_article(client, description="How to.")
    before = ok(await client.patch(INSTALL, json={"title": "Set up", "contentMarkdown": "Two."}))
    if live:
        before = ok(await client.post(f"{INSTALL}/publish"))
    [revision] = await revisions_of(client, "install")

    restored = await client.post(f"{INSTALL}/revisions/{revision['id']}/restore")

    article = ok(restored)
    text = {"title": first["title"], "contentMarkdown": first["contentMarkdown"], "version": 3}
    assert article == before | text | {"updatedAt": article["updatedAt"]}
    assert article["updatedAt"] >= before["updatedAt"]
    again = await client.get(INSTALL)
    assert (ok(again), again.headers["ETag"]) == (article, restored.headers["ETag"])
    if live:
        assert "Run it." in (await visitor.get(article["url"])).text


async def test_the_replaced_text_is_kept_and_the_restored_one_says_so(client: Client) -> None:
    revision = await change(client)
    ok(await client.post(f"{INSTALL}/revisions/{revision['id']}/restore"))

    replaced, _ = await revisions_of(client, "install")
    assert (replaced["version"], replaced["contentMarkdown"], replaced["origin"]) == (2, "Two.", "update")

    await client.patch(INSTALL, json={"contentMarkdown": "Three."})
    restored = (await revisions_of(client, "install"))[0]
    assert (restored["contentMarkdown"], restored["origin"]) == ("Run it.", "restore")
    assert restored["author"] == {"type": "api_key", "name": "Acme writer"}


async def test_restoring_the_present_text_changes_nothing(client: Client) -> None:
    revision = await change(client)
    path = f"{INSTALL}/revisions/{revision['id']}/restore"
    first = await client.post(path)

    again = await client.post(path)

    assert ok(again) == ok(first)
    assert again.headers["ETag"] == first.headers["ETag"]
    assert len(await revisions_of(client, "install")) == 2


async def test_a_stale_etag_is_refused(client: Client) -> None:
    await create_article(client)
    stale = (await client.get(INSTALL)).headers["ETag"]
    etag = (await client.patch(INSTALL, json={"contentMarkdown": "Two."})).headers["ETag"]
    [revision] = await revisions_of(client, "install")
    path = f"{INSTALL}/revisions/{revision['id']}/restore"

    assert error(await client.post(path, headers={"If-Match": stale})) == (400, "conflict")
    assert ok(await client.get(INSTALL))["contentMarkdown"] == "Two."
    assert ok(await client.post(path, headers={"If-Match": etag}))["contentMarkdown"] == "Run it."


async def test_ten_at_once_restore_it_once(client: Client) -> None:
    revision = await change(client)

    answers = await at_once(10, lambda _: client.post(f"{INSTALL}/revisions/{revision['id']}/restore"))

    assert {ok(answer)["version"] for answer in answers} == {3}
    assert [row["version"] for row in await revisions_of(client, "install")] == [2, 1]


async def test_the_oldest_of_fifty_can_be_restored_and_goes(client: Client) -> None:
    await create_article(client)
    for number in range(50):
        await client.patch(INSTALL, json={"contentMarkdown": f"No {number}"})
    listed = ok(await client.get(f"{INSTALL}/revisions", params={"page_size": 100}))["results"]
    assert listed[-1]["version"] == 1

    restored = ok(await client.post(f"{INSTALL}/revisions/{listed[-1]['id']}/restore"))

    assert (restored["contentMarkdown"], restored["version"]) == ("Run it.", 52)
    again = await client.post(f"{INSTALL}/revisions/{listed[-1]['id']}/restore")
    assert error(again) == MISSING


async def test_a_revision_of_another_article_is_not_found(client: Client) -> None:
    revision = await change(client)
    other = await create_article(client, "Other")

    refusal = await client.post(f"/v1/articles/other/revisions/{revision['id']}/restore")

    assert error(refusal) == MISSING
    assert ok(await client.get("/v1/articles/other")) == other


async def test_an_article_of_somebody_else_is_as_unknown_as_none(client: Client, globex: Client) -> None:
    revision = await change(globex)
    await create_article(client)

    refusal = await client.post(f"/v1/articles/{revision['articleId']}/revisions/{revision['id']}/restore")
    answer = await client.post(f"{INSTALL}/revisions/{revision['id']}/restore")

    assert error(refusal) == error(answer) == MISSING
    assert refusal.content == (await client.post("/v1/articles/nothing/revisions/x/restore")).content
    assert ok(await globex.get(INSTALL))["contentMarkdown"] == "Two."


async def change(client: Client) -> Json:
    """Create an article, replace its text, and return the revision with the first text."""
    await create_article(client)
    ok(await client.patch(INSTALL, json={"contentMarkdown": "Two."}))
    [revision] = await revisions_of(client, "install")
    return revision
