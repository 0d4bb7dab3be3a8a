"""Collections and redirects through the tools of the workspace's MCP server."""

from tests.support.cast import Api, Cast
from tests.support.former_links import ELSEWHERE, REDIRECTS, follow
from tests.support.http import all_pages, ok
from tests.support.mcp import WORKSPACE, call, use


async def test_an_agent_creates_lists_and_deletes_redirects(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    made = await use(client, "create_redirect", {"from": "/old/*", "url": ELSEWHERE})
    assert await follow(api, cast, "/old/page") == (301, ELSEWHERE)
    assert (await use(client, "list_redirects"))["results"] == [made] == await all_pages(client, REDIRECTS)

    assert await use(client, "delete_redirect", {"id": made["id"]}) == {"id": made["id"], "deleted": True}
    assert await follow(api, cast, "/old/page") == (404, None)


async def test_an_agent_is_told_what_is_wrong_with_a_redirect(api: Api, cast: Cast) -> None:
    for arguments in (
        {"from": "old", "url": ELSEWHERE},
        {"from": "/old"},
        {"from": "/a*b", "url": ELSEWHERE},
    ):
        result = await call(api(cast.acme.write_key), WORKSPACE, "create_redirect", arguments)
        assert result["isError"] is True
        assert "invalid_request" in str(result)


async def test_an_agent_finds_the_collection_for_an_article(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    top = await use(client, "create_collection", {"title": "Product"})
    inner = await use(client, "create_collection", {"title": "Setup", "parentId": "product"})

    assert (await use(client, "list_collections"))["results"] == [top, inner]
    assert ok(await client.get("/v1/collections/setup"))["parentId"] == top["id"]
