"""The arguments of a tool: the parameters of its handler and the fields of its body; and schemas of tools.

JSON Schemas are made from the shapes that REST uses: short, and without references.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core.core_schema import WithDefaultSchema

from instep.platform.web.errors import body_problems, invalid_values
from instep.platform.web.shapes import Body

# Keywords that are left out: an agent pays for every token, and error messages state the rules.
OMITTED_KEYWORDS = {"title", "examples", "pattern"}
# Keywords whose values map field names to schemas; a field may have the name of a keyword.
NAMED = {"properties"}
Handler = Callable[..., Awaitable[BaseModel]]


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


@dataclass(frozen=True, slots=True)
class Arguments:
    """The shape of a tool's arguments; `common` are those that the server reads before the tool does."""

    common: type[Body]
    handler_fields: type[Body]
    body_name: str | None
    body: type[Body] | None

    @classmethod
    def of(cls, handler: Handler, common: type[Body]) -> "Arguments":
        """The first parameter is the call; the fields of a body become separate arguments."""
        fields: dict[str, Any] = {}
        body_name, body = None, None
        for name, parameter in list(inspect.signature(handler).parameters.items())[1:]:
            hint = parameter.annotation
            if inspect.isclass(hint) and issubclass(hint, Body):
                body_name, body = name, hint
            else:
                is_required = parameter.default is inspect.Parameter.empty
                fields[name] = (hint, ... if is_required else parameter.default)
        return cls(common, create_model("Arguments", __base__=Body, **fields), body_name, body)

    @property
    def schema(self) -> dict[str, Any]:
        shapes = [shape for shape in (self.handler_fields, self.body, self.common) if shape is not None]
        schemas = [schema_of(shape, "validation") for shape in shapes]
        required = [field for schema in schemas for field in schema.get("required", ())]
        return {
            "type": "object",
            "properties": {name: field for schema in schemas for name, field in schema["properties"].items()},
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }

    def read(self, values: dict[str, Any]) -> dict[str, Any]:
        """The handler's parameters; raises one error for all invalid values."""
        names = {field.alias for field in self.handler_fields.model_fields.values()}
        body_values = {name: value for name, value in values.items() if name not in names}
        handler_values = {name: value for name, value in values.items() if name in names}
        problems: list[Any] = []
        if self.body is None:
            fields, body = validated(self.handler_fields, handler_values | body_values, problems), None
        else:
            fields = validated(self.handler_fields, handler_values, problems)
            body = validated(self.body, body_values, problems)
        refuse_bad_values(problems)
        parameters = {name: getattr(fields, name) for name in self.handler_fields.model_fields}
        return parameters if self.body_name is None else parameters | {self.body_name: body}


def validated(shape: type[Body], values: dict[str, Any], problems: list[Any]) -> Body | None:
    try:
        return shape.model_validate(values)
    except ValidationError as error:
        problems += body_problems(error)
        return None


def refuse_bad_values(problems: Sequence[Any]) -> None:
    if problems:
        raise invalid_values(problems)
