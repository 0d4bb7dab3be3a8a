"""OpenAPI documents (OpenAPI 3.0 and 3.1, Swagger 2.0): operations, and references within the document."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import yaml

from instep.platform.core import limits
from instep.platform.text.yaml_values import load_yaml
from instep.transfer.imports.tree.json_values import load_json, storable_value
from instep.transfer.imports.tree.schemas import UnreadableSource

Json = dict[str, Any]
# A reference may lead to another one.
MAX_REFERENCES = 20
VERSIONS = ("openapi", "swagger")
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
# In settings of documentation products, the field names files.
IS_DESCRIPTION = re.compile(
    rb"(?:^|[{,])[ \t]*[\"']?(?:openapi|swagger)[\"']?[ \t]*:(?!\s*(?:\{|(?:\[\s*)?[\"'](?![23])))",
    re.MULTILINE,
)
# An operation in a text, such as "openapi.json POST /users".
NAMED_OPERATION = re.compile(rf"\b({'|'.join(METHODS)})\s+(?:https?://[^/\s]+)?(/\S*)\s*$", re.IGNORECASE)
# The beginning of a YAML file, in which the field is searched.
HEAD_BYTES = 4_000


@dataclass(frozen=True, slots=True)
class DocumentedOperation:
    """An operation; `parameters` and `responses` contain no references, and `body` may be empty."""

    method: str
    path: str
    row: Json
    parameters: list[Json]
    body: Json
    responses: dict[str, Json]

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def tag(self) -> str:
        tags = self.row.get("tags")
        return str(tags[0]) if isinstance(tags, list) and tags else ""


@dataclass(frozen=True, slots=True)
class ApiDocument:
    values: Json

    def resolved(self, node: Any) -> Json:
        """The object, or the one that its reference leads to; empty if there is none."""
        for _ in range(MAX_REFERENCES):
            row: Json = mapping(node)
            if not isinstance(row.get("$ref"), str):
                return row
            node = self._at(row["$ref"])
        return {}

    def _at(self, reference: str) -> Any:
        """The value that a JSON pointer in a fragment leads to (RFC 6901, section 6)."""
        node: Any = self.values
        for part in reference[2:].split("/") if reference.startswith("#/") else ():
            node = mapping(node).get(unquote(part).replace("~1", "/").replace("~0", "~"))
        return node

    @property
    def server(self) -> str:
        """The URL of the first server with the defaults of its variables, without a slash at its end."""
        servers = self.values.get("servers")
        if isinstance(servers, list) and servers:
            server = mapping(servers[0])
            url = str(server.get("url") or "").rstrip("/")
            for name, variable in mapping(server.get("variables")).items():
                url = url.replace(f"{{{name}}}", str(mapping(variable).get("default", f"{{{name}}}")))
            return url
        host, schemes = self.values.get("host"), self.values.get("schemes")
        scheme = str(schemes[0]) if isinstance(schemes, list) and schemes else "https"
        return f"{scheme}://{host}{self.values.get('basePath') or ''}".rstrip("/") if host else ""

    @property
    def security_schemes(self) -> Json:
        """The ways to sign in by their names, which may be references."""
        schemes = mapping(mapping(self.values.get("components")).get("securitySchemes"))
        return schemes or mapping(self.values.get("securityDefinitions"))

    def operations(self) -> Iterator[DocumentedOperation]:
        """The operations of all paths, in their order."""
        for path, node in mapping(self.values.get("paths")).items():
            item = self.resolved(node)
            shared = self._parameters(item)
            for method, operation in item.items():
                row = mapping(operation)
                if str(method).lower() in METHODS and row:
                    yield self._operation(str(method).upper(), str(path), row, shared)

    def public_operations(self) -> Iterator[DocumentedOperation]:
        """The operations without those marked as internal, or by Mintlify's `x-excluded`."""
        marks = ("x-internal", "x-excluded")
        return (each for each in self.operations() if not any(each.row.get(mark) for mark in marks))

    def _operation(self, method: str, path: str, row: Json, shared: list[Json]) -> DocumentedOperation:
        parameters = self._parameters(row)
        names = {(each.get("name"), each.get("in")) for each in parameters}
        parameters += [each for each in shared if (each.get("name"), each.get("in")) not in names]
        body = self.resolved(row.get("requestBody"))
        # Swagger has the body among the parameters.
        for parameter in parameters:
            if parameter.get("in") == "body":
                body = {**parameter, "content": {"application/json": {"schema": parameter.get("schema")}}}
        return DocumentedOperation(
            method,
            path,
            row,
            [each for each in parameters if each.get("in") != "body"],
            body,
            {str(status): self.resolved(each) for status, each in mapping(row.get("responses")).items()},
        )

    def _parameters(self, row: Json) -> list[Json]:
        value = row.get("parameters")
        rows = [self.resolved(each) for each in value] if isinstance(value, list) else []
        return [each for each in rows if each.get("name")]


def read_api_document(path: str, content: bytes) -> ApiDocument:
    """The document in a file; raises `UnreadableSource` with what to do."""
    if len(content) > limits.MAX_OPENAPI_BYTES:
        raise UnreadableSource(
            f"{path} is larger than {limits.MAX_OPENAPI_BYTES // 1024**2} MB: split the API description."
        )
    text = content.decode("utf-8-sig", errors="replace")
    try:
        is_json = text.lstrip().startswith("{")
        values = load_json(text) if is_json else storable_value(load_yaml(text, is_typed=True))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        kind = "JSON" if isinstance(error, json.JSONDecodeError) else "YAML or JSON"
        raise UnreadableSource(f"{path} is not valid {kind}: {str(error).partition(chr(10))[0]}.") from None
    if not isinstance(values, dict) or not any(version in values for version in VERSIONS):
        raise UnreadableSource(f"{path} is not an OpenAPI document: it has no field `openapi`.")
    return ApiDocument(values)


def is_api_description(content: bytes) -> bool:
    """True if a file begins as an OpenAPI document does; JSON may have its fields in any order."""
    text = content.removeprefix(BOM_UTF8)
    size = limits.MAX_OPENAPI_BYTES if text.lstrip().startswith(b"{") else HEAD_BYTES
    return IS_DESCRIPTION.search(text[:size]) is not None


def named_operation(text: str) -> tuple[str, str, str] | None:
    """The file that a text such as "openapi.json POST /users" names, or "", and the method and path."""
    match = NAMED_OPERATION.search(text)
    return (text[: match.start()].strip(), match[1].upper(), match[2]) if match else None


def mapping(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}
