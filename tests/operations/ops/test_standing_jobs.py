"""Recurring jobs survive a database that accepts no new jobs."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from instep.content.files import jobs as files
from instep.content.files.actions import SWEEP_FILES
from instep.content.files.storage import DatabaseStorage, Storages
from instep.operations.backups import jobs as backups
from instep.operations.ops import prune
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job, Postponed
from instep.platform.llm.embedding import Embedders
from instep.search import jobs as search
from tests.support.embeddings import embedding, knows
from tests.support.limits import SetSetting

Run = Callable[[Job], Awaitable[None]]


@pytest.fixture
async def takes_no_jobs(owner: Tx) -> AsyncIterator[None]:
    await owner.execute(
        """
        create function refuse_job() returns trigger language plpgsql as $$
        begin
          raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
        end $$
        """
    )
    await owner.execute("create trigger is_full before insert on jobs execute function refuse_job()")
    yield
    await owner.execute("drop trigger is_full on jobs")
    await owner.execute("drop function refuse_job()")


async def test_jobs_wait_while_the_next_run_cant_be_scheduled(
    database: Database, database_url: str, takes_no_jobs: None, set_setting: SetSetting, tmp_path: Path
) -> None:
    set_setting("INSTEP_BACKUPS", str(tmp_path))
    async with embedding(knows) as (embedder, _):
        embedders = Embedders(english=embedder)
        runs: dict[str, Run] = {
            prune.PRUNE: partial(prune.prune, database),
            SWEEP_FILES: partial(files.sweep_files, database, Storages(DatabaseStorage(database), None)),
            backups.BACK_UP: partial(backups.back_up, database, database_url),
            search.STORE_INDEXES: partial(search.store_indexes, database),
            search.EMBED_ARTICLES: partial(search.embed_articles, database, embedders),
        }

        # Six failures would end a job permanently; a postponed run is not a failure.
        for kind, run in runs.items():
            with pytest.raises(Postponed):
                await run(Job(1, kind, {}, 1))

    assert not list(tmp_path.iterdir())
