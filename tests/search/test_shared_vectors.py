"""Files of vectors that the processes of a machine map into memory."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy as np
import pytest
from httpx2 import AsyncClient

from instep.platform.core import disk, limits
from instep.platform.core.database import Database
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.embedding import Embedder
from instep.search.index.shared_files import IndexFiles
from instep.search.semantic.vector_cache import VectorCache
from tests.search.test_shared_files import mapped_inodes
from tests.search.test_vectors import MAX_BYTES, index_in, segment_of
from tests.support.cast import Api, Cast, Company
from tests.support.embeddings import embed, embedding, knows, knows_more, vector_of
from tests.support.http import ok
from tests.support.search import publish


@pytest.fixture(autouse=True)
def few_vectors_have_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Two articles with one chunk of four dimensions each.
    monkeypatch.setattr(limits, "LARGE_INDEX_BYTES", 2 * 32)
    monkeypatch.setattr(disk, "MIN_FREE_BYTES", 0)
    monkeypatch.setattr(disk, "MIN_FREE_SHARE", 0.0)
    return iter([None])


@pytest.fixture
async def embedder() -> AsyncIterator[Embedder]:
    async with embedding(knows) as (embedder, _):
        yield embedder


class HelpCenter:
    """A help center whose articles are embedded as soon as they change."""

    def __init__(self, client: AsyncClient, database: Database, embedder: Embedder, company: Company) -> None:
        self.client = client
        self.database = database
        self.embedder = embedder
        self.company = company

    async def publish(self, *titles: str) -> list[str]:
        ids = [(await publish(self.client, title, "Wash it."))["id"] for title in titles]
        await embed(self.database, self.embedder, self.company)
        return ids

    async def rename(self, article_id: str, title: str) -> None:
        ok(await self.client.patch(f"/v1/articles/{article_id}", json={"title": title}))
        ok(await self.client.post(f"/v1/articles/{article_id}/publish"))
        await embed(self.database, self.embedder, self.company)


@pytest.fixture
def help_center(api: Api, cast: Cast, database: Database, embedder: Embedder) -> HelpCenter:
    return HelpCenter(api(cast.acme.write_key), database, embedder, cast.acme)


def process(folder: Path | None = None) -> VectorCache:
    """The vector cache of a newly started process."""
    cache = VectorCache(MAX_BYTES, MAX_BYTES)
    cache.files = IndexFiles(folder, "vectors-1") if folder else None
    return cache


async def nearest(cache: VectorCache, ctx: Ctx, model: str) -> list[tuple[str, float]]:
    """The articles that a process finds near "car", with their similarities."""
    index = await index_in(cache, ctx, model)
    assert index is not None
    ids = index.article_ids
    hits = index.nearest(
        vector_of("car", index.dimensions), [(segment_of(*ids), np.ones(len(ids), np.bool_))]
    )
    return [(hit.article_id, hit.similarity) for hit in hits]


async def test_processes_map_the_same_file_and_find_the_same(
    help_center: HelpCenter, ctx: Ctx, tmp_path: Path
) -> None:
    car, *_ = await help_center.publish("Automobile", "Bill", "Holiday")
    model = help_center.embedder.name
    expected = await nearest(process(), ctx, model)
    processes = [process(tmp_path / "indexes") for _ in range(3)]

    hits = [await nearest(each, ctx, model) for each in processes]

    assert [article_id for article_id, _ in expected] == [car]
    assert hits == [expected] * 3
    [file] = (tmp_path / "indexes").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert mapped_inodes(tmp_path) == [file.stat().st_ino] * 3


async def test_vectors_embedded_after_the_file_was_written_are_found(
    help_center: HelpCenter, ctx: Ctx, tmp_path: Path
) -> None:
    car, bill, _ = await help_center.publish("Automobile", "Bill", "Holiday")
    model = help_center.embedder.name
    before = process(tmp_path)
    await nearest(before, ctx, model)
    [file] = tmp_path.iterdir()

    await help_center.rename(bill, "Vehicle")
    processes = [before, process(tmp_path), process()]
    hits = [await nearest(each, ctx, model) for each in processes]

    assert {article_id for article_id, _ in hits[0]} == {car, bill}
    assert sorted(hits[0]) == sorted(hits[1]) == sorted(hits[2])
    assert list(tmp_path.iterdir()) == [file]
    assert mapped_inodes(tmp_path) == [file.stat().st_ino] * 2


async def test_processes_go_on_with_what_one_of_them_has_merged(
    help_center: HelpCenter, ctx: Ctx, tmp_path: Path
) -> None:
    _, bill, _ = await help_center.publish("Automobile", "Bill", "Holiday")
    model = help_center.embedder.name
    processes = [process(tmp_path) for _ in range(2)]
    for each in processes:
        await nearest(each, ctx, model)
    [earlier] = tmp_path.iterdir()

    await help_center.rename(bill, "Vehicle")
    await help_center.publish("Car", "Invoice")
    await nearest(processes[0], ctx, model)
    # The other process must read one more article than was merged.
    [later] = await help_center.publish("Automobile, vehicle, car")
    hits = await nearest(processes[1], ctx, model)

    [file] = tmp_path.iterdir()
    assert file.name > earlier.name
    assert mapped_inodes(tmp_path) == [file.stat().st_ino] * 2
    assert later in {article_id for article_id, _ in hits}
    assert sorted(hits) == sorted(await nearest(process(), ctx, model))


async def test_a_merge_leaves_out_articles_that_have_no_vectors_any_more(
    help_center: HelpCenter, ctx: Ctx, tmp_path: Path
) -> None:
    ids = await help_center.publish("Automobile", "Bill", "Holiday")
    model = help_center.embedder.name
    cache = process(tmp_path)
    await nearest(cache, ctx, model)

    ok(await help_center.client.delete(f"/v1/articles/{ids[1]}"))
    ids += await help_center.publish("Vehicle", "Receipt")
    index = await index_in(cache, ctx, model)

    assert index is not None
    assert sorted(index.article_ids) == sorted(set(ids) - {ids[1]})


@pytest.mark.parametrize("damage", ["empty", "short", "long", "no vectors"])
async def test_a_damaged_file_is_not_used_and_made_anew(
    damage: str, help_center: HelpCenter, ctx: Ctx, tmp_path: Path
) -> None:
    await help_center.publish("Automobile", "Bill", "Holiday")
    model = help_center.embedder.name
    expected = await nearest(process(tmp_path), ctx, model)
    [file] = tmp_path.iterdir()
    whole = file.read_bytes()
    file.unlink()
    damaged = {"empty": b"", "short": whole[:-8], "long": whole + b"\0", "no vectors": bytes(len(whole))}
    file.write_bytes(damaged[damage])

    assert await nearest(process(tmp_path), ctx, model) == expected
    assert file.read_bytes() == whole


async def test_vectors_of_another_model_are_not_taken_from_a_file(
    api: Api, cast: Cast, ctx: Ctx, database: Database, tmp_path: Path
) -> None:
    async with embedding(knows) as (embedder, endpoint):
        help_center = HelpCenter(api(cast.acme.write_key), database, embedder, cast.acme)
        await help_center.publish("Automobile", "Bill", "Holiday")
        await nearest(process(tmp_path), ctx, embedder.name)
        endpoint.moods[:] = [knows_more]
        await help_center.publish("Vehicle")

        hits = await nearest(process(tmp_path), ctx, embedder.name)

        assert hits == await nearest(process(), ctx, embedder.name)
        assert len(hits) == 2


async def test_each_process_has_a_copy_if_no_file_can_be_written(
    help_center: HelpCenter, ctx: Ctx, tmp_path: Path
) -> None:
    await help_center.publish("Automobile", "Bill", "Holiday")
    model = help_center.embedder.name
    (tmp_path / "file").touch()

    assert await nearest(process(tmp_path / "file"), ctx, model) == await nearest(process(), ctx, model)
    assert mapped_inodes(tmp_path) == []


async def test_few_vectors_have_no_file(
    help_center: HelpCenter, ctx: Ctx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LARGE_INDEX_BYTES", 1_000_000)
    await help_center.publish("Automobile", "Bill", "Holiday")

    assert await nearest(process(tmp_path), ctx, help_center.embedder.name)
    assert list(tmp_path.iterdir()) == []
