"""Drafts that are not edits: articles written by a task, and articles based on visitors' questions."""

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core.database import Database, Tx
from tests.drafting.drafts.test_get_draft import FIELDS
from tests.support.cast import Api, Cast, Client
from tests.support.drafts import (
    NEW,
    QUESTIONS,
    NewType,
    get,
    propose,
    queue,
    queue_new,
    revisions,
    text_of,
    write_article,
)
from tests.support.http import body_of, create_article, error, named_fields, ok

each_type = pytest.mark.parametrize("kind", ["new_article", "gap_draft"])


@each_type
async def test_draft_shows_the_text_of_its_article_in_review(
    reader: Client, cast: Cast, database: Database, kind: NewType
) -> None:
    draft_id = await queue_new(database, cast.acme, kind)

    draft = await get(reader, f"drafts/{draft_id}")

    assert draft_id.startswith({"new_article": "article_", "gap_draft": "gap_"}[kind])
    assert draft.keys() == FIELDS
    assert (draft["type"], draft["status"], draft["taskId"]) == (kind, "pending", None)
    assert (draft["title"], draft["articleTitle"]) == ("Export your data", "Export your data")
    assert (draft["contentMarkdown"], draft["reason"]) == (NEW, "It was asked for")
    assert (draft["diff"], draft["mergedMarkdown"], draft["conflict"]) == (None, None, False)
    assert (draft["additions"], draft["deletions"]) == (4, 0)
    assert (draft["baseVersion"], draft["currentVersion"], draft["evidence"]) == (1, 1, [])
    assert draft["questions"] == (list(QUESTIONS) if kind == "gap_draft" else [])
    assert draft["author"] == {"type": "task", "name": "Instep"}
    article = await get(reader, f"articles/{draft['articleId']}")
    assert (article["status"], article["url"], article["contentMarkdown"]) == ("in_review", None, NEW)


async def test_draft_waits_in_the_queue_and_not_among_edits_of_an_article(
    client: Client, cast: Cast, database: Database
) -> None:
    edit = await propose(client, await write_article(client))
    new = await queue_new(database, cast.acme)
    gap = await queue_new(database, cast.acme, "gap_draft", "Import your data")
    article_id = (await get(client, f"drafts/{new}"))["articleId"]

    assert await queue(client) == [gap, new, edit["id"]]
    for name, draft_id in (("edit", edit["id"]), ("new_article", new), ("gap_draft", gap)):
        assert [row["id"] for row in (await get(client, f"drafts?type={name}"))["results"]] == [draft_id]
    assert [row["id"] for row in (await get(client, f"drafts?article_id={article_id}"))["results"]] == [new]
    assert (await get(client, f"articles/{article_id}/drafts"))["results"] == []
    [listed] = (await get(client, "drafts?type=new_article"))["results"]
    detail = await get(client, f"drafts/{new}")
    assert listed == {name: detail[name] for name in listed}


@pytest.mark.parametrize(("text", "count"), [("", 0), ("one", 1), ("one\ntwo", 2), ("one\n\n", 2)])
async def test_all_its_lines_are_additions(
    client: Client, cast: Cast, database: Database, text: str, count: int
) -> None:
    draft_id = await queue_new(database, cast.acme)

    changed = ok(await client.patch(f"/v1/drafts/{draft_id}", json={"contentMarkdown": text}))

    assert (changed["additions"], changed["deletions"], changed["contentMarkdown"]) == (count, 0, text)


@each_type
async def test_a_reviewer_changes_the_article_in_review_and_nothing_goes_live(
    client: Client, cast: Cast, database: Database, kind: NewType
) -> None:
    path = f"/v1/drafts/{await queue_new(database, cast.acme, kind)}"
    before = ok(await client.get(path))
    body = {"title": "Export everything", "contentMarkdown": "Ask us.\n"}

    changed = ok(await client.patch(path, json=body))

    assert changed == ok(await client.get(path))
    assert (changed["title"], changed["contentMarkdown"]) == ("Export everything", "Ask us.\n")
    assert (changed["status"], changed["currentVersion"]) == ("pending", 2)
    assert changed["updatedAt"] > before["updatedAt"]
    article = await get(client, f"articles/{changed['articleId']}")
    assert (article["status"], article["title"], article["version"]) == ("in_review", "Export everything", 2)
    [revision] = await revisions(client, article)
    assert (revision["contentMarkdown"], revision["draftId"]) == (NEW, changed["id"])


async def test_a_patch_that_changes_nothing_leaves_it_as_it_was(
    client: Client, cast: Cast, database: Database
) -> None:
    path = f"/v1/drafts/{await queue_new(database, cast.acme)}"
    before = ok(await client.get(path))

    for body in ({}, {"title": "Export your data"}, {"contentMarkdown": NEW}):
        assert ok(await client.patch(path, json=body)) == before


async def test_a_change_of_its_article_shows_in_the_draft(
    client: Client, cast: Cast, database: Database
) -> None:
    path = f"/v1/drafts/{await queue_new(database, cast.acme)}"
    article_id = ok(await client.get(path))["articleId"]

    await client.patch(f"/v1/articles/{article_id}", json={"title": "Exports", "contentMarkdown": "None."})

    draft = ok(await client.get(f"{path}?format=html"))
    assert (draft["title"], draft["contentHtml"], draft["conflict"]) == ("Exports", "<p>None.</p>\n", False)
    assert (draft["status"], draft["additions"]) == ("pending", 1)


@each_type
@pytest.mark.parametrize("title", [None, "Export everything"])
async def test_applying_it_publishes_its_article(
    client: Client, visitor: Client, cast: Cast, database: Database, kind: NewType, title: str | None
) -> None:
    draft_id = await queue_new(database, cast.acme, kind)
    wish = {"onConflict": "fail"} | ({"title": title} if title else {})

    applied = ok(await client.post(f"/v1/drafts/{draft_id}/apply", json=wish))

    assert applied == {"id": draft_id, "status": "applied", "articleId": applied["articleId"]}
    article = await get(client, f"articles/{applied['articleId']}")
    assert (article["status"], article["contentMarkdown"]) == ("published", NEW)
    assert article["title"] == (title or "Export your data")
    assert article["publishedAt"] is not None
    assert (await visitor.get(article["url"])).status_code == 200
    assert await queue(client) == []
    assert (await get(client, f"drafts/{draft_id}"))["status"] == "applied"


@each_type
async def test_only_the_text_of_edits_can_be_replaced_when_applied(
    client: Client, cast: Cast, database: Database, kind: NewType
) -> None:
    draft_id = await queue_new(database, cast.acme, kind)

    refusal = await client.post(f"/v1/drafts/{draft_id}/apply", json={"contentMarkdown": NEW})

    assert named_fields(refusal) == ["contentMarkdown"]
    assert await queue(client) == [draft_id]


async def test_if_match_takes_the_etag_of_its_article(client: Client, cast: Cast, database: Database) -> None:
    path = f"/v1/drafts/{await queue_new(database, cast.acme)}"
    article = f"/v1/articles/{ok(await client.get(path))['articleId']}"
    stale = (await client.get(article)).headers["ETag"]
    await client.patch(path, json={"title": "Exports"})
    fresh = (await client.get(article)).headers["ETag"]

    refusal = await client.post(f"{path}/apply", json={}, headers={"If-Match": stale})
    applied = await client.post(f"{path}/apply", json={}, headers={"If-Match": fresh})
    again = await client.post(f"{path}/apply", json={}, headers={"If-Match": fresh})

    assert error(refusal) == (400, "conflict")
    assert ok(applied)["status"] == "applied"
    assert error(again) == (400, "draft_not_pending")


@each_type
async def test_dismissing_it_moves_its_article_to_recently_deleted(
    client: Client, cast: Cast, database: Database, kind: NewType
) -> None:
    draft_id = await queue_new(database, cast.acme, kind)
    article_id = (await get(client, f"drafts/{draft_id}"))["articleId"]

    dismissed = ok(await client.post(f"/v1/drafts/{draft_id}/dismiss"))

    assert dismissed == {"id": draft_id, "status": "dismissed"}
    assert error(await client.get(f"/v1/articles/{article_id}")) == (404, "not_found")
    view = await get(client, f"drafts/{draft_id}")
    assert (view["status"], view["contentMarkdown"], view["conflict"]) == ("dismissed", NEW, False)
    assert ok(await client.post(f"/v1/articles/{article_id}/restore"))["status"] == "draft"
    assert (await get(client, f"drafts/{draft_id}"))["status"] == "dismissed"
    assert await queue(client) == []


@pytest.mark.parametrize(
    ("method", "verb", "status"), [("POST", "/publish", "applied"), ("DELETE", "", "dismissed")]
)
async def test_publishing_or_deleting_its_article_settles_it(
    client: Client, cast: Cast, database: Database, method: str, verb: str, status: str
) -> None:
    draft_id = await queue_new(database, cast.acme)
    article_id = (await get(client, f"drafts/{draft_id}"))["articleId"]

    ok(await client.request(method, f"/v1/articles/{article_id}{verb}"))

    assert (await get(client, f"drafts/{draft_id}"))["status"] == status
    assert await queue(client) == []


@pytest.mark.parametrize("settle", ["apply", "dismiss"])
async def test_once_settled_it_is_neither_changed_nor_settled_again(
    client: Client, cast: Cast, database: Database, settle: str
) -> None:
    path = f"/v1/drafts/{await queue_new(database, cast.acme)}"
    ok(await client.post(f"{path}/{settle}", json={}))
    before = ok(await client.get(path))

    answers = [
        await client.patch(path, json={"title": "Another"}),
        await client.post(f"{path}/apply", json={}),
        await client.post(f"{path}/dismiss"),
    ]

    assert [error(answer) for answer in answers] == [(400, "draft_not_pending")] * 3
    assert ok(await client.get(path)) == before


async def test_a_purged_article_takes_its_draft_along(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    draft_id = await queue_new(database, cast.acme)
    await client.post(f"/v1/drafts/{draft_id}/dismiss")
    await owner.execute("delete from articles where bot_id = %(bot)s", bot=cast.acme.bot_id)

    assert error(await client.get(f"/v1/drafts/{draft_id}")) == (404, "not_found")


async def test_an_edit_of_it_can_be_proposed_and_applied_before_it_is_live(
    client: Client, cast: Cast, database: Database
) -> None:
    new = await get(client, f"drafts/{await queue_new(database, cast.acme)}")
    article = {"id": new["articleId"]}
    edit = await propose(client, article, "Better.\n")
    assert [row["id"] for row in (await get(client, f"articles/{article['id']}/drafts"))["results"]] == [
        edit["id"]
    ]

    ok(await client.post(f"/v1/drafts/{edit['id']}/apply", json={}))

    assert await text_of(client, article) == "Better.\n"
    assert (await get(client, f"drafts/{new['id']}"))["status"] == "pending"
    assert (await get(client, f"articles/{article['id']}"))["status"] == "in_review"


async def test_an_edit_of_an_archived_article_can_be_proposed_and_applied(client: Client, owner: Tx) -> None:
    article = await create_article(client)
    await owner.execute("update articles set status = 'archived' where id = %(id)s", id=article["id"])

    edit = await propose(client, article, "Better.\n")
    ok(await client.post(f"/v1/drafts/{edit['id']}/apply", json={}))

    now = await get(client, f"articles/{article['id']}")
    assert (now["status"], now["contentMarkdown"]) == ("archived", "Better.\n")


async def test_two_of_one_title_have_addresses_of_their_own(
    client: Client, cast: Cast, database: Database
) -> None:
    drafts = [await queue_new(database, cast.acme) for _ in range(2)]

    for draft_id in drafts:
        ok(await client.post(f"/v1/drafts/{draft_id}/apply", json={}))

    listed = await get(client, "articles?status=published")
    assert sorted(row["slug"] for row in listed["results"]) == ["export-your-data", "export-your-data-2"]


async def test_a_read_key_another_company_and_a_paused_one_settle_nothing(
    reader: Client, api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    draft_id = await queue_new(database, cast.acme)
    path = f"/v1/drafts/{draft_id}"
    steps = [
        ("PATCH", path, {"title": "Theirs"}),
        ("POST", f"{path}/apply", {}),
        ("POST", f"{path}/dismiss", {}),
    ]

    async def answers(key: str) -> set[tuple[int, str]]:
        return {error(await api(key).request(method, step, json=body)) for method, step, body in steps}

    assert await answers(cast.acme.read_key) == {(403, "insufficient_scope")}
    assert await answers(cast.globex.write_key) == {(404, "not_found")}
    assert error(await api(cast.globex.read_key).get(path)) == (404, "not_found")
    await pause_workspace(owner, cast.acme.workspace_id)
    assert await answers(cast.acme.write_key) == {(402, "plan_inactive")}
    assert body_of(await reader.get(path))["status"] == "pending"
