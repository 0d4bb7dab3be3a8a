"""Files of stored indexes that the processes of a machine map into memory."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from instep.platform.core import disk, limits
from instep.platform.core.settings import Settings
from instep.platform.identity.schemas import Ctx
from instep.search.index import cache
from instep.search.index.cache import Index, IndexCache
from instep.search.index.shared_files import IndexFiles, empty_index_folder, index_folder
from tests.search.test_index_cache import MAX_BYTES, hits_of
from tests.support.cast import Api, Cast
from tests.support.search import publish

LAYOUT = "words-1"
QUESTION = "größe page_size 密码 number"
SEEN = datetime(2026, 11, 24, tzinfo=UTC)


@pytest.fixture(autouse=True)
def small_indexes_have_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(limits, "LARGE_INDEX_BYTES", 1)
    monkeypatch.setattr(cache, "MAX_UNFLUSHED_ARTICLES", 2)
    monkeypatch.setattr(disk, "MIN_FREE_BYTES", 0)
    monkeypatch.setattr(disk, "MIN_FREE_SHARE", 0.0)
    return iter([None])


def process(folder: Path) -> IndexCache:
    """The index cache of a newly started process."""
    index_cache = IndexCache(MAX_BYTES, MAX_BYTES)
    index_cache.files = IndexFiles(folder, LAYOUT)
    return index_cache


async def publish_some(api: Api, cast: Cast, name: str = "No") -> None:
    client = api(cast.acme.write_key)
    for number in range(4):
        await publish(client, f"{name} {number}", "Größe, `page_size`, 重置密码 🚀")


def mapped_inodes(folder: Path) -> list[int]:
    """The inodes of all mapped files in the folder, including deleted ones."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("only Linux tells what a process maps")
    return [int(line.split()[4]) for line in maps.read_text().splitlines() if f"{folder}/" in line]


async def test_processes_map_the_same_file_and_find_the_same(
    api: Api, cast: Cast, ctx: Ctx, tmp_path: Path
) -> None:
    await publish_some(api, cast)
    expected = await hits_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, QUESTION)
    processes = [process(tmp_path / "indexes") for _ in range(3)]

    hits = [await hits_of(each, ctx, QUESTION) for each in processes]

    assert hits == [expected] * 3
    assert (tmp_path / "indexes").stat().st_mode & 0o777 == 0o700
    [file] = (tmp_path / "indexes").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert mapped_inodes(tmp_path) == [file.stat().st_ino] * 3


async def test_the_process_that_stores_an_index_goes_on_with_its_file(
    api: Api, cast: Cast, ctx: Ctx, tmp_path: Path
) -> None:
    await publish_some(api, cast)
    builder = process(tmp_path)

    hits = await hits_of(builder, ctx, QUESTION)

    [file] = tmp_path.iterdir()
    assert mapped_inodes(tmp_path) == [file.stat().st_ino]
    assert hits == await hits_of(builder, ctx, QUESTION)


async def test_a_new_file_replaces_that_of_an_earlier_stored_index(
    api: Api, cast: Cast, ctx: Ctx, tmp_path: Path
) -> None:
    await publish_some(api, cast)
    first, second = process(tmp_path), process(tmp_path)
    before = [await hits_of(each, ctx, QUESTION) for each in (first, second)]
    [earlier] = tmp_path.iterdir()
    index, _ = await second.index_of(ctx)

    await publish_some(api, cast, "More")
    await first.index_of(ctx)

    [later] = tmp_path.iterdir()
    assert later.name > earlier.name
    # The other process still reads the deleted file.
    assert index.article_count == 4
    assert index.segments[0].segment.terms.all()
    assert before[0] == before[1]


async def test_processes_go_on_with_what_one_of_them_has_stored(
    api: Api, cast: Cast, ctx: Ctx, tmp_path: Path
) -> None:
    await publish_some(api, cast)
    processes = [process(tmp_path) for _ in range(2)]
    for each in processes:
        await each.index_of(ctx)
    await publish_some(api, cast, "More")
    await processes[0].index_of(ctx)
    # The other process must read one more change than was stored.
    later = await publish(api(cast.acme.write_key), "Later", "page_size")

    hits = [await hits_of(each, ctx, "page_size") for each in processes]

    [file] = tmp_path.iterdir()
    assert mapped_inodes(tmp_path) == [file.stat().st_ino] * 2
    assert later["id"] in {article_id for article_id, _ in hits[1]}
    assert [len(each) for each in hits] == [9, 9]
    assert [sizes_of((await each.index_of(ctx))[0]) for each in processes] == [[8, 1], [8, 1]]


def sizes_of(index: Index) -> list[int]:
    return [live.size for live in index.segments]


@pytest.mark.parametrize("damage", ["empty", "short", "long", "no index"])
async def test_a_damaged_file_is_not_used_and_made_anew(
    damage: str, api: Api, cast: Cast, ctx: Ctx, tmp_path: Path
) -> None:
    await publish_some(api, cast)
    expected = await hits_of(process(tmp_path), ctx, QUESTION)
    [file] = tmp_path.iterdir()
    whole = file.read_bytes()
    file.unlink()
    damaged = {"empty": b"", "short": whole[:-8], "long": whole + b"\0", "no index": bytes(len(whole))}
    file.write_bytes(damaged[damage])

    assert await hits_of(process(tmp_path), ctx, QUESTION) == expected
    assert file.read_bytes() == whole


async def test_each_process_has_a_copy_if_no_file_can_be_written(
    api: Api, cast: Cast, ctx: Ctx, tmp_path: Path
) -> None:
    await publish_some(api, cast)
    expected = await hits_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, QUESTION)
    (tmp_path / "file").touch()
    only = process(tmp_path / "file")

    with capture_logs() as lines:
        assert await hits_of(only, ctx, QUESTION) == expected
        only.indexes.clear()
        assert await hits_of(only, ctx, QUESTION) == expected

    assert [line["log_level"] for line in lines if "not shared" in line["event"]] == ["warning"]
    assert mapped_inodes(tmp_path) == []


async def test_a_nearly_full_disk_gets_no_files(
    api: Api, cast: Cast, ctx: Ctx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish_some(api, cast)
    expected = await hits_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, QUESTION)
    monkeypatch.setattr(disk, "MIN_FREE_SHARE", 1.1)

    assert await hits_of(process(tmp_path), ctx, QUESTION) == expected
    assert list(tmp_path.iterdir()) == []


async def test_a_small_index_has_no_file(
    api: Api, cast: Cast, ctx: Ctx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish_some(api, cast)
    expected = await hits_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, QUESTION)
    monkeypatch.setattr(limits, "LARGE_INDEX_BYTES", 1_000_000)

    assert await hits_of(process(tmp_path), ctx, QUESTION) == expected
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_starts_empties_the_folder_and_others_keep_what_they_map(tmp_path: Path) -> None:
    settings = Settings.model_validate({"data_dir": tmp_path})
    files, bot_id = IndexFiles(index_folder(settings), LAYOUT), uuid4()
    empty_index_folder(settings)
    files.write(bot_id, SEEN, b"an index")
    mapping = files.open(bot_id, SEEN)

    empty_index_folder(settings)

    assert list(index_folder(settings).iterdir()) == []
    assert mapping is not None
    assert mapping[:] == b"an index"


def test_an_earlier_index_does_not_delete_a_later_one(tmp_path: Path) -> None:
    files, bot_id, other_id = IndexFiles(tmp_path, LAYOUT), uuid4(), uuid4()
    files.write(other_id, SEEN, b"other")
    files.write(bot_id, SEEN + timedelta(microseconds=1), b"later")

    files.write(bot_id, SEEN, b"earlier")

    assert sorted(file.read_bytes() for file in tmp_path.iterdir()) == [b"earlier", b"later", b"other"]
