"""GET /help/{bot}/llms.txt and /help/{bot}/llms-full.txt."""

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import publish_entry
from tests.support.limits import SetLimit
from tests.support.site_pages import collect, publish, visit


async def test_the_index_leads_to_each_text(client: Client, visitor: Client, api: Api, cast: Cast) -> None:
    guides = await collect(client, "Guides")
    steps = await collect(client, "Steps", parentId=guides["id"])
    await publish(client, "Loose [one]", description="Stands\nalone")
    await publish(client, "Install", collectionId=steps["id"])
    await publish(client, "Einrichten", locale="de", collectionId=steps["id"])
    await publish_entry(client, "Exports")

    answer = await visit(api, f"{cast.acme.slug}/llms.txt")

    here = f"http://help.test/help/{cast.acme.slug}"
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.text.split("\n\n") == [
        "# Acme",
        f"> The help center of Acme, {here}/",
        "## Guides / Steps",
        f"- [Install]({here}/articles/install.md)",
        "## Articles",
        rf"- [Loose \[one\]]({here}/articles/loose-one.md): Stands alone",
        "## de: Guides / Steps",
        f"- [Einrichten]({here}/de/articles/einrichten.md)",
        "## Optional",
        f"- [All articles in one file]({here}/llms-full.txt)\n"
        f"- [MCP server]({here}/mcp): answers from these articles and searches them; no key\n"
        f"- [Changelog]({here}/changelog.json): what is new, as a JSON Feed\n",
    ]
    for path in ("articles/install.md", "articles/loose-one.md", "de/articles/einrichten.md"):
        assert (await visitor.get(f"{here}/{path}")).status_code == 200


async def test_the_index_says_what_it_leaves_out(
    client: Client, api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("MAX_LLMS_LINKS", 1)
    for number in range(2):
        await publish(client, f"No {number}")

    text = (await visit(api, f"{cast.acme.slug}/llms.txt")).text

    assert "first 1 articles" in text
    assert ("no-0.md" in text, "no-1.md" in text) == (True, False)


async def test_one_file_holds_all_texts(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "First", "One **word**.", description="Lead")
    await publish(client, "Second", "Two.")

    text = (await visit(api, f"{cast.acme.slug}/llms-full.txt")).text

    here = f"http://help.test/help/{cast.acme.slug}"
    assert text.startswith(
        f"# Acme\n\n> All 2 public articles of {here}/.\n\n# First\n\n> Lead\n\nOne **word**."
    )
    assert f"Source: <{here}/articles/first>\n" in text
    assert text.index("# First") < text.index("# Second\n\nTwo.")


async def test_matching_etag_gets_304_until_something_changes(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    article = await publish(client, "First", "One.")
    path = f"{cast.acme.slug}/llms-full.txt"
    etag = (await visit(api, path)).headers["ETag"]

    again = await visit(api, path, **{"If-None-Match": etag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)

    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Two."})
    changed = await visit(api, path, **{"If-None-Match": etag})
    assert (changed.status_code, "Two." in changed.text) == (200, True)
    await owner.execute("update bots set name = 'New name' where id = %(bot)s", bot=cast.acme.bot_id)
    renamed = await visit(api, path, **{"If-None-Match": changed.headers["ETag"]})
    assert renamed.text.startswith("# New name\n")


async def test_notes_of_authors_in_comments_are_in_no_text_for_programs(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "First", "One.\n\n<!-- the secret -->\n\nTwo <!-- secret -->words.")

    texts = [
        (await visit(api, f"{cast.acme.slug}/{path}")).text
        for path in ("llms.txt", "llms-full.txt", "articles/first.md")
    ]

    assert "secret" not in "".join(texts)
    assert all("Two words." in text for text in texts[1:])


async def test_the_file_says_its_limit(client: Client, api: Api, cast: Cast, set_limit: SetLimit) -> None:
    set_limit("MAX_LLMS_FULL_BYTES", 2048)
    for number in range(3):
        await publish(client, f"No {number}", "ö" * 500)

    text = (await visit(api, f"{cast.acme.slug}/llms-full.txt")).text

    here = f"http://help.test/help/{cast.acme.slug}"
    assert "first 2 of 3" in text
    assert f"{here}/llms.txt" in text
    assert ("# No 1\n" in text, "# No 2\n" in text) == (True, False)
