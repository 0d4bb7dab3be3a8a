"""The OpenAPI 3.1 document of the management API, made from its routes and shapes."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from instep.reference import answers, events, words
from instep.reference.examples import example_of
from instep.reference.links import add_links
from instep.web.authenticated_route import AuthenticatedRoute
from instep.web.call import Access
from instep.web.errors import error_codes
from instep.web.shapes import ErrorOut

Json = dict[str, Any]
PREFIX = "/v1"
# Wire shapes end in `Out`, which tells nothing to those outside; a page of them is a list.
LIST = re.compile(r"ListOut_(?:Union_)?([A-Za-z]+?)Out_.*")


def describe_api(routes: Sequence[BaseRoute], base_url: str) -> Json:
    """The document; paths are relative to `{base_url}/v1` (specification, Endpoints)."""
    doors = [route for route in routes if isinstance(route, AuthenticatedRoute)]
    document = get_openapi(
        title=words.TITLE,
        version=words.VERSION,
        summary=words.SUMMARY,
        description=words.DESCRIPTION,
        license_info=words.LICENSE,
        contact=words.CONTACT,
        servers=[{"url": base_url + PREFIX}],
        routes=doors,
    )
    document["paths"] = {
        path.removeprefix(PREFIX): operations for path, operations in document["paths"].items()
    }
    for door in doors:
        for method in door.methods or ():
            complete(document["paths"][door.path.removeprefix(PREFIX)][method.lower()], door)
    add_links(document["paths"])
    document["components"] |= answers.components()
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas |= error_schemas() | events.components()
    document["webhooks"] = events.webhooks()
    document["security"] = [{"apiKey": []}]
    used = {tag for operation in operations_of(document) for tag in operation["tags"]}
    document["tags"] = [
        {"name": name, "description": text} for name, text in words.TAGS.items() if name in used
    ]
    for schema in schemas.values():
        tell_fields(schema)
        tell_defaults(schema)
    return with_examples(renamed(plain(document)))


def operations_of(document: Json) -> Iterator[Json]:
    for part in ("paths", "webhooks"):
        for operations in document[part].values():
            yield from operations.values()


def complete(operation: Json, door: APIRoute) -> None:
    """What an operation's own code does not say: parameters of all, headers, refusals."""
    access: Access = door.endpoint.__dict__["access"]
    operation["parameters"] = [canonical(parameter) for parameter in operation.get("parameters", ())]
    has_reference = any(
        parameter["in"] == "path" or parameter["name"] in words.REFERENCES
        for parameter in operation["parameters"]
    )
    sent = {parameter["name"] for parameter in operation["parameters"]}
    operation["parameters"] += answers.BOT_PARAMETERS
    success = operation["responses"][str(door.status_code)]
    success["description"] = words.SUCCESSES.get(door.status_code or 200, "Done")
    success["headers"] = answers.headers_of(door.name, sent)
    operation["responses"] = {str(door.status_code): success} | answers.refusals(
        access.is_write, has_reference, "If-None-Match" in sent
    )


def canonical(parameter: Json) -> Json:
    """A parameter as callers send it: headers in their usual spelling, and never null."""
    schema = dict(parameter["schema"])
    choices = [choice for choice in schema.pop("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        schema |= choices[0]
    elif choices:
        schema["anyOf"] = choices
    text = parameter.get("description") or words.PARAMETERS[parameter["name"]]
    schema.pop("description", None)
    name = parameter["name"]
    if parameter["in"] == "header":
        name = "-".join(part.capitalize() for part in name.split("-"))
    return {**parameter, "name": name, "description": text, "schema": schema}


def error_schemas() -> Json:
    schema = ErrorOut.model_json_schema(ref_template="#/components/schemas/{model}")
    schema["properties"]["code"]["enum"] = sorted(error_codes())
    shared: Json = schema.pop("$defs")
    return {**shared, "ErrorOut": schema}


def tell_fields(schema: Json) -> None:
    for name, field in schema.get("properties", {}).items():
        if name in words.FIELDS:
            field.setdefault("description", words.FIELDS[name])


def tell_defaults(schema: Json) -> None:
    """In words, in what callers send: some generators take a field with a `default` for a required one."""
    if schema.get("additionalProperties") is not False:
        return
    for field in schema["properties"].values():
        default = field.pop("default", None)
        if default is not None:
            field["description"] = f"{field.get('description', '')} Default: `{default}`.".strip()


def plain(part: Any, *, below: str = "") -> Any:
    """Without the titles that were made from names: they repeat the name in worse spelling."""
    if isinstance(part, list):
        return [plain(item, below=below) for item in part]
    if not isinstance(part, dict) or below == "examples":
        return part
    is_named = below in ("properties", "schemas", "paths")
    return {
        key: plain(value, below=key if not is_named else "")
        for key, value in part.items()
        if is_named or key != "title" or below == "info"
    }


def renamed(document: Json) -> Json:
    """Components under the names of the resources."""
    schemas = document["components"]["schemas"]
    names = {name: public_name(name) for name in schemas}
    assert len(set(names.values())) == len(names), "two shapes would share a name"
    moved: Json = with_references(document, names)
    moved["components"]["schemas"] = dict(
        sorted((names[name], schema) for name, schema in moved["components"]["schemas"].items())
    )
    return moved


def public_name(name: str) -> str:
    page = LIST.fullmatch(name)
    if page:
        return page.group(1).removesuffix("ListItem") + "List"
    return name.removesuffix("Out")


def with_references(part: Any, names: dict[str, str]) -> Any:
    if isinstance(part, list):
        return [with_references(item, names) for item in part]
    if not isinstance(part, dict):
        return part
    moved = {key: with_references(value, names) for key, value in part.items()}
    reference = moved.get("$ref", "")
    if isinstance(reference, str) and reference.startswith("#/components/schemas/"):
        moved["$ref"] = "#/components/schemas/" + names[reference.rsplit("/", 1)[1]]
    return moved


def with_examples(document: Json) -> Json:
    """Every body and every answer with an example, made from the examples of its fields."""
    for operation in operations_of(document):
        places = [operation.get("requestBody"), *operation["responses"].values()]
        for place in places:
            for media in (place or {}).get("content", {}).values():
                media["example"] = example_of(media["schema"], document)
    return document
