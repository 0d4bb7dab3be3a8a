"""Arrange the OpenAPI document by tags, for the page that people read."""

import json
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from instep.platform.core.markdown import render
from instep.platform.web.pages import sanitised

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of a body; `kind` is its type in words, `shape` the component it links to."""

    name: str
    place: str
    kind: str
    shape: str | None
    is_required: bool
    text: Markup


@dataclass(frozen=True, slots=True)
class DocumentedResponse:
    """The response of an operation with one status."""

    status: str
    text: Markup
    example: str | None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the API, or an event that webhooks receive."""

    id: str
    title: str
    method: str
    path: str
    text: Markup
    parameters: list[Field]
    body: list[Field]
    request: str
    answers: list[DocumentedResponse]


@dataclass(frozen=True, slots=True)
class Chapter:
    """The operations of one tag."""

    name: str
    text: str
    operations: list[Operation]


def chapters_of(document: Json) -> list[Chapter]:
    operations = [
        (method, path, operation)
        for part in ("paths", "webhooks")
        for path, methods in document[part].items()
        for method, operation in methods.items()
    ]
    return [
        Chapter(
            tag["name"],
            tag["description"],
            [
                operation_of(document, method, path, operation)
                for method, path, operation in operations
                if operation["tags"] == [tag["name"]]
            ],
        )
        for tag in document["tags"]
    ]


def operation_of(document: Json, method: str, path: str, operation: Json) -> Operation:
    is_event = path not in document["paths"]
    body = json_of(operation.get("requestBody"))
    return Operation(
        id=operation["operationId"],
        title=operation["summary"],
        method="EVENT" if is_event else method.upper(),
        path=path,
        text=rendered_html(operation["description"]),
        parameters=[parameter_of(parameter) for parameter in operation["parameters"]],
        body=fields_of(resolve_reference(document, body["schema"])) if body else [],
        request=to_json(body["example"]) if body and is_event else curl(document, method, path, operation),
        answers=[response_of(document, *response) for response in operation["responses"].items()],
    )


def parameter_of(parameter: Json) -> Field:
    kind, shape = kind_of(parameter["schema"])
    return Field(
        parameter["name"],
        parameter["in"],
        kind,
        shape,
        parameter["required"],
        with_default(parameter["description"], parameter["schema"]),
    )


def fields_of(schema: Json) -> list[Field]:
    required = schema.get("required", ())
    return [
        Field(name, "", *kind_of(field), name in required, with_default(field.get("description", ""), field))
        for name, field in schema.get("properties", {}).items()
    ]


def with_default(text: str, schema: Json) -> Markup:
    default = schema.get("default")
    return rendered_html(text if default is None else f"{text} Default: `{default}`.")


def rendered_html(text: str) -> Markup:
    return sanitised(render(text))


def kind_of(schema: Json) -> tuple[str, str | None]:
    """A type in words, and the name of the component that it links to."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return name, name
    choices = schema.get("anyOf", schema.get("oneOf"))
    if choices:
        kinds = [kind_of(choice) for choice in choices]
        return " or ".join(kind for kind, _ in kinds), next((shape for _, shape in kinds if shape), None)
    if schema.get("type") == "array":
        kind, shape = kind_of(schema["items"])
        return f"array of {kind}", shape
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"]), None
    return type_with_bounds(schema), None


def type_with_bounds(schema: Json) -> str:
    kind = str(schema.get("const", schema.get("format", schema.get("type", "any"))))
    bounds = [bounds_of(schema, *names) for names in BOUNDS if schema.keys() & set(names[:2])]
    return ", ".join([kind, *bounds])


# The keywords of JSON Schema for bounds, and the unit of their values.
BOUNDS = (
    ("minLength", "maxLength", " characters"),
    ("minimum", "maximum", ""),
)


def bounds_of(schema: Json, minimum: str, maximum: str, unit: str) -> str:
    low, high = (int(schema[name]) if name in schema else None for name in (minimum, maximum))
    if high is None:
        return f"at least {low:,}{unit}"
    return f"at most {high:,}{unit}" if low is None else f"{low:,} to {high:,}{unit}"


def response_of(document: Json, status: str, response: Json) -> DocumentedResponse:
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    media = json_of(response) if status.startswith("2") else None
    return DocumentedResponse(
        status, rendered_html(response["description"]), to_json(media["example"]) if media else None
    )


def curl(document: Json, method: str, path: str, operation: Json) -> str:
    """The request as a command line of curl, with variables for the ids in its path."""
    for parameter in operation["parameters"]:
        if parameter["in"] == "path":
            name = parameter["name"]
            path = path.replace(f"{{{name}}}", f"${name.upper()}")
    required = [
        f"{parameter['name']}={parameter['schema'].get('examples', ['…'])[0]}"
        for parameter in operation["parameters"]
        if parameter["in"] == "query" and parameter["required"]
    ]
    query = "?" + "&".join(required).replace(" ", "+") if required else ""
    verb = "" if method == "get" else f"-X {method.upper()} "
    lines = [
        f'curl {verb}"{document["servers"][0]["url"]}{path}{query}"',
        '  -H "Authorization: Bearer $INSTEP_API_KEY"',
    ]
    body = json_of(operation.get("requestBody"))
    if body:
        lines.append("  -H 'Content-Type: application/json'")
        quoted_json = to_json(body["example"]).replace("'", "'\\''")
        lines.append(f"  -d '{quoted_json}'")
    elif "requestBody" in operation:
        lines += ["  -H 'Content-Type: application/octet-stream'", "  --data-binary @FILE"]
    return " \\\n".join(lines)


def json_of(message: Json | None) -> Json | None:
    """The JSON content of a request body or response, if it has any."""
    media: Json | None = (message or {}).get("content", {}).get("application/json")
    return media


def resolve_reference(document: Json, schema: Json) -> Json:
    if "$ref" not in schema:
        return schema
    component: Json = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return component


def to_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
