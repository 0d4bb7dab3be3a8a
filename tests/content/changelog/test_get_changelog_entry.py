"""GET /v1/changelog/entries/{id}."""

from tests.support.cast import Client
from tests.support.changelog_entries import ENTRIES, create_entry, publish_entry
from tests.support.http import error, named_fields, ok


async def test_entry_is_found_by_id_and_by_slug(client: Client) -> None:
    entry = await create_entry(client, "Größe wählen")

    for ref in (entry["id"], "größe-wählen"):
        assert ok(await client.get(f"{ENTRIES}/{ref}")) == entry


async def test_html_takes_the_place_of_markdown(client: Client) -> None:
    entry = await create_entry(client, contentMarkdown="*now* <script>alert(1)</script><b onclick=x>b</b>")

    html = ok(await client.get(f"{ENTRIES}/exports-as-csv", params={"format": "html"}))

    content = html.pop("contentHtml")
    assert html == {name: value for name, value in entry.items() if name != "contentMarkdown"}
    assert "<em>now</em>" in content
    assert "script" not in content
    assert "onclick" not in content


async def test_html_is_exactly_what_the_page_shows(client: Client, visitor: Client) -> None:
    entry = await publish_entry(
        client, contentMarkdown="## Step\n\n| a |\n|---|\n| 1 |\n\n- [x] done[^1]\n\n[^1]: b"
    )

    html = ok(await client.get(f"{ENTRIES}/{entry['id']}?format=html"))["contentHtml"]

    assert html in (await visitor.get(entry["url"])).text


async def test_another_format_is_refused(reader: Client) -> None:
    refusal = await reader.get(f"{ENTRIES}/nothing", params={"format": "pdf"})

    assert named_fields(refusal) == ["format"]


async def test_matching_etag_gets_304(client: Client) -> None:
    entry = await create_entry(client)
    path = f"{ENTRIES}/{entry['id']}"
    etag = (await client.get(path)).headers["ETag"]
    headers = {"If-None-Match": etag}

    again = await client.get(path, headers=headers)
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    for change in (client.patch(path, json={"title": "New"}), client.post(f"{path}/publish")):
        body = await change
        assert body.headers["ETag"] != headers["If-None-Match"]
        changed = await client.get(path, headers=headers)
        assert (changed.status_code, changed.headers["ETag"]) == (200, body.headers["ETag"])
        headers = {"If-None-Match": body.headers["ETag"]}


async def test_an_entry_of_somebody_else_is_as_unknown_as_none(reader: Client, globex: Client) -> None:
    theirs = await create_entry(globex)

    answers = [
        await reader.get(f"{ENTRIES}/{ref}")
        for ref in (theirs["id"], theirs["slug"], "chg_01k0000000000000000000000a", "nothing", "%00")
    ]

    assert {error(answer) for answer in answers[:-1]} == {(404, "not_found")}
    assert len({answer.content for answer in answers[:-1]}) == 1
    assert error(answers[-1])[0] in (400, 404)
