"""The hourly cleanup removes articles for good after 30 days in Recently deleted."""

from datetime import timedelta

from instep.operations.ops import prune
from instep.platform.core.database import Database, Tx
from tests.support.articles import delete, let_time_pass, restore, translate
from tests.support.cast import Cast, Client, RunJobs
from tests.support.http import all_pages, at_once, create_article, created, ok
from tests.support.limits import SetLimit

DAYS = timedelta(days=30)
TABLES = ("articles", "revisions", "drafts", "former_slugs")


async def test_after_30_days_nothing_is_left_of_it(
    client: Client, cast: Cast, database: Database, owner: Tx, run_jobs: RunJobs
) -> None:
    await write_everything(client)
    other = await create_article(client, "Other")
    await delete(client, "begin")
    await let_time_pass(owner, cast.acme, DAYS)

    await an_hour_passes(database, owner, run_jobs)

    assert await counts(owner, cast) == {"articles": 1, "revisions": 0, "drafts": 0, "former_slugs": 0}
    assert await all_pages(client, "/v1/articles") == [other]


async def test_until_then_everything_stays(
    client: Client, cast: Cast, database: Database, owner: Tx, run_jobs: RunJobs
) -> None:
    await write_everything(client)
    await delete(client, "begin")
    before = await counts(owner, cast)
    await let_time_pass(owner, cast.acme, DAYS - timedelta(minutes=1))

    await an_hour_passes(database, owner, run_jobs)

    assert await counts(owner, cast) == before
    assert (await restore(client, "begin"))["translations"]


async def test_articles_that_are_not_deleted_are_never_purged(
    client: Client, cast: Cast, database: Database, owner: Tx, run_jobs: RunJobs
) -> None:
    root = await create_article(client)
    await translate(client, root, "Einrichten", "de")
    await delete(client, "einrichten")
    await let_time_pass(owner, cast.acme, DAYS * 2)
    await owner.execute("update articles set created_at = '2001-01-01', updated_at = '2001-01-01'")

    await an_hour_passes(database, owner, run_jobs)

    [remaining] = await all_pages(client, "/v1/articles")
    assert (remaining["id"], remaining["translations"]) == (root["id"], [])


async def test_a_task_tells_of_the_drafts_that_are_left(
    client: Client, cast: Cast, database: Database, owner: Tx, run_jobs: RunJobs
) -> None:
    for title in ("Install", "Upgrade"):
        await create_article(client, title, contentMarkdown="Run `agent setup --port 80` first.\n")
        ok(await client.post(f"/v1/articles/{title.lower()}/publish"))
    diff = "--- a/cli.py\n+++ b/cli.py\n@@ -1 +1 @@\n-PORT = '--port'\n+PORT = '--listen'\n"
    change = {"kind": "pr", "title": "Rename --port to --listen", "diff": diff}
    task = (await client.post("/v1/tasks", json={"change": change})).json()
    await run_jobs()
    assert len(ok(await client.get(f"/v1/tasks/{task['id']}"))["drafts"]) == 2
    await delete(client, "install")
    await let_time_pass(owner, cast.acme, DAYS)

    await an_hour_passes(database, owner, run_jobs)

    ended = ok(await client.get(f"/v1/tasks/{task['id']}"))
    assert (ended["status"], [draft["title"] for draft in ended["drafts"]]) == ("completed", ["Upgrade"])
    assert ok(await client.get("/v1/tasks"))["results"] == [ended]


async def test_as_many_as_there_are_go_in_one_run(
    client: Client,
    cast: Cast,
    database: Database,
    owner: Tx,
    run_jobs: RunJobs,
    set_limit: SetLimit,
) -> None:
    set_limit("ARTICLE_BATCH_ROWS", 2, prune)
    for number in range(3):
        root = await create_article(client, f"No {number}")
        await translate(client, root, "T", "de")
        await delete(client, root["id"])
    await let_time_pass(owner, cast.acme, DAYS)

    await an_hour_passes(database, owner, run_jobs)

    assert (await counts(owner, cast))["articles"] == 0


async def test_a_family_is_restored_or_purged_whole(client: Client, owner: Tx, database: Database) -> None:
    for _ in range(5):
        root = await create_article(client)
        translations = [(await translate(client, root, "T", locale))["id"] for locale in ("de", "fr")]
        await delete(client, root["id"])

        async def ask(number: int, root_id: str = root["id"]) -> int:
            if number % 2:
                return (await client.post(f"/v1/articles/{root_id}/restore")).status_code
            async with database.enter_workspace("") as tx:
                await tx.execute("select purge_deleted_articles(interval '0', 100)")
            return 0

        statuses = await at_once(20, ask)

        remaining = {row["id"] for row in await all_pages(client, "/v1/articles")}
        assert remaining == ({root["id"], *translations} if 200 in statuses else set())
        assert set(statuses) <= {0, 200, 400, 404}
        if remaining:
            await delete(client, root["id"])
            await owner.execute("select purge_deleted_articles(interval '0', 100)")


async def write_everything(client: Client) -> None:
    """Create an article with a translation, revisions, a former slug, a pending and a settled draft."""
    root = await create_article(client)
    await translate(client, root, "Einrichten", "de")
    ok(await client.patch("/v1/articles/install", json={"slug": "begin", "contentMarkdown": "Two."}))
    drafts = [
        created(await client.post("/v1/articles/begin/drafts", json={"contentMarkdown": f"{number}."}))
        for number in range(2)
    ]
    ok(await client.post(f"/v1/drafts/{drafts[0]['id']}/apply", json={}))


async def an_hour_passes(database: Database, owner: Tx, run_jobs: RunJobs) -> None:
    await prune.schedule_prune(database)
    await owner.execute("update jobs set run_at = now() where kind = %(kind)s", kind=prune.PRUNE)
    await run_jobs()
    assert await owner.value("select count(*) from jobs where error is not null") == 0


async def counts(owner: Tx, cast: Cast) -> dict[str, int]:
    return {
        table: await owner.value(
            f"select count(*) from {table} where workspace_id = %(id)s", id=cast.acme.workspace_id
        )
        for table in TABLES
    }
