"""Helpers for tests of the review queue."""

import re
from typing import Literal

from instep.accounts.people.schemas import User
from instep.content.articles.texts import find_article
from instep.drafting.drafts.actions import (
    dismiss_draft,
    list_article_drafts,
    queue_gap_draft,
    queue_new_article,
)
from instep.drafting.drafts.proposals import EditProposal, NewArticle, Statement
from instep.drafting.drafts.renewing import queue_edit_of_task
from instep.drafting.drafts.schemas import DraftDismiss
from instep.drafting.drafts.suppression import list_suppressed
from instep.drafting.drafts.viewing import note_viewer
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.paging import PageRequest
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from tests.support.cast import Client, Company, Json

NewType = Literal["new_article", "gap_draft"]
QUESTIONS = ("How do I export my data?", "Where is the export?")
NEW = "Exports are made at night.\n\n1. Open the settings.\n2. Choose Export.\n"

HUNK = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")
BEFORE = "# Install\n\nRun `install`.\n\nWait for ten minutes.\n\nSign in.\n"
AFTER = "# Install\n\nRun `setup`.\n\nWait for ten minutes.\n\nSign in.\n"


async def write_article(
    client: Client, title: str = "Install", text: str = BEFORE, *, live: bool = True
) -> Json:
    answer = await client.post("/v1/articles", json={"title": title, "contentMarkdown": text})
    assert answer.status_code == 201, answer.text
    article: Json = answer.json()
    if live:
        article = (await client.post(f"/v1/articles/{article['id']}/publish")).json()
    return article


async def propose(client: Client, article: Json, text: str = AFTER, **fields: str) -> Json:
    body = {"contentMarkdown": text, **fields}
    proposed = await client.post(f"/v1/articles/{article['id']}/drafts", json=body)
    assert proposed.status_code == 201, proposed.text
    draft: Json = proposed.json()
    return draft


async def queue_new(
    database: Database, company: Company, kind: NewType = "new_article", title: str = "Export your data"
) -> str:
    """Queue an article that Instep wrote, and return the id of its draft."""
    questions = QUESTIONS if kind == "gap_draft" else ()
    new = NewArticle(title=title, content=NEW, reason="It was asked for", questions=questions)
    queue = queue_gap_draft if kind == "gap_draft" else queue_new_article
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        writer = Actor("task", "Instep", can_write=True)
        return await queue(Ctx(tx, await find_bot(tx, company.bot_id), writer, utc_now()), new)


async def get(client: Client, path: str) -> Json:
    answer = await client.get(f"/v1/{path}")
    assert answer.status_code == 200, answer.text
    body: Json = answer.json()
    return body


async def text_of(client: Client, article: Json) -> str:
    text: str = (await get(client, f"articles/{article['id']}"))["contentMarkdown"]
    return text


async def queue(client: Client) -> list[str]:
    return [draft["id"] for draft in (await get(client, "drafts"))["results"]]


async def revisions(client: Client, article: Json) -> list[Json]:
    """All previous versions with their texts, newest first."""
    listed = await get(client, f"articles/{article['id']}/revisions?page_size=100")
    paths = [f"articles/{article['id']}/revisions/{row['id']}" for row in listed["results"]]
    return [await get(client, path) for path in paths]


def patched(before: str, diff: str) -> str:
    """Apply a diff as a strict parser of unified diffs would."""
    if not diff:
        return before
    old, new = lines(before), list[str]()
    header, *body = lines(diff)[1:]
    assert header.startswith("+++ ")
    place = 0
    for number, line in enumerate(body):
        ends = body[number + 1 : number + 2] == ["\\ No newline at end of file\n"]
        text = line[1:-1] if ends else line[1:]
        if hunk := HUNK.match(line):
            start, count = int(hunk[1]), int(hunk[2])
            begin = start - 1 if count else start
            new += old[place:begin]
            place = begin
            assert len(new) == (int(hunk[3]) - 1 if int(hunk[4]) else int(hunk[3]))
        elif line[0] in " -":
            assert old[place] == text
            place += 1
        if line[0] in " +" and not hunk:
            new.append(text)
    return "".join(new + old[place:])


def lines(text: str) -> list[str]:
    """The lines with their line feeds; no other character ends a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


async def hold_back_statement(company: Company, database: Database, article_id: str) -> str:
    """Suppress a statement as a reviewer does by dismissing its draft, and return the suppression's id."""
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        ctx = Ctx(tx, await find_bot(tx, company.bot_id), Actor("task", "Instep", can_write=True), utc_now())
        article = await find_article(ctx, article_id)
        proposal = EditProposal(
            content="Run it thrice.",
            base_version=article.version,
            base_title=article.title,
            base_content=article.content,
            statements=(Statement("key", "“it” → “it thrice”"),),
        )
        await queue_edit_of_task(ctx, article_id, proposal)
        [draft] = (await list_article_drafts(ctx, article_id, PageRequest(b"", 1))).rows
        await dismiss_draft(ctx, draft.id, DraftDismiss(reason="not_needed"))
        newest, *_ = (await list_suppressed(ctx, PageRequest(b""))).rows
        return newest.id


async def look_at(database: Database, company: Company, user: User, draft_id: str) -> None:
    """Record that someone has opened a draft."""
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        person = Actor("person", user.email, can_write=True, id=user.id)
        await note_viewer(Ctx(tx, await find_bot(tx, company.bot_id), person, utc_now()), draft_id)
