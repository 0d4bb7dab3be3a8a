"""A client pages through a list while eight writers change rows: it sees each unchanged row exactly once."""

from asyncio import Event, TaskGroup, gather
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count, cycle
from secrets import token_hex

import pytest

from tests.races.conftest import Call
from tests.races.servers import PROCESSES
from tests.support.cast import Client, Json
from tests.support.changes import change, send
from tests.support.former_links import REDIRECTS, redirect
from tests.support.http import create_article, create_collection, created, ok
from tests.support.uploads import upload

WRITERS = 8
Write = Callable[[Client, str, int], Awaitable[None]]
of_rows = pytest.mark.parametrize("rows", [40, pytest.param(800, marks=pytest.mark.races)])


@of_rows
async def test_articles(caller: Call, rows: int) -> None:
    """A quarter of the articles share a modification time because their collection was deleted last."""
    author = await caller(0)
    guides = await create_collection(author)
    together = {"collectionId": guides["id"]}
    moving = [
        (await create_article(author, f"Article {number}", **together if number % 4 == 0 else {}))["id"]
        for number in range(rows)
    ][1::2]
    ok(await author.delete(f"/v1/collections/{guides['id']}"))

    async def write(client: Client, row: str, number: int) -> None:
        ok(await client.patch(f"/v1/articles/{row}", json={"contentMarkdown": f"Text {number}."}))
        path = f"/v1/articles/{(await create_article(client, 'New'))['id']}"
        ok(await client.post(f"{path}/publish"))
        ok(await client.post(f"{path}/unpublish"))
        ok(await client.delete(path))

    await assert_walks_are_complete_while_writing(caller, "/v1/articles", (1, 7, 20, 100), moving, write)


@of_rows
async def test_drafts(caller: Call, rows: int) -> None:
    author = await caller(0)
    path = f"/v1/articles/{(await create_article(author))['id']}"

    async def propose(client: Client, text: str) -> str:
        draft = created(await client.post(f"{path}/drafts", json={"contentMarkdown": text}))
        return f"{draft['id']}"

    moving = [await propose(author, f"Text {number}.") for number in range(rows)][1::2]

    async def write(client: Client, row: str, number: int) -> None:
        ok(await client.patch(f"/v1/drafts/{row}", json={"contentMarkdown": f"{row} {number}."}))
        for verb in ("apply", "dismiss"):
            new = await propose(client, f"{verb} {row} {number}.")
            # Eight drafts of one article are applied at once; each must overwrite the text, not be merged
            # into it.
            body = {"onConflict": "overwrite"} if verb == "apply" else None
            ok(await client.post(f"/v1/drafts/{new}/{verb}", json=body))

    await assert_walks_are_complete_while_writing(caller, "/v1/drafts", (7,), moving, write)


@of_rows
async def test_collections(caller: Call, rows: int) -> None:
    author = await caller(0)
    moving = [(await create_collection(author, f"Collection {number}"))["id"] for number in range(rows)][1::2]

    async def write(client: Client, row: str, number: int) -> None:
        path = f"/v1/collections/{(await create_collection(client, 'New'))['id']}"
        place = {"sortOrder": hash((row, number)) % rows}
        ok(await client.patch(path, json=place))
        ok(await client.patch(f"/v1/collections/{row}", json=place))
        ok(await client.delete(path))

    await assert_walks_are_complete_while_writing(caller, "/v1/collections", (7,), moving, write)


@of_rows
async def test_redirects(caller: Call, rows: int) -> None:
    author = await caller(0)
    for number in range(rows):
        await redirect(author, f"/old/{number}")

    async def write(client: Client, row: str, number: int) -> None:
        new = await redirect(client, f"/{token_hex(8)}/*")
        ok(await client.delete(f"{REDIRECTS}/{new['id']}"))

    await assert_walks_are_complete_while_writing(caller, REDIRECTS, (7,), ["none of these"], write)


@of_rows
async def test_tasks(caller: Call, rows: int) -> None:
    author = await caller(0)
    for _ in range(rows):
        await send(author)

    async def write(client: Client, row: str, number: int) -> None:
        answer = await client.post("/v1/tasks", json=change(title=f"Change {number}"))
        assert answer.status_code == 202, answer.text

    await assert_walks_are_complete_while_writing(caller, "/v1/tasks", (7,), ["none of these"], write)


@of_rows
async def test_files(caller: Call, rows: int) -> None:
    author = await caller(0)
    for number in range(rows):
        await upload(author, f"File {number}.".encode(), "notes.txt")

    async def write(client: Client, row: str, number: int) -> None:
        file = await upload(client, f"{client.headers['authorization']} {number}.".encode(), "notes.txt")
        ok(await client.delete(f"/v1/files/{file['id']}"))

    await assert_walks_are_complete_while_writing(caller, "/v1/files", (7,), ["none of these"], write)


async def assert_walks_are_complete_while_writing(
    caller: Call, path: str, sizes: tuple[int, ...], moving: list[str], write: Write
) -> None:
    readers = [await caller(number) for number in range(PROCESSES)]
    stayed = [row for row in await read_list(readers, path, 100) if row not in moving]
    async with writing(caller, moving, write) as progress:
        await gather(*(walk(readers, path, size, stayed, progress) for size in sizes))


@asynccontextmanager
async def writing(caller: Call, moving: list[str], write: Write) -> AsyncIterator[list[int]]:
    """Run eight writers until the block ends; yields the number of writes of each so far."""
    progress = [0] * WRITERS
    stop = Event()
    clients = [await caller(number) for number in range(WRITERS)]

    async def work(writer: int) -> None:
        for number in count():
            if stop.is_set():
                return
            await write(clients[writer], moving[(number * WRITERS + writer) % len(moving)], number)
            progress[writer] += 1

    # The group also ends the block if a writer fails.
    async with TaskGroup() as group:
        for writer in range(WRITERS):
            group.create_task(work(writer))
        try:
            yield progress
        finally:
            stop.set()


async def walk(readers: list[Client], path: str, size: int, stayed: list[str], progress: list[int]) -> None:
    """Read the whole list repeatedly until every writer has written in the meantime."""
    at_first = list(progress)
    while any(now == before for now, before in zip(progress, at_first, strict=True)):
        ids = [row for row in await read_list(readers, path, size) if row in stayed]
        assert Counter(ids) == Counter(stayed), f"{path} by {size} repeats or misses rows that stay"
        assert ids == stayed


async def read_list(readers: list[Client], path: str, size: int) -> list[str]:
    """The ids of all rows; each page is read from the next process."""
    ids: list[str] = []
    cursor: Json = {}
    for reader in cycle(readers):
        page = ok(await reader.get(path, params={"page_size": size, **cursor}))
        assert len(page["results"]) == size or not page["has_more"]
        ids += [row["id"] for row in page["results"]]
        if not page["has_more"]:
            return ids
        cursor = {"start_cursor": page["next_cursor"]}
    raise AssertionError("a list has an end")
