"""Discovery of the MCP servers: `/.well-known/mcp.json`, server cards (SEP-2127) and their catalog."""

import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from mcp_types.version import LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep import __version__
from instep.interfaces.mcp_servers.servers import DOCS, DOCS_PATH, HELP_CENTER_PATH, WORKSPACE, WORKSPACE_PATH
from instep.platform.core import limits
from instep.platform.core.etags import etag_of, matches_any_etag
from instep.platform.identity.access_tokens import METADATA_PATH
from instep.platform.identity.keys import find_public_bot
from instep.platform.identity.schemas import Bot
from instep.platform.identity.scopes import Scope
from instep.platform.web.custom_domains import custom_domain
from instep.platform.web.public import public

Document = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]
CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
CARD_TYPE = "application/mcp-server-card+json"
API_KEY = {
    "name": "Authorization",
    "description": "Bearer <API key of the workspace>, for programs that can't sign in with OAuth",
    "isRequired": False,
    "isSecret": True,
}


def docs_card(site: str) -> Document:
    description = "Ask and search a public help center. Tools need botId and botKey."
    return card(site, "docs", DOCS.title, description, remote(site, DOCS_PATH))


def workspace_card(site: str) -> Document:
    description = "Read, propose, review and publish the articles of a help center."
    workspace_remote = remote(site, WORKSPACE_PATH) | {"headers": [API_KEY]}
    return card(site, "workspace", WORKSPACE.title, description, workspace_remote)


def card(site: str, name: str, title: str, description: str, server_remote: Document) -> Document:
    return {
        "$schema": CARD_SCHEMA,
        "name": f"{reversed_host(site)}/{name}",
        "version": __version__,
        "title": title,
        "description": description,
        "websiteUrl": site,
        "remotes": [server_remote],
    }


def remote(site: str, path: str) -> Document:
    versions = list(reversed(SUPPORTED_PROTOCOL_VERSIONS))
    return {"type": "streamable-http", "url": site + path, "supportedProtocolVersions": versions}


def reversed_host(site: str) -> str:
    """The labels of the host in reverse order, as in names of packages."""
    return ".".join(reversed((urlsplit(site).hostname or "").replace(":", "-").split(".")))


def help_center_card(bot: Bot) -> Document:
    """The card of one help center's server, at its own address."""
    description = f"Ask and search the help center of {bot.name}."
    name = f"help-{bot.slug}"
    return card(bot.help_url, name, bot.name, description, remote(bot.help_url, DOCS_PATH))


def help_center_manifest(bot: Bot) -> Document:
    document = help_center_card(bot)
    return {**document, "servers": [entry(bot.help_url, document, DOCS_PATH, "none")]}


def manifest(site: str) -> Document:
    """Both servers; the top level is the public server's card with the fields of older conventions."""
    docs, workspace = docs_card(site), workspace_card(site)
    return {
        **docs,
        "endpoint": site + DOCS_PATH,
        "transport": {"type": "streamable-http", "url": site + DOCS_PATH, "endpoint": DOCS_PATH},
        "serverInfo": {"name": DOCS.name, "title": DOCS.title, "version": __version__},
        "protocolVersion": LATEST_PROTOCOL_VERSION,
        "capabilities": {"tools": {}},
        "authentication": {"required": False, "schemes": []},
        "servers": [
            entry(site, docs, DOCS_PATH, "none"),
            entry(site, workspace, WORKSPACE_PATH, "oauth2, bearer")
            | {"resource_metadata": site + METADATA_PATH},
        ],
    }


def entry(site: str, document: Document, path: str, authentication: str) -> Document:
    return {
        "name": document["name"],
        "title": document["title"],
        "description": document["description"],
        "url": site + path,
        "transport": "streamable-http",
        "authentication": authentication,
        "card": f"{site}{path}/server-card",
    }


def catalog(site: str) -> Document:
    host = urlsplit(site).hostname
    cards = (("docs", DOCS_PATH), ("workspace", WORKSPACE_PATH))
    return {
        "specVersion": "1.0",
        "entries": [
            {
                "identifier": f"urn:air:{host}:mcp:{name}",
                "type": CARD_TYPE,
                "url": f"{site}{path}/server-card",
            }
            for name, path in cards
        ],
    }


def protected_resource(site: str) -> Document:
    """Protected resource metadata of the workspace's server (RFC 9728); write scope is a step-up."""
    return {
        "resource": site + WORKSPACE_PATH,
        "authorization_servers": [site],
        "scopes_supported": [Scope.READ],
        "bearer_methods_supported": ["header"],
        "resource_name": WORKSPACE.title,
    }


def of_site(write: Callable[[str], Document], media_type: str = "application/json") -> Endpoint:
    """The endpoint of a document about this installation."""

    @public
    async def get_site_document(request: Request) -> Response:
        return document(request, write(site_of(request)), media_type)

    return get_site_document


def of_help_center(write: Callable[[Bot], Document], media_type: str) -> Endpoint:
    """The endpoint of a document about one help center."""

    @public
    async def get_help_center_document(request: Request) -> Response:
        slug = request.path_params["bot"]
        public_bot = await find_public_bot(request.app.state.database, slug, custom_domain(request))
        return document(request, write(public_bot), media_type)

    return get_help_center_document


def site_of(request: Request) -> str:
    site: str = request.app.state.settings.base_url
    return site


def document(request: Request, content: Document, media_type: str) -> Response:
    """A public document without secrets, which pages of all origins may read."""
    body = json.dumps(content).encode()
    headers = {
        "Access-Control-Allow-Origin": "*",
        "Cache-Control": f"public, max-age={limits.DISCOVERY_CACHE_SECONDS}",
        "ETag": etag_of(body),
    }
    if matches_any_etag(headers["ETag"], request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    return Response(body, 200, headers, media_type)


routes = [
    Route("/.well-known/mcp.json", of_site(manifest)),
    Route("/.well-known/mcp", of_site(manifest)),
    Route("/.well-known/mcp/server-card.json", of_site(docs_card, CARD_TYPE)),
    Route("/.well-known/ai-catalog.json", of_site(catalog)),
    Route(f"{DOCS_PATH}/server-card", of_site(docs_card, CARD_TYPE)),
    Route("/help/{bot}/.well-known/mcp.json", of_help_center(help_center_manifest, "application/json")),
    Route(f"{HELP_CENTER_PATH}/server-card", of_help_center(help_center_card, CARD_TYPE)),
    Route(f"{WORKSPACE_PATH}/server-card", of_site(workspace_card, CARD_TYPE)),
    Route(METADATA_PATH, of_site(protected_resource)),
    # Some clients request this path without a suffix.
    Route("/.well-known/oauth-protected-resource", of_site(protected_resource)),
]
