"""A client syncs with `updated_since` while six writers work, as documented: it misses no change."""

from asyncio import Future, gather
from dataclasses import dataclass, field
from itertools import cycle

import pytest

from tests.races.conftest import Call
from tests.races.servers import PROCESSES
from tests.support.cast import Client, Json
from tests.support.http import all_pages, create_article, create_collection, ok

WRITERS = 6
LIST = "/v1/articles"


@dataclass
class Copy:
    """A client's copy; each sync asks for changes since the newest one seen."""

    readers: list[Client]
    page_size: int
    since: str = "2020-01-01T00:00:00.000Z"
    rows: dict[str, Json] = field(default_factory=dict)

    async def keep_in_step(self, writing: Future[list[int]]) -> int:
        """Sync until a round has started after the last change; return the number of rounds."""
        rounds = 0
        for reader in cycle(self.readers):
            is_last = writing.done()
            await self.sync(reader)
            rounds += 1
            if is_last:
                break
        return rounds

    async def sync(self, reader: Client) -> None:
        for row in await all_pages(reader, LIST, updated_since=self.since, page_size=self.page_size):
            self.rows[row["id"]] = row
            self.since = max(self.since, row["updatedAt"])


@pytest.mark.parametrize("versions", [150, pytest.param(5_000, marks=pytest.mark.races)])
async def test_no_last_state_of_a_row_is_missed(caller: Call, versions: int) -> None:
    writers = [await caller(number) for number in range(WRITERS)]
    readers = [await caller(number) for number in range(PROCESSES)]
    copies = [Copy(readers, page_size) for page_size in (5, 100)]

    writing = gather(*(write(client, versions / WRITERS) for client in writers))
    rounds = await gather(*(copy.keep_in_step(writing) for copy in copies))

    assert sum(await writing) >= versions
    assert min(rounds) > 3
    rows = await all_pages(readers[0], LIST, page_size=100)
    for copy in copies:
        missed = [row["id"] for row in rows if copy.rows.get(row["id"]) != row]
        assert not missed, f"{len(missed)} of {len(rows)} rows missed: {missed[:3]}"


async def write(client: Client, versions: float) -> int:
    """Write few versions of many rows, so that a missed change is not made up for by a later one."""
    write_count = 0
    while write_count < versions:
        guides = await create_collection(client)
        for number in range(4):
            article = await create_article(client, collectionId=guides["id"])
            path = f"{LIST}/{article['id']}"
            write_count += 1
            if number % 2:
                ok(await client.patch(path, json={"contentMarkdown": f"Text {write_count}."}))
                ok(await client.post(f"{path}/publish"))
                write_count += 2
        ok(await client.delete(f"/v1/collections/{guides['id']}"))
        ok(await client.delete(path))
        ok(await client.post(f"{path}/restore"))
        write_count += 6
    return write_count
