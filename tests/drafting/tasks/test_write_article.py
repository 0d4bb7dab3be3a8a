"""The job of a task that requests a new article: from a title and instructions to a draft."""

import pytest

from instep.accounts.workspaces.actions import pause_workspace, resume_workspace
from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import URL, get, publish, write
from tests.support.http import create_article, create_collection

FORMATS = "An export holds all articles as Markdown files, and one JSON file.\n"


async def test_task_ends_in_a_draft_that_waits_for_review(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    guides = await create_collection(client)

    task = await finished(client, run_jobs, collectionId=guides["id"], sourceUrl=URL)

    assert (task["status"], task["outcome"], task["error"]) == ("completed", "drafts", None)
    assert task["summary"]
    [named] = task["drafts"]
    draft = await get(client, f"drafts/{named['id']}")
    assert named == {
        "id": draft["id"],
        "type": "new_article",
        "title": "Export your data",
        "articleId": draft["articleId"],
    }
    assert draft["id"].startswith("article_")
    assert (draft["status"], draft["taskId"], draft["sourceUrl"]) == ("pending", task["id"], URL)
    assert (draft["author"]["type"], draft["evidence"], draft["diff"]) == ("task", [], None)
    assert draft["reason"]
    for said in ("Exports are made at night.", "1. Open the settings.", "2. Choose Export."):
        assert said in draft["contentMarkdown"]
    article = await get(client, f"articles/{draft['articleId']}")
    assert (article["status"], article["collectionId"]) == ("in_review", guides["id"])


async def test_related_articles_are_quoted_with_their_urls(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    source = await publish(client, "What exports hold", FORMATS)
    await publish(client, "Pets", "Cats and dogs are welcome in all of our offices.\n")

    task = await finished(client, run_jobs, title="What an export holds", instructions="Say what is in it.")

    [draft] = task["drafts"]
    text = (await get(client, f"drafts/{draft['id']}"))["contentMarkdown"]
    assert f"> {FORMATS}>\n> — [What exports hold]({source['url']})\n" in text
    assert f"## Related articles\n\n- [What exports hold]({source['url']})\n" in text
    assert "Cats" not in text
    [used] = task["reviewed"]
    assert (used["articleId"], used["title"], used["verdict"]) == (
        source["id"],
        "What exports hold",
        "no_edit",
    )
    assert used["reason"]


async def test_each_topic_of_the_instructions_is_searched_for(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    source = await publish(
        client, "Keys", f"{FORMATS}\n## Revoking\n\nA revoked key is refused from then on.\n"
    )

    topics = "- Revoke a key\n- Colours of buttons\n"
    task = await finished(client, run_jobs, title="Security", instructions=topics)

    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")
    place = f"> A revoked key is refused from then on.\n>\n> — [Keys]({source['url']}#h-revoking)"
    assert f"## Revoke a key\n\n{place}" in draft["contentMarkdown"]
    assert ["Colours of buttons" in warning for warning in draft["warnings"]] == [True]


async def test_nothing_is_quoted_that_not_everybody_may_read(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    closed = await create_collection(client, visibility="authenticated")
    hidden: list[dict[str, object]] = [
        {"visibility": "authenticated"},
        {"collectionId": closed["id"]},
        {"locale": "de"},
    ]
    for number, fields in enumerate(hidden):
        made = await create_article(client, f"Exports {number}", **{**fields, "contentMarkdown": FORMATS})
        await client.post(f"/v1/articles/{made['id']}/publish")
    await create_article(client, "Exports not published", contentMarkdown=FORMATS)
    await publish(api(cast.globex.write_key), "Exports elsewhere", FORMATS)

    task = await finished(client, run_jobs, title="What an export holds")

    assert task["reviewed"] == []
    assert "Markdown files" not in (await get(client, f"drafts/{task['drafts'][0]['id']}"))["contentMarkdown"]


async def test_a_title_alone_gives_a_draft_that_says_what_is_missing(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    sent = await client.post("/v1/tasks", json={"article": {"title": "Export your data"}})
    await run_jobs()

    task = await get(client, f"tasks/{sent.json()['id']}")

    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")
    assert (task["outcome"], draft["contentMarkdown"]) == ("drafts", "Export your data.\n")
    assert draft["warnings"]


async def test_article_goes_live_when_its_draft_is_applied(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    task = await finished(client, run_jobs)

    applied = (await client.post(f"/v1/drafts/{task['drafts'][0]['id']}/apply", json={})).json()

    live = await get(client, f"articles/{applied['articleId']}")
    assert (live["status"], live["slug"]) == ("published", "export-your-data")
    assert "<li>Open the settings.</li>" in (await api(None).get(live["url"])).text
    assert (await get(client, f"tasks/{task['id']}"))["drafts"] == task["drafts"]


async def test_a_collection_deleted_meanwhile_leaves_the_article_without_one(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    collection = await create_collection(client)
    sent = await write(client, collectionId=collection["id"])
    await client.delete(f"/v1/collections/{collection['id']}")
    await run_jobs()

    task = await get(client, f"tasks/{sent['id']}")

    article = await get(client, f"articles/{task['drafts'][0]['articleId']}")
    assert (task["status"], article["collectionId"]) == ("completed", None)


@pytest.mark.parametrize("is_over", [False, True])
async def test_a_job_that_runs_twice_writes_one_article(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx, is_over: bool
) -> None:
    client = api(cast.acme.write_key)
    task = await write(client)
    payload = await owner.value("select payload::text from jobs")
    if is_over:
        await run_jobs()
        ended = await get(client, f"tasks/{task['id']}")
    for _ in range(3):
        await owner.execute(
            "insert into jobs (kind, payload) values ('run_task', %(payload)s)", payload=payload
        )

    await run_jobs()

    assert len((await get(client, "drafts"))["results"]) == 1
    assert len((await get(client, "articles"))["results"]) == 1
    done = await get(client, f"tasks/{task['id']}")
    assert (done["status"], len(done["drafts"])) == ("completed", 1)
    assert not is_over or done == ended


async def test_a_failed_attempt_leaves_no_article_behind(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    task = await write(client)
    refuse = "begin raise exception 'the disk is full'; end"
    await owner.execute(f"create function refuse() returns trigger language plpgsql as $${refuse}$$")
    await owner.execute(
        "create trigger refuse before insert on drafts for each row execute function refuse()"
    )
    try:
        await run_jobs()
        assert (await get(client, "articles"))["results"] == []
    finally:
        await owner.execute("drop function refuse cascade")
    await owner.execute("update jobs set run_at = now()")

    await run_jobs()

    assert len((await get(client, f"tasks/{task['id']}"))["drafts"]) == 1
    assert len((await get(client, "articles"))["results"]) == 1


async def test_a_task_whose_every_attempt_killed_its_worker_fails(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    task = await write(client)
    await owner.execute("update jobs set attempts = %(most)s", most=limits.MAX_TASK_ATTEMPTS)

    await run_jobs()

    failed = await get(client, f"tasks/{task['id']}")
    assert (failed["status"], failed["error"]["code"], failed["drafts"]) == ("failed", "internal_error", [])


async def test_a_paused_workspace_gets_no_article_until_it_is_resumed(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    task = await write(client)
    await pause_workspace(owner, cast.acme.workspace_id)

    await run_jobs()

    assert (await get(client, f"tasks/{task['id']}"))["status"] == "queued"
    assert (await get(client, "articles"))["results"] == []
    await resume_workspace(owner, cast.acme.workspace_id)
    await owner.execute("update jobs set run_at = now()")
    await run_jobs()
    assert (await get(client, f"tasks/{task['id']}"))["outcome"] == "drafts"


async def test_instructions_that_are_too_complex_to_render_fail_at_once_and_say_so(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)

    task = await finished(client, run_jobs, instructions=">" * 6_000)

    assert (task["status"], task["error"]["code"], task["drafts"]) == ("failed", "invalid_request", [])
    assert "nests quotes" in task["error"]["message"]
    assert await run_jobs() == 0


async def test_each_task_writes_an_article_of_its_own(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    tasks = [await write(client, sourceUrl=URL) for _ in range(3)]

    await run_jobs()

    done = [await get(client, f"tasks/{task['id']}") for task in tasks]
    assert len({task["drafts"][0]["articleId"] for task in done}) == 3
    assert len((await get(client, "drafts"))["results"]) == 3


async def finished(client: Client, run_jobs: RunJobs, **fields: object) -> Json:
    """A task for a new article, after its job has run."""
    task = await write(client, None, **fields)
    await run_jobs()
    return await get(client, f"tasks/{task['id']}")
