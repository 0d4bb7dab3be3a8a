"""The inputs of the management API that accept text, according to its description."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import Any, Literal
from urllib.parse import quote

from jsonschema import Draft202012Validator

from tests.support.api_document import operation as described
from tests.support.api_document import resolve, validator
from tests.support.api_table import TABLE, Operation
from tests.support.cast import Json

FieldPath = tuple[str | int, ...]
ABSENT = object()
WITH_BODY = [row for row in TABLE if row.body is not None]
# Characters that HTTP does not allow in a header's value (RFC 9110 section 5.5).
NOT_IN_HEADERS = re.compile("[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Place:
    """A parameter of an operation."""

    operation: Operation
    kind: Literal["path", "query", "header"]
    name: str
    # True if the schema limits the values: an id, a time, or one of a few words.
    is_narrow: bool = False

    @property
    def label(self) -> str:
        """The parameter's name, or for ids in the path the kind of object."""
        if self.kind != "path":
            return f"{self.kind} {self.name}"
        return "id below " + self.operation.path.partition(f"/{{{self.name}}}")[0].rpartition("/")[2]


def body_schema(operation: Operation) -> Json:
    body = described(operation.method, operation.template)["requestBody"]
    schema: Json = body["content"]["application/json"]["schema"]
    return schema


@cache
def judge_of(method: str, template: str) -> Draft202012Validator:
    body = described(method, template)["requestBody"]
    return validator(body["content"]["application/json"]["schema"])


def is_allowed(operation: Operation, body: Json) -> bool:
    """True if the description allows the body."""
    return bool(judge_of(operation.method, operation.template).is_valid(body))


def text_fields(operation: Operation) -> list[FieldPath]:
    """Every field of an operation's body that accepts text, including nested fields."""
    return list(dict.fromkeys(leaves(body_schema(operation), ())))


def leaves(schema: Json, path: FieldPath) -> Iterator[FieldPath]:
    schema = resolve(schema)
    for option in map(resolve, schema.get("anyOf", [schema])):
        if option.get("type") == "string":
            yield path
        for name, part in option.get("properties", {}).items():
            yield from leaves(part, (*path, name))
        if "items" in option:
            yield from leaves(option["items"], (*path, 0))


def body_with(operation: Operation, path: FieldPath, text: str) -> Json:
    """The operation's body with a text in one field, in an example that contains it if there is one."""
    example = operation.body or {}
    examples = [example, *resolve(body_schema(operation)).get("examples", [])]
    contains = next((each for each in examples if len(path) > 1 and path[0] in each), example)
    body: Json = with_text(contains, path, text)
    return body


def with_text(value: Any, path: FieldPath, text: str) -> Any:
    """The value with a text at a path, whose objects and lists are added if they are missing."""
    if not path:
        return text
    step, rest = path[0], path[1:]
    if step == 0:
        items = value or [None]
        return [with_text(items[0], rest, text), *items[1:]]
    fields = value or {}
    return fields | {step: with_text(fields.get(step), rest, text)}


def value_at(body: Any, path: FieldPath) -> Any:
    """The value of a field."""
    for step in path:
        if isinstance(body, dict):
            body = body.get(str(step), ABSENT)
        elif isinstance(body, list) and isinstance(step, int):
            body = body[step]
    return body


def text_places() -> dict[str, list[Place]]:
    """All parameters that accept text, by label, each with every operation that has it."""
    places: dict[str, list[Place]] = {}
    for operation in TABLE:
        for place in places_of(operation):
            places.setdefault(place.label, []).append(place)
    return places


def places_of(operation: Operation) -> Iterator[Place]:
    for name in re.findall(r"{(\w+)}", operation.path):
        yield Place(operation, "path", name)
    for parameter in described(operation.method, operation.template)["parameters"]:
        schema = parameter["schema"]
        if parameter["in"] != "path" and schema.get("type") == "string":
            is_narrow = not schema.keys().isdisjoint({"enum", "format"})
            yield Place(operation, parameter["in"], parameter["name"], is_narrow)


def in_turn(places: list[Place], texts: list[str]) -> Iterator[tuple[Place, str]]:
    """Pair each text with one of the operations that have the parameter, in rotation."""
    return zip(cycle(places), texts, strict=False)


def as_segment(text: str) -> str:
    """A text as a percent-encoded path segment; clients would resolve segments of only dots."""
    return quote(text, safe="") if text not in (".", "..") else text.replace(".", "%2E")


def as_header(text: str) -> bytes:
    return NOT_IN_HEADERS.sub("", text).strip().encode()
