"""GET /v1/articles/{id}/revisions/{revisionId}/diff."""

import pytest

from tests.support.articles import revisions_of
from tests.support.cast import Client
from tests.support.drafts import patched
from tests.support.http import create_article, error, ok

INSTALL = "/v1/articles/install"
MISSING = (404, "not_found")
TEXTS = ["One.\n\nSame.\n", "Two.\n\nSame.\n", "Three.\n\nSame.\n\nMore.\n"]


async def test_diff_leads_from_the_revision_to_the_current_text(client: Client) -> None:
    article = await create_article(client, contentMarkdown="One.\n\nSame.\n")
    await client.patch(INSTALL, json={"contentMarkdown": "Two.\n\nSame.\n"})
    [revision] = await revisions_of(client, "install")
    path = f"{INSTALL}/revisions/{revision['id']}/diff"

    diff = ok(await client.get(path))

    assert diff == {
        "articleId": article["id"],
        "revisionId": revision["id"],
        "compareTo": "current",
        "diff": "--- version 1\n+++ version 2\n@@ -1,3 +1,3 @@\n-One.\n+Two.\n \n Same.\n",
        "additions": 1,
        "deletions": 1,
        "identical": False,
    }
    assert ok(await client.get(path, params={"compare_to": "current"})) == diff


async def test_diff_leads_to_another_revision_newer_or_older(client: Client) -> None:
    await create_article(client, contentMarkdown=TEXTS[0])
    for text in [*TEXTS[1:], "Four."]:
        await client.patch(INSTALL, json={"contentMarkdown": text})
    third, second, first = await revisions_of(client, "install")

    for (newer, before), (older, after) in (
        ((first, TEXTS[0]), (third, TEXTS[2])),
        ((third, TEXTS[2]), (first, TEXTS[0])),
        ((second, TEXTS[1]), (third, TEXTS[2])),
    ):
        path = f"{INSTALL}/revisions/{newer['id']}/diff"
        diff = ok(await client.get(path, params={"compare_to": older["id"]}))
        assert (diff["revisionId"], diff["compareTo"]) == (newer["id"], older["id"])
        assert patched(before, diff["diff"]) == after
        lines = diff["diff"].splitlines()[2:]
        assert diff["additions"] == sum(line.startswith("+") for line in lines)
        assert diff["deletions"] == sum(line.startswith("-") for line in lines)


async def test_equal_texts_are_identical(client: Client) -> None:
    await create_article(client, contentMarkdown="One.")
    for text in ("Two.", "One."):
        await client.patch(INSTALL, json={"contentMarkdown": text})
    _, first = await revisions_of(client, "install")

    for other in ("current", first["id"]):
        path = f"{INSTALL}/revisions/{first['id']}/diff"
        diff = ok(await client.get(path, params={"compare_to": other}))
        assert (diff["diff"], diff["additions"], diff["deletions"]) == ("", 0, 0)
        assert diff["identical"] is True


@pytest.mark.parametrize("text", ["Run it.\n", ""])
async def test_another_title_shows_as_a_heading_above_the_text(client: Client, text: str) -> None:
    await create_article(client, "Install", contentMarkdown=text)
    await client.patch(INSTALL, json={"title": "Set up"})
    [revision] = await revisions_of(client, "install")

    diff = ok(await client.get(f"{INSTALL}/revisions/{revision['id']}/diff"))

    assert (diff["identical"], diff["additions"], diff["deletions"]) == (False, 1, 1)
    assert patched(f"# Install\n\n{text}", diff["diff"]) == f"# Set up\n\n{text}"


async def test_a_text_of_any_size_is_compared(client: Client) -> None:
    before = "".join(f"line {number % 997}\n" for number in range(60_000))
    after = "".join(f"line {number % 991}\n" for number in range(60_000))
    await create_article(client, contentMarkdown=before)
    ok(await client.patch(INSTALL, json={"contentMarkdown": after}))
    [revision] = await revisions_of(client, "install")

    diff = ok(await client.get(f"{INSTALL}/revisions/{revision['id']}/diff"))

    assert patched(before, diff["diff"]) == after


async def test_unknown_revision_gets_404(client: Client) -> None:
    for title in ("Install", "Other"):
        await create_article(client, title)
        await client.patch(f"/v1/articles/{title.lower()}", json={"contentMarkdown": "Two."})
    [mine], [others] = await revisions_of(client, "install"), await revisions_of(client, "other")
    unknown = "rev_01k0000000000000000000000a"

    for revision in (others["id"], unknown, "current", "x"):
        assert error(await client.get(f"{INSTALL}/revisions/{revision}/diff")) == MISSING
    for other in (others["id"], unknown, "", "Current"):
        path = f"{INSTALL}/revisions/{mine['id']}/diff"
        assert error(await client.get(path, params={"compare_to": other})) == MISSING
