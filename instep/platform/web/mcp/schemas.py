"""The JSON Schemas of tools, made from the shapes that REST uses: short, and without references."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core.core_schema import WithDefaultSchema

# Keywords that are left out: an agent pays for every token, and error messages state the rules.
OMITTED_KEYWORDS = {"title", "examples", "pattern"}
# Keywords whose values map field names to schemas; a field may have the name of a keyword.
NAMED = {"properties"}


class ShortSchema(GenerateJsonSchema):
    """A schema generator without titles of fields, and without null where a caller can send nothing."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        inner = schema["schema"]
        if self.mode == "validation" and schema.get("default", ...) is None and inner["type"] == "nullable":
            return self.generate_inner(inner["schema"])
        return super().default_schema(schema)


def schema_of(shape: type[BaseModel], mode: JsonSchemaMode) -> dict[str, Any]:
    """An object's schema with references replaced by their targets: several clients can't follow them."""
    schema = shape.model_json_schema(by_alias=True, mode=mode, schema_generator=ShortSchema)
    definitions = schema.pop("$defs", {})
    schema.pop("description", None)
    inlined: dict[str, Any] = inline(schema, definitions)
    return inlined


def inline(value: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [inline(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        target = definitions[value["$ref"].rpartition("/")[2]]
        rest = {name: part for name, part in value.items() if name != "$ref"}
        return inline({**target, **rest}, definitions)
    return {
        name: {field: inline(item, definitions) for field, item in part.items()}
        if name in NAMED
        else inline(part, definitions)
        for name, part in value.items()
        if name not in OMITTED_KEYWORDS
    }
