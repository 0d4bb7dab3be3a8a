"""POST /v1/drafts/{id}/reopen."""

from asyncio import gather

import pytest

from instep.content.articles.body_schemas import TextEdit
from instep.content.articles.editing import open_text, save_text
from instep.platform.core.database import Database
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json
from tests.support.drafts import (
    AFTER,
    BEFORE,
    NEW,
    NewType,
    get,
    propose,
    queue,
    queue_new,
    revisions,
    text_of,
    write_article,
)
from tests.support.http import error

MINE = BEFORE.replace("ten minutes", "a minute")


async def test_an_applied_edit_waits_again_and_the_article_has_the_text_before(
    client: Client, article: Json, draft: Json, visitor: Client
) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/apply", json={"title": "Set up"})

    reopened = await reopen(client, draft["id"])

    assert reopened == {"id": draft["id"], "status": "pending", "articleId": article["id"]}
    now = await get(client, f"articles/{article['id']}")
    assert (now["title"], now["contentMarkdown"], now["version"]) == ("Install", BEFORE, 3)
    assert "<code>install</code>" in (await visitor.get(now["url"])).text
    newest, _ = await revisions(client, article)
    assert (newest["title"], newest["contentMarkdown"]) == ("Set up", AFTER)
    assert await queue(client) == [draft["id"]]
    after = await get(client, f"drafts/{draft['id']}")
    assert (after["diff"], after["conflict"]) == (draft["diff"], False)


async def test_draft_can_be_applied_and_reopened_repeatedly(
    client: Client, article: Json, draft: Json
) -> None:
    for _ in range(3):
        await apply(client, draft)
        assert await text_of(client, article) == AFTER
        await reopen(client, draft["id"])
        assert await text_of(client, article) == BEFORE


async def test_a_merge_keeps_the_other_change(client: Client, article: Json, draft: Json) -> None:
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": MINE})
    await apply(client, draft)

    await reopen(client, draft["id"])

    assert await text_of(client, article) == MINE


async def test_a_text_that_has_changed_since_is_never_taken_back(
    client: Client, article: Json, draft: Json
) -> None:
    await apply(client, draft)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": AFTER + "\nDone.\n"})

    refusal = await client.post(f"/v1/drafts/{draft['id']}/reopen")

    assert error(refusal) == (400, "conflict")
    assert await text_of(client, article) == AFTER + "\nDone.\n"
    assert (await get(client, f"drafts/{draft['id']}"))["status"] == "applied"


async def test_an_article_that_has_the_applied_text_again_gets_the_one_before(
    client: Client, article: Json, draft: Json
) -> None:
    await apply(client, draft)
    for text in ("Something else.", AFTER):
        await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": text})

    await reopen(client, draft["id"])

    assert await text_of(client, article) == BEFORE


async def test_a_dismissed_edit_waits_again(client: Client, article: Json, draft: Json) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/dismiss")

    await reopen(client, draft["id"])

    assert await queue(client) == [draft["id"]]
    assert await get(client, f"articles/{article['id']}") | {"freshness": None} == article
    await apply(client, draft)


@pytest.mark.parametrize("kind", ["new_article", "gap_draft"])
async def test_an_applied_new_article_is_in_review_again(
    client: Client, cast: Cast, database: Database, kind: NewType
) -> None:
    draft_id = await queue_new(database, cast.acme, kind)
    await client.post(f"/v1/drafts/{draft_id}/apply", json={"title": "Exports"})

    article_id = (await reopen(client, draft_id))["articleId"]

    article = await get(client, f"articles/{article_id}")
    assert (article["status"], article["title"], article["url"]) == ("in_review", "Export your data", None)
    assert await queue(client) == [draft_id]
    await client.post(f"/v1/drafts/{draft_id}/apply", json={})
    assert (await get(client, f"articles/{article_id}"))["status"] == "published"


async def test_a_new_article_that_was_published_by_hand_is_in_review_again(
    client: Client, cast: Cast, database: Database
) -> None:
    draft_id = await queue_new(database, cast.acme)
    article_id = (await get(client, f"drafts/{draft_id}"))["articleId"]
    await client.post(f"/v1/articles/{article_id}/publish")

    await reopen(client, draft_id)

    assert (await get(client, f"articles/{article_id}"))["status"] == "in_review"


@pytest.mark.parametrize("kind", ["new_article", "gap_draft"])
async def test_a_dismissed_new_article_comes_back_into_review(
    client: Client, cast: Cast, database: Database, kind: NewType
) -> None:
    draft_id = await queue_new(database, cast.acme, kind)
    await client.post(f"/v1/drafts/{draft_id}/dismiss")

    article_id = (await reopen(client, draft_id))["articleId"]

    article = await get(client, f"articles/{article_id}")
    assert (article["status"], article["contentMarkdown"]) == ("in_review", NEW)
    assert await queue(client) == [draft_id]


async def test_a_dismissed_article_that_is_published_by_now_stays(
    client: Client, cast: Cast, database: Database
) -> None:
    draft_id = await queue_new(database, cast.acme)
    article_id = (await get(client, f"drafts/{draft_id}"))["articleId"]
    await client.post(f"/v1/drafts/{draft_id}/dismiss")
    for act in ("restore", "publish"):
        await client.post(f"/v1/articles/{article_id}/{act}")

    refusal = await client.post(f"/v1/drafts/{draft_id}/reopen")

    assert error(refusal) == (400, "invalid_state")
    assert (await get(client, f"articles/{article_id}"))["status"] == "published"


async def test_a_pending_draft_is_refused(client: Client, draft: Json) -> None:
    refusal = await client.post(f"/v1/drafts/{draft['id']}/reopen")

    assert error(refusal) == (400, "invalid_state")


async def test_an_edit_of_a_deleted_article_is_refused(client: Client, article: Json, draft: Json) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/dismiss")
    await client.delete(f"/v1/articles/{article['id']}")

    refusal = await client.post(f"/v1/drafts/{draft['id']}/reopen")

    assert error(refusal) == (400, "invalid_state")
    assert "restore it first" in refusal.json()["error"]


async def test_a_draft_of_another_company_is_not_found(client: Client, globex: Client, draft: Json) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/dismiss")

    assert error(await globex.post(f"/v1/drafts/{draft['id']}/reopen")) == (404, "not_found")


async def test_one_of_two_who_reopen_at_once_wins(client: Client) -> None:
    for number in range(10):
        article = await write_article(client, f"Install {number}")
        draft = await propose(client, article)
        await apply(client, draft)
        path = f"/v1/drafts/{draft['id']}/reopen"

        answers = await gather(client.post(path), client.post(path))

        assert sorted(answer.status_code for answer in answers) == [200, 400]
        now = await get(client, f"articles/{article['id']}")
        assert (now["contentMarkdown"], now["version"]) == (BEFORE, 3)


async def reopen(client: Client, draft_id: str) -> Json:
    reopened = await client.post(f"/v1/drafts/{draft_id}/reopen")
    assert reopened.status_code == 200, reopened.text
    answer: Json = reopened.json()
    return answer


async def apply(client: Client, draft: Json) -> None:
    applied = await client.post(f"/v1/drafts/{draft['id']}/apply", json={})
    assert applied.status_code == 200, applied.text


async def test_a_working_copy_that_an_edit_replaced_is_no_obstacle(
    client: Client, cast: Cast, database: Database, article: Json, draft: Json
) -> None:
    async with acting(database, cast.acme) as ctx:
        edited = await open_text(ctx, article["id"])
        await save_text(ctx, edited.id, TextEdit(title="In work", content=edited.content), edited.version)
    await apply(client, draft)

    await reopen(client, draft["id"])

    now = await get(client, f"articles/{article['id']}")
    assert (now["title"], now["contentMarkdown"]) == ("Install", BEFORE)
    assert [row["title"] for row in await revisions(client, article)] == ["Install", "In work", "Install"]
