"""The sweep keeps files for 30 days after the last text stops referring to them, then removes everything."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from fastapi import FastAPI

from instep.content.articles import actions
from instep.content.articles.body_schemas import ArticleCreate
from instep.content.files.actions import SWEEP_FILES
from instep.content.files.jobs import sweep_files
from instep.content.files.storage import Storages
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from tests.support.articles import acting, let_time_pass, save_copy
from tests.support.cast import Api, Cast
from tests.support.file_samples import picture
from tests.support.http import create_article, created, ok
from tests.support.uploads import (
    FILES,
    count_objects,
    let_references_be_old,
    open_file,
    show_in_article,
    upload,
)

Sweep = Callable[[], Awaitable[None]]
RETENTION = timedelta(days=30)
pytestmark = pytest.mark.parametrize("place", ["database", "bucket", "folder"])


@pytest.fixture
def sweep(database: Database, storages: Storages, owner: Tx) -> Sweep:
    async def run() -> None:
        await sweep_files(database, storages, Job(1, SWEEP_FILES, {}, 1))

    return run


async def test_a_file_that_nobody_refers_to_is_removed_after_30_days(
    api: Api, cast: Cast, owner: Tx, sweep: Sweep
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)

    await let_references_be_old(owner, RETENTION - timedelta(minutes=5))
    await sweep()
    assert ok(await client.get(f"{FILES}/{file['id']}")) == file

    await let_references_be_old(owner, timedelta(minutes=10))
    await sweep()
    assert (await client.get(f"{FILES}/{file['id']}")).status_code == 404
    assert await count_objects(owner, file) == 0


async def test_the_30_days_begin_when_the_last_text_lets_go_of_the_file(
    app: FastAPI, api: Api, cast: Cast, database: Database, owner: Tx, sweep: Sweep
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    article = await show_in_article(client, file)
    path = f"/v1/articles/{article['id']}"

    async def age_and_sweep() -> bool:
        """True if the file still exists after every relevant time has been moved back by over a month."""
        await sweep()
        await let_references_be_old(owner, RETENTION + timedelta(days=1))
        await sweep()
        return (await client.get(f"{FILES}/{file['id']}")).status_code == 200

    assert await age_and_sweep()
    # The working copy no longer shows the file, but the live text does.
    await save_copy(database, cast.acme, article["id"], content="None.")
    assert await age_and_sweep()
    # Only a revision shows the file now, and later the revision of a deleted article.
    await client.post(f"{path}/publish")
    assert await age_and_sweep()
    await client.delete(path)
    assert await age_and_sweep()

    await let_time_pass(owner, cast.acme, timedelta(days=31))
    await owner.execute("select purge_deleted_articles('30 days', 10)")
    assert not await age_and_sweep()


async def test_a_file_stays_that_a_text_begins_to_show_while_the_sweep_runs(
    api: Api, cast: Cast, database: Database, owner: Tx, sweep: Sweep
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    await let_references_be_old(owner, RETENTION * 2)

    async with acting(database, cast.acme) as ctx:
        body = {"title": "Install", "contentMarkdown": f"![]({file['url']})"}
        await actions.create_article(ctx, ArticleCreate.model_validate(body))
        # The text is not committed yet.
        await sweep()
    await sweep()

    assert ok(await client.get(f"{FILES}/{file['id']}")) == file


async def test_a_draft_keeps_a_file_that_only_its_proposal_shows(
    api: Api, cast: Cast, owner: Tx, sweep: Sweep
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    article = await create_article(client)
    body = {"contentMarkdown": f"![]({file['url']})"}
    draft = created(await client.post(f"/v1/articles/{article['id']}/drafts", json=body))
    await client.post(f"/v1/drafts/{draft['id']}/dismiss")

    await let_references_be_old(owner, RETENTION * 2)
    await sweep()

    assert ok(await client.get(f"{FILES}/{file['id']}")) == file


async def test_a_revision_that_is_no_longer_kept_keeps_no_file(
    api: Api, cast: Cast, owner: Tx, sweep: Sweep
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    article = await show_in_article(client, file)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "None."})
    # Deleting the revision has the same effect as fifty newer ones.
    await owner.execute("delete from revisions where article_id = %(id)s", id=article["id"])

    await sweep()
    await let_references_be_old(owner, RETENTION + timedelta(days=1))
    await sweep()

    assert (await client.get(f"{FILES}/{file['id']}")).status_code == 404


async def test_an_upload_of_the_same_bytes_begins_the_time_anew(
    api: Api, cast: Cast, owner: Tx, sweep: Sweep
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    await let_references_be_old(owner, RETENTION * 2)

    assert ok(await client.post(FILES, params={"name": "a.png"}, content=picture())) == file
    await sweep()

    assert ok(await client.get(f"{FILES}/{file['id']}")) == file


async def test_a_deleted_files_object_is_removed_and_others_stay(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, sweep: Sweep
) -> None:
    client = api(cast.acme.write_key)
    gone, stays = await upload(client), await upload(client, picture(shade=1))
    await show_in_article(client, stays)
    await client.delete(f"{FILES}/{gone['id']}")

    await sweep()

    assert await count_objects(owner, stays) == 1
    assert (await open_file(app, stays)).status_code == 200


async def test_the_next_sweep_is_scheduled(owner: Tx, sweep: Sweep) -> None:
    await sweep()
    await sweep()

    assert await owner.value("select count(*) from jobs where kind = 'sweep_files'") == 1
