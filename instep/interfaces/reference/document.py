"""The OpenAPI 3.1 document of the management API, generated from its routes and shapes."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from typing import Any, TypeVar

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from instep.interfaces.reference import descriptions, events, responses
from instep.interfaces.reference.examples import example_of
from instep.interfaces.reference.links import add_links
from instep.platform.web.authenticated_route import AuthenticatedRoute
from instep.platform.web.call import Access
from instep.platform.web.errors import management_errors
from instep.platform.web.shapes import ErrorOut

Json = dict[str, Any]
Described = TypeVar("Described", bound=APIRoute)
PREFIX = "/v1"
REFERENCE = re.compile(r'"#/components/schemas/([^"/]+)"')
# Names of shapes end in `Out`, public names do not; a page of rows has the public name `…List`.
LIST = re.compile(r"ListOut_(?:Union_)?([A-Za-z]+?)Out_.*")


def describe_api(routes: Sequence[BaseRoute], base_url: str) -> Json:
    """The OpenAPI document; its paths are relative to `{base_url}/v1` (specification, Endpoints)."""
    api_routes = [
        without_automatic_methods(route) for route in routes if isinstance(route, AuthenticatedRoute)
    ]
    texts = {
        "title": descriptions.TITLE,
        "summary": descriptions.SUMMARY,
        "description": descriptions.DESCRIPTION,
    }
    document = document_of(api_routes, base_url + PREFIX, texts)
    document["paths"] = {
        path.removeprefix(PREFIX): operations for path, operations in document["paths"].items()
    }
    shapes_with_etag = responses.find_shapes_with_etag(api_routes)
    for route in api_routes:
        for method in route.methods or ():
            operation = document["paths"][route.path.removeprefix(PREFIX)][method.lower()]
            complete(operation, route, shapes_with_etag)
    add_links(document["paths"])
    document["components"] |= responses.components()
    document["components"]["schemas"] |= error_schemas() | events.components()
    document["webhooks"] = events.webhooks()
    document["security"] = [{"apiKey": []}]
    used_tags = {tag for operation in operations_of(document) for tag in operation["tags"]}
    document["tags"] = [
        {"name": name, "description": text} for name, text in descriptions.TAGS.items() if name in used_tags
    ]
    return finished(document)


def without_automatic_methods(route: Described) -> Described:
    """A copy of the route without HEAD, which answers like GET, and OPTIONS, which only browsers send."""
    route = copy(route)
    route.methods = (route.methods or set()) - {"HEAD", "OPTIONS"}
    return route


def document_of(routes: Sequence[BaseRoute], url: str, texts: Json) -> Json:
    """The generated document of an API at a URL, without the generator's own errors."""
    document = get_openapi(
        version=descriptions.VERSION,
        license_info=descriptions.LICENSE,
        contact=descriptions.CONTACT,
        servers=[{"url": url}],
        routes=routes,
        **texts,
    )
    for name in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(name, None)
    return document


def finished(document: Json) -> Json:
    """The document with descriptions and examples of all fields, and the public names of components."""
    for schema in document["components"]["schemas"].values():
        describe_fields(schema)
        describe_defaults(schema)
    return with_examples(with_public_names(without_titles(document)))


def operations_of(document: Json) -> Iterator[Json]:
    for part in ("paths", "webhooks"):
        for operations in document[part].values():
            yield from operations.values()


def complete(operation: Json, route: AuthenticatedRoute, shapes_with_etag: Collection[object]) -> None:
    """Add the parts that operations share: bot parameters, headers, error responses."""
    access: Access = route.endpoint.__dict__["access"]
    operation["parameters"] = [public_parameter(parameter) for parameter in operation.get("parameters", ())]
    has_reference = any(
        parameter["in"] == "path" or parameter["name"] in descriptions.REFERENCES
        for parameter in operation["parameters"]
    )
    names = {parameter["name"] for parameter in operation["parameters"]}
    operation["parameters"] += responses.BOT_PARAMETERS
    success = operation["responses"][str(route.status_code)]
    success["description"] = descriptions.SUCCESSES.get(route.status_code or 200, "Done")
    success["headers"] = responses.success_headers(route, names, shapes_with_etag)
    repeated = {**success, "description": descriptions.REPEATED}
    operation["responses"] = {
        str(route.status_code): success,
        **{status: repeated for status in operation["responses"] if is_repeated(status, route)},
        **responses.error_responses(access.is_write, has_reference, "If-None-Match" in names),
    }


def is_repeated(status: str, route: AuthenticatedRoute) -> bool:
    """True if it is the status of a request that an earlier one has already done."""
    return status.startswith("2") and status != str(route.status_code)


def public_parameter(parameter: Json) -> Json:
    """A parameter as clients send it: a header has its usual spelling, and null is no value."""
    schema = dict(parameter["schema"])
    choices = [choice for choice in schema.pop("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        schema |= choices[0]
    elif choices:
        schema["anyOf"] = choices
    text = parameter.get("description") or descriptions.PARAMETERS[parameter["name"]]
    schema.pop("description", None)
    name = parameter["name"]
    if parameter["in"] == "header":
        name = "-".join(part.capitalize() for part in name.split("-"))
    return {**parameter, "name": name, "description": text, "schema": schema}


def error_schemas() -> Json:
    schema = ErrorOut.model_json_schema(ref_template="#/components/schemas/{model}")
    schema["properties"]["code"]["enum"] = sorted({kind.code for kind in management_errors()})
    shared: Json = schema.pop("$defs")
    return {**shared, "ErrorOut": schema}


def describe_fields(schema: Json) -> None:
    for name, field in schema.get("properties", {}).items():
        if name in descriptions.FIELDS:
            field.setdefault("description", descriptions.FIELDS[name])


def describe_defaults(schema: Json) -> None:
    """Move defaults of request bodies to descriptions: some generators require fields with a `default`."""
    if schema.get("additionalProperties") is not False:
        return
    for field in schema["properties"].values():
        default = field.pop("default", None)
        if default is not None:
            field["description"] = f"{field.get('description', '')} Default: `{default}`.".strip()


def without_titles(part: Any, *, below: str = "") -> Any:
    """A copy without generated titles, which repeat the names of fields; `below` is the key of `part`."""
    if isinstance(part, list):
        return [without_titles(item, below=below) for item in part]
    if not isinstance(part, dict) or below == "examples":
        return part
    is_named = below in ("properties", "schemas", "paths")
    return {
        key: without_titles(value, below=key if not is_named else "")
        for key, value in part.items()
        if is_named or key != "title" or below == "info"
    }


def with_public_names(document: Json) -> Json:
    """A copy of the document that uses the public names of components."""
    schemas = document["components"]["schemas"]
    names = {name: public_name(name) for name in schemas}
    assert len(set(names.values())) == len(names), "two shapes would share a name"
    text = REFERENCE.sub(lambda match: f'"#/components/schemas/{names[match[1]]}"', json.dumps(document))
    renamed: Json = json.loads(text)
    renamed["components"]["schemas"] = dict(
        sorted((names[name], schema) for name, schema in renamed["components"]["schemas"].items())
    )
    return renamed


def public_name(name: str) -> str:
    page = LIST.fullmatch(name)
    if page:
        return page.group(1).removesuffix("ListItem") + "List"
    return name.removesuffix("Out")


def with_examples(document: Json) -> Json:
    """Add an example to every request and response body, made from the examples of its fields."""
    for operation in operations_of(document):
        messages = [operation.get("requestBody"), *operation["responses"].values()]
        for message in messages:
            for media in (message or {}).get("content", {}).values():
                media["example"] = example_of(media["schema"], document)
    return document
