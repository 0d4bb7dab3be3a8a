"""GET /v1/openapi.json and /docs/api: the API's own description."""

import re
from typing import get_args

from instep.app import create_app
from instep.notifications.webhooks.schemas import EventKind
from instep.operations.ops.routes import list_routes
from instep.platform.core.config import settings
from tests.support.api_document import assert_valid, document, resolve, validator
from tests.support.cast import Client, Json


async def test_document_is_public_and_cached_by_its_etag(visitor: Client) -> None:
    answer = await visitor.get("/v1/openapi.json")
    again = await visitor.get("/v1/openapi.json", headers={"If-None-Match": answer.headers["ETag"]})

    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert (again.status_code, again.content) == (304, b"")
    body = answer.json()
    assert (body["openapi"], body["info"]["version"]) == ("3.1.0", "1.0.0")
    assert body["servers"] == [{"url": f"{settings().base_url}/v1"}]
    assert body.keys() == document().keys()


def test_document_is_valid() -> None:
    assert_valid(document())


def test_operation_ids_are_the_names_of_the_actions() -> None:
    names = [operation["operationId"] for _, operation in operations()]
    actions = {
        route.name
        for route in list_routes(create_app()).results
        if route.path.startswith("/v1/") and route.access != "public"
    }

    assert len(names) == len(set(names))
    assert set(names) == actions


def test_every_parameter_has_a_type_and_says_what_it_is() -> None:
    for path, operation in operations():
        for parameter in operation["parameters"]:
            assert parameter["description"], (path, parameter)
            assert parameter["schema"].keys() & {"type", "enum", "anyOf"}, (path, parameter)
            assert {"type": "null"} not in parameter["schema"].get("anyOf", ()), (path, parameter)


def test_every_path_parameter_is_declared() -> None:
    for path, operation in operations():
        declared = {row["name"] for row in operation["parameters"] if row["in"] == "path"}
        assert declared == set(re.findall(r"{(\w+)}", path)), path


def test_every_refusal_is_described_with_its_shape_and_headers() -> None:
    for path, operation in operations():
        statuses = operation["responses"].keys()
        assert statuses >= {"400", "401", "403", "429", "500", "503"}, path
        for status, response in operation["responses"].items():
            described = resolve(response)
            if status.startswith(("2", "4")):
                assert described["headers"].keys() >= {"Request-Id", "RateLimit", "RateLimit-Policy"}
            if status.startswith(("4", "5")):
                schema = described["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Error"}
        assert "Retry-After" in resolve(operation["responses"]["429"])["headers"]
        assert "422" not in statuses


def test_every_example_fits_its_shape() -> None:
    for path, operation in operations():
        places = [operation.get("requestBody", {}), *map(resolve, operation["responses"].values())]
        for place in places:
            for media in place.get("content", {}).values():
                assert media["example"], path
                validator(media["schema"]).validate(media["example"])


def test_no_field_of_a_body_has_a_default_since_generators_would_require_it() -> None:
    for name, schema in document()["components"]["schemas"].items():
        if schema.get("additionalProperties") is False:
            defaults = [field for field, below in schema["properties"].items() if "default" in below]
            assert defaults == [], name


def test_every_link_leads_to_an_operation_that_takes_what_it_brings() -> None:
    names_in_use = {
        operation["operationId"]: {row["name"] for row in operation["parameters"] if row["in"] == "path"}
        for _, operation in operations()
    }
    links = [
        link
        for _, operation in operations()
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    ]

    assert len(links) > 30
    for link in links:
        assert link["parameters"].keys() == names_in_use[link["operationId"]], link


def test_every_event_of_the_specification_is_described() -> None:
    kinds = {
        *("article.published", "article.updated", "article.unpublished", "article.deleted"),
        *("edit.proposed", "draft.created", "changelog_entry.published", "task.completed"),
        *("place.created", "place.resolved", "conversation.escalated", "lead.created"),
    }

    assert kinds == set(get_args(EventKind))
    assert document()["webhooks"].keys() == kinds | {"webhook.test"}
    for webhook in document()["webhooks"].values():
        headers = {row["name"] for row in webhook["post"]["parameters"]}
        assert headers == {"service-event", "service-delivery", "service-attempt", "service-signature"}
        example = webhook["post"]["requestBody"]["content"]["application/json"]["example"]
        assert example["id"].startswith("evt_")
        assert example["actor"] == {"type": "api_key", "name": "ci"}


async def test_the_page_shows_every_operation_and_every_shape(visitor: Client) -> None:
    page = await visitor.get("/docs/api")

    assert page.status_code == 200
    assert "<script" not in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    for _, operation in operations():
        assert f'id="{operation["operationId"]}"' in page.text
    for name in document()["components"]["schemas"]:
        assert f'<article id="{name}">' in page.text or name == "Error"


def operations() -> list[tuple[str, Json]]:
    return [
        (path, operation)
        for path, operations in document()["paths"].items()
        for operation in operations.values()
    ]
