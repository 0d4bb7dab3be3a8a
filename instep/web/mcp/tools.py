"""What a tool of an MCP server is, and how a slice offers one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from mcp_types import Tool as ToolDefinition
from mcp_types import ToolAnnotations
from pydantic import MISSING, BaseModel, BeforeValidator, Field

from instep.core import limits
from instep.identity.access import is_write
from instep.web.call import Access
from instep.web.mcp.arguments import Arguments, Handler
from instep.web.mcp.schemas import schema_of
from instep.web.shapes import Body, Text, whole

Limit = Annotated[
    int,
    Field(ge=1, le=limits.MAX_TOOL_ROWS, description="How many rows, at the most: long ones come in fewer."),
    BeforeValidator(whole),
]
Cursor = Annotated[
    Text | None, Field(description="The `next_cursor` of the answer before, to go on from there.")
]
Reference = Annotated[Text, Field(description="The article, by its id or slug.")]
DraftId = Annotated[Text, Field(description="The draft: `edit_…`, `article_…` or `gap_…`.")]


class BotNamed(Body):
    """What every tool of the workspace server takes besides its own arguments."""

    bot_id: Text | MISSING = Field(
        default=MISSING, description="The bot (help center). Needed only where the key covers several."
    )


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: who may call it, what it takes, what it does, and how it is shown to clients."""

    name: str
    access: Access
    arguments: Arguments
    handler: Handler
    definition: ToolDefinition


class Toolbox:
    """The tools of one slice, each tied to the action that it is a door of."""

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
        """Register a handler under its own name and words, with the action's scope.

        `additive`: of what was there before it changes nothing.
        """

        def register(handler: Handler) -> Handler:
            arguments = Arguments.of(handler, self.named)
            writes = is_write(action)
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
            access = Access(writes, needs_bot, needs_scope=True, body_bytes=limits.MAX_TASK_BODY_BYTES)
            self.tools.append(Tool(handler.__name__, access, arguments, handler, definition))
            return handler

        return register


class Caller(Protocol):
    """Who sent a message: what a credential has become, whatever kind it was of."""

    def may_use(self, tool: Tool) -> bool:
        """Whether this tool is shown to the caller and runs for it."""
        ...

    async def call_of(self, tool: Tool, sent: dict[str, Any]) -> Any:
        """What the tool's handler is called with; takes out of `sent` what the server reads itself."""
        ...
