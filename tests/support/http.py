"""Helpers for the management API: clients with their own addresses, initial rows, and refusals."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx2
from fastapi import FastAPI

from tests.support.cast import Client, Json

Result = TypeVar("Result")
Response = httpx2.Response

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
ID = r"_[0-9a-z]{26}"


@asynccontextmanager
async def stranger(app: FastAPI, key: str | None = None) -> AsyncIterator[Client]:
    """A client with its own address: calls without a valid key are counted per address."""
    address = f"198.51.100.{secrets.randbelow(256)}:{secrets.token_hex(4)}"
    headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
    transport = httpx2.ASGITransport(app, client=(address, 1))
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://help.test", headers=headers
    ) as client:
        yield client


async def create_article(client: Client, title: str = "Install", **fields: Any) -> Json:
    body = {"title": title, "contentMarkdown": "Run it.", **fields}
    return created(await client.post("/v1/articles", json=body))


async def create_collection(client: Client, title: str = "Guides", **fields: Any) -> Json:
    return created(await client.post("/v1/collections", json={"title": title, **fields}))


def created(response: Response) -> Json:
    assert response.status_code == 201, response.text
    return body_of(response)


def ok(response: Response) -> Json:
    assert response.status_code == 200, response.text
    return body_of(response)


def body_of(response: Response) -> Json:
    body: Json = response.json()
    return body


def error(response: Response) -> tuple[int, str]:
    """The status and the code; the body must contain a sentence and at most `details` besides."""
    body = body_of(response)
    assert body["error"].strip()
    assert body.keys() - {"details"} == {"error", "code"}
    return response.status_code, body["code"]


def named_fields(response: Response) -> list[str]:
    """The fields named in a refusal of invalid values."""
    assert error(response) == (400, "invalid_request")
    details = body_of(response)["details"]
    assert all(detail.keys() == {"field", "message"} and detail["message"] for detail in details)
    return [detail["field"] for detail in details]


async def all_pages(client: Client, path: str, **params: Any) -> list[Json]:
    """All rows of a list, read page by page."""
    rows: list[Json] = []
    async for page in pages(client, path, **params):
        rows += page
    return rows


async def pages(client: Client, path: str, **params: Any) -> AsyncIterator[list[Json]]:
    cursor: Json = {}
    while True:
        page = ok(await client.get(path, params={**params, **cursor}))
        assert page.keys() == {"results", "has_more", "next_cursor"}
        assert page["has_more"] is (page["next_cursor"] is not None)
        yield page["results"]
        if not page["has_more"]:
            return
        cursor = {"start_cursor": page["next_cursor"]}


async def at_once(count: int, ask: Callable[[int], Awaitable[Result]]) -> list[Result]:
    return list(await asyncio.gather(*(ask(number) for number in range(count))))
