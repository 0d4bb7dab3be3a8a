"""The arguments of a tool: the parameters of its handler, and the fields of its body."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError, create_model

from instep.platform.web.errors import body_problems, invalid_values
from instep.platform.web.mcp.schemas import schema_of
from instep.platform.web.shapes import Body

Handler = Callable[..., Awaitable[BaseModel]]


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
