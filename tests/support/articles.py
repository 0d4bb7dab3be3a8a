"""Helpers for tests of articles: actions that the API does not offer, and moving time."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

from instep.content.articles.body_schemas import TextEdit
from instep.content.articles.editing import EditedText, autosave_text, open_text, save_text
from instep.drafting.drafts.actions import queue_new_article
from instep.drafting.drafts.proposals import NewArticle
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.identity.schemas import Actor, Bot, Ctx
from tests.support.cast import Client, Company, Json
from tests.support.http import all_pages, create_article, ok

Queue = Callable[[Ctx, NewArticle], Awaitable[str]]


@asynccontextmanager
async def acting(database: Database, company: Company, name: str = "Edda") -> AsyncIterator[Ctx]:
    """The context of someone who edits in the dashboard."""
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        bot = Bot(company.bot_id, company.workspace_id, company.slug, "Acme", "en")
        yield Ctx(tx, bot, Actor("command", name, can_write=True), utc_now())


async def save_copy(
    database: Database, company: Company, ref: str, version: str | None = None, **changes: str
) -> EditedText:
    """Save changes as the editor does; by default they are based on the current version."""
    async with acting(database, company) as ctx:
        opened = await open_text(ctx, ref, lock=True)
        edit = TextEdit(**{"title": opened.title, "content": opened.content} | changes)
        return await save_text(ctx, ref, edit, version or opened.version)


async def type_text(
    database: Database, company: Company, ref: str, version: str, content: str, name: str = "Edda"
) -> EditedText:
    """Send the autosave that the editor sends while someone types."""
    async with acting(database, company, name) as ctx:
        opened = await open_text(ctx, ref)
        return await autosave_text(ctx, ref, TextEdit(title=opened.title, content=content), version)


async def put_into_review(database: Database, company: Company, queue: Queue = queue_new_article) -> str:
    """Queue a new article for review and return its draft's id."""
    async with acting(database, company, "Writer") as ctx:
        return await queue(ctx, NewArticle(title="Install", content="Run it."))


async def draft_status(owner: Tx, draft_id: str) -> tuple[str, bool]:
    """The draft's status, and whether its row was updated after creation."""
    sql = "select {} from drafts where id = %(id)s"
    status: str = await owner.value(sql.format("status"), id=draft_id)
    changed: bool = await owner.value(sql.format("updated_at > created_at"), id=draft_id)
    return status, changed


async def translate(client: Client, root: Json, title: str, locale: str) -> Json:
    return await create_article(client, title, translationOf=root["id"], locale=locale)


async def delete(client: Client, ref: str) -> Json:
    return ok(await client.delete(f"/v1/articles/{ref}"))


async def restore(client: Client, ref: str) -> Json:
    return ok(await client.post(f"/v1/articles/{ref}/restore"))


async def let_time_pass(owner: Tx, company: Company, time: timedelta) -> None:
    """Move the company's deletions back by this time."""
    await owner.execute(
        "update articles set deleted_at = deleted_at - %(time)s where workspace_id = %(workspace)s",
        time=time,
        workspace=company.workspace_id,
    )


async def revisions_of(client: Client, ref: str) -> list[Json]:
    """All previous versions of an article with their texts, newest first."""
    path = f"/v1/articles/{ref}/revisions"
    listed = await all_pages(client, path, page_size=100)
    return [ok(await client.get(f"{path}/{row['id']}")) for row in listed]
