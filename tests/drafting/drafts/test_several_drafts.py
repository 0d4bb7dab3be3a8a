"""Several drafts of one article: applying one after another keeps all, and each lists the others."""

import json
from collections.abc import Awaitable, Callable

import pytest

from instep.platform.core import limits
from tests.support.cast import Client, Json
from tests.support.drafts import BEFORE, get, patched, propose, queue, revisions, text_of, write_article
from tests.support.mcp import WORKSPACE, call
from tests.support.wording import like

Apply = Callable[[Client, str], Awaitable[None]]
SWAPS = (("`install`", "`setup`"), ("ten minutes", "a minute"), ("Sign in.", "Sign in, and look around."))
LATER = BEFORE.replace("`install`", "`bootstrap`").replace("Sign in.\n", "Sign in.\n\nSay hello.\n")


async def by_rest(client: Client, draft_id: str) -> None:
    applied = await client.post(f"/v1/drafts/{draft_id}/apply", json={})
    assert applied.status_code == 200, applied.text
    assert "Instep-Warnings" not in applied.headers


async def by_tool(client: Client, draft_id: str) -> None:
    applied = await call(client, WORKSPACE, "apply_draft", {"id": draft_id})
    assert applied["structuredContent"]["status"] == "applied"
    assert len(applied["content"]) == 1


@pytest.mark.parametrize("apply", [by_rest, by_tool])
@pytest.mark.parametrize("count", [2, 3])
async def test_drafts_that_are_applied_one_after_the_other_all_stay(
    client: Client, article: Json, apply: Apply, count: int
) -> None:
    drafts = [await propose(client, article, BEFORE.replace(*swap)) for swap in SWAPS[:count]]

    live = BEFORE
    for draft, swap in zip(drafts, SWAPS, strict=False):
        view = await get(client, f"drafts/{draft['id']}")
        assert patched(live, view["diff"]) == live.replace(*swap)
        assert (view["additions"], view["deletions"]) == (1, 1)

        await apply(client, draft["id"])

        live = live.replace(*swap)
        assert await text_of(client, article) == live
    assert await queue(client) == []
    assert len(await revisions(client, article)) == count


async def test_changes_that_overlap_are_refused_and_nothing_changes(client: Client) -> None:
    article, draft = await overtaken(client)

    by_rest = await client.post(f"/v1/drafts/{draft['id']}/apply", json={})
    by_tool = await call(client, WORKSPACE, "apply_draft", {"id": draft["id"]})

    assert (by_rest.status_code, by_rest.json()["code"]) == (400, "conflict")
    assert by_tool["isError"] is True
    assert by_rest.json()["error"] in by_tool["content"][0]["text"]
    assert await text_of(client, article) == LATER
    assert await queue(client) == [draft["id"]]


async def test_an_overwrite_names_what_it_takes_away(client: Client) -> None:
    article, draft = await overtaken(client)
    wish = {"onConflict": "overwrite"}

    warnings = await warned(client, draft, wish)

    assert warnings == [like("…removes text…“Run `bootstrap`.”, “Say hello.”.")]
    assert (await revisions(client, article))[0]["contentMarkdown"] == LATER


async def test_an_agent_is_told_what_an_overwrite_takes_away(client: Client) -> None:
    _, draft = await overtaken(client)

    applied = await call(client, WORKSPACE, "apply_draft", {"id": draft["id"], "onConflict": "overwrite"})

    assert "This removes text" in applied["content"][1]["text"]


async def test_an_overwrite_names_what_it_brings_back_and_the_title_it_replaces(
    client: Client, article: Json
) -> None:
    draft = await propose(client, article, title="Set up")
    later = {"title": "Begin", "contentMarkdown": BEFORE.replace("Wait for ten minutes.\n\n", "")}
    await client.patch(f"/v1/articles/{article['id']}", json=later)

    assert await warned(client, draft, {"onConflict": "overwrite"}) == [
        like("…overwrites…title…“Begin”."),
        like("…restores text…“Wait for ten minutes.”."),
    ]


async def test_an_overwrite_that_takes_nothing_away_says_nothing(client: Client) -> None:
    article, draft = await overtaken(client)
    wish = {"onConflict": "overwrite", "contentMarkdown": LATER + "\nRun `setup`, too.\n"}

    assert await warned(client, draft, wish) == []
    assert await text_of(client, article) == wish["contentMarkdown"]


async def test_warning_about_a_long_overwrite_is_short(client: Client, article: Json, draft: Json) -> None:
    live = BEFORE + "".join(f"\n{number} {'😀' * 500}\n" for number in range(400))
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": live})

    [warning] = await warned(client, draft, {"onConflict": "overwrite"})

    assert warning.count("“") == limits.MAX_REPORTED_OVERWRITTEN_LINES
    assert warning.endswith(f"…” and {400 - limits.MAX_REPORTED_OVERWRITTEN_LINES} more lines.")
    assert len(json.dumps(warning)) < 4_000


async def test_drafts_of_one_article_tell_of_each_other(client: Client, article: Json) -> None:
    first, second, third = [await propose(client, article, BEFORE.replace(*swap)) for swap in SWAPS]
    await propose(client, await write_article(client, "Another"))

    assert first["warnings"] == []
    assert third["warnings"] == [like(f"2 more drafts…: {second['id']}, {first['id']}.")]
    by_tool = await call(client, WORKSPACE, "get_draft", {"id": first["id"]})
    warning = like(f"2 more drafts…: {third['id']}, {second['id']}.")
    assert by_tool["structuredContent"]["warnings"] == [warning]

    await client.post(f"/v1/drafts/{second['id']}/apply", json={})
    views = [await get(client, f"drafts/{draft['id']}") for draft in (first, second)]
    assert [draft["warnings"] for draft in views] == [
        [f"1 more draft of this article waits: {third['id']}."],
        [],
    ]


async def test_many_drafts_are_named_in_part(client: Client, article: Json) -> None:
    drafts = [
        await propose(client, article, f"Text {n}.") for n in range(limits.MAX_REPORTED_OTHER_DRAFTS + 3)
    ]

    [warning, overlap] = (await get(client, f"drafts/{drafts[0]['id']}"))["warnings"]

    assert warning == like(f"{len(drafts) - 1} more drafts…: {drafts[-1]['id']}, …2 more.")
    assert warning.count("edit_") == limits.MAX_REPORTED_OTHER_DRAFTS
    assert overlap.count("edit_") == limits.MAX_REPORTED_OTHER_DRAFTS


async def overtaken(client: Client) -> tuple[Json, Json]:
    """An article that was changed after an edit had been proposed, in the edit's line and below it."""
    article = await write_article(client)
    draft = await propose(client, article)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": LATER})
    return article, draft


async def warned(client: Client, draft: Json, wish: Json) -> list[str]:
    """Apply the draft; return the warnings in the response."""
    applied = await client.post(f"/v1/drafts/{draft['id']}/apply", json=wish)
    assert applied.status_code == 200, applied.text
    warnings: list[str] = json.loads(applied.headers.get("Instep-Warnings", "[]"))
    return warnings
