"""A help center that is written directly to the database, because only its search is measured."""

from typing import Any

from psycopg import AsyncConnection

from instep.accounts.workspaces import actions
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from instep.platform.core.markdown import render
from instep.platform.identity.schemas import Bot

INSERT = """
    insert into articles (id, workspace_id, bot_id, slug, locale, title, description, position,
        content_markdown, content_html, visibility, status, version, origin, author_type, author_name,
        text_changed_at, created_at, updated_at)
    values (%(id)s, %(workspace)s, %(bot)s, %(id)s, %(locale)s, %(title)s, %(description)s, %(position)s,
        %(markdown)s, %(html)s, 'public', 'published', 1, 'create', 'command', 'eval',
        now(), now(), stamp_change(%(bot)s))
"""


async def create_help_center(
    connection: AsyncConnection[Any], name: str, articles: list[dict[str, Any]], locale: str = "en"
) -> tuple[Bot, dict[str, str]]:
    """The bot, and the id in the data set by the id of each article."""
    tx = Tx(connection)
    workspace = await actions.create_workspace(tx, name)
    bot = await actions.create_bot(tx, workspace.id, name, None, locale)
    # In the order of the articles, which decides between equals: the same run must ask a model the same.
    ids = sorted(new_id("art") for _ in articles)
    names = dict(zip(ids, (article["id"] for article in articles), strict=True))
    rows = [
        {
            "id": article_id,
            "workspace": workspace.id,
            "bot": bot.id,
            "locale": locale,
            "title": article["title"],
            "description": article.get("description"),
            "position": position,
            "markdown": article["text"],
            "html": render(article["text"]),
        }
        for position, (article_id, article) in enumerate(zip(names, articles, strict=True))
    ]
    async with connection.cursor() as cursor:
        await cursor.executemany(INSERT, rows)
    return Bot(bot.id, workspace.id, bot.slug, name, locale), names
