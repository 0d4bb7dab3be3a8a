"""Writes the operations of an API as pages in Markdown."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from instep.transfer.imports.html.markdown_links import markdown_table
from instep.transfer.imports.markdown.hidden_code import hide_code
from instep.transfer.imports.openapi.api_document import ApiDocument, DocumentedOperation, Json, mapping
from instep.transfer.imports.openapi.schema_fields import (
    SchemaField,
    SchemaReader,
    code,
    deepest_fields,
    field_text,
    listed,
    stated_example,
)

# OpenAPI gives these headers a meaning elsewhere (OpenAPI 3.1, Parameter Object).
HEADERS_SAID_ELSEWHERE = frozenset(("accept", "authorization", "content-type"))
JSON_TYPE = re.compile(r"application/(?:[\w.+-]+\+)?json\b")
HEADING = re.compile(r"^(#{1,6})(?=[ \t])", re.MULTILINE)
LEFT_OUT = "Further fields are left out here."


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


def page_text(document: ApiDocument, operation: DocumentedOperation) -> str:
    blocks = (*head_blocks(operation), *detail_blocks(document, operation))
    return "\n\n".join(filter(None, blocks)) + "\n"


def overview_text(document: ApiDocument) -> str:
    """The description of the whole API, its server and its ways to sign in."""
    info = mapping(document.values.get("info"))
    rows = [
        ["Name", "Type", "Description"],
        *(
            [code(name), kind_of_scheme(scheme), field_text(scheme)]
            for name, scheme in resolved(document, document.security_schemes)
        ),
    ]
    blocks = [
        lowered(str(info.get("description") or ""), 2),
        f"The address of the API is {code(document.server)}." if document.server else "",
        f"The version of this description is {code(info['version'])}." if info.get("version") else "",
        f"## Authentication\n\n{markdown_table(rows)}" if len(rows) > 1 else "",
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def resolved(document: ApiDocument, nodes: Json) -> Iterator[tuple[str, Json]]:
    return ((str(name), document.resolved(node)) for name, node in nodes.items())


def kind_of_scheme(scheme: Json) -> str:
    """The way to sign in, such as "http, bearer" or "apiKey, header `X-Key`"."""
    place = f"{scheme['in']} {code(scheme['name'])}" if scheme.get("in") and scheme.get("name") else ""
    return ", ".join(filter(None, (str(scheme.get("type") or ""), str(scheme.get("scheme") or ""), place)))


def head_blocks(operation: DocumentedOperation) -> Iterator[str]:
    """The method, the path and the description."""
    yield f"`{operation.name}`"
    if operation.row.get("deprecated"):
        yield "> [!WARNING]\n> This operation is deprecated."
    yield lowered(str(operation.row.get("description") or ""))


def detail_blocks(document: ApiDocument, operation: DocumentedOperation) -> Iterator[str]:
    """The parameters, the body, the responses and an example."""
    if operation.parameters:
        rows = [parameter_row(document, each) for each in operation.parameters]
        yield f"## Parameters\n\n{markdown_table([['Name', 'In', 'Type', 'Description'], *rows])}"
    if operation.body:
        yield "## Request body"
        yield lowered(str(operation.body.get("description") or ""))
        yield from media_blocks(document, operation.body)
    if operation.responses:
        yield "## Responses"
        yield from response_blocks(document, operation.responses)
    yield f"## Example\n\n```sh\n{curl_of(document, operation)}\n```"


def response_blocks(document: ApiDocument, responses: dict[str, Json]) -> Iterator[str]:
    """Successful responses in full, and a table of the others."""
    others = [["Status", "Description"]]
    for status, response in responses.items():
        words = str(response.get("description") or "")
        if not status.startswith("2"):
            others.append([code(status), " ".join(words.split())])
            continue
        yield f"### {status}"
        yield lowered(words, 4)
        yield from media_blocks(document, with_content(response), is_response=True)
    if len(others) > 1:
        yield "### Other responses" if len(others) <= len(responses) else ""
        yield markdown_table(others)


def lowered(markdown: str, level: int = 3) -> str:
    """A description whose headings begin at this level."""
    text, code = hide_code(markdown.strip())
    levels = [len(match[1]) for match in HEADING.finditer(text)]
    further = "#" * max(level - min(levels, default=level), 0)
    return code.show(HEADING.sub(lambda match: (further + match[1])[:6], text))


def parameter_row(document: ApiDocument, parameter: Json) -> list[str]:
    reader = SchemaReader(document)
    # Swagger has the type in the parameter itself.
    schema = parameter.get("schema") or parameter
    words = field_text({**reader.merged(schema), **parameter})
    name = code(parameter["name"])
    return [
        name,
        str(parameter.get("in") or ""),
        reader.kind_of(schema),
        with_required(words, bool(parameter.get("required"))),
    ]


def with_required(words: str, is_required: bool) -> str:
    return " ".join(filter(None, ("**Required.**" if is_required else "", words)))


def with_content(response: Json) -> Json:
    """A response in the form of OpenAPI 3; Swagger has the schema in the response itself."""
    if "content" in response or "schema" not in response:
        return response
    examples = mapping(response.get("examples"))
    return {
        "content": {
            "application/json": {
                "schema": response["schema"],
                "examples": {str(name): {"value": value} for name, value in examples.items()},
            }
        }
    }


def media_blocks(document: ApiDocument, message: Json, *, is_response: bool = False) -> Iterator[str]:
    """The type, the fields and an example of a body, in JSON if it can have that."""
    content = mapping(message.get("content"))
    kind = next((each for each in content if JSON_TYPE.match(str(each))), next(iter(content), None))
    if kind is None:
        return
    media = mapping(content[kind])
    fields, is_cut = deepest_fields(document, media.get("schema"))
    if len(content) > 1 or not JSON_TYPE.match(str(kind)):
        yield f"Content types: {', '.join(map(code, content))}"
    if fields:
        yield fields_table(fields, is_response=is_response)
    if is_cut:
        yield LEFT_OUT
    if JSON_TYPE.match(str(kind)) and (example := media_example(document, media)) is not None:
        yield f"```json\n{to_json(example)}\n```"


def fields_table(fields: Iterable[SchemaField], *, is_response: bool) -> str:
    """The fields; only those of a request are marked as required."""
    rows = [
        [code(field.name), field.kind, with_required(field.text, field.is_required and not is_response)]
        for field in fields
    ]
    return markdown_table([["Field", "Type", "Description"], *rows])
