"""POST /v1/drafts/{id}/apply."""

import pytest

from tests.support.cast import Client, Json
from tests.support.drafts import AFTER, BEFORE, get, propose, queue, revisions, text_of, write_article
from tests.support.limits import SetLimit

MINE = BEFORE.replace("ten minutes", "a minute")
MERGED = AFTER.replace("ten minutes", "a minute")
CLASHING = BEFORE.replace("`install`", "`bootstrap`")


async def test_the_text_of_a_live_article_is_live_at_once(
    client: Client, article: Json, draft: Json, visitor: Client
) -> None:
    applied = await client.post(f"/v1/drafts/{draft['id']}/apply", json={})

    assert (applied.status_code, applied.json()) == (
        200,
        {"id": draft["id"], "status": "applied", "articleId": article["id"]},
    )
    now = await get(client, f"articles/{article['id']}")
    assert (now["status"], now["version"], now["contentMarkdown"]) == ("published", 2, AFTER)
    assert "<code>setup</code>" in (await visitor.get(now["url"])).text
    assert await queue(client) == []


async def test_an_article_that_is_not_live_stays_a_draft(client: Client) -> None:
    article = await write_article(client, live=False)
    draft = await propose(client, article, title="Set up")

    await client.post(f"/v1/drafts/{draft['id']}/apply", json={})

    now = await get(client, f"articles/{article['id']}")
    assert (now["status"], now["title"], now["contentMarkdown"]) == ("draft", "Set up", AFTER)


async def test_the_replaced_text_is_a_revision_that_names_what_wrote_each(
    client: Client, article: Json
) -> None:
    first, second = await propose(client, article), await propose(client, article, "Short.", title="In short")
    for draft in (first, second):
        await client.post(f"/v1/drafts/{draft['id']}/apply", json={"onConflict": "overwrite"})

    newest, oldest = await revisions(client, article)

    assert (oldest["contentMarkdown"], oldest["origin"], oldest["draftId"]) == (BEFORE, "create", None)
    assert (newest["contentMarkdown"], newest["origin"], newest["draftId"]) == (AFTER, "apply", first["id"])
    assert newest["author"] == {"type": "api_key", "name": "Acme writer"}


async def test_title_and_text_of_the_body_replace_the_proposed_ones(client: Client, article: Json) -> None:
    draft = await propose(client, article, title="Set up")
    body = {"title": "Begin", "contentMarkdown": "Run it."}

    await client.post(f"/v1/drafts/{draft['id']}/apply", json=body)

    now = await get(client, f"articles/{article['id']}")
    assert (now["title"], now["contentMarkdown"]) == ("Begin", "Run it.")


async def test_an_empty_text_of_the_body_empties_the_article(
    client: Client, article: Json, draft: Json
) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/apply", json={"contentMarkdown": ""})

    assert await text_of(client, article) == ""


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, MERGED),
        ({"onConflict": "merge"}, MERGED),
        ({"contentMarkdown": BEFORE + "\nDone.\n"}, MINE + "\nDone.\n"),
        ({"onConflict": "overwrite"}, AFTER),
    ],
)
async def test_a_conflict_is_merged_unless_it_is_to_be_overwritten(
    client: Client, body: dict[str, str], text: str
) -> None:
    article, draft = await conflict(client, MINE)

    applied = await client.post(f"/v1/drafts/{draft['id']}/apply", json=body)

    assert applied.status_code == 200
    assert await text_of(client, article) == text
    assert [row["contentMarkdown"] for row in await revisions(client, article)] == [MINE, BEFORE]


@pytest.mark.parametrize(
    ("body", "live", "advice"),
    [
        ({}, CLASHING, "`onConflict` `overwrite`"),
        ({"onConflict": "merge"}, CLASHING, "`onConflict` `overwrite`"),
        ({"contentMarkdown": "Short."}, MINE, "`onConflict` `overwrite`"),
        ({"onConflict": "fail"}, MINE, "read the draft again"),
        ({"onConflict": "fail"}, CLASHING, "read the draft again"),
    ],
)
async def test_a_conflict_that_can_not_be_merged_or_must_not_be_changes_nothing(
    client: Client, body: Json, live: str, advice: str
) -> None:
    article, draft = await conflict(client, live)

    refusal = await client.post(f"/v1/drafts/{draft['id']}/apply", json=body)

    assert (refusal.status_code, refusal.json()["code"]) == (400, "conflict")
    assert advice in refusal.json()["error"]
    assert await text_of(client, article) == live
    assert [row["contentMarkdown"] for row in await revisions(client, article)] == [BEFORE]
    assert await queue(client) == [draft["id"]]


@pytest.mark.parametrize("wish", ["fail", "merge", "overwrite"])
async def test_without_a_conflict_every_wish_applies(
    client: Client, article: Json, draft: Json, wish: str
) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/apply", json={"onConflict": wish})

    assert await text_of(client, article) == AFTER


async def test_a_merge_keeps_the_title_that_only_one_side_changed(
    client: Client, article: Json, draft: Json
) -> None:
    await client.patch(f"/v1/articles/{article['id']}", json={"title": "Begin"})

    await client.post(f"/v1/drafts/{draft['id']}/apply", json={})

    now = await get(client, f"articles/{article['id']}")
    assert (now["title"], now["contentMarkdown"]) == ("Begin", AFTER)


@pytest.mark.parametrize("title", ["Set up", "Install"])
async def test_a_title_that_is_no_new_one_never_takes_back_a_later_one(
    client: Client, article: Json, title: str
) -> None:
    draft = await propose(client, article, title="Set up")
    await client.patch(f"/v1/articles/{article['id']}", json={"title": "Set up"})
    await client.patch(f"/v1/articles/{article['id']}", json={"description": "How to begin"})

    applied = await client.post(f"/v1/drafts/{draft['id']}/apply", json={"title": title})

    assert applied.status_code == 200
    now = await get(client, f"articles/{article['id']}")
    assert (now["title"], now["contentMarkdown"]) == ("Set up", AFTER)


async def test_a_new_title_is_merged_with_a_later_text(client: Client, article: Json) -> None:
    draft = await propose(client, article, title="Set up")
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": MINE})

    await client.post(f"/v1/drafts/{draft['id']}/apply", json={})

    now = await get(client, f"articles/{article['id']}")
    assert (now["title"], now["contentMarkdown"]) == ("Set up", MERGED)


async def test_two_different_titles_do_not_merge(client: Client, article: Json) -> None:
    draft = await propose(client, article, title="Set up")
    await client.patch(f"/v1/articles/{article['id']}", json={"title": "Begin"})

    path = f"/v1/drafts/{draft['id']}/apply"
    refusal = await client.post(path, json={})

    assert (refusal.status_code, refusal.json()["code"]) == (400, "conflict")
    assert "current `title`" in refusal.json()["error"]
    assert (await get(client, f"articles/{article['id']}"))["title"] == "Begin"
    assert (await client.post(path, json={"title": "Begin"})).status_code == 200
    now = await get(client, f"articles/{article['id']}")
    assert (now["title"], now["contentMarkdown"]) == ("Begin", AFTER)


async def test_a_stale_if_match_is_refused_and_a_fresh_one_applies(
    client: Client, article: Json, draft: Json
) -> None:
    path = f"/v1/articles/{article['id']}"
    stale = (await client.get(path)).headers["ETag"]
    await client.patch(path, json={"description": "How to begin"})

    refusal = await apply_if(client, draft, stale)
    assert (refusal["code"], await queue(client)) == ("conflict", [draft["id"]])

    fresh = (await client.get(path)).headers["ETag"]
    assert (await apply_if(client, draft, fresh))["status"] == "applied"


@pytest.mark.parametrize("body", [{}, {"onConflict": "overwrite"}])
async def test_a_draft_whose_changes_are_all_live_is_to_be_dismissed(client: Client, body: Json) -> None:
    article, draft = await conflict(client, AFTER)
    view = await get(client, f"drafts/{draft['id']}")

    refusal = await client.post(f"/v1/drafts/{draft['id']}/apply", json=body)

    assert (refusal.status_code, refusal.json()["code"]) == (400, "no_changes")
    assert refusal.json()["error"] in view["warnings"]
    assert "dismiss" in refusal.json()["error"]
    assert (view["diff"], view["additions"], view["deletions"]) == ("", 0, 0)
    assert [row["contentMarkdown"] for row in await revisions(client, article)] == [BEFORE]
    assert (await client.post(f"/v1/drafts/{draft['id']}/dismiss")).status_code == 200


@pytest.mark.parametrize("settle", ["apply", "dismiss"])
async def test_a_settled_draft_is_not_applied_again(
    client: Client, article: Json, draft: Json, settle: str
) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/{settle}", json={})
    before = await get(client, f"articles/{article['id']}")

    refusal = await client.post(f"/v1/drafts/{draft['id']}/apply", json={"contentMarkdown": "Again."})

    assert (refusal.status_code, refusal.json()["code"]) == (400, "draft_not_pending")
    assert await get(client, f"articles/{article['id']}") == before


async def test_a_text_that_takes_too_long_to_render_stays_in_the_queue(
    client: Client, set_limit: SetLimit
) -> None:
    set_limit("MAX_RENDER_SECONDS", 0.1)
    article = await write_article(client)
    draft = await propose(client, article, ">" * 60_000)

    refusal = await client.post(f"/v1/drafts/{draft['id']}/apply", json={})

    assert (refusal.status_code, refusal.json()["details"][0]["field"]) == (400, "contentMarkdown")
    assert await text_of(client, article) == BEFORE
    assert await queue(client) == [draft["id"]]


@pytest.mark.parametrize(
    "body", [{"onConflict": "ask"}, {"title": ""}, {"contentMarkdown": None}, {"x": 1}, []]
)
async def test_a_bad_body_is_refused(client: Client, draft: Json, body: object) -> None:
    refusal = await client.post(f"/v1/drafts/{draft['id']}/apply", json=body)

    assert (refusal.status_code, refusal.json()["code"]) == (400, "invalid_request")
    assert await queue(client) == [draft["id"]]


async def test_the_description_tells_the_default_and_shows_it(visitor: Client) -> None:
    document = (await visitor.get("/v1/openapi.json")).json()

    wish = document["components"]["schemas"]["DraftApply"]
    assert "Default: `merge`." in wish["properties"]["onConflict"]["description"]
    assert wish["examples"] == [{"onConflict": "merge"}]
    answer = document["paths"]["/drafts/{id}/apply"]["post"]["responses"]["200"]
    assert "overwrite" in document["components"]["headers"]["Instep-Warnings"]["description"]
    assert "Instep-Warnings" in answer["headers"]


async def test_a_body_is_required_and_may_be_empty(client: Client, draft: Json) -> None:
    refusal = await client.post(f"/v1/drafts/{draft['id']}/apply")

    assert (refusal.status_code, refusal.json()["code"]) == (400, "invalid_request")


async def conflict(client: Client, live: str) -> tuple[Json, Json]:
    """An article whose text was changed after an edit of it had been proposed; and that edit."""
    article = await write_article(client)
    draft = await propose(client, article)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": live})
    return article, draft


async def apply_if(client: Client, draft: Json, etag: str) -> Json:
    answer = await client.post(f"/v1/drafts/{draft['id']}/apply", json={}, headers={"If-Match": etag})
    body: Json = answer.json()
    return body
