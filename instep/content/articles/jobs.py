"""The job that renders outdated HTML of earlier versions again, so that no page has to."""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from instep.content.files.picture_sizes import HTML_VERSION, render_with_sizes
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError, RateLimited, Unavailable
from instep.platform.core.jobs import Job, defer
from instep.platform.core.restarts import restartable
from instep.platform.identity.schemas import Actor, Bot, Ctx

RENDER_TEXTS = "render_texts"
# The number of texts per run; the next run renders the others.
BATCH = 50
ACTOR = Actor("command", "render", can_write=False)


@dataclass(frozen=True, slots=True)
class OutdatedText:
    """A row of `table`, which is `articles` or `changelog_entries`, with its bot."""

    table: str
    id: str
    workspace_id: str
    bot_id: UUID
    slug: str
    name: str
    locale: str

    @property
    def bot(self) -> Bot:
        return Bot(self.bot_id, self.workspace_id, self.slug, self.name, self.locale)


async def schedule_rendering(database: Database) -> None:
    """Schedule a run, a single one for all processes."""
    async with database.enter_workspace("") as tx:
        await defer(tx, RENDER_TEXTS, {}, dedupe=RENDER_TEXTS)


async def render_texts(database: Database, job: Job) -> None:
    """Render some outdated texts, and schedule a run for the others."""
    async with database.enter_workspace("") as tx:
        sql = "select * from html_behind(%(version)s, %(limit)s)"
        texts = await tx.all(OutdatedText, sql, version=HTML_VERSION, limit=BATCH)
    for text in texts:
        await restartable(partial(render_again, database, text))
    if len(texts) == BATCH:
        await schedule_rendering(database)


async def render_again(database: Database, text: OutdatedText) -> None:
    """Render a text and store its HTML; a text that can no longer be rendered keeps its HTML.

    For readers this changes the help center. For editors the article is unchanged.
    """
    async with database.enter_workspace(text.workspace_id) as tx, tx.transaction():
        ctx = Ctx(tx, text.bot, ACTOR, utc_now())
        row = {"bot": text.bot_id, "id": text.id}
        place = "bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s"
        content: str | None = await tx.value(
            f"select content_markdown from {text.table} where {place} for no key update", **row
        )
        if content is None:
            return
        await tx.execute(
            f"""
            update {text.table}
            set content_html = coalesce(%(html)s, content_html), html_version = %(version)s
            where {place}
            """,
            html=await html_of(ctx, content),
            version=HTML_VERSION,
            **row,
        )
        await tx.execute("select stamp_change(%(bot)s)", bot=text.bot_id)


async def html_of(ctx: Ctx, content: str) -> str | None:
    try:
        return await render_with_sizes(ctx, content)
    except (RateLimited, Unavailable):
        raise
    except AppError:
        return None
