"""Discovery of the servers by clients: one document, two cards, a catalog."""

import json

import pytest
from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS

from instep.interfaces.mcp_servers.discovery import docs_card, reversed_host, workspace_card
from instep.platform.core.config import settings
from tests.support.cast import Api, Client
from tests.support.http import body_of
from tests.support.mcp import post

CARDS = ["/mcp/server-card", "/mcp/admin/server-card", "/.well-known/mcp/server-card.json"]
ALL = ["/.well-known/mcp.json", "/.well-known/mcp", "/.well-known/ai-catalog.json", *CARDS]
CARD_TYPE = "application/mcp-server-card+json"


async def test_the_document_names_both_servers_and_how_to_sign_in(reader: Client, visitor: Client) -> None:
    document = body_of(await visitor.get("/.well-known/mcp.json"))

    site = settings().base_url
    assert document["version"]
    assert [(server["url"], server["authentication"]) for server in document["servers"]] == [
        (f"{site}/mcp", "none"),
        (f"{site}/mcp/admin", "oauth2, bearer"),
    ]
    resource = body_of(await visitor.get(document["servers"][1]["resource_metadata"]))
    assert resource["resource"] == f"{site}/mcp/admin"
    for server in document["servers"]:
        assert server["transport"] == "streamable-http"
        assert body_of(await visitor.get(server["card"]))["name"] == server["name"]
        opened = await post(reader, server["url"], "tools/list")
        assert opened.status_code == 200


@pytest.mark.parametrize("path", CARDS)
async def test_cards_are_of_the_form_that_the_extension_asks_for(visitor: Client, path: str) -> None:
    answer = await visitor.get(path)

    card = body_of(answer)
    assert answer.headers["Content-Type"] == CARD_TYPE
    assert card["$schema"].endswith("/v1/server-card.schema.json")
    assert card["name"].count("/") == 1
    assert len(card["description"]) <= 100
    [remote] = card["remotes"]
    assert remote["type"] == "streamable-http"
    assert set(remote["supportedProtocolVersions"]) == set(SUPPORTED_PROTOCOL_VERSIONS)
    assert "tools" not in card


async def test_the_workspaces_card_takes_a_key_and_tells_none(api: Api) -> None:
    [docs], [workspace] = (card(settings().base_url)["remotes"] for card in (docs_card, workspace_card))

    assert "headers" not in docs
    [header] = workspace["headers"]
    assert (header["name"], header["isRequired"], header["isSecret"]) == ("Authorization", False, True)


async def test_the_catalog_leads_to_the_cards(visitor: Client) -> None:
    catalog = body_of(await visitor.get("/.well-known/ai-catalog.json"))

    assert catalog["specVersion"] == "1.0"
    assert len(catalog["entries"]) == 2
    for entry in catalog["entries"]:
        assert entry["identifier"].startswith("urn:air:help.test:mcp:")
        assert entry["type"] == (await visitor.get(entry["url"])).headers["Content-Type"]


@pytest.mark.parametrize("path", ALL)
async def test_anybody_may_read_and_keep_them(visitor: Client, path: str) -> None:
    answer = await visitor.get(path, headers={"Origin": "https://anywhere.example"})
    again = await visitor.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    head = await visitor.head(path)

    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cache-Control"] == "public, max-age=3600"
    assert (again.status_code, again.content) == (304, b"")
    assert head.status_code == 200
    assert "isk_" not in json.dumps(answer.json())


@pytest.mark.parametrize(
    ("site", "name"),
    [
        ("https://help.example.com", "com.example.help"),
        ("http://127.0.0.1:8000", "1.0.0.127"),
        ("http://[::1]:8000", "--1"),
    ],
)
def test_names_begin_with_the_host_turned_round(site: str, name: str) -> None:
    assert reversed_host(site) == name
