"""Invalid, odd and valid JSON as the body of every operation that accepts one."""

import json
from pathlib import Path

import pytest

from tests.corpora.places import WITH_BODY, body_schema
from tests.corpora.requests import Sender
from tests.support.api_document import document, resolve
from tests.support.api_table import TABLE, Operation
from tests.support.http import Response, error

pytestmark = pytest.mark.corpora
JSON_TYPE = "application/json"
JSON = {"Content-Type": JSON_TYPE}
NO_JSON = ("not valid JSON", "is missing")

each = pytest.mark.parametrize("operation", WITH_BODY, ids=lambda row: f"{row.method} {row.path}")


def test_every_operation_that_needs_a_body_is_met() -> None:
    described = {
        (method.upper(), path)
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
        if (body := operation.get("requestBody")) and body.get("required") and JSON_TYPE in body["content"]
    }

    assert {(row.method, row.template) for row in WITH_BODY} == described
    assert len(TABLE) > len(WITH_BODY) > 10


@each
async def test_invalid_json_is_refused_as_such(corpora: Path, sender: Sender, operation: Operation) -> None:
    for name, content in files(corpora, "n_*.json"):
        answer = await sender.send(operation, content=content, headers=JSON)

        assert error(answer) == (400, "invalid_request"), name
        assert says_no_json(answer), (name, answer.text)


@each
async def test_json_is_read(corpora: Path, sender: Sender, operation: Operation) -> None:
    """The values may be refused, but not the JSON syntax."""
    for name, content in files(corpora, "y_*.json"):
        answer = await sender.send(operation, content=content, headers=JSON)

        assert not says_no_json(answer), (name, answer.text)


@each
async def test_odd_json_gets_an_answer_that_is_described(
    corpora: Path, sender: Sender, operation: Operation
) -> None:
    for _, content in [*files(corpora, "i_*.json"), *files(corpora, "transform/*.json")]:
        await sender.send(operation, content=content, headers=JSON)

    assert sender.faults == []


@each
async def test_odd_values_in_every_field_get_an_answer_that_is_described(
    corpora: Path, sender: Sender, operation: Operation
) -> None:
    """Each field gets the odd value itself and, if it is a list, the list's contents."""
    for field in resolve(body_schema(operation))["properties"]:
        for _, content in [*files(corpora, "i_*.json"), *files(corpora, "transform/*.json")]:
            inner = content.strip().removeprefix(b"[").removesuffix(b"]")
            for value in (content, inner):
                await sender.send(operation, content=body_around(operation, field, value), headers=JSON)

    assert sender.faults == []


def body_around(operation: Operation, field: str, value: bytes) -> bytes:
    """The operation's body with raw bytes as the value of one field."""
    others = {name: json.dumps(value_sent).encode() for name, value_sent in (operation.body or {}).items()}
    pairs = [
        json.dumps(name).encode() + b": " + value_sent
        for name, value_sent in (others | {field: value}).items()
    ]
    return b"{" + b", ".join(pairs) + b"}"


def says_no_json(answer: Response) -> bool:
    return answer.status_code == 400 and any(words in str(answer.json()["error"]) for words in NO_JSON)


def files(corpora: Path, pattern: str) -> list[tuple[str, bytes]]:
    files = [(file.name, file.read_bytes()) for file in sorted((corpora / "json").glob(pattern))]
    assert len(files) > 10
    return files
