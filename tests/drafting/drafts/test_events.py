"""Events of drafts, and the effect of applying and dismissing drafts on articles (contract section 5)."""

import pytest

from instep.content.articles.texts import find_article
from instep.drafting.drafts.proposals import EditProposal
from instep.drafting.drafts.renewing import queue_edit_of_task
from instep.platform.core.database import Database, Tx
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json
from tests.support.drafts import AFTER, BEFORE, NewType, get, propose, queue_new, write_article
from tests.support.events import before, forget, heard, kinds, told
from tests.support.http import all_pages, at_once, error, ok
from tests.support.webhook_endpoints import create_webhook

each_type = pytest.mark.parametrize("kind", ["new_article", "gap_draft"])


@pytest.mark.parametrize("form", ["markdown", "html"])
@pytest.mark.parametrize("live", [False, True])
async def test_a_proposed_edit_is_told_as_the_queue_lists_it(
    client: Client, cast: Cast, owner: Tx, live: bool, form: str
) -> None:
    article = await write_article(client, live=live)
    await create_webhook(client)

    body = {
        "contentMarkdown": AFTER,
        "title": "Set up",
        "reason": "Renamed.",
        "sourceUrl": "https://a.test/1",
    }
    path = f"/v1/articles/{article['id']}/drafts"
    draft = (await client.post(path, json=body, params={"format": form})).json()

    [event] = await heard(owner, cast.acme)
    [listed] = await all_pages(client, "/v1/drafts")
    assert told(event) == ("edit.proposed", listed, {})
    assert listed["id"] == draft["id"]
    assert event["actor"] == listed["author"] == {"type": "api_key", "name": "Acme writer"}


async def test_a_proposal_that_is_refused_has_no_event(
    client: Client, article: Json, cast: Cast, owner: Tx
) -> None:
    await create_webhook(client)

    refusal = await client.post(f"/v1/articles/{article['id']}/drafts", json={"contentMarkdown": BEFORE})

    assert error(refusal) == (400, "no_changes")
    assert await kinds(owner, cast.acme) == []


async def test_an_edit_made_against_an_earlier_text_has_the_counts_of_the_queue(
    client: Client, article: Json, cast: Cast, database: Database, owner: Tx
) -> None:
    """A task reads the article, and someone changes the article before the task proposes its edit."""
    async with acting(database, cast.acme) as ctx:
        article_read = await find_article(ctx, article["id"])
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": f"New.\n{BEFORE}"}))
    await create_webhook(client)

    async with acting(database, cast.acme) as ctx:
        proposal = EditProposal(
            content=AFTER,
            base_version=article_read.version,
            base_title=article_read.title,
            base_content=article_read.content,
        )
        await queue_edit_of_task(ctx, article_read.id, proposal)

    [event] = await heard(owner, cast.acme)
    [listed] = await all_pages(client, "/v1/drafts")
    assert told(event) == ("edit.proposed", listed, {})
    assert (listed["conflict"], listed["additions"], listed["deletions"]) == (True, 1, 1)


@each_type
async def test_a_new_article_in_the_queue_is_told_and_the_one_behind_it_is_not(
    client: Client, cast: Cast, database: Database, owner: Tx, kind: NewType
) -> None:
    await create_webhook(client)

    draft_id = await queue_new(database, cast.acme, kind)

    [event] = await heard(owner, cast.acme)
    [listed] = await all_pages(client, "/v1/drafts")
    assert told(event) == ("draft.created", listed, {})
    assert (listed["id"], listed["type"]) == (draft_id, kind)
    assert event["actor"] == {"type": "task", "name": "Instep"}


@each_type
@pytest.mark.parametrize("title", [None, "Exports"])
async def test_applying_it_is_one_event_of_the_article_that_became_live(
    client: Client, cast: Cast, database: Database, owner: Tx, kind: NewType, title: str | None
) -> None:
    draft_id = await queue_new(database, cast.acme, kind)
    article_id = (await get(client, f"drafts/{draft_id}"))["articleId"]
    old = await get(client, f"articles/{article_id}")
    await create_webhook(client)

    body = {"title": title} if title else {}
    ok(await client.post(f"/v1/drafts/{draft_id}/apply", json=body))

    [event] = await heard(owner, cast.acme)
    new = await get(client, f"articles/{article_id}")
    assert told(event) == ("article.published", new, before(old, new))
    assert event["data"]["previousAttributes"].get("title") == ("Export your data" if title else None)
    assert event["actor"] == {"type": "api_key", "name": "Acme writer"}


@each_type
async def test_dismissing_it_deletes_the_article_behind_it(
    client: Client, cast: Cast, database: Database, owner: Tx, kind: NewType
) -> None:
    draft_id = await queue_new(database, cast.acme, kind)
    article_id = (await get(client, f"drafts/{draft_id}"))["articleId"]
    old = await get(client, f"articles/{article_id}")
    await create_webhook(client)

    ok(await client.post(f"/v1/drafts/{draft_id}/dismiss"))

    assert [told(event) for event in await heard(owner, cast.acme)] == [("article.deleted", old, {})]


async def test_an_edit_applied_to_a_live_article_has_updated_it(
    client: Client, cast: Cast, owner: Tx
) -> None:
    written = await write_article(client)
    draft = await propose(client, written)
    old = await get(client, f"articles/{written['id']}")
    await create_webhook(client)

    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    [event] = await heard(owner, cast.acme)
    new = await get(client, f"articles/{old['id']}")
    assert told(event) == ("article.updated", new, before(old, new))
    assert event["data"]["previousAttributes"] == {
        "contentMarkdown": BEFORE,
        "version": 1,
        "updatedAt": old["updatedAt"],
        "freshness": old["freshness"],
    }


async def test_the_rest_of_the_review_is_silent(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    article, unseen = await write_article(client), await write_article(client, "Draft", live=False)
    edits = [await propose(client, article) for _ in range(3)]
    of_unseen = await propose(client, unseen)
    await queue_new(database, cast.acme)
    await create_webhook(client)

    for draft in await all_pages(client, "/v1/drafts"):
        ok(await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": "Another.\n"}))
    ok(await client.post(f"/v1/drafts/{edits[0]['id']}/dismiss"))
    # This equals the current article, so it changes nothing.
    same = {"contentMarkdown": BEFORE, "title": "Install"}
    assert error(await client.post(f"/v1/drafts/{edits[1]['id']}/apply", json=same)) == (400, "no_changes")
    ok(await client.post(f"/v1/drafts/{of_unseen['id']}/apply", json={}))

    assert await kinds(owner, cast.acme) == []


async def test_an_apply_that_is_refused_late_has_no_event(
    client: Client, article: Json, draft: Json, cast: Cast, owner: Tx
) -> None:
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Other.\n"}))
    await create_webhook(client)

    path = f"/v1/drafts/{draft['id']}/apply"
    for wish in ("fail", "merge"):
        assert error(await client.post(path, json={"onConflict": wish})) == (400, "conflict")
    stale = await client.post(path, json={}, headers={"If-Match": '"stale"'})
    assert error(stale) == (400, "conflict")

    assert await kinds(owner, cast.acme) == []


@pytest.mark.parametrize("kind", ["edit", "new_article"])
async def test_one_of_twenty_concurrent_applies_changes_the_article(
    client: Client, cast: Cast, database: Database, owner: Tx, kind: str
) -> None:
    if kind == "edit":
        draft_id = (await propose(client, await write_article(client)))["id"]
    else:
        draft_id = await queue_new(database, cast.acme)
    await create_webhook(client)

    async def ask(number: int) -> int:
        body = {"title": f"Title {number}"}
        return (await client.post(f"/v1/drafts/{draft_id}/apply", json=body)).status_code

    statuses = await at_once(20, ask)

    assert sorted(statuses) == [200] + [400] * 19
    [event] = await heard(owner, cast.acme)
    assert event["data"]["object"]["title"] == f"Title {statuses.index(200)}"


async def test_concurrent_applying_publishing_and_deleting_emit_an_event_per_change(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    await create_webhook(client)
    draft_id = await queue_new(database, cast.acme)
    article_id = (await get(client, f"drafts/{draft_id}"))["articleId"]
    await forget(owner, cast.acme)
    asks: list[tuple[str, str, Json | None]] = [
        ("POST", f"drafts/{draft_id}/apply", {}),
        ("POST", f"drafts/{draft_id}/dismiss", None),
        ("POST", f"articles/{article_id}/publish", None),
        ("DELETE", f"articles/{article_id}", None),
    ]

    async def ask(number: int) -> int:
        method, path, body = asks[number % 4]
        return (await client.request(method, f"/v1/{path}", json=body)).status_code

    statuses = await at_once(20, ask)

    assert set(statuses) <= {200, 400, 404}
    told_kinds = await kinds(owner, cast.acme)
    assert told_kinds.count("article.deleted") == 1
    was_live = 200 in statuses[0::4] or 200 in statuses[2::4]
    assert told_kinds.count("article.published") == (1 if was_live else 0)
    assert len(told_kinds) == (2 if was_live else 1)


@pytest.mark.parametrize("live", [False, True])
async def test_reopening_an_applied_edit_is_an_update_of_a_live_article(
    client: Client, cast: Cast, owner: Tx, live: bool
) -> None:
    article = await write_article(client, live=live)
    draft = await propose(client, article)
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))
    old = await get(client, f"articles/{article['id']}")
    await create_webhook(client)

    ok(await client.post(f"/v1/drafts/{draft['id']}/reopen"))

    new = await get(client, f"articles/{article['id']}")
    expected = [("article.updated", new, before(old, new))] if live else []
    assert [told(event) for event in await heard(owner, cast.acme)] == expected


@each_type
async def test_reopening_an_applied_new_article_takes_it_out_of_the_help_center(
    client: Client, cast: Cast, database: Database, owner: Tx, kind: NewType
) -> None:
    draft_id = await queue_new(database, cast.acme, kind)
    ok(await client.post(f"/v1/drafts/{draft_id}/apply", json={}))
    await create_webhook(client)

    ok(await client.post(f"/v1/drafts/{draft_id}/reopen"))

    assert await kinds(owner, cast.acme) == ["article.unpublished"]


async def test_a_release_is_one_event_of_each_article(client: Client, cast: Cast, owner: Tx) -> None:
    url = "https://git.test/acme/pull/7"
    for number in range(2):
        draft = await propose(client, await write_article(client, f"Article {number}"), sourceUrl=url)
        ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={"when": "release"}))
    await create_webhook(client)

    ok(await client.post("/v1/releases", json={"sourceUrls": [url]}))

    assert await kinds(owner, cast.acme) == ["article.updated", "article.updated"]
