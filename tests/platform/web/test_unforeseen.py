"""Unexpected errors: the caller gets an id to report, and no details."""

from collections.abc import AsyncIterator

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.site_pages import without_own_style


@pytest.fixture
async def broken(owner: Tx) -> AsyncIterator[None]:
    """A database that lacks a table."""
    await owner.execute("alter table collections rename to collections_away")
    yield
    await owner.execute("alter table collections_away rename to collections")


async def test_the_api_answers_500_in_json_with_an_id_and_its_limits(reader: Client, broken: None) -> None:
    answer = await reader.get("/v1/collections")

    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert answer.headers["Request-Id"]
    assert "RateLimit" in answer.headers
    assert "collections" not in answer.text


async def test_a_page_answers_500_as_a_page_with_an_id(visitor: Client, cast: Cast, broken: None) -> None:
    answer = await visitor.get(f"/help/{cast.acme.slug}/")

    assert (answer.status_code, answer.headers["Content-Type"]) == (500, "text/html; charset=utf-8")
    assert answer.headers["Request-Id"]
    assert "<h1>Error</h1>" in answer.text
    assert "collections" not in without_own_style(answer.text)
