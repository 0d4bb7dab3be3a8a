"""POST /v1/sync: the cost of a folder with thousands of files, or with long ones."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from instep.platform.identity.schemas import Ctx
from instep.transfer.git_sync import queries
from instep.transfer.git_sync.new_files import place_new_files
from instep.transfer.git_sync.schemas import Sync, SyncCreate, SyncedArticle
from instep.transfer.git_sync.work import SyncWork
from tests.support.cast import Client
from tests.support.growth import grows_linearly
from tests.support.synced_repository import FOLDER, Repository, actions, article_at, page, patch

COMMIT = "0" * 40
LONG_TEXT = "A line of some words in a long text.\n\n" * 2_000
PAGES = 400


async def test_a_new_order_of_a_large_collection_is_written_in_linear_time(client: Client) -> None:
    repository = Repository(client)
    for number in range(PAGES):
        repository.write(f"start/a{number:03}.md", page(f"A {number}", f"Text {number}\n"))
    await repository.sync()
    await repository.settle()
    await patch(client, "a200", position=0)
    began = time.thread_time()

    answer = await repository.sync()

    assert time.thread_time() - began < 1.2
    assert len(answer["writes"]) == PAGES
    await repository.settle()


def test_thousands_of_articles_get_paths_in_linear_time() -> None:
    assert grows_linearly(lambda work: place_new_files(work, []), work_with, 4_000)

    work = work_with(10)
    assert {path: row.id for path, row in place_new_files(work, []).items()} == {
        f"{row.slug}.md": row.id for row in work.articles.values()
    }


def work_with(count: int) -> SyncWork:
    request = SyncCreate.model_validate({"folder": FOLDER, "commit": COMMIT, "files": []})
    ctx: Any = SimpleNamespace(bot=SimpleNamespace(locale="en", slug="acme"))
    work = SyncWork(ctx, request, Sync(FOLDER, COMMIT, False), {})
    work.articles = {row.id: row for row in map(article, range(count))}
    return work


async def test_long_pages_do_not_repeat_a_sync_one_by_one(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = []
    lock_syncs = queries.lock_syncs

    async def counted(ctx: Ctx) -> None:
        attempts.append(ctx)
        await lock_syncs(ctx)

    monkeypatch.setattr(queries, "lock_syncs", counted)
    repository = Repository(client)
    names = [f"p{number}" for number in range(8)]
    for name in names:
        repository.write(f"{name}.md", page(name, f"{name}\n\n{LONG_TEXT}"))
        repository.write(f"{name}.de.md", page(f"{name} auf Deutsch", f"Ein {name}\n\n{LONG_TEXT}"))

    answer = await repository.sync()

    # Translations need their originals, which do not exist on the first attempt.
    assert len(attempts) == 3
    assert set(actions(answer).values()) == {"created"}
    assert (await article_at(client, "p5"))["contentMarkdown"] == f"p5\n\n{LONG_TEXT}"
    attempts.clear()
    for name in names:
        repository.edit(f"{name}.md", f"\n{name}\n", "\nNew\n")
        await patch(client, name, contentMarkdown=f"{name}\n\n{LONG_TEXT}\n{name}\n")
    attempts.clear()

    answer = await repository.sync()

    assert set(actions(answer).values()) == {"merged"}
    assert len(attempts) < len(names)
    await repository.settle()


def article(number: int) -> SyncedArticle:
    name = f"slug-{number}"
    return SyncedArticle(name, name, "en", None, name, None, None, number, "public", "published", 1, "Text\n")
