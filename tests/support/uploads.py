"""Helpers to upload files, refer to them in texts, and open their URLs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from fastapi import FastAPI

from instep.platform.core.database import Tx
from tests.support.cast import Client, Json
from tests.support.file_samples import picture
from tests.support.http import Response, create_article, created, ok, stranger

FILES = "/v1/files"


async def send(client: Client, data: bytes, name: str = "dashboard.png") -> Response:
    headers = {"Content-Type": "application/octet-stream"}
    return await client.post(FILES, params={"name": name}, content=data, headers=headers)


async def upload(client: Client, data: bytes | None = None, name: str = "dashboard.png") -> Json:
    return created(await send(client, picture() if data is None else data, name))


async def show_in_article(client: Client, file: Json, title: str = "Install", **fields: str) -> Json:
    """Publish an article that shows the file."""
    article = await create_article(
        client, title, contentMarkdown=f"Look: ![The dashboard]({file['url']})", **fields
    )
    return ok(await client.post(f"/v1/articles/{article['id']}/publish"))


async def open_file(app: FastAPI, file: Json, method: str = "GET", **headers: str) -> Response:
    """Request a file without being signed in."""
    async with stranger(app) as visitor:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return await visitor.request(method, file["url"], headers=fields)


async def let_references_be_old(owner: Tx, time: timedelta) -> None:
    """Move the time since which files have been unreferenced back."""
    await owner.execute("update files set unreferenced_since = unreferenced_since - %(time)s", time=time)


async def count_objects(owner: Tx, file: Json) -> int:
    """Count the stored objects in use in the file's workspace; leftovers of uploads don't count."""
    count: int = await owner.value(
        """
        select count(*) from stored_objects where removable_at is null and workspace_id =
            (select workspace_id from bots where id = %(bot)s)
        """,
        bot=file["botId"],
    )
    return count


@asynccontextmanager
async def somebody(app: FastAPI) -> AsyncIterator[Client]:
    async with stranger(app) as visitor:
        yield visitor
