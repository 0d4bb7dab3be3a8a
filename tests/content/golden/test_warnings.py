"""A change that removes the answer to a golden question causes a warning in the draft and the response."""

import json
from typing import Any

import pytest

from instep.content.golden.retention import still_answers
from instep.content.golden.schemas import PublicText
from instep.platform.core.database import Database, Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.golden_questions import EXPORT, TEXT, TITLE, WITHOUT_EXPORT, keep, publish_golden
from tests.support.http import Response, create_article, ok
from tests.support.mcp import WORKSPACE, call
from tests.support.wording import like

LOST = like(f"…“{EXPORT}” loses its…")
MAY_LOSE = like(f"…“{EXPORT}” may lose…")
EDITED = TEXT.replace("CSV or PDF", "CSV, PDF or XLSX")


def warnings(response: Response) -> Any:
    assert response.status_code in (200, 201), response.text
    return json.loads(response.headers.get("Instep-Warnings", "[]"))


async def patch(client: Client, article: Json, **fields: object) -> Response:
    return await client.patch(f"/v1/articles/{article['id']}", json=fields)


async def test_taking_the_article_away_warns(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    article = await publish_golden(client, database, cast)
    path = f"/v1/articles/{article['id']}"

    assert warnings(await patch(client, article, visibility="authenticated")) == [LOST]
    assert warnings(await patch(client, article, visibility="public")) == []
    assert warnings(await client.post(f"{path}/unpublish")) == [LOST]
    # A text that was not public can't be lost.
    assert warnings(await patch(client, article, contentMarkdown="Words.")) == []
    assert warnings(await patch(client, article, contentMarkdown=TEXT)) == []
    assert warnings(await client.post(f"{path}/publish")) == []
    assert warnings(await client.delete(path)) == [LOST]


async def test_a_text_that_holds_the_answer_no_more_warns(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    article = await publish_golden(client, database, cast)

    assert warnings(await patch(client, article, contentMarkdown=EDITED)) == []
    assert warnings(await patch(client, article, description="All about invoices.")) == []
    assert warnings(await patch(client, article, contentMarkdown=WITHOUT_EXPORT)) == [MAY_LOSE]
    revision = ok(await client.get(f"/v1/articles/{article['id']}/revisions"))["results"][0]["id"]
    assert warnings(await client.post(f"/v1/articles/{article['id']}/revisions/{revision}/restore")) == []


async def test_a_draft_says_it_before_it_is_applied_and_applying_says_it_again(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    article = await publish_golden(client, database, cast)
    path = f"/v1/articles/{article['id']}/drafts"
    good = found_draft(await client.post(path, json={"contentMarkdown": EDITED}))
    bad = found_draft(await client.post(path, json={"contentMarkdown": WITHOUT_EXPORT}))

    assert (good["warnings"], bad["warnings"][0]) == ([], MAY_LOSE)
    assert ok(await client.get(f"/v1/drafts/{bad['id']}"))["warnings"] == bad["warnings"]
    applied = await client.post(f"/v1/drafts/{bad['id']}/apply", json={})
    assert (warnings(applied), applied.json().keys()) == ([MAY_LOSE], {"id", "status", "articleId"})
    assert ok(await client.get(f"/v1/drafts/{bad['id']}"))["warnings"] == []


async def test_an_agent_is_told_beside_the_answer(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    article = await publish_golden(client, database, cast)

    sent = {"id": article["id"], "contentMarkdown": WITHOUT_EXPORT}
    told = await call(client, WORKSPACE, "update_article", sent)

    assert told["structuredContent"]["id"] == article["id"]
    assert [part["text"] for part in told["content"][1:]] == [like(f"Warning:…“{EXPORT}” may lose…")]


async def test_each_question_of_the_article_is_told_and_of_no_other(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    article = await publish_golden(client, database, cast)
    long = f"Where is {'é' * 200}?"
    await keep(database, cast, article, long)
    other = await create_article(client, "Other")
    await keep(database, cast, other, "What is other?")

    told = warnings(await client.post(f"/v1/articles/{article['id']}/unpublish"))

    assert told[0] == LOST
    assert len(told) == 2
    assert told[1].startswith("The golden question “Where is éé")
    assert len(told[1]) < 150


BEFORE = PublicText(TITLE, None, TEXT)


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        (EDITED, True),
        (TEXT.replace("page of invoices", "billing page"), True),
        (TEXT.replace("\n\n## Addresses", "\n\nMore.\n\n## Addresses"), True),
        ("\n\n".join(reversed(TEXT.split("\n\n"))), True),
        (WITHOUT_EXPORT, False),
        (TEXT.replace("Choose **Export** on the page of invoices, and then CSV or PDF.", "Soon."), False),
        ("", False),
        ("Cats and dogs are welcome.", False),
    ],
)
def test_an_edit_keeps_the_answer_and_a_removal_does_not(text: str, keeps: bool) -> None:
    assert still_answers(EXPORT, BEFORE, PublicText(TITLE, None, text)) is keeps


def test_underlined_headings_count_and_comments_in_code_do_not() -> None:
    before = PublicText("Accounts", None, "Passwords\n---\n\nOpen the page.\n\nChoose reset.")
    comment = PublicText(
        "Accounts", None, "```sh\nmake\n\n# Passwords\n```\n\nOpen the page.\n\nChoose reset."
    )

    assert still_answers("reset passwords", before, before)
    assert not still_answers("reset passwords", before, comment)


def test_in_scripts_without_blanks_too() -> None:
    before = PublicText(
        "請求書", None, "請求書のページで「エクスポート」を選びます。\n\n住所は請求書に記載されます。"
    )
    after = PublicText("請求書", None, "住所は請求書に記載されます。")
    question = "請求書をエクスポートするには"

    assert still_answers(question, before, before)
    assert not still_answers(question, before, after)


def found_draft(response: Response) -> Json:
    assert response.status_code == 201, response.text
    draft: Json = response.json()
    return draft
