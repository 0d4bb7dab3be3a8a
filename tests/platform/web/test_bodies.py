"""Request bodies: JSON objects, strict, of at most 2 MiB."""

import gzip
import json

import pytest

from tests.support.cast import Client
from tests.support.http import all_pages, body_of, error

OPERATIONS = [
    ("POST", "/v1/articles"),
    ("PATCH", "/v1/articles/nothing"),
    ("POST", "/v1/collections"),
    ("PATCH", "/v1/collections/nothing"),
]
JSON = "application/json"
LIMIT = 2 * 1024 * 1024

each = pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)


@each
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"{",
        b"null",
        b"[]",
        b'"title"',
        b"1",
        b"{'title': 'x'}",
        b'{"title": "x",}',
        b'{"title": "x"} {}',
        b'{"title": NaN, "contentMarkdown": ""}',
        b'{"title": "x", "contentMarkdown": "", "position": Infinity}',
        b'{"title": "x", "contentMarkdown": "", "position": -Infinity}',
        b'{"title": "x", "contentMarkdown": "", "position": 1e999}',
        b'{"title": "\\ud800", "contentMarkdown": ""}',
        b'{"title": "\\udc00\\ud800", "contentMarkdown": ""}',
        b'{"title": "\xff", "contentMarkdown": ""}',
        b'{"title": "\xed\xa0\x80", "contentMarkdown": ""}',
        b'{"\\ud800": 1}',
        b'{"\\u0000": 1}',
        '{"title": "x"}'.encode("utf-16"),
        b'{"title": ' + b"[" * 100_000,
        b'{"title": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"title": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}",
    ],
    ids=lambda content: content[:40].decode("latin1"),
)
async def test_bodies_other_than_a_json_object_are_refused(
    client: Client, operation: tuple[str, str], content: bytes
) -> None:
    method, path = operation

    refusal = await client.request(method, path, content=content, headers={"Content-Type": JSON})

    assert error(refusal) == (400, "invalid_request")
    assert "Traceback" not in refusal.text
    assert await all_pages(client, "/v1/articles") == await all_pages(client, "/v1/collections") == []


@each
@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml", "json", ""],
)
async def test_another_content_type_is_refused(client: Client, operation: tuple[str, str], kind: str) -> None:
    method, path = operation
    content = json.dumps({"title": "x", "contentMarkdown": ""}).encode()

    refusal = await client.request(method, path, content=content, headers={"Content-Type": kind})

    assert error(refusal) == (400, "invalid_request")
    assert JSON in body_of(refusal)["error"]


async def test_a_body_without_a_content_type_is_refused(client: Client) -> None:
    refusal = await client.post("/v1/collections", content=b'{"title": "x"}')

    assert error(refusal) == (400, "invalid_request")


async def test_a_compressed_body_is_refused(client: Client) -> None:
    headers = {"Content-Type": JSON, "Content-Encoding": "gzip"}

    refusal = await client.post("/v1/collections", content=gzip.compress(b'{"title": "x"}'), headers=headers)

    assert error(refusal) == (400, "invalid_request")
    assert "uncompressed" in body_of(refusal)["error"]


async def test_json_is_taken_with_a_charset_and_in_any_case(client: Client) -> None:
    for kind in ("application/json; charset=utf-8", "Application/JSON"):
        content = '{"title": "é\\ud83d\\ude00"}'.encode()
        answer = await client.post("/v1/collections", content=content, headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["title"]) == (201, "é😀")


@each
async def test_a_body_over_2_mib_is_refused(client: Client, operation: tuple[str, str]) -> None:
    method, path = operation
    content = b'{"title": "x"}'.ljust(LIMIT + 1)

    refusal = await client.request(method, path, content=content, headers={"Content-Type": JSON})

    assert error(refusal) == (400, "invalid_request")


async def test_a_body_of_2_mib_is_taken(client: Client) -> None:
    content = b'{"title": "x"}'.ljust(LIMIT)

    answer = await client.post("/v1/collections", content=content, headers={"Content-Type": JSON})

    assert answer.status_code == 201


async def test_bodies_of_operations_that_take_none_are_ignored(client: Client) -> None:
    await client.post("/v1/articles", json={"title": "Install", "contentMarkdown": ""})

    assert (await client.post("/v1/articles/install/publish", content=b"{")).status_code == 200
