"""POST /v1/drafts/{id}/apply with `hunks`: only some changes of an edit are applied."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.platform.core.database import Database
from instep.platform.text.diff import compare_now, hunks_of, patched
from tests.support.cast import Cast, Client, Json
from tests.support.drafts import get, propose, queue_new, text_of, write_article
from tests.support.http import Response, error

LINES = [f"Line {number}.\n" for number in range(40)]
LIVE = "".join(LINES)
TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "-- c\n", "@@ d\n", "\n", "e"]), max_size=30).map("".join)


def changed(*numbers: int, text: str = LIVE) -> str:
    for number in numbers:
        text = text.replace(f"Line {number}.", f"Changed {number}.")
    return text


@pytest.fixture
async def article(client: Client) -> Json:
    return await write_article(client, "Lines", LIVE)


@pytest.fixture
async def draft(client: Client, article: Json) -> Json:
    return await propose(client, article, changed(3, 20, 39), title="Changed lines")


@pytest.mark.parametrize(
    ("hunks", "lines"), [([1], [3]), ([2], [20]), ([3, 1], [3, 39]), ([1, 2, 3], [3, 20, 39]), ([2, 2], [20])]
)
async def test_only_the_named_hunks_are_applied(
    client: Client, article: Json, draft: Json, hunks: list[int], lines: list[int]
) -> None:
    assert draft["diff"].count("@@ -") == 3

    applied = await apply(client, draft, hunks=hunks, baseVersion=1)

    assert applied.json() == {"id": draft["id"], "status": "applied", "articleId": article["id"]}
    now = await get(client, f"articles/{article['id']}")
    assert (now["title"], now["contentMarkdown"]) == ("Changed lines", changed(*lines))


async def test_hunks_of_a_merge_are_those_of_the_shown_diff(
    client: Client, article: Json, draft: Json
) -> None:
    live = changed(10)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": live})

    await apply(client, draft, hunks=[3], baseVersion=2)

    assert await text_of(client, article) == changed(10, 39)


async def test_only_an_overwrite_applies_hunks_that_overlap(
    client: Client, article: Json, draft: Json
) -> None:
    live = LIVE.replace("Line 3.", "My line.")
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": live})

    assert error(await apply(client, draft, hunks=[2], baseVersion=2)) == (400, "conflict")
    await apply(client, draft, hunks=[2], baseVersion=2, onConflict="overwrite")

    assert await text_of(client, article) == live.replace("Line 20.", "Changed 20.")


@pytest.mark.parametrize("version", [1, 3])
async def test_a_stale_version_is_a_conflict(
    client: Client, article: Json, draft: Json, version: int
) -> None:
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": changed(10)})

    refusal = await apply(client, draft, hunks=[1], baseVersion=version)

    assert error(refusal) == (400, "conflict")
    assert await text_of(client, article) == changed(10)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"hunks": [1]}, "baseVersion"),
        ({"hunks": [4], "baseVersion": 1}, "hunks"),
        ({"hunks": [1, 0], "baseVersion": 1}, "hunks.1"),
        ({"hunks": [], "baseVersion": 1}, "hunks"),
        ({"hunks": "1", "baseVersion": 1}, "hunks"),
        ({"hunks": [True], "baseVersion": 1}, "hunks.0"),
    ],
)
async def test_bad_hunks_are_refused(
    client: Client, article: Json, draft: Json, body: Json, field: str
) -> None:
    refusal = await apply(client, draft, **body)

    assert error(refusal) == (400, "invalid_request")
    assert [row["field"] for row in refusal.json()["details"]] == [field]
    assert await text_of(client, article) == LIVE


async def test_hunks_and_a_text_exclude_each_other(client: Client, draft: Json) -> None:
    refusal = await apply(client, draft, hunks=[1], baseVersion=1, contentMarkdown="Short.")

    assert error(refusal) == (400, "invalid_request")


async def test_a_new_article_has_no_hunks(client: Client, cast: Cast, database: Database) -> None:
    draft = {"id": await queue_new(database, cast.acme)}

    assert error(await apply(client, draft, hunks=[1], baseVersion=1)) == (400, "invalid_request")


async def test_the_version_is_checked_without_hunks_too(client: Client, article: Json, draft: Json) -> None:
    assert error(await apply(client, draft, baseVersion=2)) == (400, "conflict")
    assert (await apply(client, draft, baseVersion=1)).status_code == 200


@given(before=TEXTS, after=TEXTS)
def test_all_hunks_of_a_diff_make_the_new_text_and_none_the_old(before: str, after: str) -> None:
    hunks = hunks_of(compare_now(before, after, ("a", "b")).diff)

    assert patched(before, hunks) == after
    assert patched(before, []) == before
    for number, _ in enumerate(hunks):
        rest = patched(before, hunks[:number] + hunks[number + 1 :])
        assert patched(before, [hunks[number]]) != before or rest == after


async def apply(client: Client, draft: Json, **body: object) -> Response:
    return await client.post(f"/v1/drafts/{draft['id']}/apply", json=body)
