"""What a prompt of an MCP server is: a text that a person chooses, with what they fill in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcp_types import GetPromptResult, PromptArgument, PromptMessage, TextContent
from mcp_types import Prompt as PromptDefinition

from instep.core.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt, its arguments with whether each is required, and how its text is made from them."""

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

    def render(self, sent: Mapping[str, str]) -> GetPromptResult:
        for name, (_, required) in self.arguments.items():
            if required and not sent.get(name, "").strip():
                raise InvalidValue(name, "it is required")
        for name in sent:
            if name not in self.arguments:
                raise InvalidValue(name, "it is not an argument of this prompt")
        message = PromptMessage(role="user", content=TextContent(text=self.write(sent)))
        return GetPromptResult(description=self.description, messages=[message])
