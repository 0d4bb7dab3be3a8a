"""What a tool takes: the parameters of its handler, and among them the fields of a body."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel, ValidationError, create_model

from instep.web.errors import invalid_values
from instep.web.mcp.schemas import schema_of
from instep.web.shapes import Body

Handler = Callable[..., Awaitable[BaseModel]]


@dataclass(frozen=True, slots=True)
class Arguments:
    """The shape of a tool's arguments; `named` are those that the server reads before the tool does."""

    named: type[Body]
    own: type[Body]
    body_name: str | None
    body: type[Body] | None

    @classmethod
    def of(cls, handler: Handler, named: type[Body]) -> "Arguments":
        """The first parameter is the call; one that is a body is spread."""
        hints = get_type_hints(handler, include_extras=True)
        own: dict[str, Any] = {}
        body_name, body = None, None
        for name, parameter in list(inspect.signature(handler).parameters.items())[1:]:
            hint = hints[name]
            if inspect.isclass(hint) and issubclass(hint, Body):
                body_name, body = name, hint
            else:
                own[name] = (hint, ... if parameter.default is inspect.Parameter.empty else parameter.default)
        return cls(named, create_model("Arguments", __base__=Body, **own), body_name, body)

    @property
    def schema(self) -> dict[str, Any]:
        shapes = [shape for shape in (self.own, self.body, self.named) if shape is not None]
        schemas = [schema_of(shape, "validation") for shape in shapes]
        required = [field for schema in schemas for field in schema.get("required", ())]
        return {
            "type": "object",
            "properties": {name: field for schema in schemas for name, field in schema["properties"].items()},
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }

    def read(self, sent: dict[str, Any]) -> dict[str, Any]:
        """The handler's parameters; whatever is wrong with any of them is told at once."""
        names = {field.alias for field in self.own.model_fields.values()}
        of_body = {name: value for name, value in sent.items() if name not in names}
        of_own = {name: value for name, value in sent.items() if name in names}
        problems: list[Any] = []
        if self.body is None:
            own, body = validated(self.own, of_own | of_body, problems), None
        else:
            own, body = validated(self.own, of_own, problems), validated(self.body, of_body, problems)
        refuse(problems)
        parameters = {name: getattr(own, name) for name in self.own.model_fields}
        return parameters if self.body_name is None else parameters | {self.body_name: body}


def validated(shape: type[Body], sent: dict[str, Any], problems: list[Any]) -> Body | None:
    try:
        return shape.model_validate(sent)
    except ValidationError as error:
        problems += [{**found, "loc": ("body", *found["loc"])} for found in error.errors(include_url=False)]
        return None


def refuse(problems: Sequence[Any]) -> None:
    if problems:
        raise invalid_values(problems)
