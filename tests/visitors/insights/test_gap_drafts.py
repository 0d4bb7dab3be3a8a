"""A question that several visitors asked in vain becomes a draft of an article, pending review."""

import asyncio
from collections.abc import Iterable

import pytest

from instep.accounts.language_model.choosing import LanguageModels
from instep.accounts.workspaces.actions import pause_workspace, resume_workspace
from instep.drafting.tasks.jobs import WRITER
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidState
from instep.platform.core.jobs import Job
from instep.platform.identity.job_context import job_context
from instep.platform.llm.protocol import Completion, CompletionError, Model, OnText, Prompt
from instep.visitors.insights.actions import draft_unanswered
from instep.visitors.insights.jobs import draft_gap
from instep.visitors.insights.schemas import DRAFT_GAP
from tests.support.cast import Api, Cast, Client, Company, Json, RunJobs
from tests.support.databases import until_blocked
from tests.support.http import at_once, ok
from tests.support.questions import ask as ask_chat
from tests.support.scripted_model import Scripted
from tests.support.site_pages import publish
from tests.support.unanswered import RESET, ask, unanswered
from tests.support.visitors import ANN, escalate

TOKEN = "Where does the reset token come from?"
SIGN_IN = "A password protects the settings of your account: choose one with at least 12 characters."
VISITORS = ("ann", "bob", "cy")
OTHER_WORDING = "Please, how can I reset the password?"


async def ask_as(
    database: Database, company: Company, visitors: Iterable[str] = VISITORS, question: str = RESET
) -> str:
    ids = [await ask(database, company, question, visitor) for visitor in visitors]
    assert len(set(ids)) == 1
    return ids[0]


async def gaps(client: Client) -> list[Json]:
    rows: list[Json] = ok(await client.get("/v1/drafts", params={"type": "gap_draft"}))["results"]
    return rows


async def detail(client: Client, draft_id: str) -> Json:
    return ok(await client.get(f"/v1/drafts/{draft_id}"))


async def run_now(database: Database, company: Company, gap: str, model: Model | None = None) -> None:
    await draft_gap(database, Job(1, DRAFT_GAP, payload_of(company, gap), 1), LanguageModels(model))


def payload_of(company: Company, gap: str) -> dict[str, str]:
    return {"workspace": company.workspace_id, "bot": str(company.bot_id), "question": gap}


async def test_the_third_visitor_makes_it_a_draft_from_what_the_articles_say(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    source = await publish(client, "Choose a password", SIGN_IN)
    await publish(client, "Pets", "Cats and dogs are welcome in all of our offices.")
    gap = await ask_as(database, cast.acme, VISITORS[:2])
    await ask(database, cast.acme, OTHER_WORDING, "bob")
    await run_jobs()
    assert await gaps(client) == []

    await ask_as(database, cast.acme, VISITORS[2:])
    await run_jobs()

    [listed] = await gaps(client)
    draft = await detail(client, listed["id"])
    assert draft["id"].startswith("gap_")
    assert (draft["type"], draft["status"], draft["title"]) == ("gap_draft", "pending", RESET)
    assert draft["questions"] == [RESET, OTHER_WORDING]
    assert draft["reason"].startswith("3 visitors asked")
    assert f"> {SIGN_IN}\n>\n> — [Choose a password]({source['url']})" in draft["contentMarkdown"]
    assert "Cats" not in draft["contentMarkdown"]
    assert any("an answer" in warning for warning in draft["warnings"])
    article = ok(await client.get(f"/v1/articles/{draft['articleId']}"))
    assert (article["status"], article["url"]) == ("in_review", None)
    [row] = await unanswered(client)
    assert (row["id"], row["status"], row["draftId"]) == (gap, "drafted", draft["id"])


async def test_one_visitor_who_asks_thrice_makes_none(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    await ask_as(database, cast.acme, ["ann"] * 5)
    await run_jobs()

    assert await gaps(api(cast.acme.read_key)) == []


async def test_there_is_one_draft_however_often_it_is_asked_and_run(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    gap = await ask_as(database, cast.acme, [*VISITORS, "dee", "eve"])

    await at_once(4, lambda _: run_now(database, cast.acme, gap))
    await run_jobs()

    assert len(await gaps(api(cast.acme.read_key))) == 1


async def test_applying_it_makes_an_article_and_the_gap_is_gone(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await ask_as(database, cast.acme)
    await run_jobs()
    [draft] = await gaps(client)

    applied = ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))
    await run_jobs()

    article = ok(await client.get(f"/v1/articles/{applied['articleId']}"))
    assert (article["status"], article["title"]) == ("published", RESET)
    assert await unanswered(client) == []
    assert await gaps(client) == []


@pytest.mark.parametrize("what", ["draft", "question", "article"])
async def test_dismissed_gaps_stay_away(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs, owner: Tx, what: str
) -> None:
    client = api(cast.acme.write_key)
    gap = await ask_as(database, cast.acme, VISITORS[:2] if what == "question" else VISITORS)
    await run_jobs()
    if what == "question":
        ok(await client.post(f"/v1/insights/unanswered/{gap}/dismiss"))
    else:
        [draft] = await gaps(client)
        ok(await client.post(f"/v1/drafts/{draft['id']}/dismiss"))
    if what == "article":
        # The article is deleted for good, as after 30 days in Recently deleted.
        await owner.execute("delete from articles where id = %(id)s", id=draft["articleId"])

    await ask_as(database, cast.acme, ["dee", "eve", "fay"])
    await ask(database, cast.acme, OTHER_WORDING, "guy")
    await run_now(database, cast.acme, gap)
    await run_jobs()

    assert await gaps(client) == []


async def test_a_paused_workspace_gets_it_when_it_is_resumed(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await pause_workspace(owner, cast.acme.workspace_id)
    await ask_as(database, cast.acme)
    await run_jobs()
    assert await gaps(client) == []

    await resume_workspace(owner, cast.acme.workspace_id)
    await owner.execute("update jobs set run_at = now() where kind = %(kind)s", kind=DRAFT_GAP)
    await run_jobs()

    assert len(await gaps(client)) == 1


@pytest.mark.parametrize("is_edited", [False, True])
async def test_while_it_waits_it_takes_in_what_is_asked_and_leaves_what_somebody_wrote(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs, is_edited: bool
) -> None:
    client = api(cast.acme.write_key)
    gap = await ask_as(database, cast.acme)
    await run_jobs()
    [draft] = await gaps(client)
    before = await detail(client, draft["id"])
    if is_edited:
        patch = {"contentMarkdown": "Choose **Reset**."}
        before = ok(await client.patch(f"/v1/drafts/{draft['id']}", json=patch))
    await publish(client, "Choose a password", SIGN_IN)
    await ask(database, cast.acme, OTHER_WORDING, "dee")
    await run_jobs()
    assert (await detail(client, draft["id"]))["questions"] == [RESET]

    await run_now(database, cast.acme, gap)

    after = await detail(client, draft["id"])
    assert after["questions"] == [RESET, OTHER_WORDING]
    assert after["reason"].startswith("4 visitors")
    assert (after["contentMarkdown"] == before["contentMarkdown"]) is is_edited
    assert (SIGN_IN in after["contentMarkdown"]) is not is_edited
    assert len(await gaps(client)) == 1


@pytest.mark.parametrize("is_late", [False, True])
async def test_notes_of_visitors_are_in_the_reason_without_their_addresses(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx, is_late: bool
) -> None:
    client, visitor = api(cast.acme.write_key), api(None)
    await publish(client, "Choose a password", SIGN_IN)
    note = "The mail with the token never came, call +1 (555) 010-2030 or ann@example.com."
    for name in VISITORS:
        answer = await ask_chat(visitor, cast.acme, TOKEN, visitor=name)
        assert answer["answered"] is False
    if is_late:
        await run_jobs()
    await escalate(visitor, cast.acme, answer["conversationId"], email=ANN, message=note)
    await owner.execute("update jobs set run_at = now() where kind = %(kind)s", kind=DRAFT_GAP)
    await run_jobs()

    [listed] = await gaps(client)
    draft = await detail(client, listed["id"])

    assert "The mail with the token never came, call … or …" in draft["reason"]
    assert "never came" not in draft["contentMarkdown"]


async def test_draft_quotes_only_public_text_in_its_language(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    secret = "To reset a password ask the kookaburra in the archive of the office."
    await publish(client, "Reset passwords", secret, visibility="authenticated")
    await publish(client, "Password", secret, locale="de")
    for name in VISITORS:
        await ask(database, cast.acme, RESET, name)
        await ask(database, cast.acme, "Wie setze ich das Passwort zurück?", name, locale="de")
    await run_jobs()

    drafts = [await detail(client, draft["id"]) for draft in await gaps(client)]

    assert sorted(draft["title"] for draft in drafts) == [RESET, "Wie setze ich das Passwort zurück?"]
    by_locale = {
        ok(await client.get(f"/v1/articles/{draft['articleId']}"))["locale"]: draft["contentMarkdown"]
        for draft in drafts
    }
    assert by_locale.keys() == {"de", "en"}
    assert "kookaburra" not in by_locale["en"]


async def test_number_of_pending_drafts_is_limited(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PENDING_GAP_DRAFTS", 1)
    client = api(cast.acme.write_key)
    await ask_as(database, cast.acme)
    await ask_as(database, cast.acme, question="Which hotels accept lamas?")
    await run_jobs()
    [first] = await gaps(client)

    ok(await client.post(f"/v1/drafts/{first['id']}/dismiss"))
    for question in (RESET, "Which hotels accept lamas?"):
        await ask_as(database, cast.acme, ["dee"], question)
    await run_jobs()

    [second] = await gaps(client)
    assert second["title"] != first["title"]


async def test_a_requested_draft_has_its_place_while_it_is_written(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PENDING_GAP_DRAFTS", 1)
    requested = await ask_as(database, cast.acme, ["ann"])
    further = await ask_as(database, cast.acme, ["ann"], "Where can I park my bicycle?")
    async with job_context(database, payload_of(cast.acme, requested), WRITER) as ctx:
        await draft_unanswered(ctx, requested)
        await draft_unanswered(ctx, requested)
        with pytest.raises(InvalidState, match="1 drafts"):
            await draft_unanswered(ctx, further)

    # Enough visitors ask another question to earn a draft, and later the requested one, too.
    other = await ask_as(database, cast.acme, question="Which hotels accept lamas?")
    await run_now(database, cast.acme, other)
    await ask_as(database, cast.acme)
    await run_jobs()

    [draft] = await gaps(api(cast.acme.write_key))
    assert draft["title"] == RESET


async def test_jobs_at_once_do_not_queue_more_than_may_wait_for_review(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PENDING_GAP_DRAFTS", 1)
    gap_ids = [await ask_as(database, cast.acme, question=text) for text in (RESET, "Who accepts lamas?")]

    async with owner.transaction():
        # The lock allows counting drafts but not inserting them, so each job counts before either inserts.
        await owner.execute("lock table drafts in share mode")
        jobs = [asyncio.create_task(run_now(database, cast.acme, gap_id)) for gap_id in gap_ids]
        await until_blocked(owner, len(jobs))
    await asyncio.gather(*jobs)

    assert len(await gaps(api(cast.acme.write_key))) == 1


async def test_a_model_writes_it_from_the_passages(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Choose a password", SIGN_IN)
    gap = await ask_as(database, cast.acme)
    reply = {"text": "Choose a password with at least 12 characters.", "missing": ["Who can reset it?"]}

    await run_now(database, cast.acme, gap, Scripted(lambda asked: reply))

    [listed] = await gaps(client)
    draft = await detail(client, listed["id"])
    assert draft["contentMarkdown"].startswith("Choose a password with at least 12 characters.\n")
    assert "Missing: Who can reset it?" in draft["warnings"]
    assert "scripted:1 wrote it" in draft["reason"]


async def test_a_text_of_a_model_with_a_strange_link_leaves_the_outline(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Choose a password", SIGN_IN)
    gap = await ask_as(database, cast.acme)
    text = "[Reset your password](https://evil.example)."

    await run_now(database, cast.acme, gap, Scripted(lambda asked: {"text": text, "missing": []}))

    [listed] = await gaps(client)
    draft = await detail(client, listed["id"])
    assert f"> {SIGN_IN}" in draft["contentMarkdown"]
    assert "evil" not in draft["contentMarkdown"]


async def test_a_model_reads_what_visitors_asked_and_wrote_next_without_their_addresses(
    api: Api, cast: Cast, database: Database
) -> None:
    client, visitor = api(cast.acme.write_key), api(None)
    await publish(client, "Choose a password", SIGN_IN)
    model = Scripted(lambda asked: {"text": "Choose a password with at least 12 characters.", "missing": []})
    for name in VISITORS:
        answer = await ask_chat(visitor, cast.acme, TOKEN, visitor=name)
    conversation = {"visitor": name, "conversationId": answer["conversationId"]}
    await ask_chat(visitor, cast.acme, "Does ann@example.com get a second token?", **conversation)
    await escalate(visitor, cast.acme, answer["conversationId"], email=ANN, message="Call +1 (555) 010-2030.")
    [gap] = [row["id"] for row in await unanswered(client) if row["question"] == TOKEN]

    await run_now(database, cast.acme, gap, model)

    [prompt] = model.prompts
    assert TOKEN in prompt.user
    assert "Does … get a second token?" in prompt.user
    assert "Call …." in prompt.user
    assert ANN not in prompt.user


class Silent:
    name = "silent:1"

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        raise CompletionError("It is asleep.", 0)


async def test_outline_is_the_draft_if_the_model_does_not_reply(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Choose a password", SIGN_IN)

    await run_now(database, cast.acme, await ask_as(database, cast.acme), Silent())

    [listed] = await gaps(client)
    assert f"> {SIGN_IN}" in (await detail(client, listed["id"]))["contentMarkdown"]
