"""Two questions with the same meaning are merged permanently."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from instep.accounts.language_model.choosing import LanguageModels
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, InvalidState, NotFound
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from instep.platform.llm.protocol import Completion, CompletionError, OnText, Prompt
from instep.visitors.insights.actions import dismiss_unanswered, merge_unanswered
from instep.visitors.insights.jobs import process_gap
from instep.visitors.insights.schemas import REQUESTED
from tests.support.cast import Api, Cast, Client, Company, RunJobs
from tests.support.http import ok
from tests.support.site_pages import publish
from tests.support.unanswered import RESET, ask, unanswered

EDITOR = Actor("person", "Ann", can_write=True)
OTHER = "I forgot what I type to sign in"


@asynccontextmanager
async def editing(database: Database, company: Company) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        yield Ctx(tx, await find_bot(tx, company.bot_id), EDITOR, utc_now())


async def merge(database: Database, company: Company, question_id: str, into_id: str) -> None:
    async with editing(database, company) as ctx:
        await merge_unanswered(ctx, question_id, into_id)


async def test_the_other_question_gets_counts_and_wordings(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    target = await ask(database, cast.acme)
    merged = await ask(database, cast.acme, OTHER, visitor="bob")
    await ask(database, cast.acme, OTHER, visitor="cy")

    await merge(database, cast.acme, merged, target)

    (row,) = await unanswered(client, status="all")
    assert (row["id"], row["question"], row["examples"]) == (target, RESET, [RESET, OTHER])
    assert (row["askedCount"], row["visitorCount"]) == (3, 3)
    askings = "select count(*) from askings where question_id = %(id)s"
    assert await owner.value(askings, id=target) == 3


async def test_repeated_question_counts_for_the_merge_target(
    client: Client, cast: Cast, database: Database
) -> None:
    target, merged = await ask(database, cast.acme), await ask(database, cast.acme, OTHER)
    third = await ask(database, cast.acme, "Where do I see my invoices?")
    await merge(database, cast.acme, merged, target)
    await merge(database, cast.acme, target, third)

    assert await ask(database, cast.acme, OTHER, visitor="bob") == third
    (row,) = await unanswered(client)
    assert (row["askedCount"], row["visitorCount"]) == (4, 4)


async def test_draft_moves_to_a_merge_target_without_one(
    client: Client, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    target = await ask(database, cast.acme)
    for visitor in ("ann", "bob", "cy"):
        merged = await ask(database, cast.acme, OTHER, visitor)
    await run_jobs()
    draft_id = ok(await client.get("/v1/drafts"))["results"][0]["id"]

    await merge(database, cast.acme, merged, target)

    (row,) = await unanswered(client)
    assert (row["id"], row["status"], row["draftId"]) == (target, "drafted", draft_id)


async def test_a_requested_draft_that_is_being_written_comes_to_the_other(
    api: Api, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Sign in", "If you forgot what you type to sign in, ask your administrator.")
    target = await ask(database, cast.acme)
    merged = await ask(database, cast.acme, OTHER, visitor="bob")
    job = {"workspace": cast.acme.workspace_id, "bot": str(cast.acme.bot_id), REQUESTED: "yes"}
    model = Merging(database, cast.acme, merged, target)

    # The model is called after the data was read and before the result is stored.
    await process_gap(database, job | {"question": merged}, LanguageModels(model))
    await run_jobs()

    (row,) = await unanswered(client)
    draft = ok(await client.get(f"/v1/drafts/{row['draftId']}"))
    assert (row["id"], row["status"]) == (target, "drafted")
    assert (draft["title"], draft["questions"]) == (RESET, [RESET, OTHER])
    assert len(ok(await client.get("/v1/drafts"))["results"]) == 1


@dataclass
class Merging:
    """A model that fails; during its call someone merges two questions."""

    database: Database
    company: Company
    question_id: str
    into_id: str
    name = "merging:1"

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        await merge(self.database, self.company, self.question_id, self.into_id)
        raise CompletionError("It is asleep.", 0)


async def test_invalid_merges_are_refused(cast: Cast, database: Database) -> None:
    question = await ask(database, cast.acme)
    german = await ask(database, cast.acme, "Wie setze ich mein Passwort zurück?", locale="de")
    foreign = await ask(database, cast.globex, OTHER)
    for target, refusal in (
        (question, InvalidRequest),
        (german, InvalidRequest),
        (foreign, NotFound),
        ("q_nothing", NotFound),
    ):
        with pytest.raises(refusal):
            await merge(database, cast.acme, question, target)


async def test_dismissed_questions_are_taken_back_first(cast: Cast, database: Database) -> None:
    target, question = await ask(database, cast.acme), await ask(database, cast.acme, OTHER)
    async with editing(database, cast.acme) as ctx:
        await dismiss_unanswered(ctx, target)

    with pytest.raises(InvalidState, match="reopen it first"):
        await merge(database, cast.acme, question, target)


async def test_a_merged_question_is_found_no_more(api: Api, cast: Cast, database: Database) -> None:
    target, merged = await ask(database, cast.acme), await ask(database, cast.acme, OTHER)
    await merge(database, cast.acme, merged, target)

    answer = await api(cast.acme.write_key).post(f"/v1/insights/unanswered/{merged}/dismiss")
    assert answer.status_code == 404


async def test_merged_questions_are_pruned_together(cast: Cast, database: Database, owner: Tx) -> None:
    target, merged = await ask(database, cast.acme), await ask(database, cast.acme, OTHER)
    await merge(database, cast.acme, merged, target)
    await owner.execute("update askings set asked_at = now() - interval '1 year'")
    await owner.execute("select prune_askings(interval '180 days')")

    count = "select count(*) from unanswered_questions where bot_id = %(bot)s"
    assert await owner.value(count, bot=cast.acme.bot_id) == 0
