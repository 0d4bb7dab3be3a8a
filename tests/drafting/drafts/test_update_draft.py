"""PATCH /v1/drafts/{id}."""

from dataclasses import replace

import pytest

from instep.drafting.drafts.actions import propose_edit, update_draft
from instep.drafting.drafts.schemas import DraftCreate, DraftUpdate
from instep.platform.core.database import Database
from instep.platform.core.errors import InsufficientScope
from instep.platform.identity.schemas import Person, limited_to
from instep.platform.identity.scopes import Role, Scope
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json
from tests.support.drafts import AFTER, BEFORE, get, patched, propose, text_of, write_article


async def test_a_reviewer_corrects_the_text_before_it_is_applied(
    client: Client, article: Json, draft: Json
) -> None:
    better = AFTER + "\nDone.\n"

    changed = await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": better})

    assert (changed.status_code, changed.json()["contentMarkdown"]) == (200, better)
    assert patched(BEFORE, changed.json()["diff"]) == better
    assert changed.json() == await get(client, f"drafts/{draft['id']}")
    listed = (await get(client, "drafts"))["results"][0]
    assert (listed["additions"], listed["deletions"]) == (3, 1)
    assert await text_of(client, article) == BEFORE


async def test_only_the_fields_sent_change(client: Client, draft: Json) -> None:
    changed = await client.patch(f"/v1/drafts/{draft['id']}", json={"title": "Set up"})

    assert (changed.json()["title"], changed.json()["contentMarkdown"]) == ("Set up", AFTER)


async def test_a_patch_that_changes_nothing_leaves_the_draft_as_it_was(client: Client) -> None:
    draft = await propose(client, await write_article(client), title="Set up")

    for body in ({}, {"contentMarkdown": AFTER}, {"title": "Set up"}):
        same = await client.patch(f"/v1/drafts/{draft['id']}", json=body)
        assert (same.status_code, same.json()) == (200, draft)


async def test_a_title_equal_to_the_articles_is_no_proposal_of_a_title(client: Client, article: Json) -> None:
    draft = await propose(client, article, title="Set up")
    await client.patch(f"/v1/drafts/{draft['id']}", json={"title": "Install"})
    await client.patch(f"/v1/articles/{article['id']}", json={"title": "Begin"})

    await client.post(f"/v1/drafts/{draft['id']}/apply", json={})

    assert (await get(client, f"articles/{article['id']}"))["title"] == "Begin"


async def test_html_is_answered_when_asked_for(client: Client, draft: Json) -> None:
    changed = await client.patch(f"/v1/drafts/{draft['id']}?format=html", json={"contentMarkdown": "*a*"})

    assert changed.json()["contentHtml"] == "<p><em>a</em></p>\n"


async def test_a_draft_can_not_become_the_live_text(client: Client, draft: Json) -> None:
    refusal = await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": BEFORE})

    assert (refusal.status_code, refusal.json()["code"]) == (400, "no_changes")
    assert (await get(client, f"drafts/{draft['id']}"))["contentMarkdown"] == AFTER


@pytest.mark.parametrize("settle", ["apply", "dismiss"])
@pytest.mark.parametrize("body", [{}, {"contentMarkdown": "Another."}, {"contentMarkdown": AFTER}])
async def test_a_settled_draft_does_not_change(
    client: Client, draft: Json, settle: str, body: dict[str, str]
) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/{settle}", json={})

    refusal = await client.patch(f"/v1/drafts/{draft['id']}", json=body)

    assert (refusal.status_code, refusal.json()["code"]) == (400, "draft_not_pending")


@pytest.mark.parametrize(
    "body",
    [{"title": ""}, {"title": None}, {"contentMarkdown": None}, {"reason": "x"}, {"status": "applied"}, []],
)
async def test_a_bad_body_is_refused(client: Client, draft: Json, body: object) -> None:
    refusal = await client.patch(f"/v1/drafts/{draft['id']}", json=body)

    assert (refusal.status_code, refusal.json()["code"]) == (400, "invalid_request")
    assert await get(client, f"drafts/{draft['id']}") == draft


@pytest.mark.parametrize("connection", ["grant of another app", None])
async def test_an_app_that_may_propose_changes_the_drafts_that_it_has_proposed_and_no_other(
    article: Json, database: Database, cast: Cast, connection: str | None
) -> None:
    person = Person("usr_1", cast.acme.workspace_id, "ann@acme.example", Role.EDITOR)
    agent = limited_to(person.as_actor("mcp", "Agent", "grant"), Scope.PROPOSE)
    other = person.as_actor("mcp", connection and "Other agent", connection)
    update = DraftUpdate(title="Set up")
    async with acting(database, cast.acme) as ctx:
        of_agent, of_other = [
            await propose_edit(
                replace(ctx, actor=actor),
                article["id"],
                DraftCreate.model_validate({"contentMarkdown": text}),
            )
            for actor, text in ((agent, AFTER), (other, "Other words.\n"))
        ]
        changed = await update_draft(replace(ctx, actor=agent), of_agent.id, update)
        with pytest.raises(InsufficientScope):
            await update_draft(replace(ctx, actor=agent), of_other.id, update)

    assert changed.draft.proposed_title == "Set up"
