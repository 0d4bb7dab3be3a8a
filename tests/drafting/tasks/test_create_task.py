"""POST /v1/tasks."""

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.drafting.tasks.actions import _is_short
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast
from tests.support.changes import DIFF, INSTRUCTIONS, URL, article, change, get, send
from tests.support.http import create_collection, named_fields

FIELDS = {
    *("id", "type", "status", "change", "version", "article", "outcome", "summary", "drafts", "places"),
    *("reviewed", "model", "error"),
    *("botId", "createdAt", "startedAt", "finishedAt"),
}


async def test_a_change_is_accepted_as_a_task_to_poll(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    accepted = await client.post("/v1/tasks", json=change())

    assert accepted.status_code == 202
    task = accepted.json()
    assert task.keys() == FIELDS
    assert (task["type"], task["status"], task["botId"]) == (
        "document_change",
        "queued",
        str(cast.acme.bot_id),
    )
    assert task["change"] == {
        "kind": "pr",
        "title": "Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT",
        "url": URL,
        "bundle": None,
    }
    assert (task["drafts"], task["places"], task["reviewed"]) == ([], [], [])
    for name in ("version", "article", "outcome", "summary", "model", "error", "startedAt", "finishedAt"):
        assert task[name] is None
    assert accepted.headers["Location"] == f"http://help.test/v1/tasks/{task['id']}"
    assert (await client.get(accepted.headers["Location"])).json() == task


async def test_a_new_article_is_accepted_as_a_task_to_poll(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    guides = await create_collection(client)

    accepted = await client.post("/v1/tasks", json=article(collectionId="guides", sourceUrl=URL))

    assert accepted.status_code == 202
    task = accepted.json()
    assert task.keys() == FIELDS
    assert (task["type"], task["status"], task["change"]) == ("write_article", "queued", None)
    assert task["article"] == {
        "title": "Export your data",
        "instructions": INSTRUCTIONS,
        "collectionId": guides["id"],
        "sourceUrl": URL,
    }
    assert await get(client, f"tasks/{task['id']}") == task


async def test_the_title_of_a_new_article_is_enough(api: Api, cast: Cast) -> None:
    accepted = await api(cast.acme.write_key).post("/v1/tasks", json={"article": {"title": "Export"}})

    asked = {"title": "Export", "instructions": None, "collectionId": None, "sourceUrl": None}
    assert accepted.json()["article"] == asked


async def test_the_collection_of_another_company_is_not_there(api: Api, cast: Cast) -> None:
    theirs = await create_collection(api(cast.globex.write_key))

    refused = await api(cast.acme.write_key).post("/v1/tasks", json=article(collectionId=theirs["id"]))

    assert named_fields(refused) == ["article.collectionId"]


@pytest.mark.parametrize("kind", ["pr", "commit", "release"])
async def test_a_title_is_enough(api: Api, cast: Cast, kind: str) -> None:
    body = {"change": {"kind": kind, "title": "Rename it"}}

    accepted = await api(cast.acme.write_key).post("/v1/tasks", json=body)

    assert accepted.json()["change"] == {"kind": kind, "title": "Rename it", "url": None, "bundle": None}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "change"),
        ({}, "article"),
        (change() | article(), "change"),
        (change() | article(), "article"),
        ({"change": None}, "change"),
        ({"article": None}, "article"),
        ({"article": {"instructions": "Write it"}}, "article.title"),
        (article(title="x" * 201), "article.title"),
        (article(instructions=None), "article.instructions"),
        (article(instructions="x" * 100_001), "article.instructions"),
        (article(instructions="a\0b"), "article.instructions"),
        (article(sourceUrl=None), "article.sourceUrl"),
        (article(sourceUrl=f"https://{'x' * 2001}"), "article.sourceUrl"),
        (article(sourceUrl="javascript:alert(1)"), "article.sourceUrl"),
        (article(collectionId=7), "article.collectionId"),
        (article(collectionId="nothing"), "article.collectionId"),
        (article(contentMarkdown="Run it."), "article.contentMarkdown"),
        *(
            ({"change": change()["change"] | {name: None}}, f"change.{name}")
            for name in ("url", "diff", "body")
        ),
        ({"change": {"kind": "pr"}}, "change.title"),
        ({"change": {"title": "Rename it"}}, "change.kind"),
        (change(kind="tag"), "change.kind"),
        (change(title=" "), "change.title"),
        (change(title="x" * 201), "change.title"),
        ({"change": {"kind": "pr", "title": None}}, "change.title"),
        (change(diff=7), "change.diff"),
        (change(body="a\0b"), "change.body"),
        (change(url=f"https://{'x' * 2001}"), "change.url"),
        (change(url="git@git.example.com:acme/app.git"), "change.url"),
        (change(files=[]), "change.files"),
        (change(context={"issues": [{"title": "Late"}] * 6}), "change.context.issues"),
        (
            change(context={"issues": [{"title": "Late", "body": "x" * 20_001}]}),
            "change.context.issues.0.body",
        ),
        (
            change(context={"code": [{"file": "a.py", "startLine": 0, "text": ""}]}),
            "change.context.code.0.startLine",
        ),
        (change(context={"nextVersion": ""}), "change.context.nextVersion"),
        (change(context={"milestone": "2.4"}), "change.context.milestone"),
        (change() | {"status": "completed"}, "status"),
    ],
)
async def test_a_bad_value_is_named(api: Api, cast: Cast, body: dict[str, object], field: str) -> None:
    client = api(cast.acme.write_key)

    refused = await client.post("/v1/tasks", json=body)

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert field in [detail["field"] for detail in refused.json()["details"]]
    assert (await get(client, "tasks"))["results"] == []


async def test_a_diff_with_a_long_line_is_read_apart_from_others(api: Api, cast: Cast) -> None:
    """Even a short one is, because parsing it here would block the process."""
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+" + "a " * 20_000 + "\n"
    assert not _is_short(diff)
    assert _is_short(diff[:1_000])

    created = await api(cast.acme.write_key).post("/v1/tasks", json=change(diff=diff))

    assert created.status_code == 202


@pytest.mark.parametrize(
    ("diff", "line"),
    [
        ("this is no diff\n", 1),
        (DIFF.replace("@@ -1,4 +1,4 @@", "@@ one to four @@"), 4),
        (DIFF.replace(" RETRIES = 3\n", "") + DIFF, 9),
        (DIFF * 200 + "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n-three\n", 1806),
    ],
    ids=["no diff", "no range", "too short", "long"],
)
async def test_a_diff_that_does_not_parse_is_refused_with_its_line(
    api: Api, cast: Cast, diff: str, line: int
) -> None:
    client = api(cast.acme.write_key)

    refused = await client.post("/v1/tasks", json=change(diff=diff))

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert f"Line {line} " in refused.json()["error"]
    assert [detail["field"] for detail in refused.json()["details"]] == ["change.diff"]
    assert (await get(client, "tasks"))["results"] == []


async def test_a_body_larger_than_twelve_mebibytes_is_refused(api: Api, cast: Cast) -> None:
    refused = await api(cast.acme.write_key).post("/v1/tasks", json=change(body="x" * 13_000_000))

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")


async def test_a_read_key_another_bot_and_a_paused_workspace_create_nothing(
    api: Api, cast: Cast, owner: Tx
) -> None:
    by_nobody = await api(None).post("/v1/tasks", json=change())
    by_reader = await api(cast.acme.read_key).post("/v1/tasks", json=change())
    without_bot = await api(cast.wide_key).post("/v1/tasks", json=change())
    elsewhere = await api(cast.acme.write_key).post(
        "/v1/tasks", json=change(), headers={"Service-Bot": str(cast.globex.bot_id)}
    )
    await pause_workspace(owner, cast.acme.workspace_id)
    paused = await api(cast.acme.write_key).post("/v1/tasks", json={})

    refusals = (by_nobody, by_reader, without_bot, elsewhere, paused)
    assert [(answer.status_code, answer.json()["code"]) for answer in refusals] == [
        (401, "unauthorized"),
        (403, "insufficient_scope"),
        (400, "bot_required"),
        (403, "insufficient_scope"),
        (402, "plan_inactive"),
    ]
    assert (await get(api(cast.acme.read_key), "tasks"))["results"] == []


async def test_the_answer_tells_both_rate_limits(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await send(client)

    accepted = await client.post("/v1/tasks", json=change())

    assert accepted.headers["RateLimit-Policy"] == '"api";q=120;w=60, "tasks";q=30;w=3600'
    requests, tasks = accepted.headers["RateLimit"].split(", ")
    assert requests.startswith('"api";r=118;t=')
    assert tasks.startswith('"tasks";r=28;t=')
