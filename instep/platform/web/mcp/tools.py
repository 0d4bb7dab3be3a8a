"""Tools of an MCP server, and their declaration by a slice."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import Parameter
from typing import Annotated, Any, Final, Protocol

from mcp_types import Tool as ToolDefinition
from mcp_types import ToolAnnotations
from pydantic import MISSING, BaseModel, BeforeValidator, Field

from instep.platform.core import limits
from instep.platform.identity.access import scope_of
from instep.platform.identity.scopes import Scope
from instep.platform.web.call import Access, in_context
from instep.platform.web.mcp.arguments import Arguments, Handler, schema_of
from instep.platform.web.shapes import Body, Text, integral

Limit = Annotated[
    int,
    Field(ge=1, le=limits.MAX_TOOL_ROWS, description="At most this many rows; fewer if they are long."),
    BeforeValidator(integral),
]
Cursor = Annotated[
    Text | None, Field(description="The `next_cursor` of the previous answer, to continue from there.")
]
# Arguments that callers send for a handler's `page`.
PAGE: Final = (
    Parameter("limit", Parameter.KEYWORD_ONLY, default=limits.DEFAULT_TOOL_ROWS, annotation=Limit),
    Parameter("cursor", Parameter.KEYWORD_ONLY, default=None, annotation=Cursor),
)
Reference = Annotated[Text, Field(description="The article, by its id or slug.")]
DraftId = Annotated[Text, Field(description="The draft: `edit_…`, `article_…` or `gap_…`.")]


class BotNamed(Body):
    """The argument that every tool of the workspace server accepts."""

    bot_id: Text | MISSING = Field(default=MISSING, description="If the key covers several bots.")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its access, arguments, handler, and the definition that clients see."""

    name: str
    access: Access
    arguments: Arguments
    handler: Handler
    definition: ToolDefinition

    def for_known_bot(self) -> "Tool":
        """The same tool at an address that names the bot."""
        arguments = replace(self.arguments, common=Body)
        definition = self.definition.model_copy(update={"input_schema": arguments.schema})
        return replace(self, arguments=arguments, definition=definition)


class Toolbox:
    """The tools of one slice, each tied to the action that it exposes."""

    def __init__(self, named: type[Body] = BotNamed) -> None:
        self.named = named
        self.tools: list[Tool] = []

    def tool(
        self,
        action: Callable[..., Any],
        answer: type[BaseModel],
        title: str,
        *,
        additive: bool = False,
        needs_bot: bool = True,
    ) -> Callable[[Handler], Handler]:
        """Register a handler under its name and docstring, with the scope that the action needs.

        `additive`: it only adds, so that it is not destructive (MCP's `destructiveHint`).
        """

        def register(function: Handler) -> Handler:
            handler = in_context(function, PAGE)
            arguments = Arguments.of(handler, self.named)
            scope = scope_of(action)
            writes = scope != Scope.READ
            definition = ToolDefinition(
                name=handler.__name__,
                title=title,
                description=" ".join((handler.__doc__ or "").split()),
                input_schema=arguments.schema,
                output_schema=schema_of(answer, "serialization"),
                annotations=ToolAnnotations(
                    title=title,
                    read_only_hint=not writes,
                    destructive_hint=writes and not additive,
                    idempotent_hint=not additive,
                    open_world_hint=False,
                ),
            )
            access = Access(scope, needs_bot, needs_scope=True, body_bytes=limits.MAX_TASK_BODY_BYTES)
            self.tools.append(Tool(handler.__name__, access, arguments, handler, definition))
            return handler

        return register


class Caller(Protocol):
    """The authenticated sender of a message."""

    def may_use(self, tool: Tool) -> bool:
        """True if the caller sees this tool and may call it."""
        ...

    async def call_of(self, tool: Tool, arguments: dict[str, Any]) -> Any:
        """The first argument of the tool's handler; removes from `arguments` what the server reads itself."""
        ...
