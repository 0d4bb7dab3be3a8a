"""Unknown paths and methods of the API, and failures, which leak nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastapi import FastAPI

from instep.app import put_into
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Row, Tx
from instep.runtime import Runtime
from tests.support.cast import Client
from tests.support.http import body_of, create_article, error


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    "path",
    ["/v1/", "/v1/nothing", "/v1/articles/a/b/c", "/v1/articles/a/publish/b", "/v1/%00", "/v1/../v1/x"],
)
async def test_an_unknown_address_is_not_found(client: Client, method: str, path: str) -> None:
    refusal = await client.request(method, path)

    assert error(refusal) == (404, "not_found")
    assert refusal.headers["Request-Id"]


async def test_the_prefix_itself_is_not_found_in_json(client: Client) -> None:
    assert error(await client.get("/v1")) == (404, "not_found")


async def test_a_slash_too_many_is_another_address(client: Client) -> None:
    assert error(await client.get("/v1/articles/")) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/articles", {"GET", "POST"}),
        ("DELETE", "/v1/articles", {"GET", "POST"}),
        ("PUT", "/v1/articles/install", {"GET", "PATCH", "DELETE"}),
        ("POST", "/v1/articles/install", {"GET", "PATCH", "DELETE"}),
        ("PATCH", "/v1/articles/search", {"GET"}),
        ("OPTIONS", "/v1/articles/search", {"GET"}),
        ("GET", "/v1/articles/install/publish", {"POST"}),
        ("PATCH", "/v1/collections", {"GET", "POST"}),
        ("POST", "/v1/collections/guides", {"GET", "PATCH", "DELETE"}),
        ("POST", "/v1/articles/install/revisions", {"GET"}),
        ("DELETE", "/v1/bots", {"GET"}),
        ("OPTIONS", "/v1/bots", {"GET"}),
        ("BREW", "/v1/articles", {"GET", "POST"}),
    ],
)
async def test_another_method_is_refused_with_all_that_are_allowed(
    client: Client, method: str, path: str, allowed: set[str]
) -> None:
    refusal = await client.request(method, path)

    assert error(refusal) == (405, "method_not_allowed")
    assert set(refusal.headers["Allow"].split(", ")) - {"HEAD"} == allowed
    assert refusal.headers["Request-Id"]


async def test_head_is_answered_like_get(client: Client) -> None:
    await create_article(client, "Install")
    for path in ("/v1/articles", "/v1/articles/install", "/v1/nothing"):
        answers = [await client.request(method, path) for method in ("GET", "HEAD")]
        seen = [
            (answer.status_code, answer.headers["Content-Length"], answer.headers.get("ETag"))
            for answer in answers
        ]
        assert seen[0] == seen[1]


@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/nothing"), ("PUT", "/v1/articles")])
async def test_rate_headers_are_there_too(client: Client, method: str, path: str) -> None:
    refusal = await client.request(method, path)

    assert refusal.headers["RateLimit-Policy"] == '"api";q=120;w=60'


async def test_each_answer_has_an_id_of_its_own(reader: Client) -> None:
    ids = {(await reader.get(path)).headers["Request-Id"] for path in ("/v1/bots", "/v1/bots", "/v1/x")}

    assert len(ids) == 3


async def test_answers_are_compressed_when_asked(client: Client) -> None:
    await create_article(client, contentMarkdown="again " * 1_000)

    packed = await client.get("/v1/articles/install", headers={"Accept-Encoding": "gzip"})
    plain = await client.get("/v1/articles/install", headers={"Accept-Encoding": "identity"})

    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert packed.json() == plain.json()


async def test_a_failure_tells_its_id_and_nothing_else(app: FastAPI, reader: Client) -> None:
    put_into(app, Runtime(settings(), Broken(), b"x"))

    answers = [await reader.get(path) for path in ("/v1/articles", "/v1/bots", "/v1/drafts/edit_1")]
    answers.append(await reader.post("/v1/articles", json={"title": "x", "contentMarkdown": ""}))

    for answer in answers:
        assert error(answer) == (500, "internal_error")
        assert "secret" not in answer.text + str(answer.headers)
        assert body_of(answer).keys() == {"error", "code"}
        assert answer.headers["Request-Id"]


class Broken(Database):
    """A database whose errors contain more than a caller may know."""

    def __init__(self) -> None:
        pass

    @asynccontextmanager
    async def enter(
        self, kind: type[Row], sql: str, /, **params: Any
    ) -> AsyncIterator[tuple[Row | None, Tx]]:
        raise RuntimeError(f"secret: {sql}")
        yield
