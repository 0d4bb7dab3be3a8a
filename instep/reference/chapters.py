"""The OpenAPI document in the order of the page that people read."""

import json
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from instep.core.markdown import render
from instep.web.pages import sanitised

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of a body or an answer."""

    name: str
    place: str
    kind: str
    shape: str | None
    is_required: bool
    text: Markup


@dataclass(frozen=True, slots=True)
class DocumentedResponse:
    """What an operation may answer under one status."""

    status: str
    text: Markup
    example: str | None


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, or one event that is sent."""

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
    everything = [
        (method, path, operation)
        for part in ("paths", "webhooks")
        for path, operations in document[part].items()
        for method, operation in operations.items()
    ]
    return [
        Chapter(
            tag["name"],
            tag["description"],
            [
                operation_of(document, method, path, operation)
                for method, path, operation in everything
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
        text=marked(operation["description"]),
        parameters=[parameter_of(parameter) for parameter in operation["parameters"]],
        body=fields_of(resolved(document, body["schema"])) if body else [],
        request=pretty(body["example"]) if body and is_event else curl(document, method, path, operation),
        answers=[answer_of(document, status, answer) for status, answer in operation["responses"].items()],
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
        Field(name, "", *kind_of(below), name in required, with_default(below.get("description", ""), below))
        for name, below in schema.get("properties", {}).items()
    ]


def with_default(text: str, schema: Json) -> Markup:
    default = schema.get("default")
    return marked(text if default is None else f"{text} Default: `{default}`.")


def marked(text: str) -> Markup:
    return sanitised(render(text))


def kind_of(schema: Json) -> tuple[str, str | None]:
    """A type in words, and the component that it leads to."""
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
    return described(schema), None


def described(schema: Json) -> str:
    kind = str(schema.get("const", schema.get("format", schema.get("type", "any"))))
    spans = [span(schema, *ends) for ends in SPANS if schema.keys() & set(ends[:2])]
    return ", ".join([kind, *spans])


# Where the schema tells the least and the most, and of what.
SPANS = (
    ("minLength", "maxLength", " characters"),
    ("minimum", "maximum", ""),
)


def span(schema: Json, least: str, most: str, unit: str) -> str:
    low, high = (int(schema[end]) if end in schema else None for end in (least, most))
    if high is None:
        return f"at least {low:,}{unit}"
    return f"at most {high:,}{unit}" if low is None else f"{low:,} to {high:,}{unit}"


def answer_of(document: Json, status: str, answer: Json) -> DocumentedResponse:
    if "$ref" in answer:
        answer = document["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
    media = json_of(answer) if status.startswith("2") else None
    return DocumentedResponse(
        status, marked(answer["description"]), pretty(media["example"]) if media else None
    )


def curl(document: Json, method: str, path: str, operation: Json) -> str:
    """The call as one would type it."""
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
        quoted = pretty(body["example"]).replace("'", "'\\''")
        lines.append(f"  -d '{quoted}'")
    elif "requestBody" in operation:
        lines += ["  -H 'Content-Type: application/octet-stream'", "  --data-binary @FILE"]
    return " \\\n".join(lines)


def json_of(holder: Json | None) -> Json | None:
    content: Json | None = (holder or {}).get("content", {}).get("application/json")
    return content


def resolved(document: Json, schema: Json) -> Json:
    if "$ref" not in schema:
        return schema
    below: Json = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return below


def pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
