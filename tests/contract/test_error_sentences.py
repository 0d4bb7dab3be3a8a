"""A refusal of any invalid value names one of our fields and says in our words what it must be."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from pydantic import BaseModel, ValidationError

from instep.app import create_app
from instep.platform.web.errors import DEFAULT_SENTENCE, invalid_values
from instep.platform.web.shapes import Body
from tests.support.api_document import document, resolve
from tests.support.cast import Client, Json
from tests.support.http import body_of, error

# Field names as in the shapes: camelCase, with indexes for list entries.
FIELD = re.compile(r"[a-z][A-Za-z0-9]*(\.([a-z][A-Za-z0-9]*|\d+))*")
INTERNAL = re.compile(
    r"literal\[|function-|union|tagged|type=|pydantic|Input should|should have|\bstr\b|\bint\b|nullable|None"
)
HUGE = 10**20
BAD: list[Any] = [
    *(None, True, 5, 1.5, -1, HUGE, float("inf"), "", " ", "x", "\0", "x" * 1_000_001, "2026-13-01"),
    *([], [1], [None], ["x"], ["x"] * 101, [[]], [{}], {}, {"field": 1}),
]


def shapes() -> list[type[Body]]:
    create_app()
    return sorted(set(below(Body)), key=lambda shape: f"{shape.__module__}.{shape.__name__}")


def below(shape: type[Body]) -> Iterator[type[Body]]:
    for subclass in shape.__subclasses__():
        yield subclass
        yield from below(subclass)


def places(value: Any) -> Iterator[Any]:
    """The value itself, in a list, and as fields of a task's body."""
    yield from (value, [value], dict.fromkeys(("kind", "title", "diff", "body", "instructions"), value))


def bodies(shape: type[BaseModel]) -> Iterator[Json]:
    for name, field in shape.model_fields.items():
        for bad in BAD:
            for value in places(bad):
                yield {field.alias or name: value}


def problems_of(shape: type[BaseModel], body: Json) -> list[Json]:
    try:
        shape.model_validate(body)
    except ValidationError as error:
        return [{**problem, "loc": ("body", *problem["loc"])} for problem in error.errors()]
    return []


@pytest.mark.parametrize("shape", shapes(), ids=lambda shape: shape.__name__)
def test_no_refusal_of_a_body_speaks_of_the_validator(shape: type[Body]) -> None:
    for body in bodies(shape):
        for problem in problems_of(shape, body):
            refusal = invalid_values([problem])
            [(field, sentence)] = refusal.details
            assert FIELD.fullmatch(field), (field, body)
            assert sentence != DEFAULT_SENTENCE, (problem["type"], field)
            assert not INTERNAL.search(refusal.message), refusal.message


def typed_parameters() -> dict[str, tuple[str, str]]:
    """Each query parameter that is not plain text, by name, with an operation that accepts it."""
    places: dict[str, tuple[str, str]] = {}
    for path, methods in document()["paths"].items():
        for parameter in map(resolve, methods.get("get", {}).get("parameters", ())):
            is_plain = parameter["schema"].keys() <= {"type", "examples"}
            if parameter["in"] == "query" and not is_plain:
                places.setdefault(parameter["name"], (path, parameter["name"]))
    return places


@pytest.mark.parametrize(("path", "name"), typed_parameters().values(), ids=typed_parameters())
async def test_no_refusal_of_a_parameter_speaks_of_the_validator(
    reader: Client, path: str, name: str
) -> None:
    needed = {"q": "install"} if path.endswith("/search") else {}
    for value in ("", "x", "-1", str(HUGE), "2026-13-01", "2026-01-01T00:00:00", "\0"):
        answer = await reader.get(f"/v1{path}", params={**needed, name: value})

        assert answer.status_code in (200, 400, 403, 404), answer.text
        if answer.status_code == 400:
            assert not INTERNAL.search(answer.text), answer.text
            assert DEFAULT_SENTENCE not in answer.text


async def test_an_unknown_kind_of_events_is_told_in_full(app: FastAPI, client: Client) -> None:
    body = {"url": "https://example.com/hooks", "events": ["article.publish"]}

    refusal = await client.post("/v1/webhooks", json=body)

    assert error(refusal) == (400, "invalid_request")
    [detail] = body_of(refusal)["details"]
    assert detail["field"] == "events.0"
    for kind in ("'article.published'", "'lead.created'", "'*'"):
        assert kind in detail["message"]


@pytest.mark.parametrize(
    ("url", "added"),
    [
        ("https://10.1.2.3/hooks", "10.1.2.3"),
        ("https://[fd12::1]/hooks", "fd12::1"),
        ("https://hooks.internal/a", "hooks.internal"),
        ("http://example.com/hooks", "example.com"),
    ],
)
async def test_a_closed_address_says_how_it_is_opened(client: Client, url: str, added: str) -> None:
    refusal = await client.post("/v1/webhooks", json={"url": url, "events": ["*"]})

    assert error(refusal) == (400, "invalid_request")
    assert f"adds {added} to INSTEP_WEBHOOK_ALLOW" in body_of(refusal)["error"]


async def test_an_address_that_nothing_opens_does_not_say_so(client: Client) -> None:
    body = {"url": "https://169.254.169.254/latest", "events": ["*"]}

    refusal = await client.post("/v1/webhooks", json=body)

    assert "INSTEP_WEBHOOK_ALLOW" not in body_of(refusal)["error"]
