"""GET /v1/insights/health."""

from collections.abc import Callable
from datetime import timedelta
from itertools import count
from operator import attrgetter
from typing import Any

import pytest
from cachetools import LRUCache

from instep.platform.core import limits, sandbox
from instep.platform.core.database import Tx
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.visitors.insights.health import assessment
from instep.visitors.insights.health.text_analysis import TextAnalysis
from tests.support.cast import Api, Cast, Client, Json
from tests.support.drafts import propose
from tests.support.former_links import REDIRECTS, redirect
from tests.support.http import (
    all_pages,
    at_once,
    create_article,
    create_collection,
    error,
    named_fields,
    ok,
    pages,
)
from tests.support.wording import like
from tests.visitors.insights.test_checks import ENOUGH

LIST = "/v1/insights/health"


@pytest.fixture(autouse=True)
def forgetful() -> None:
    """Clears what earlier tests left in the process."""
    for cache in (assessment.health_cache, assessment.analysis_cache):
        cache.clear()


async def publish(client: Client, title: str, text: str = ENOUGH, **fields: Any) -> Json:
    """Publish an article; without further fields it lacks only a collection."""
    fields = {"description": "One sentence.", **fields}
    article = await create_article(client, title, contentMarkdown=text, **fields)
    return ok(await client.post(f"/v1/articles/{article['id']}/publish"))


async def told(client: Client, **params: Any) -> dict[str, list[str]]:
    """The codes of each article's problems, by title."""
    rows = await all_pages(client, LIST, **params)
    return {row["title"]: [problem["code"] for problem in row["problems"]] for row in rows}


async def test_the_worst_comes_first_with_what_is_wrong_and_where(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await create_collection(client, "Guides")
    fine = await publish(client, "Fine", collectionId="guides")
    poor = await publish(client, "Poor", f"{ENOUGH}\n\nSee [here](gone).\n", description="")
    middling = await publish(client, "Middling")

    listed = ok(await client.get(LIST))

    advice = like("…not in a collection…")
    info = {"code": "no_collection", "severity": "info", "message": advice, "line": None}
    assert [(row["articleId"], row["title"], row["score"]) for row in listed["results"]] == [
        (poor["id"], "Poor", 100 - 20 - 8 - 8 - 2),
        (middling["id"], "Middling", 98),
        (fine["id"], "Fine", 100),
    ]
    assert [row["problems"] for row in listed["results"][1:]] == [[info], []]
    problems = listed["results"][0]["problems"]
    assert [(row["code"], row["line"]) for row in problems] == [
        ("missing_description", None),
        ("no_collection", None),
        ("vague_link", 3),
        ("broken_link", 3),
    ]
    assert all(row.keys() == {"code", "severity", "message", "line"} for row in problems)
    assert (listed["has_more"], listed["next_cursor"]) == (False, None)


async def test_live_articles_are_told_unless_a_status_is_named(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Live")
    await create_article(client, "Draft")
    await publish(api(cast.globex.write_key), "Theirs")

    assert set(await told(client)) == set(await told(client, status="published")) == {"Live"}
    assert set(await told(client, status="draft")) == {"Draft"}
    assert set(await told(client, status="all")) == {"Live", "Draft"}
    assert await told(client, status="archived") == {}


async def test_an_unknown_status_is_refused_by_name(api: Api, cast: Cast) -> None:
    refused = await api(cast.acme.read_key).get(LIST, params={"status": "deleted"})

    assert named_fields(refused) == ["status"]


Change = Callable[[Client, Json, Json], Any]


async def patch(client: Client, article: Json, **fields: Any) -> None:
    ok(await client.patch(f"/v1/articles/{article['id']}", json=fields))


CHANGES: dict[str, tuple[Change, list[str]]] = {
    "text": (lambda c, a, _: patch(c, a, contentMarkdown=f"{ENOUGH} TODO"), ["no_collection", "leftover"]),
    "title": (
        lambda c, a, _: patch(c, a, title="Other"),
        ["no_collection", "duplicate_title", "broken_link"],
    ),
    "description": (
        lambda c, a, _: patch(c, a, description=""),
        ["missing_description", "no_collection", "broken_link"],
    ),
    "collection": (lambda c, a, _: patch(c, a, collectionId="guides"), ["broken_link"]),
    "new article": (lambda c, _, __: publish(c, "Missing"), ["no_collection"]),
    "slug": (lambda c, _, o: patch(c, o, slug="missing"), ["no_collection"]),
    "former slug": (lambda c, _, o: move(c, o), ["no_collection", "moved_link"]),
    "deleted": (lambda c, _, o: move_and_delete(c, o), ["no_collection", "broken_link"]),
    "redirect": (lambda c, _, __: lead_on(c, "/articles/missing"), ["no_collection"]),
    "pattern": (lambda c, _, __: lead_on(c, "/articles/miss*"), ["no_collection"]),
    "redirect that is deleted": (lambda c, _, __: lead_on_no_more(c), ["no_collection", "broken_link"]),
    "unpublished": (lambda c, _, o: move_and_unpublish(c, o), ["no_collection", "broken_link"]),
}


async def move(client: Client, other: Json) -> None:
    await patch(client, other, slug="missing")
    await patch(client, other, slug="elsewhere")


async def lead_on(client: Client, path: str) -> Json:
    return await redirect(client, path)


async def lead_on_no_more(client: Client) -> None:
    row = await lead_on(client, "/articles/missing")
    assert (await told(client))["Subject"] == ["no_collection"]
    ok(await client.delete(f"{REDIRECTS}/{row['id']}"))


async def move_and_delete(client: Client, other: Json) -> None:
    await patch(client, other, slug="missing")
    assert (await told(client))["Subject"] == ["no_collection"]
    ok(await client.delete(f"/v1/articles/{other['id']}"))


async def move_and_unpublish(client: Client, other: Json) -> None:
    await patch(client, other, slug="missing")
    assert (await told(client))["Subject"] == ["no_collection"]
    ok(await client.post(f"/v1/articles/{other['id']}/unpublish"))


@pytest.mark.parametrize("name", CHANGES)
async def test_changes_show_at_once(api: Api, cast: Cast, name: str) -> None:
    change, expected = CHANGES[name]
    client = api(cast.acme.write_key)
    await create_collection(client, "Guides")
    article = await publish(client, "Subject", f"{ENOUGH} Also read [the next one](missing).")
    other = await publish(client, "Other")
    assert (await told(client))["Subject"] == ["no_collection", "broken_link"]

    await change(client, article, other)

    rows = {row["articleId"]: row for row in await all_pages(client, LIST)}
    assert [problem["code"] for problem in rows[article["id"]]["problems"]] == expected


async def test_a_deleted_collection_is_told_at_once(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await create_collection(client, "Guides")
    await publish(client, "Inside", collectionId="guides")
    assert await told(client) == {"Inside": []}

    ok(await client.delete("/v1/collections/guides"))

    assert await told(client) == {"Inside": ["no_collection"]}


async def test_links_to_collections_follow_them(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await create_collection(client, "Guides")
    await publish(client, "One", f"{ENOUGH} See [all guides](../collections/guides).", collectionId="guides")
    await create_collection(client, "Tips")
    assert await told(client) == {"One": []}

    ok(await client.patch("/v1/collections/guides", json={"slug": "manuals"}))

    assert await told(client) == {"One": ["broken_link"]}


async def test_an_empty_collections_end_is_told_at_once(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    for title in ("Guides", "Tips"):
        await create_collection(client, title)
    await publish(client, "One", f"{ENOUGH} See [all tips](../collections/tips).", collectionId="guides")
    assert await told(client) == {"One": []}

    ok(await client.delete("/v1/collections/tips"))

    assert await told(client) == {"One": ["broken_link"]}


async def test_a_translation_is_outdated_once_its_original_has_changed(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    root = await publish(client, "Root")
    await publish(client, "Wurzel", translationOf=root["id"], locale="de")
    assert (await told(client))["Wurzel"] == ["no_collection"]

    await patch(client, root, contentMarkdown=f"{ENOUGH} And more.")

    assert await told(client) == {
        "Root": ["no_collection"],
        "Wurzel": ["no_collection", "outdated_translation"],
    }


async def test_an_edit_that_waits_long_is_told_until_it_is_settled(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "One")
    draft = await propose(client, article, f"{ENOUGH} More.")
    assert await told(client) == {"One": ["no_collection"]}

    await owner.execute(
        "update drafts set created_at = created_at - %(age)s where id = %(id)s",
        age=limits.STALE_EDIT_AGE + timedelta(minutes=1),
        id=draft["id"],
    )
    assert await told(client) == {"One": ["no_collection", "waiting_edit"]}

    ok(await client.post(f"/v1/drafts/{draft['id']}/dismiss"))
    assert await told(client) == {"One": ["no_collection"]}


@pytest.mark.parametrize("size", [1, 3, 100])
async def test_articles_that_stay_are_seen_once_while_others_change(api: Api, cast: Cast, size: int) -> None:
    client = api(cast.acme.write_key)
    texts = [ENOUGH, f"{ENOUGH} TODO", f"{ENOUGH} [x]()"]
    articles = [await publish(client, f"No {number}", texts[number % 3]) for number in range(9)]
    order = [row["articleId"] for row in ok(await client.get(LIST, params={"page_size": 100}))["results"]]
    better, gone = order[1], order[6]

    seen: list[str] = []
    first = True
    async for page in pages(client, LIST, page_size=size):
        seen += [row["articleId"] for row in page]
        if first:
            await patch(client, {"id": better}, contentMarkdown=ENOUGH)
            ok(await client.delete(f"/v1/articles/{gone}"))
            await publish(client, "New", "")
        first = False

    assert sorted(order) == sorted(article["id"] for article in articles)
    stayed = [ref for ref in order if ref not in (better, gone)]
    assert [ref for ref in seen if ref in stayed] == stayed


async def test_a_cursor_belongs_to_its_status_and_bot(api: Api, cast: Cast) -> None:
    for company in (cast.acme, cast.globex):
        for title in ("One", "Two"):
            await publish(api(company.write_key), title)
    client = api(cast.acme.read_key)
    cursor = ok(await client.get(LIST, params={"page_size": 1}))["next_cursor"]

    for other, status in ((client, "all"), (api(cast.globex.read_key), "published")):
        refused = await other.get(LIST, params={"start_cursor": cursor, "status": status})
        assert error(refused) == (400, "invalid_cursor")


async def test_a_large_help_center_is_read_in_another_process_and_once(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    await at_once(6, lambda number: publish(client, f"No {number}", f"{ENOUGH}\n\n" * 100 + f"TODO {number}"))
    read: list[int] = []

    async def counting(function: Any, texts: Any, style: Any, *, seconds: float) -> Any:
        result = await run_with_timeout(function, texts, style, seconds=seconds)
        read.append(len(texts))
        return result

    monkeypatch.setattr(sandbox, "run_with_timeout", counting)

    listed = await told(client, page_size=2)

    assert all("leftover" in codes and "no_headings" in codes for codes in listed.values())
    assert (len(listed), read) == (6, [6])
    await patch(client, {"id": "no-3"}, contentMarkdown=ENOUGH)
    assert (await told(client))["No 3"] == ["no_collection"]
    assert read == [6]


async def test_a_text_that_takes_too_long_costs_only_itself(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    monkeypatch.setattr(assessment, "MAX_INLINE_TEXT_CHARACTERS", 0)
    for number in range(5):
        await publish(client, f"No {number}", f"{ENOUGH} [Next](no-3#gone)" if number < 3 else ENOUGH)

    async def refusing(function: Any, texts: Any, style: Any, *, seconds: float) -> Any:
        if any(text.title == "No 3" for text in texts):
            raise TimeLimitExceeded
        return function(texts, style)

    monkeypatch.setattr(sandbox, "run_with_timeout", refusing)

    listed = await told(client)

    assert listed["No 3"] == ["too_complex", "no_collection"]
    # The anchors of that text are unknown.
    assert all(codes == ["no_collection"] for title, codes in listed.items() if title != "No 3")


async def test_the_memory_of_a_process_is_bounded(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    for number in range(4):
        await publish(client, f"No {number}")
    health_cache: LRUCache[Any, Any] = LRUCache(3, attrgetter("problem_count"))
    analysis_cache: LRUCache[Any, Any] = LRUCache(2 * TextAnalysis(()).size, lambda analysis: analysis.size)
    monkeypatch.setattr(assessment, "health_cache", health_cache)
    monkeypatch.setattr(assessment, "analysis_cache", analysis_cache)

    for _ in range(2):
        assert len(await told(client, page_size=1)) == 4

    assert (len(health_cache), len(analysis_cache)) == (0, 2)


async def test_slow_assessment_goes_on_in_the_next_request(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    for number in range(5):
        await publish(client, f"No {number}")
    clock = count(0, limits.CHECK_SECONDS * 0.4)
    monkeypatch.setattr(assessment, "monotonic", lambda: next(clock))
    monkeypatch.setattr(assessment, "first_attempt_began", lambda: next(clock))
    monkeypatch.setattr(limits, "MAX_ANALYZED_CHARACTERS", 1)

    answers = [await client.get(LIST) for _ in range(3)]

    assert [error(answer) for answer in answers[:2]] == [(429, "rate_limited")] * 2
    assert answers[0].headers["Retry-After"] == str(limits.CHECK_RETRY_SECONDS)
    assert len(ok(answers[2])["results"]) == 5


async def test_no_more_examine_many_texts_at_once_than_connections_allow(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "One")
    monkeypatch.setattr(assessment, "running_checks", {object() for _ in range(limits.MAX_CONCURRENT_CHECKS)})

    assert error(await client.get(LIST)) == (429, "rate_limited")

    assessment.running_checks.pop()
    for _ in range(2):
        assert await told(client) == {"One": ["no_collection"]}
    assert len(assessment.running_checks) == limits.MAX_CONCURRENT_CHECKS - 1
