"""The page on adding a help center to an AI client: its MCP server's URL, with steps."""

import json

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site.rendering import lasting_page
from instep.interfaces.site.visits import help_center, moved_to_usual_spelling
from instep.platform.web.public import public


@public
async def show_connect(request: Request) -> Response:
    async with help_center(request, recognise=True, only_reads=True) as visit:
        if moved := moved_to_usual_spelling(visit):
            return moved
        bot = visit.ctx.bot
        url, name = f"{bot.with_all_versions.help_url}/mcp", f"{bot.slug}-help"
        return lasting_page(
            visit,
            "connect.html",
            url=url,
            command=f"claude mcp add --transport http {name} {url}",
            cursor=json.dumps({"mcpServers": {name: {"url": url}}}, indent=2),
            code=json.dumps({"servers": {name: {"type": "http", "url": url}}}, indent=2),
        )
