"""Prompts of an MCP server: texts that a person chooses, with arguments."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcp_types import GetPromptResult, PromptArgument, PromptMessage, TextContent
from mcp_types import Prompt as PromptDefinition

from instep.platform.core.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class McpPrompt:
    """A prompt; `arguments` maps names to description and whether required, `write` makes the text."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, tuple[str, bool]]
    write: Callable[[Mapping[str, str]], str]

    @property
    def definition(self) -> PromptDefinition:
        return PromptDefinition(
            name=self.name,
            title=self.title,
            description=self.description,
            arguments=[
                PromptArgument(name=name, description=words, required=required)
                for name, (words, required) in self.arguments.items()
            ],
        )

    def render(self, values: Mapping[str, str]) -> GetPromptResult:
        for name, (_, required) in self.arguments.items():
            if required and not values.get(name, "").strip():
                raise InvalidValue(name, "it is required")
        for name in values:
            if name not in self.arguments:
                raise InvalidValue(name, "it is not an argument of this prompt")
        message = PromptMessage(role="user", content=TextContent(text=self.write(values)))
        return GetPromptResult(description=self.description, messages=[message])
