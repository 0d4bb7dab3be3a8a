"""POST /v1/articles/{id}/drafts."""

import pytest

from tests.support.cast import Client, Json
from tests.support.drafts import AFTER, BEFORE, propose, queue, text_of, write_article


async def test_a_proposal_waits_in_the_queue_and_leaves_the_live_text(client: Client, article: Json) -> None:
    draft = await propose(client, article, reason="It was renamed", sourceUrl="https://git.test/pull/7")

    assert draft["id"].startswith("edit_")
    assert (draft["type"], draft["status"], draft["articleId"]) == ("edit", "pending", article["id"])
    assert (draft["reason"], draft["sourceUrl"]) == ("It was renamed", "https://git.test/pull/7")
    assert draft["contentMarkdown"] == AFTER
    assert await queue(client) == [draft["id"]]
    assert await text_of(client, article) == BEFORE


async def test_the_author_is_the_key_that_proposed(draft: Json) -> None:
    assert draft["author"] == {"type": "api_key", "name": "Acme writer"}
    assert draft["taskId"] is None


async def test_an_article_is_found_by_its_slug(client: Client) -> None:
    await write_article(client)

    proposed = await client.post("/v1/articles/install/drafts", json={"contentMarkdown": AFTER})

    assert proposed.status_code == 201


async def test_a_draft_article_takes_proposals_too(client: Client) -> None:
    draft = await propose(client, await write_article(client, live=False))

    assert await queue(client) == [draft["id"]]


async def test_html_is_answered_when_asked_for(client: Client) -> None:
    await write_article(client)

    proposed = await client.post("/v1/articles/install/drafts?format=html", json={"contentMarkdown": AFTER})

    assert "<code>setup</code>" in proposed.json()["contentHtml"]
    assert "contentMarkdown" not in proposed.json()


async def test_another_title_alone_is_a_proposal(client: Client, article: Json) -> None:
    draft = await propose(client, article, BEFORE, title="Set up")

    assert (draft["title"], draft["articleTitle"], draft["diff"]) == ("Set up", "Install", "")


async def test_a_proposal_that_changes_nothing_is_refused(client: Client) -> None:
    await write_article(client)

    for body in ({"contentMarkdown": BEFORE}, {"contentMarkdown": BEFORE, "title": "Install"}):
        refusal = await client.post("/v1/articles/install/drafts", json=body)
        assert (refusal.status_code, refusal.json()["code"]) == (400, "no_changes")
    assert await queue(client) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "contentMarkdown"),
        ({"contentMarkdown": None}, "contentMarkdown"),
        ({"contentMarkdown": 7}, "contentMarkdown"),
        ({"contentMarkdown": "a\0b"}, "contentMarkdown"),
        ({"contentMarkdown": "x" * 1_000_001}, "contentMarkdown"),
        ({"contentMarkdown": AFTER, "title": " "}, "title"),
        ({"contentMarkdown": AFTER, "title": "x" * 201}, "title"),
        ({"contentMarkdown": AFTER, "reason": "x" * 2001}, "reason"),
        ({"contentMarkdown": AFTER, "sourceUrl": "x" * 2001}, "sourceUrl"),
        ({"contentMarkdown": AFTER, "title": None}, "title"),
        ({"contentMarkdown": AFTER, "reason": None}, "reason"),
        ({"contentMarkdown": AFTER, "sourceUrl": None}, "sourceUrl"),
        ({"contentMarkdown": AFTER, "status": "applied"}, "status"),
    ],
)
async def test_a_bad_value_is_named(client: Client, body: dict[str, object], field: str) -> None:
    await write_article(client)

    refusal = await client.post("/v1/articles/install/drafts", json=body)

    assert (refusal.status_code, refusal.json()["code"]) == (400, "invalid_request")
    assert [detail["field"] for detail in refusal.json()["details"]] == [field]


async def test_a_text_that_can_not_be_rendered_in_time_shows_its_diff_all_the_same(
    client: Client, article: Json
) -> None:
    draft = await propose(client, article, ">" * 60_000)

    assert draft["additions"] == 1


async def test_the_article_of_another_company_is_not_there(article: Json, globex: Client) -> None:
    for ref in (article["id"], article["slug"], "nothing"):
        refusal = await globex.post(f"/v1/articles/{ref}/drafts", json={"contentMarkdown": AFTER})
        assert (refusal.status_code, refusal.json()["code"]) == (404, "not_found")
