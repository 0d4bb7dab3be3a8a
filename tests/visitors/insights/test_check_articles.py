"""`check_articles`: selected articles, unsaved text, and occurrences of words."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError
from instep.platform.core.paging import PageRequest
from instep.platform.core.sandbox import TimeLimitExceeded
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from instep.visitors.insights.actions import check_articles
from instep.visitors.insights.health import assessment
from instep.visitors.insights.health.checking import Finding
from instep.visitors.insights.schemas import CheckRequest
from tests.support.cast import Api, Cast, Company
from tests.support.changes import publish
from tests.support.http import create_article

KEY = b"a key for cursors"
READER = Actor("api_key", "Reader", can_write=False)


@asynccontextmanager
async def analysis(database: Database, company: Company) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(company.workspace_id) as tx:
        yield Ctx(tx, await find_bot(tx, company.bot_id), READER, utc_now())


async def check(database: Database, company: Company, size: int = 100, **wanted: Any) -> list[Finding]:
    """All findings, read page by page."""
    found: list[Finding] = []
    cursor: str | None = None
    async with analysis(database, company) as ctx:
        while not found or cursor is not None:
            body = CheckRequest.model_validate(wanted)
            page = await check_articles(ctx, body, PageRequest(KEY, size, cursor))
            found += page.rows
            cursor = page.next_cursor
            if not page.rows:
                break
    return found


async def test_a_change_of_the_style_is_seen_in_articles_and_texts(
    api: Api, database: Database, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    article = await create_article(client, "Log", contentMarkdown="You can log in.\n\n`log in`\n")
    before = await check(database, cast.acme, articleIds=[article["id"]])

    style = {"terms": [{"term": "sign in", "neverSay": ["log in"]}]}
    assert (await client.patch("/v1/style", json=style)).status_code == 200
    after = await check(database, cast.acme, articleIds=[article["id"]])
    text = await check(database, cast.acme, contentMarkdown="Now\nlog in.")

    assert [row.code for row in before if row.code == "style"] == []
    assert [(row.line, row.severity) for row in after if row.code == "style"] == [(1, "info")]
    assert [row.line for row in text if row.code == "style"] == [2]


async def test_articles_are_checked_by_id_and_slug_whatever_their_status(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    live = await publish(client, "Links", "[there](missing)\n")
    draft = await create_article(client, "Draft", contentMarkdown="TODO\n")
    await publish(client, "Other", "[there](missing-too)\n")

    found = await check(database, cast.acme, articleIds=[live["id"], draft["slug"]])

    assert {finding.article_id for finding in found} == {live["id"], draft["id"]}
    codes = {(finding.article_id, finding.code) for finding in found}
    assert {(live["id"], "broken_link"), (draft["id"], "leftover")} <= codes


async def test_an_article_that_is_not_there_is_named(api: Api, cast: Cast, database: Database) -> None:
    elsewhere = await create_article(api(cast.globex.write_key))

    for ref in ("nothing", elsewhere["id"], elsewhere["slug"]):
        with pytest.raises(AppError, match=ref) as refusal:
            await check(database, cast.acme, articleIds=[ref])
        assert refusal.value.details[0][0] == "articleIds"


async def test_a_text_is_checked_as_if_it_were_an_article(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Install", "# Steps\n\nRun it.\n")
    text = "# Here\n\n[a](install) [b](missing) [c](#here) [d](#nowhere) [e](install#nowhere)\n\nTODO\n"

    found = await check(database, cast.acme, contentMarkdown=text)

    assert {finding.article_id for finding in found} == {None}
    told = {(finding.code, finding.line) for finding in found}
    assert {("broken_link", 3), ("broken_anchor", 3), ("leftover", 5)} <= told
    assert sum(finding.code == "broken_link" for finding in found) == 1
    assert sum(finding.code == "broken_anchor" for finding in found) == 2
    assert {finding.code for finding in found} & {"missing_description", "no_collection"} == set()


async def test_a_text_that_says_what_an_article_says_is_found(
    api: Api, cast: Cast, database: Database
) -> None:
    text = " ".join(f"Word{number} is followed by another one." for number in range(40)) + "\n"
    article = await publish(api(cast.acme.write_key), "Words", text)

    [same] = [
        finding
        for finding in await check(database, cast.acme, contentMarkdown=text)
        if finding.code == "duplicate_content"
    ]

    assert article["id"] in same.message


async def test_a_text_that_takes_too_long_is_told_so(
    monkeypatch: pytest.MonkeyPatch, cast: Cast, database: Database
) -> None:
    async def never(texts: object, style: object) -> object:
        raise TimeLimitExceeded

    monkeypatch.setattr(assessment, "analyze_bounded", never)

    [found] = await check(database, cast.acme, contentMarkdown="Text.\n")

    assert found.code == "too_complex"


async def test_words_are_found_where_they_stand_by_themselves(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    text = "Set `ACME_TIMEOUT`.\n\nNot `ACME_TIMEOUT_MAX`.\n\nOr acme_timeout=3.\n"
    live = await publish(client, "Settings", text)
    titled = await create_article(client, "ACME_TIMEOUT", contentMarkdown="Nothing.\n")
    gone = await create_article(client, "Gone", contentMarkdown=text)
    await client.delete(f"/v1/articles/{gone['id']}")
    await publish(api(cast.globex.write_key), "Settings", text)

    found = await check(database, cast.acme, terms=["ACME_TIMEOUT"])

    assert {(finding.article_id, finding.line) for finding in found} == {
        (live["id"], 1),
        (live["id"], 5),
        (titled["id"], None),
    }
    assert all(finding.code == "mention" for finding in found)
    assert found[0].message == "“ACME_TIMEOUT” appears here: “Set `ACME_TIMEOUT`.”"


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("--dry-run", "Use --dry-run here.\n"),
        ("50%", "It is 50% off.\n"),
        ("Größe", "Die GRÖSSE? Nein: die größe.\n"),
        ("设置", "打开设置页面。\n"),
        ("a_b%c\\", "The path a_b%c\\ is odd.\n"),
    ],
)
async def test_signs_of_all_kinds_are_taken_as_they_are(
    api: Api, cast: Cast, database: Database, term: str, text: str
) -> None:
    await publish(api(cast.acme.write_key), "One", text)
    await publish(api(cast.acme.write_key), "Two", "Nothing of the kind.\n")

    [found] = await check(database, cast.acme, terms=[term])

    assert (found.title, found.line) == ("One", 1)


async def test_pages_hold_every_finding_once(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    for number in range(25):
        await publish(client, f"Article {number}", "old name and OTHER name\n\nThe old name.\n")

    whole = await check(database, cast.acme, terms=["old name", "other"])
    parts = await check(database, cast.acme, size=4, terms=["old name", "other"])
    few = await check(database, cast.acme, size=1, contentMarkdown="TODO\n\nTBD\n")

    assert len(whole) == 75
    assert parts == whole
    assert [finding.code for finding in few] == ["short_text", "leftover", "leftover"]


async def test_the_lines_reported_per_article_are_limited(api: Api, cast: Cast, database: Database) -> None:
    await publish(api(cast.acme.write_key), "Many", "word\n\n" * 100)

    found = await check(database, cast.acme, terms=["word"])

    assert len(found) == limits.MAX_REPORTED_PROBLEMS_PER_CODE


@pytest.mark.parametrize("wanted", [{}, {"terms": ["ab"], "contentMarkdown": "x"}])
async def test_exactly_one_thing_is_checked(cast: Cast, database: Database, wanted: dict[str, Any]) -> None:
    with pytest.raises(AppError, match="exactly one"):
        await check(database, cast.acme, **wanted)
