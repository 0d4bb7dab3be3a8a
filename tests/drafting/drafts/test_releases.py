"""POST /v1/releases: drafts approved before a release go live when it ships."""

import json
from asyncio import gather
from collections.abc import Sequence

import pytest

from instep.drafting.drafts.actions import apply_draft
from instep.drafting.drafts.release_schemas import ReleaseCreate
from instep.drafting.drafts.releasing import release_drafts
from instep.drafting.drafts.reopening import reopen_draft
from instep.drafting.drafts.schemas import DraftApply
from instep.platform.core.database import Database, Tx
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import DIFF, PROVEN, SETTINGS_AFTER, STATED, publish, send, write_articles
from tests.support.drafts import (
    AFTER,
    BEFORE,
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

URL = "https://git.test/acme/pull/7"
OTHER_URL = "https://git.test/acme/pull/8"
RACE_ROUNDS = 25
MINE = BEFORE.replace("ten minutes", "a minute")
CLASHING = BEFORE.replace("`install`", "`bootstrap`")


@pytest.fixture
async def draft(client: Client, article: Json) -> Json:
    return await propose(client, article, sourceUrl=URL)


async def test_an_approved_draft_goes_live_with_its_release(
    client: Client, article: Json, draft: Json
) -> None:
    approved = await approve(client, draft)

    assert approved == {"id": draft["id"], "status": "pending", "articleId": article["id"]}
    assert await text_of(client, article) == BEFORE
    waiting = await get(client, f"drafts/{draft['id']}")
    assert waiting["approvedBy"] == {"type": "api_key", "name": "Acme writer"}
    assert waiting["approvedAt"].endswith("Z")

    assert await release(client, sourceUrls=[URL]) == outcome(applied=[draft])

    assert await text_of(client, article) == AFTER
    settled = await get(client, f"drafts/{draft['id']}")
    assert (settled["status"], settled["approvedAt"]) == ("applied", waiting["approvedAt"])


async def test_only_approved_drafts_of_the_sources_are_applied(client: Client) -> None:
    articles = [await write_article(client, f"Article {number}") for number in range(3)]
    shipped, unapproved = [await propose(client, row, sourceUrl=URL) for row in articles[:2]]
    other = await propose(client, articles[2], sourceUrl=OTHER_URL)
    for row in (shipped, other):
        await approve(client, row)

    assert await release(client, sourceUrls=[URL]) == outcome(applied=[shipped], waiting=[unapproved])

    assert [await text_of(client, row) for row in articles] == [AFTER, BEFORE, BEFORE]


async def test_a_repeated_release_changes_nothing(client: Client, article: Json, draft: Json) -> None:
    await approve(client, draft)
    await release(client, sourceUrls=[URL])

    assert await release(client, sourceUrls=[URL]) == outcome()

    assert len(await revisions(client, article)) == 1


async def test_drafts_of_a_task_are_released_by_its_id(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await send(client)
    await run_jobs()
    [draft] = (await get(client, "drafts"))["results"]
    await approve(client, draft)

    assert await release(client, taskIds=[task["id"]]) == outcome(applied=[draft])

    assert (await get(client, f"articles/{draft['articleId']}"))["contentMarkdown"] == SETTINGS_AFTER


async def test_a_change_elsewhere_in_the_article_is_merged(
    client: Client, article: Json, draft: Json
) -> None:
    await approve(client, draft)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": MINE})

    assert await release(client, sourceUrls=[URL]) == outcome(applied=[draft])

    assert await text_of(client, article) == AFTER.replace("ten minutes", "a minute")


async def test_an_overlap_is_a_conflict_which_takes_the_approval_back(
    client: Client, article: Json, draft: Json
) -> None:
    other = await propose(client, await write_article(client, "Sign in"), sourceUrl=URL)
    for row in (draft, other):
        await approve(client, row)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": CLASHING})

    assert await release(client, sourceUrls=[URL]) == outcome(applied=[other], conflicts=[draft])

    assert await text_of(client, article) == CLASHING
    after = await get(client, f"drafts/{draft['id']}")
    assert (after["status"], after["approvedBy"], after["approvedAt"]) == ("pending", None, None)
    assert await release(client, sourceUrls=[URL]) == outcome(waiting=[draft])


async def test_several_drafts_of_one_article_are_released_together(client: Client, article: Json) -> None:
    texts = (AFTER, MINE, BEFORE.replace("Sign in.", "Sign in, and look around."))
    drafts = [await propose(client, article, text, sourceUrl=URL) for text in texts]
    for row in drafts:
        await approve(client, row)

    assert await release(client, sourceUrls=[URL]) == outcome(applied=drafts)

    text = AFTER.replace("ten minutes", "a minute").replace("Sign in.", "Sign in, and look around.")
    assert await text_of(client, article) == text


async def test_a_text_that_is_live_already_is_applied_without_a_revision(
    client: Client, article: Json, draft: Json
) -> None:
    await approve(client, draft)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": AFTER})

    assert await release(client, sourceUrls=[URL]) == outcome(applied=[draft])

    assert len(await revisions(client, article)) == 1
    await client.post(f"/v1/drafts/{draft['id']}/reopen")
    assert await text_of(client, article) == AFTER
    assert await queue(client) == [draft["id"]]


@pytest.mark.parametrize("kind", ["new_article", "gap_draft"])
async def test_a_new_article_is_published_with_the_release(
    api: Api, cast: Cast, client: Client, database: Database, owner: Tx, kind: NewType
) -> None:
    draft = await get(client, f"drafts/{await queue_new(database, cast.acme, kind)}")
    sql = "update drafts set source_url = %(url)s where id = %(id)s"
    await owner.execute(sql, url=URL, id=draft["id"])
    await approve(client, draft, title="Exports")
    assert (await get(client, f"articles/{draft['articleId']}"))["status"] == "in_review"

    assert await release(client, sourceUrls=[URL]) == outcome(applied=[draft])

    article = await get(client, f"articles/{draft['articleId']}")
    assert (article["status"], article["title"]) == ("published", "Exports")


@pytest.mark.parametrize("body", [{"title": "Set up"}, {"contentMarkdown": MINE}])
async def test_an_edit_of_the_draft_takes_the_approval_back(client: Client, draft: Json, body: Json) -> None:
    await approve(client, draft)

    edited = (await client.patch(f"/v1/drafts/{draft['id']}", json=body)).json()

    assert (edited["approvedBy"], edited["approvedAt"]) == (None, None)
    assert await release(client, sourceUrls=[URL]) == outcome(waiting=[draft])


async def test_a_draft_that_no_release_can_name_is_approved_with_a_warning(
    client: Client, article: Json, draft: Json
) -> None:
    nameless = await propose(client, article, MINE)

    for row, warning_count in ((draft, 0), (nameless, 1)):
        approved = await client.post(f"/v1/drafts/{row['id']}/apply", json={"when": "release"})
        assert len(json.loads(approved.headers.get("Instep-Warnings", "[]"))) == warning_count


async def test_the_draft_of_a_change_without_a_page_is_approved_with_a_warning(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await send(client)
    await run_jobs()
    [draft] = (await get(client, "drafts"))["results"]
    await owner.execute("update drafts set source_url = null where id = %(id)s", id=draft["id"])

    approved = await client.post(f"/v1/drafts/{draft['id']}/apply", json={"when": "release"})

    [warning] = json.loads(approved.headers["Instep-Warnings"])
    assert "taskIds" in warning
    assert await release(client, taskIds=[draft["source"]["taskId"]]) == outcome(applied=[draft])


async def test_an_edit_that_changes_nothing_leaves_the_approval(client: Client, draft: Json) -> None:
    await approve(client, draft)

    edited = (await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": AFTER})).json()

    assert edited["approvedAt"] is not None


async def test_the_next_task_of_a_change_keeps_the_approval_of_the_same_proposal(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await send(client)
    await run_jobs()
    [first] = (await get(client, "drafts"))["results"]
    await approve(client, first)
    approved_at = (await get(client, f"drafts/{first['id']}"))["approvedAt"]

    await send(client, title="Rename it, once more")
    await run_jobs()
    [second] = (await get(client, "drafts"))["results"]
    assert (second["id"] != first["id"], second["approvedAt"]) == (True, approved_at)

    await send(client, diff=DIFF.replace("ACME_REQUEST_TIMEOUT", "ACME_WAIT"))
    await run_jobs()
    [third] = (await get(client, "drafts"))["results"]
    assert third["approvedAt"] is None


async def test_a_certain_draft_is_likely_once_somebody_has_changed_it(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Timeouts", STATED)
    await send(client, diff=PROVEN, title="Wait longer")
    await run_jobs()
    [draft] = (await get(client, "drafts"))["results"]

    edited = await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": "Other."})

    assert (draft["certainty"], edited.json()["certainty"]) == ("certain", "likely")


@pytest.mark.parametrize("path", ["drafts/{id}", "articles/{articleId}"])
async def test_a_new_text_of_a_new_article_takes_the_approval_back(
    client: Client, cast: Cast, database: Database, path: str
) -> None:
    draft = await get(client, f"drafts/{await queue_new(database, cast.acme)}")
    await approve(client, draft)

    await client.patch(f"/v1/{path.format(**draft)}", json={"contentMarkdown": "Other."})

    assert (await get(client, f"drafts/{draft['id']}"))["approvedAt"] is None


async def test_partly_approved_draft_is_released_in_part(client: Client) -> None:
    live = "".join(f"Line {number}.\n" for number in range(30))
    article = await write_article(client, "Lines", live)
    text = live.replace("Line 3.", "Third.").replace("Line 20.", "Twentieth.")
    draft = await propose(client, article, text, sourceUrl=URL)

    await approve(client, draft, hunks=[2], baseVersion=1)

    expected = live.replace("Line 20.", "Twentieth.")
    assert (await get(client, f"drafts/{draft['id']}"))["contentMarkdown"] == expected
    await release(client, sourceUrls=[URL])
    assert await text_of(client, article) == expected


async def test_conflicting_draft_is_not_approved(client: Client, article: Json, draft: Json) -> None:
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": CLASHING})
    path = f"/v1/drafts/{draft['id']}/apply"

    assert error(await client.post(path, json={"when": "release"})) == (400, "conflict")

    await approve(client, draft, onConflict="overwrite")
    assert (await get(client, f"drafts/{draft['id']}"))["conflict"] is False
    await release(client, sourceUrls=[URL])
    assert await text_of(client, article) == AFTER


@pytest.mark.parametrize(
    "body", [{}, {"sourceUrls": []}, {"sourceUrls": URL}, {"sourceUrls": ["x"] * 1_001}, {"urls": [URL]}]
)
async def test_a_release_of_nothing_and_bad_values_are_refused(client: Client, body: Json) -> None:
    assert error(await client.post("/v1/releases", json=body)) == (400, "invalid_request")


async def test_another_company_releases_nothing(client: Client, globex: Client, draft: Json) -> None:
    await approve(client, draft)

    assert await release(globex, sourceUrls=[URL]) == outcome()
    assert await queue(client) == [draft["id"]]


async def test_drafts_of_a_deleted_article_are_left_alone(client: Client, article: Json, draft: Json) -> None:
    await approve(client, draft)
    await client.delete(f"/v1/articles/{article['id']}")

    assert await release(client, sourceUrls=[URL]) == outcome()


async def test_each_draft_is_in_one_of_several_concurrent_releases(client: Client) -> None:
    for number in range(5):
        articles = [await write_article(client, f"Article {number}-{place}") for place in range(3)]
        drafts = [await propose(client, article, sourceUrl=URL) for article in articles]
        for draft in drafts:
            await approve(client, draft)

        first, second, single = await gather(
            release(client, sourceUrls=[URL]),
            release(client, sourceUrls=[URL]),
            client.post(f"/v1/drafts/{drafts[2]['id']}/apply", json={}),
        )

        released = [row["id"] for answer in (first, second) for row in answer["applied"]]
        applied = [drafts[2]["id"]] if single.status_code == 200 else []
        assert sorted(released + applied) == sorted(draft["id"] for draft in drafts)
        for article in articles:
            now = await get(client, f"articles/{article['id']}")
            assert (now["version"], now["contentMarkdown"]) == (2, AFTER)


async def test_two_concurrent_releases_and_a_reopening_lose_nothing(
    client: Client, cast: Cast, database: Database
) -> None:
    articles = [await write_article(client, f"Article {number}") for number in range(3)]
    drafts = [await propose(client, article, sourceUrl=URL) for article in articles]

    async def release_once() -> list[str]:
        async with acting(database, cast.acme) as ctx:
            released = await release_drafts(ctx, ReleaseCreate.model_validate({"sourceUrls": [URL]}))
            return [row.id for row in released.applied]

    async def reopen(draft_id: str) -> None:
        async with acting(database, cast.acme) as ctx:
            await reopen_draft(ctx, draft_id)

    for _ in range(RACE_ROUNDS):
        async with acting(database, cast.acme) as ctx:
            for draft in drafts:
                await apply_draft(ctx, draft["id"], DraftApply(when="release"))

        first, second = await gather(release_once(), release_once())

        assert sorted(first + second) == sorted(draft["id"] for draft in drafts)
        await gather(*(reopen(draft["id"]) for draft in drafts))
    for article in articles:
        now = await get(client, f"articles/{article['id']}")
        assert (now["version"], now["contentMarkdown"]) == (2 * RACE_ROUNDS + 1, BEFORE)


async def approve(client: Client, draft: Json, **body: object) -> Json:
    approved = await client.post(f"/v1/drafts/{draft['id']}/apply", json={"when": "release", **body})
    assert approved.status_code == 200, approved.text
    answer: Json = approved.json()
    return answer


async def release(client: Client, **body: object) -> Json:
    released = await client.post("/v1/releases", json=body)
    assert released.status_code == 200, released.text
    answer: Json = released.json()
    return answer


def outcome(
    applied: Sequence[Json] = (), conflicts: Sequence[Json] = (), waiting: Sequence[Json] = ()
) -> Json:
    groups = {"applied": applied, "conflicts": conflicts, "waiting": waiting}
    return {
        name: [{"id": draft["id"], "articleId": draft["articleId"]} for draft in drafts]
        for name, drafts in groups.items()
    }
