"""An MCP server with tools and prompts, for old and new protocol revisions, stateless between requests."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from mcp.server import ServerRequestContext
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
)
from pydantic_core import from_json
from starlette.types import Message, Receive, Scope, Send

from instep import __version__
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.web.api import as_json
from instep.platform.web.errors import VisitorRefusal, as_app_error
from instep.platform.web.mcp.prompts import McpPrompt
from instep.platform.web.mcp.tools import Caller, Tool

# The key of the caller in the scope of a request.
CALLER = "instep.caller"
Ctx = ServerRequestContext[Any, Any]
Listing = PaginatedRequestParams | None


class McpServer:
    """One of the two servers: its tools, its prompts, and the SDK's server that speaks the protocol."""

    def __init__(
        self,
        name: str,
        title: str,
        instructions: str,
        tools: Sequence[Tool],
        prompts: Sequence[McpPrompt] = (),
        *,
        is_same_for_all: bool,
    ) -> None:
        self.name, self.title = name, title
        self.tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self.prompts: Mapping[str, McpPrompt] = {prompt.name: prompt for prompt in prompts}
        hint = CacheHint(limits.TOOLS_CACHE_SECONDS * 1000, "public" if is_same_for_all else "private")
        self.protocol: Server[Any] = Server(
            name,
            version=__version__,
            title=title,
            instructions=instructions,
            cache_hints={"tools/list": hint, "prompts/list": hint},
            get_tool_input_schema=self.input_schema,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
            on_list_resources=no_resources,
            on_list_resource_templates=no_templates,
            on_read_resource=no_resource,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send, caller: Caller) -> None:
        """Answer one request; everything that it starts ends before its database connection is returned."""
        manager = StreamableHTTPSessionManager(
            self.protocol,
            json_response=True,
            stateless=True,
            max_request_body_size=limits.MAX_TASK_BODY_BYTES,
        )
        async with manager.run():
            await manager.handle_request({**scope, CALLER: caller}, receive, send)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        return self.tools[name].definition.input_schema if name in self.tools else None

    async def list_tools(self, ctx: Ctx, params: Listing) -> ListToolsResult:
        caller = caller_of(ctx)
        return ListToolsResult(
            tools=[tool.definition for tool in self.tools.values() if caller.may_use(tool)]
        )

    async def call_tool(self, ctx: Ctx, params: CallToolRequestParams) -> CallToolResult:
        caller = caller_of(ctx)
        tool = self.tools.get(params.name)
        if tool is None or not caller.may_use(tool):
            return error_result(UnknownTool())
        try:
            arguments = dict(params.arguments or {})
            call = await caller.call_of(tool, arguments)
            out = await tool.handler(call, **tool.arguments.read(arguments))
        except Exception as error:
            return error_result(as_app_error(error))
        text = as_json(out).decode()
        texts = [text, *(f"Warning: {warning}" for warning in call.warnings[: limits.MAX_WARNINGS])]
        return CallToolResult(
            content=[TextContent(text=part) for part in texts], structured_content=from_json(text)
        )

    async def list_prompts(self, ctx: Ctx, params: Listing) -> ListPromptsResult:
        return ListPromptsResult(prompts=[prompt.definition for prompt in self.prompts.values()])

    async def get_prompt(self, ctx: Ctx, params: GetPromptRequestParams) -> GetPromptResult:
        prompt = self.prompts.get(params.name)
        if prompt is None:
            raise MCPError(INVALID_PARAMS, "No prompt has this name.")
        try:
            return prompt.render(params.arguments or {})
        except AppError as error:
            raise MCPError(INVALID_PARAMS, error.message) from error


class UnknownTool(VisitorRefusal):
    """No tool with this name is available to the caller: `tools/list` lists the available ones."""

    code = "unknown_tool"


def caller_of(ctx: Ctx) -> Caller:
    assert ctx.request is not None, "requests come over HTTP only"
    return cast(Caller, ctx.request.scope[CALLER])


def error_result(error: AppError) -> CallToolResult:
    """The error in REST's words, for the agent to read, with the seconds to wait."""
    body: dict[str, Any] = {"error": error.message, "code": error.code}
    if error.details:
        body["details"] = [{"field": field, "message": message} for field, message in error.details]
    if "Retry-After" in error.headers:
        body["retryAfter"] = int(error.headers["Retry-After"])
    return CallToolResult(content=[TextContent(text=json.dumps(body, ensure_ascii=False))], is_error=True)


async def no_resources(ctx: Ctx, params: Listing) -> ListResourcesResult:
    return ListResourcesResult(resources=[])


async def no_templates(ctx: Ctx, params: Listing) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=[])


async def no_resource(ctx: Ctx, params: ReadResourceRequestParams) -> ReadResourceResult:
    raise MCPError(INVALID_PARAMS, "No resource has this URI.", {"uri": str(params.uri)})


class SdkResponse:
    """The response of the SDK, kept until the endpoint has added its headers."""

    def __init__(self) -> None:
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message.get("headers", ()))
        else:
            self.body += message.get("body", b"")
