"""Prepare the demo: publish the articles, send a code change and let the writer draft."""

import secrets
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from instep.accounts.people.actions import create_user
from instep.accounts.people.first_person import new_sign_in_link
from instep.accounts.workspaces import actions as workspaces
from instep.accounts.workspaces.schemas import BotRow
from instep.content.articles.actions import create_article, publish_article
from instep.content.articles.body_schemas import ArticleCreate
from instep.content.articles.texts import find_article
from instep.content.collections.actions import create_collection
from instep.content.collections.schemas import CollectionCreate
from instep.demo.help import Section, read_help, read_page
from instep.drafting.drafts.actions import list_drafts
from instep.drafting.drafts.schemas import Draft
from instep.drafting.tasks.actions import create_task, read_task
from instep.drafting.tasks.schemas import ChangeIn, TaskCreate
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.paging import PageRequest
from instep.platform.core.statistics import renew_statistics
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.platform.identity.scopes import Role, Scope
from instep.runtime import worker_of

HERE = Path(__file__).parent
DEMO = Actor("command", "instep demo", can_write=True)
CHANGE = ChangeIn.model_validate_json((HERE / "change.json").read_text())
# The new name of the setting that the change renames.
NEW_NAME = "INSTEP_REQUESTS_PER_MINUTE"


@dataclass(frozen=True, slots=True)
class Stage:
    """The help center, its credentials and its drafts, as the demo announces them."""

    bot: BotRow
    key: str
    email: str
    password: str
    # The path of the link that signs the person in once.
    sign_in_path: str
    articles: int
    reviews: list["Review"]


@dataclass(frozen=True, slots=True)
class Review:
    """A pending draft, and the URL of the page that it changes."""

    draft: Draft
    url: str


async def set_stage(url: str) -> Stage:
    """Create a help center whose articles describe the product before the change."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        owner = Tx(connection)
        workspace = await workspaces.find_workspace(owner, None)
        bot = await workspaces.create_bot(owner, workspace.id, "Instep", "instep", "en")
        key = await workspaces.create_key(owner, workspace.id, "demo", Scope.WRITE, [])
        password = secrets.token_urlsafe(12)
        person = await create_user(owner, workspace.id, "you@example.com", Role.OWNER, password)
        sign_in_path = await new_sign_in_link(owner, workspace.id, person.id)
    database = Database(url, size=2)
    await database.open()
    try:
        articles = await load_articles(database, bot)
        reviews = await document(database, bot)
        return Stage(bot, key.key, person.email, password, sign_in_path, articles, reviews)
    finally:
        await database.close()


async def load_articles(database: Database, bot: BotRow) -> int:
    async with acting(database, bot) as ctx:
        count = sum([await load_section(ctx, section) for section in read_help()])
        await renew_statistics(ctx.tx, count)
    return count


async def load_section(ctx: Ctx, section: Section) -> int:
    about = section.about
    values = {"title": about.title, "slug": about.slug, "description": about.description, "icon": about.icon}
    collection = await create_collection(ctx, CollectionCreate.model_validate(values))
    for page in section.pages:
        values = {
            "title": page.title,
            "contentMarkdown": text_before(page.slug) or page.text,
            "slug": page.slug,
            "description": page.description,
            "collectionId": collection.id,
        }
        article = await create_article(ctx, ArticleCreate.model_validate(values))
        await publish_article(ctx, article.id)
    return len(section.pages)


def text_before(slug: str) -> str | None:
    """The text of an article before the change; None if the change does not affect it."""
    file = HERE / "before" / f"{slug}.md"
    return read_page(file, slug).text if file.exists() else None


async def document(database: Database, bot: BotRow) -> list[Review]:
    """Send the change, and return its drafts."""
    async with acting(database, bot) as ctx:
        await create_task(ctx, await read_task(TaskCreate(change=CHANGE)))
    async with aclosing(OutboundClient(AllowList())) as client:
        await worker_of(database, client).run_due()
    async with acting(database, bot) as ctx:
        drafts = (await list_drafts(ctx, None, None, PageRequest(b""))).rows
        articles = [await find_article(ctx, draft.article_id) for draft in drafts]
        urls = [ctx.bot.help_url + article.path(ctx.bot) for article in articles]
        return [Review(draft, url) for draft, url in zip(drafts, urls, strict=True)]


@asynccontextmanager
async def acting(database: Database, bot: BotRow) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(bot.workspace_id) as tx, tx.transaction():
        yield Ctx(
            tx, Bot(bot.id, bot.workspace_id, bot.slug, bot.name, bot.locale, bot.domain), DEMO, utc_now()
        )
