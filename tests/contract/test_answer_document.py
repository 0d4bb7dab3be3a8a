"""GET /openapi.json: the answer API's own description."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from instep.accounts.workspaces.actions import pause_workspace
from instep.app import create_app
from instep.interfaces.reference.visitor_api import describe_visitor_api
from instep.operations.ops.routes import list_routes
from instep.platform.core.config import settings
from instep.platform.core.database import Tx
from instep.platform.web.visitors.errors import TITLES_AND_HINTS
from tests.support.api_document import BASE, assert_valid
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import Response
from tests.support.questions import ask
from tests.support.site_pages import publish
from tests.support.visitors import credentials


@cache
def document() -> Json:
    return describe_visitor_api(create_app().routes, BASE)


def operations() -> Iterator[tuple[str, str, Json]]:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def resolved(part: Json) -> Json:
    while "$ref" in part:
        node: Any = document()
        for name in part["$ref"].removeprefix("#/").split("/"):
            node = node[name]
        part = node
    return part


def validator(schema: Json) -> Draft202012Validator:
    return Draft202012Validator(
        {**schema, "components": document()["components"]}, format_checker=FormatChecker()
    )


async def test_document_is_public_and_cached_by_its_etag(visitor: Client) -> None:
    answer = await visitor.get("/openapi.json")
    again = await visitor.get("/openapi.json", headers={"If-None-Match": answer.headers["ETag"]})

    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert (again.status_code, again.content) == (304, b"")
    body = answer.json()
    assert (body["openapi"], body["info"]["version"]) == ("3.1.0", "1.0.0")
    assert body["servers"] == [{"url": settings().base_url}]
    assert body["paths"].keys() == document()["paths"].keys()


def test_document_is_valid() -> None:
    assert_valid(document())


def test_document_describes_every_route_of_the_answer_api_by_its_action() -> None:
    described = {(method.upper(), path, operation["operationId"]) for method, path, operation in operations()}

    assert described == {
        (row.method, row.path, row.name)
        for row in list_routes(create_app()).results
        if row.path.startswith(("/chat", "/feedback", "/leads", "/widget/")) and row.method != "OPTIONS"
    }


def test_operations_parameters_schemas_and_fields_have_descriptions() -> None:
    for method, path, operation in operations():
        assert operation["summary"], path
        assert operation["description"], path
        for parameter in operation["parameters"]:
            assert parameter["description"], (method, path, parameter)
        declared = {row["name"] for row in operation["parameters"] if row["in"] == "path"}
        assert declared == set(re.findall(r"{(\w+)}", path)), path
    for name, schema in document()["components"]["schemas"].items():
        assert schema["description"], name
        for field, shape in schema["properties"].items():
            assert "$ref" in shape or shape.get("description"), (name, field)


def test_every_example_is_one() -> None:
    count = 0
    for _, _, operation in operations():
        for place in (operation.get("requestBody"), *operation["responses"].values()):
            media = resolved(place or {}).get("content", {}).get("application/json")
            if media:
                validator(media["schema"]).validate(media["example"])
                count += 1
    assert count > 20


def test_every_code_of_a_refusal_is_told() -> None:
    assert document()["components"]["schemas"]["EmbedError"]["properties"]["code"]["enum"] == sorted(
        TITLES_AND_HINTS
    )


def assert_described(answer: Response, method: str, path: str) -> None:
    operation = document()["paths"][path][method]
    described = resolved(operation["responses"][str(answer.status_code)])
    for name in described["headers"]:
        assert name in answer.headers, name
    validator(described["content"]["application/json"]["schema"]).validate(answer.json())


async def test_answers_are_as_it_tells(visitor: Client, api: Api, cast: Cast, owner: Tx) -> None:
    await publish(api(cast.acme.write_key), "Install", "Run the installer.")
    client, keys = visitor, credentials(cast.acme)
    reply = await ask(client, cast.acme, "How do I install?")
    conversation, message = reply["conversationId"], reply["messageId"]
    example = next(
        operation["requestBody"]["content"]["application/json"]["example"]
        for _, _, operation in operations()
        if operation["operationId"] == "ask_question"
    )
    example = {**example, **keys, "conversationId": conversation, "visitor": "ann-7"}
    requests: list[tuple[str, str, Json, int]] = [
        ("/chat", "/chat", example, 200),
        ("/chat", "/chat", keys, 400),
        ("/chat", "/chat", {**keys, "botKey": "pk_wrong"}, 401),
        (
            "/chat/messages/{messageId}/feedback",
            f"/chat/messages/{message}/feedback",
            {**keys, "helpful": True},
            200,
        ),
        (
            "/chat/messages/{messageId}/feedback",
            "/chat/messages/msg_x/feedback",
            {**keys, "helpful": True},
            404,
        ),
        ("/chat/{conversationId}/escalate", f"/chat/{conversation}/escalate", keys, 200),
        ("/leads", "/leads", {**keys, "email": "ann@example.com"}, 201),
        ("/feedback", "/feedback", {**keys, "articleId": "art_x", "helpful": True}, 404),
    ]
    for template, path, body, status in requests:
        answer = await client.post(path, json=body)
        assert answer.status_code == status, answer.text
        assert_described(answer, "post", template)
    config = await client.get(f"/widget/{cast.acme.bot_id}/config", params={"botKey": cast.acme.bot_key})
    assert_described(config, "get", "/widget/{botId}/config")
    nothing = await client.get(
        f"/widget/{cast.acme.bot_id}/articles/art_x", params={"botKey": cast.acme.bot_key}
    )
    assert nothing.status_code == 404
    assert_described(nothing, "get", "/widget/{botId}/articles/{articleId}")

    await pause_workspace(owner, cast.acme.workspace_id)
    refusal = await client.post("/leads", json={**keys, "email": "ann@example.com"})
    assert refusal.status_code == 402
    assert_described(refusal, "post", "/leads")


@pytest.mark.parametrize("name", ["QuestionAsked", "FeedbackGiven", "LeadCreate", "Escalation"])
def test_bodies_take_no_other_fields(name: str) -> None:
    assert document()["components"]["schemas"][name]["additionalProperties"] is False
