"""GET /v1/drafts/{id}."""

import pytest

from tests.support.cast import Client, Json
from tests.support.drafts import AFTER, BEFORE, get, patched, propose, queue, text_of, write_article

FIELDS = {
    *("id", "type", "status", "title", "articleId", "articleTitle", "reason", "sourceUrl", "taskId"),
    *("source", "version", "certainty", "approvedBy", "approvedAt"),
    *("conflict", "additions", "deletions", "author", "createdAt", "updatedAt"),
    *("contentMarkdown", "diff", "mergedMarkdown", "baseVersion", "currentVersion", "evidence", "questions"),
    "warnings",
    "dismissal",
}
TEXTS = [
    ("one\ntwo\nthree\n", "one\n2\nthree\n"),
    ("one\ntwo", "one\ntwo\n"),
    ("one\ntwo\n", "one\ntwo"),
    ("one", "two"),
    ("", "one\n"),
    ("one\n", ""),
    ("-- a\n++ b\n", "++ b\n-- a\n"),
    ("a\r\nb\r\n", "a\r\nc\r\n"),
    ("a\fb\u2028c\n", "a\fb\u2028d\n"),
    ("".join(f"line {number}\n" for number in range(40)), "".join(f"line {n}\n" for n in range(40) if n % 9)),
]


async def test_a_draft_has_every_field_of_the_contract(client: Client) -> None:
    proposal = await propose(client, await write_article(client))

    draft = await get(client, f"drafts/{proposal['id']}")

    assert draft == proposal
    assert draft.keys() == FIELDS
    assert (draft["baseVersion"], draft["currentVersion"]) == (1, 1)
    assert (draft["conflict"], draft["mergedMarkdown"]) == (False, None)
    assert (draft["evidence"], draft["questions"], draft["warnings"]) == ([], [], [])
    assert draft["createdAt"].endswith("Z")


async def test_the_diff_makes_the_live_text_into_the_proposal(client: Client) -> None:
    for number, (before, after) in enumerate(TEXTS):
        article = await write_article(client, f"Text {number}", before)

        draft = await propose(client, article, after)

        assert patched(before, draft["diff"]) == after
        marks = [line[0] for line in draft["diff"].split("\n")[2:] if line]
        assert (draft["additions"], draft["deletions"]) == (marks.count("+"), marks.count("-"))


async def test_a_change_of_the_article_is_a_conflict_with_a_merge(
    client: Client, article: Json, draft: Json
) -> None:
    live = BEFORE.replace("ten minutes", "a minute")
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": live})

    view = await get(client, f"drafts/{draft['id']}")

    assert view["conflict"] is True
    assert (view["baseVersion"], view["currentVersion"]) == (1, 2)
    assert view["mergedMarkdown"] == AFTER.replace("ten minutes", "a minute")
    assert patched(live, view["diff"]) == view["mergedMarkdown"]
    assert (view["additions"], view["deletions"]) == (1, 1)
    assert view["warnings"] == []


async def test_changes_of_the_same_lines_have_no_merge(client: Client, article: Json, draft: Json) -> None:
    live = BEFORE.replace("`install`", "`bootstrap`")
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": live})

    view = await get(client, f"drafts/{draft['id']}")

    assert (view["conflict"], view["mergedMarkdown"]) == (True, None)
    assert patched(live, view["diff"]) == AFTER
    assert (view["additions"], view["deletions"]) == (1, 1)
    refusal = await client.post(f"/v1/drafts/{draft['id']}/apply", json={})
    assert view["warnings"] == [refusal.json()["error"]]


async def test_another_title_of_the_article_is_a_conflict(client: Client, article: Json, draft: Json) -> None:
    await client.patch(f"/v1/articles/{article['id']}", json={"title": "Set up"})

    view = await get(client, f"drafts/{draft['id']}")

    assert (view["conflict"], view["mergedMarkdown"]) == (True, AFTER)
    assert (view["title"], view["articleTitle"]) == ("Set up", "Set up")


async def test_a_change_that_leaves_the_text_is_no_conflict(
    client: Client, article: Json, draft: Json
) -> None:
    changes = {"description": "How to begin", "slug": "begin", "visibility": "authenticated"}
    await client.patch(f"/v1/articles/{article['id']}", json=changes)

    assert (await get(client, f"drafts/{draft['id']}"))["conflict"] is False


async def test_a_text_that_came_back_is_no_conflict(client: Client, article: Json, draft: Json) -> None:
    for text in ("Something else.", BEFORE):
        await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": text})

    view = await get(client, f"drafts/{draft['id']}")

    assert (view["conflict"], view["currentVersion"]) == (False, 3)


async def test_html_replaces_markdown_when_asked_for(client: Client) -> None:
    draft = await propose(client, await write_article(client), "**bold**\n\n<script>x</script>")

    view = await get(client, f"drafts/{draft['id']}?format=html")

    assert view.keys() == FIELDS - {"contentMarkdown"} | {"contentHtml"}
    assert "<strong>bold</strong>" in view["contentHtml"]
    assert "script" not in view["contentHtml"]


async def test_a_settled_draft_can_still_be_read(client: Client, article: Json, reader: Client) -> None:
    applied, dismissed = await propose(client, article), await propose(client, article, "Short.")
    await client.post(f"/v1/drafts/{applied['id']}/apply", json={})
    await client.post(f"/v1/drafts/{dismissed['id']}/dismiss")

    views = [await get(reader, f"drafts/{d['id']}") for d in (applied, dismissed)]

    assert [draft["status"] for draft in views] == ["applied", "dismissed"]
    assert [draft["contentMarkdown"] for draft in views] == [AFTER, "Short."]


@pytest.mark.parametrize("settle", ["apply", "dismiss"])
async def test_a_settled_draft_shows_what_it_proposed_and_no_conflict_for_ever(
    client: Client, article: Json, draft: Json, settle: str
) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/{settle}", json={})
    await client.patch(
        f"/v1/articles/{article['id']}", json={"contentMarkdown": "Another text.", "title": "A"}
    )

    view = await get(client, f"drafts/{draft['id']}")

    assert (view["conflict"], view["mergedMarkdown"]) == (False, None)
    assert patched(BEFORE, view["diff"]) == AFTER
    assert (view["additions"], view["deletions"], view["baseVersion"]) == (1, 1, 1)
    assert view["currentVersion"] == (3 if settle == "apply" else 2)


async def test_an_edit_of_a_deleted_article_can_be_read_and_waits_for_its_return(
    client: Client, article: Json, draft: Json
) -> None:
    path = f"/v1/drafts/{draft['id']}"
    await client.delete(f"/v1/articles/{article['id']}")

    assert await get(client, f"drafts/{draft['id']}") == draft
    assert await queue(client) == []
    refusal = await client.post(f"{path}/apply", json={})
    assert (refusal.status_code, refusal.json()["code"]) == (400, "invalid_state")
    await client.post(f"/v1/articles/{article['id']}/restore")

    assert await queue(client) == [draft["id"]]
    assert (await client.post(f"{path}/apply", json={})).status_code == 200
    assert await text_of(client, article) == AFTER


async def test_a_long_text_is_compared_too(client: Client) -> None:
    before = "".join(f"Step {number}: wait.\n" for number in range(40_000))
    article = await write_article(client, "Long", before)

    draft = await propose(client, article, before.replace("Step 39999: wait", "Step 39999: go"))

    assert (draft["additions"], draft["deletions"]) == (1, 1)
