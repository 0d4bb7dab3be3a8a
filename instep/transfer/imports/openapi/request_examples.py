"""Writes examples of requests: bodies in JSON, and command lines of curl."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from instep.transfer.imports.openapi.api_document import ApiDocument, DocumentedOperation, Json, mapping
from instep.transfer.imports.openapi.schema_fields import SchemaReader, listed, stated_example

# OpenAPI gives these headers a meaning elsewhere (OpenAPI 3.1, Parameter Object).
HEADERS_SAID_ELSEWHERE = frozenset(("accept", "authorization", "content-type"))


@dataclass(frozen=True, slots=True)
class ApiCredentials:
    """A way to sign in to an API: headers and parameters of the query, and options of curl."""

    headers: Sequence[tuple[str, str]] = ()
    query: Sequence[tuple[str, str]] = ()
    options: Sequence[str] = ()


def media_example(document: ApiDocument, media: Json) -> Any:
    stated = stated_example(media)
    return SchemaReader(document).example_of(media.get("schema")) if stated is None else stated


def to_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str).replace("```", "")


def curl_of(document: ApiDocument, operation: DocumentedOperation) -> str:
    """The request as a command line of curl, with the required parameters and a way to sign in."""
    credentials = credentials_of(document, operation)
    parameters = [*required_parameters(document, operation, "query"), *credentials.query]
    query = "&".join(f"{name}={value}" for name, value in parameters)
    verb = "" if operation.method == "GET" else f"-X {operation.method} "
    lines = [f'curl {verb}"{document.server}{operation.path}{"?" if query else ""}{query}"']
    headers = dict([*required_parameters(document, operation, "header"), *credentials.headers])
    lines += [f'-H "{name}: {value}"' for name, value in headers.items()]
    lines += credentials.options
    media = mapping(mapping(operation.body.get("content")).get("application/json"))
    if media and (example := media_example(document, media)) is not None:
        quoted = to_json(example).replace("'", "'\\''")
        lines += ["-H 'Content-Type: application/json'", f"-d '{quoted}'"]
    return " \\\n  ".join(line.replace("```", "") for line in lines)


def required_parameters(
    document: ApiDocument, operation: DocumentedOperation, place: str
) -> Iterator[tuple[str, str]]:
    """The names of required parameters in the query or the headers, with an example of each."""
    for parameter in operation.parameters:
        name = str(parameter["name"])
        is_said_elsewhere = place == "header" and name.casefold() in HEADERS_SAID_ELSEWHERE
        if parameter.get("in") == place and parameter.get("required") and not is_said_elsewhere:
            yield name, in_one_line(media_example(document, parameter))


def in_one_line(value: Any) -> str:
    return value if isinstance(value, str) else "…" if value is None else json.dumps(value, default=str)


def credentials_of(document: ApiDocument, operation: DocumentedOperation) -> ApiCredentials:
    """The first way to sign in that an operation names; none if it needs none."""
    ways = listed(operation.row.get("security", document.values.get("security")))
    names = next(filter(None, map(mapping, ways)), {})
    schemes = document.security_schemes
    all_credentials = [credentials_for(document.resolved(schemes.get(name))) for name in names]
    return ApiCredentials(
        [header for each in all_credentials for header in each.headers],
        [parameter for each in all_credentials for parameter in each.query],
        [option for each in all_credentials for option in each.options],
    )


def credentials_for(scheme: Json) -> ApiCredentials:
    kind, name = scheme.get("type"), str(scheme.get("name") or "")
    if kind == "apiKey" and scheme.get("in") == "header":
        return ApiCredentials(headers=[(name, "$API_KEY")])
    if kind == "apiKey" and scheme.get("in") == "query":
        return ApiCredentials(query=[(name, "$API_KEY")])
    if kind == "apiKey":
        return ApiCredentials(options=[f'--cookie "{name}=$API_KEY"'])
    if "basic" in (kind, str(scheme.get("scheme")).casefold()):
        return ApiCredentials(options=['-u "$USER:$PASSWORD"'])
    return ApiCredentials(headers=[("Authorization", "Bearer $TOKEN")])
