"""OpenAPI documents as the source of an API reference."""

import json
from typing import Any

import pytest

from instep.transfer.imports.openapi.operation_settings import descriptions_in
from instep.transfer.imports.readers.openapi import READER
from instep.transfer.imports.source.source_files import open_archive
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.import_product_files import page_of
from tests.support.import_sources import Files, losses_of, planned, read_tree
from tests.support.import_trees import outline
from tests.support.limits import SetLimit

DOCUMENT = """\
openapi: 3.1.0
info:
  title: Acme API
  version: 1.10.0
  description: |
    # Welcome

    ```sh
    # not a heading
    ```
servers:
  - url: https://api.acme.example/v1/
tags:
  - name: Orders
    description: Everything about orders
paths:
  /status:
    get:
      responses:
        default: {description: Fine}
  /orders/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string, format: uuid}}
    put:
      tags: [Orders]
      summary: Change an order
      deprecated: true
      security: [{key: []}]
      parameters:
        - {name: limit, in: query, required: true, schema: {type: integer, default: 20}, description: "a | b"}
      requestBody:
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Order'}
      responses:
        '200':
          description: Done
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Order'}}
        '404': {$ref: '#/components/responses/Missing'}
    delete: {x-internal: true, responses: {}}
components:
  securitySchemes:
    key: {type: http, scheme: bearer, description: Send it}
  responses:
    Missing: {description: Not found}
  schemas:
    Base:
      type: object
      required: [state]
      properties:
        state: {type: string, enum: [open, paid]}
    Order:
      allOf:
        - $ref: '#/components/schemas/Base'
        - properties:
            parent: {$ref: '#/components/schemas/Order'}
            lines: {type: array, items: {type: object, properties: {price: {type: number, nullable: true}}}}
"""


def test_each_operation_is_a_page_below_its_tag() -> None:
    tree = read_tree(READER, {"openapi.yaml": DOCUMENT})

    assert outline(tree) == [
        "Acme API > Acme API",
        "Acme API > GET /status",
        "Acme API > Orders > Change an order",
    ]
    overview = tree.pages[0].markdown
    assert overview.startswith("## Welcome\n\n```sh\n# not a heading\n```\n")
    assert "`1.10.0`" in overview
    assert "| `key` | http, bearer | Send it |" in overview
    page = page_of(tree, "openapi.yaml#PUT /orders/{id}")
    assert page.slug == "change-an-order"
    assert "| `limit` | query | integer | **Required.** a \\| b. Default: `20`. |" in page.markdown
    assert "| `state` | string | **Required.** One of `open`, `paid`. |" in page.markdown
    assert "| `lines[].price` | number or null |  |" in page.markdown
    assert "| `parent` | object | Contains 3 more fields. |" in page.markdown
    assert "`parent.state`" not in page.markdown
    assert "| `[].state` | string | One of `open`, `paid`. |" in page.markdown
    assert "| `404` | Not found |" in page.markdown
    assert 'curl -X PUT "https://api.acme.example/v1/orders/{id}?limit=20"' in page.markdown
    assert "Bearer $TOKEN" in page.markdown
    assert losses_of(planned(tree)) == []


@pytest.mark.parametrize(
    ("scheme", "line"),
    [
        ({"type": "apiKey", "in": "header", "name": "X-Key"}, '-H "X-Key: $API_KEY"'),
        (
            {"type": "apiKey", "in": "query", "name": "key"},
            'curl "https://eu.acme.example/orders?key=$API_KEY"',
        ),
        ({"type": "apiKey", "in": "cookie", "name": "key"}, '--cookie "key=$API_KEY"'),
        ({"type": "http", "scheme": "basic"}, '-u "$USER:$PASSWORD"'),
        ({"type": "oauth2"}, '-H "Authorization: Bearer $TOKEN"'),
    ],
)
def test_an_example_signs_in_as_the_operation_requires(scheme: dict[str, Any], line: str) -> None:
    header = {
        "name": "X-Tenant",
        "in": "header",
        "required": True,
        "schema": {"type": "string"},
        "example": "acme",
    }
    document = {
        "openapi": "3.1.0",
        "servers": [{"url": "https://{region}.acme.example", "variables": {"region": {"default": "eu"}}}],
        "security": [{}, {"key": []}],
        "paths": {"/orders": {"get": {"parameters": [header], "responses": {}}}},
        "components": {"securitySchemes": {"key": scheme}},
    }
    page = read_tree(READER, {"api.json": json.dumps(document)}).pages[1].markdown

    assert line in page
    assert '-H "X-Tenant: acme"' in page


def test_swagger_describes_bodies_and_types_in_parameters() -> None:
    order: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string", "example": "Ada"}}}
    document = {
        "swagger": "2.0",
        "host": "api.acme.example",
        "basePath": "/v2",
        "paths": {
            "/orders": {
                "post": {
                    "parameters": [
                        {"name": "body", "in": "body", "schema": {"$ref": "#/definitions/Order"}},
                        {"name": "dry", "in": "query", "type": "boolean"},
                    ],
                    "responses": {"201": {"description": "Made", "schema": {"$ref": "#/definitions/Order"}}},
                }
            }
        },
        "definitions": {"Order": order},
    }
    page = read_tree(READER, {"api.json": json.dumps(document)}).pages[1].markdown

    assert "| `dry` | query | boolean |  |" in page
    assert page.count('{\n  "name": "Ada"\n}') == 3
    assert 'curl -X POST "https://api.acme.example/v2/orders"' in page


def nested(levels: int, leaves: int = 1) -> dict[str, Any]:
    fields: dict[str, Any] = {f"leaf{number}": {"type": "string"} for number in range(leaves)}
    if levels > 1:
        fields["inner"] = {"type": "array", "description": "More", "items": nested(levels - 1, leaves)}
    return {"type": "object", "properties": fields}


def document_with_body(schema: dict[str, Any]) -> str:
    body = {"content": {"application/json": {"schema": schema}}}
    return json.dumps({"openapi": "3.1.0", "paths": {"/a": {"post": {"requestBody": body, "responses": {}}}}})


def page_with_body(schema: dict[str, Any]) -> str:
    return read_tree(READER, {"api.json": document_with_body(schema)}).pages[-1].markdown


def test_settings_do_not_count_the_fields_that_they_leave_out() -> None:
    schemas = [nested(2), nested(2)]
    for leaves, schema in enumerate(schemas, 1):
        schema["properties"]["inner"]["items"]["properties"]["deep"] = nested(1, leaves)

    before, after = (descriptions_in(document_with_body(each).encode(), "api.json") for each in schemas)

    assert before == after


def test_fields_are_listed_on_many_levels_and_others_are_counted() -> None:
    path = "inner[].inner[].inner[].inner[]"
    deep = page_with_body(nested(7, leaves=2))

    assert f"| `{path}.leaf1` | string |  |" in deep
    assert f"| `{path}.inner` | array of object | More. Contains 3 more fields. |" in deep
    wide = page_with_body(nested(3, leaves=60))
    assert "| `leaf59` | string |  |" in wide
    assert "| `inner` | array of object | More. Contains 61 more fields. |" in wide
    assert "left out" not in wide


def test_schemas_that_grow_without_end_are_cut() -> None:
    schemas: dict[str, Any] = {
        f"S{number}": {
            "type": "object",
            "properties": {f"p{each}": {"$ref": f"#/components/schemas/S{number + 1}"} for each in range(30)},
        }
        for number in range(30)
    }
    schemas["Loop"] = {"allOf": [{"$ref": "#/components/schemas/Loop"}] * 3}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}
    loop = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Loop"}}}}
    reference = {"$ref": "#/components/requestBodies/A"}
    document = {
        "openapi": "3.0.0",
        "paths": {
            "/a": {"post": {"requestBody": body, "responses": {}}},
            "/b": {"post": {"requestBody": loop, "responses": {}}},
            "/c": {"post": {"requestBody": reference, "responses": {}}},
        },
        "components": {"schemas": schemas, "requestBodies": {"A": reference}},
    }
    tree = read_tree(READER, {"api.json": json.dumps(document)})

    assert len(tree.pages) == 3
    assert max(len(page.markdown) for page in tree.pages) < 100_000


@pytest.mark.parametrize(
    "content",
    ['{"openapi": ', "openapi: [", "openapi: 3.0.0\nx: &a [*a, *a]\n" + "y: *a\n" * 20_000],
)
def test_a_document_that_cant_be_read_is_named(content: str) -> None:
    with pytest.raises(UnreadableSource, match=r"^api\.yaml "):
        READER.read(Files({"api.yaml": content}))


def test_too_many_operations_are_refused(set_limit: SetLimit) -> None:
    set_limit("MAX_API_OPERATIONS", 1)
    with pytest.raises(UnreadableSource, match="split"):
        READER.read(Files({"openapi.yaml": DOCUMENT}))


def test_a_document_is_read_without_an_archive_under_a_lasting_name() -> None:
    late = json.dumps(
        {"components": {"x-words": "words " * 2_000}, "openapi": "3.0.0", "info": {"description": "A"}}
    )
    for content in (DOCUMENT, f"\ufeff{DOCUMENT}", late):
        files = open_archive(content.encode(), "v2-draft.txt")
        assert READER.read(files).pages[0].key.startswith("openapi.")


def test_a_source_with_pages_keeps_its_own_format() -> None:
    assert not READER.recognises(Files({"openapi.yaml": DOCUMENT, "index.md": "# Hello"}))
