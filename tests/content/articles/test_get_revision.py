"""GET /v1/articles/{id}/revisions/{revisionId}."""

from tests.support.cast import Client, Json
from tests.support.http import all_pages, create_article, error, named_fields, ok


async def test_revision_holds_the_replaced_text(client: Client) -> None:
    article = await create_article(client, contentMarkdown="*One*\r\n")
    listed = await replace(client, "install")

    revision = ok(await client.get(f"/v1/articles/install/revisions/{listed['id']}"))

    assert revision == {**listed, "contentMarkdown": "*One*\r\n"}
    assert revision["articleId"] == article["id"]


async def test_html_takes_the_place_of_markdown(client: Client) -> None:
    await create_article(client, contentMarkdown="*One*<script>x</script>")
    listed = await replace(client, "install")

    address = f"/v1/articles/install/revisions/{listed['id']}"
    revision = ok(await client.get(address, params={"format": "html"}))

    assert revision == {**listed, "contentHtml": "<p><em>One</em></p>\n"}
    assert named_fields(await client.get(address, params={"format": "pdf"})) == ["format"]


async def test_a_revision_belongs_to_its_article(client: Client) -> None:
    await create_article(client)
    await create_article(client, "Other")
    mine = await replace(client, "install")

    refusal = await client.get(f"/v1/articles/other/revisions/{mine['id']}")
    unknown = await client.get("/v1/articles/other/revisions/rev_01k0000000000000000000000a")

    assert error(refusal) == (404, "not_found")
    assert refusal.content == unknown.content


async def test_a_revision_of_somebody_else_is_as_unknown_as_none(
    client: Client, reader: Client, globex: Client
) -> None:
    theirs = await create_article(globex)
    revision = await replace(globex, "install")
    await create_article(client)

    for article in (theirs["id"], "nothing"):
        refusal = await reader.get(f"/v1/articles/{article}/revisions/{revision['id']}")
        assert error(refusal) == (404, "not_found")
    answer = await reader.get(f"/v1/articles/install/revisions/{revision['id']}")
    assert error(answer) == (404, "not_found")


async def replace(client: Client, slug: str) -> Json:
    """Replace an article's text and return the revision with the old one."""
    ok(await client.patch(f"/v1/articles/{slug}", json={"contentMarkdown": "Two"}))
    return (await all_pages(client, f"/v1/articles/{slug}/revisions"))[0]
