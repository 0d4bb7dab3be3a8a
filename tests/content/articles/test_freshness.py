"""Freshness of articles: each reason of the rule, and the effect of a changed text."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from instep.content.articles.actions import publish_article
from instep.content.articles.queries import record_verifications
from instep.content.articles.schemas import Verification
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Actor
from tests.support.articles import acting, revisions_of
from tests.support.cast import Cast, Client, Company, Json
from tests.support.changes import DIFF, SETTINGS, publish, send
from tests.support.http import all_pages, create_article, create_collection, created, ok
from tests.support.places import find_places, new_place
from tests.support.sign_in import sign_up

COMMIT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
VERIFIED = {"verified_at": timedelta(), "verified_by": "drift", "verified_by_name": "CI"}


async def set_columns(owner: Tx, article: Json, **columns: Any) -> None:
    """Update columns of an article; a duration means that long ago."""
    values = {
        name: utc_now() - value if isinstance(value, timedelta) else value for name, value in columns.items()
    }
    assignments = ", ".join(f"{name} = %({name})s" for name in values)
    await owner.execute(f"update articles set {assignments} where id = %(id)s", id=article["id"], **values)


async def call_outdated(owner: Tx, company: Company, article: Json, readers: int, ago: timedelta) -> None:
    for _ in range(readers):
        await owner.execute(
            """
            insert into article_feedback
                (id, workspace_id, bot_id, article_id, helpful, reason, created_at, given_at)
            values (%(id)s, %(workspace)s, %(bot)s, %(article)s, false, 'outdated', %(at)s, %(at)s)
            """,
            id=new_id("fbk"),
            workspace=company.workspace_id,
            bot=company.bot_id,
            article=article["id"],
            at=utc_now() - ago,
        )


async def freshness(client: Client, article: Json) -> tuple[str, str | None] | None:
    """The state and the reason, after a check that the list shows the same."""
    row = ok(await client.get(f"/v1/articles/{article['id']}"))["freshness"]
    [listed] = [row for row in await all_pages(client, "/v1/articles") if row["id"] == article["id"]]
    assert listed["freshness"] == row
    return row and (row["state"], row["reason"])


def days(number: int) -> timedelta:
    return timedelta(days=number)


def on(days_from_today: int) -> date:
    return (utc_now() + days(days_from_today)).date()


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"text_changed_at": days(0)}, None),
        ({"text_changed_at": days(179)}, None),
        ({"text_changed_at": days(181)}, ("stale", "age")),
        (VERIFIED, ("verified", None)),
        (VERIFIED | {"text_changed_at": days(400)}, ("verified", None)),
        (VERIFIED | {"text_changed_at": days(400), "verified_at": days(181)}, ("stale", "age")),
        ({"review_by": on(1)}, None),
        ({"review_by": on(0)}, ("needs_review", "review_by")),
        # A check against the code does not count as a person's review.
        (VERIFIED | {"review_by": on(0)}, ("needs_review", "review_by")),
        (VERIFIED | {"review_by": on(0), "reviewed_at": days(29)}, ("verified", None)),
        (VERIFIED | {"review_by": on(-9), "reviewed_at": days(3)}, ("verified", None)),
        (VERIFIED | {"review_by": on(0), "reviewed_at": days(32)}, ("needs_review", "review_by")),
        ({"review_by": on(0), "text_changed_at": days(400)}, ("needs_review", "review_by")),
        ({"status": "draft", "review_by": on(0), "text_changed_at": days(400)}, None),
        (VERIFIED | {"status": "archived"}, None),
    ],
)
async def test_dates_decide(
    client: Client, owner: Tx, columns: dict[str, Any], expected: tuple[str, str | None] | None
) -> None:
    article = await publish(client, "Install", "Run it.")
    await set_columns(owner, article, **columns)

    assert await freshness(client, article) == expected


@pytest.mark.parametrize(
    ("readers", "ago", "expected"),
    [
        (1, days(0), ("verified", None)),
        (2, days(0), ("needs_review", "feedback")),
        (2, days(2), ("verified", None)),
    ],
)
async def test_readers_who_call_the_verified_text_outdated_count(
    client: Client, owner: Tx, cast: Cast, readers: int, ago: timedelta, expected: tuple[str, str | None]
) -> None:
    article = await publish(client, "Install", "Run it.")
    await set_columns(owner, article, **VERIFIED | {"verified_at": days(1), "text_changed_at": days(9)})
    await call_outdated(owner, cast.acme, article, readers, ago)

    assert await freshness(client, article) == expected


async def test_waiting_places_and_drafts_come_before_the_review_date(
    client: Client, owner: Tx, cast: Cast, database: Database
) -> None:
    article = await publish(client, "Exports", "CSV.\n\n## Schedule exports\n\nAt night.\n")
    await set_columns(owner, article, **VERIFIED | {"review_by": on(0)})
    await find_places(client, database, cast.acme, new_place(article["id"]))
    assert await freshness(client, article) == ("needs_review", "place")

    path = f"/v1/articles/{article['id']}/drafts"
    draft = created(await client.post(path, json={"contentMarkdown": "JSON."}))
    assert await freshness(client, article) == ("needs_review", "draft")

    ok(await client.post(f"/v1/drafts/{draft['id']}/dismiss"))
    [place] = ok(await client.get("/v1/places"))["results"]
    ok(await client.post(f"/v1/places/{place['id']}/resolve"))
    assert await freshness(client, article) == ("needs_review", "review_by")


async def test_publishing_by_a_person_verifies_and_another_text_takes_it_back(
    client: Client, database: Database, cast: Cast
) -> None:
    article = await create_article(client)
    async with acting(database, cast.acme) as ctx:
        person = Actor("person", "ann@acme.example", can_write=True)
        published = await publish_article(replace(ctx, actor=person), article["id"])
    shown = ok(await client.get(f"/v1/articles/{article['id']}"))["freshness"]
    assert shown == published.standing["freshness"]
    assert (shown["state"], shown["verifiedBy"], shown["verifiedCommit"]) == ("verified", "person", None)

    changed = ok(await client.patch("/v1/articles/install", json={"contentMarkdown": "Another."}))

    assert changed["freshness"] is None
    assert len(await revisions_of(client, article["id"])) == 1


@pytest.mark.parametrize(
    ("url", "commit"),
    [("https://git.test/acme/pull/7", None), (f"https://git.test/acme/commit/{COMMIT}", COMMIT)],
)
async def test_applying_what_a_task_wrote_verifies_against_its_commit(
    client: Client, run_jobs: Any, url: str, commit: str | None
) -> None:
    article = await publish(client, "Settings", SETTINGS)
    await send(client, url=url, diff=DIFF)
    await run_jobs()
    [draft] = ok(await client.get("/v1/drafts"))["results"]

    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    shown = ok(await client.get(f"/v1/articles/{article['id']}"))["freshness"]
    assert (shown["state"], shown["verifiedBy"], shown["verifiedCommit"]) == ("verified", "task", commit)


async def test_a_check_of_many_articles_verifies_what_it_has_read(
    client: Client, database: Database, cast: Cast
) -> None:
    first, second = [await publish(client, title, "Run it.") for title in ("First", "Second")]
    draft = await create_article(client, "Third")
    read_at = utc_now()
    ok(await client.patch("/v1/articles/second", json={"contentMarkdown": "Another."}))

    async with acting(database, cast.acme, "CI") as ctx:
        ids = [article["id"] for article in (first, second, draft)]
        await record_verifications(ctx, ids, Verification("drift", COMMIT), read_at=read_at)

    shown = {row["slug"]: row for row in await all_pages(client, "/v1/articles")}
    assert shown["first"]["freshness"]["verifiedCommit"] == COMMIT
    assert shown["first"]["updatedAt"] == first["updatedAt"]
    assert (shown["second"]["freshness"], shown["third"]["freshness"]) == (None, None)


async def test_the_list_holds_articles_of_one_state(client: Client, owner: Tx) -> None:
    old, other = [await publish(client, title, "Run it.") for title in ("Old", "Other")]
    await set_columns(owner, old, text_changed_at=days(181))
    await set_columns(owner, other, **VERIFIED)

    for state, title in (("stale", "Old"), ("verified", "Other")):
        rows = await all_pages(client, "/v1/articles", freshness=state)
        assert [row["title"] for row in rows] == [title]
    assert await all_pages(client, "/v1/articles", freshness="needs_review") == []


async def test_owner_and_date_come_from_the_nearest_collection_that_has_them(
    client: Client, owner: Tx, cast: Cast
) -> None:
    ann, bob = [await sign_up(owner, cast.acme.workspace_id) for _ in range(2)]
    top = await create_collection(client, "Top")
    inner = await create_collection(client, "Inner", parentId=top["id"])
    article = await create_article(client, collectionId=inner["id"])
    path = f"/v1/articles/{article['id']}"
    ok(await client.patch("/v1/collections/top", json={"owner": ann.email, "reviewBy": "2027-01-31"}))

    shown = ok(await client.get(path))
    assert (shown["owner"], shown["reviewBy"]) == ({"name": ann.email}, "2027-01-31")
    ok(await client.patch("/v1/collections/inner", json={"reviewBy": "2027-02-28"}))
    shown = ok(await client.patch(path, json={"owner": bob.email.upper()}))
    assert (shown["owner"], shown["reviewBy"]) == ({"name": bob.email}, "2027-02-28")
    assert shown["updatedAt"] == article["updatedAt"]

    shown = ok(await client.patch(path, json={"owner": None}))
    assert shown["owner"] == {"name": ann.email}
    await owner.execute("delete from memberships where person_id = %(id)s", id=ann.id)
    assert ok(await client.get(path))["owner"] is None
    assert ok(await client.get("/v1/collections/top"))["owner"] is None


@pytest.mark.parametrize(
    "body", [{"owner": "nobody@acme.example"}, {"reviewBy": "31.12.2026"}, {"reviewBy": 1}, {"owner": 1}]
)
@pytest.mark.parametrize("path", ["articles/install", "collections/guides"])
async def test_bad_values_are_refused(client: Client, path: str, body: Json) -> None:
    await create_article(client)
    await create_collection(client)

    refused = await client.patch(f"/v1/{path}", json=body)

    assert refused.status_code == 400
    assert [detail["field"] for detail in refused.json()["details"]] == list(body)


async def test_a_member_of_another_workspace_is_no_owner(client: Client, owner: Tx, cast: Cast) -> None:
    stranger = await sign_up(owner, cast.globex.workspace_id)
    await create_article(client)

    assert (await client.patch("/v1/articles/install", json={"owner": stranger.email})).status_code == 400


async def test_freshness_changes_the_etag_but_no_change_is_stale_by_it(client: Client) -> None:
    article = await publish(client, "Install", "Run it.")
    path = f"/v1/articles/{article['id']}"
    etag = (await client.get(path)).headers["ETag"]
    created(await client.post(f"{path}/drafts", json={"contentMarkdown": "Another."}))

    assert (await client.get(path, headers={"If-None-Match": etag})).status_code == 200
    ok(await client.patch(path, json={"title": "Set up"}, headers={"If-Match": etag}))
    refused = await client.patch(path, json={"title": "Go"}, headers={"If-Match": etag})
    assert refused.json()["code"] == "conflict"
