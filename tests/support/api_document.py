"""The API description as readers get it, and checks of responses against it."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator import validate as validate_document

from instep.app import create_app
from instep.interfaces.reference.document import describe_api
from tests.support.cast import Json
from tests.support.http import Response

BASE = "http://help.test"


@cache
def document() -> Json:
    return describe_api(create_app().routes, BASE)


def operation(method: str, template: str) -> Json:
    description: Json = document()["paths"][template][method.lower()]
    return description


def assert_valid(description: Json) -> None:
    """Assert that the description is a valid OpenAPI 3.1 document."""
    validate_document(description, cls=OpenAPIV31SpecValidator)


def assert_described(answer: Response, method: str, template: str) -> None:
    """Assert that the description documents the response's status, headers and body."""
    described = resolve(operation(method, template)["responses"][str(answer.status_code)])
    for name, header in described.get("headers", {}).items():
        if name in answer.headers:
            schema = resolve(header)["schema"]
            value: Any = answer.headers[name]
            validator(schema).validate(int(value) if schema["type"] == "integer" else value)
    for name in ("Request-Id", "RateLimit", "RateLimit-Policy"):
        assert name in answer.headers
        assert name in described["headers"]
    if "content" in described:
        assert answer.headers["Content-Type"] == "application/json"
        validator(described["content"]["application/json"]["schema"]).validate(answer.json())
    else:
        assert answer.content == b""


def validator(schema: Json) -> Draft202012Validator:
    whole = {**schema, "components": document()["components"]}
    return Draft202012Validator(whole, format_checker=FormatChecker())


def resolve(part: Json) -> Json:
    while "$ref" in part:
        reference = part["$ref"].removeprefix("#/").split("/")
        part = document()
        for name in reference:
            part = part[name]
    return part
