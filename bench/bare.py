"""A bare service with the same SQL, as one would write it with FastAPI and psycopg: the measure of ours.

It finds the key and the bot, and does what is asked for. It has no rate limits, roles, row-level security,
audit, events, request ids, metrics or log, and it looks at nothing that it is sent.
"""

import hashlib
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import comrak
import nh3
from fastapi import Depends, FastAPI, Header
from fastapi.responses import Response
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.requests import Request

from instep.content.articles.queries import columns
from instep.interfaces.site import entrances, queries
from instep.interfaces.site.contents import contents_of
from instep.interfaces.site.rendering import part_of_page
from instep.interfaces.site.schemas import Arrival, article_url
from instep.interfaces.site.site_tree import tree_of_article
from instep.interfaces.site.visits import VISITOR, Visit
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Bot, Ctx
from instep.platform.web.pages import sanitised

Connection = AsyncConnection[dict[str, Any]]
POOL_SIZE = 10
KEY = """
    select b.id, b.workspace_id, b.slug, b.name, b.locale
    from api_keys k join bots b on b.id = k.default_bot_id
    where k.key_hash = %s and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
"""
# It knows one company's data from another's by the bot alone.
COLUMNS = re.sub(r"\w+\.workspace_id = %\(workspace\)s and ", "", columns("markdown"))
ARTICLE = f"""
    select {COLUMNS} from articles a
    where a.bot_id = %(bot)s and a.deleted_at is null and a.slug = %(slug)s
"""
ARTICLES = f"""
    select {COLUMNS} from articles a
    where a.bot_id = %(bot)s and a.deleted_at is null order by a.updated_at desc, a.id desc limit 21
"""
LOCK = ARTICLE + " for no key update of a"
REPLACE = f"""
    with stamp as (select stamp_change(%(bot)s) as at), replaced as (
        insert into revisions (id, workspace_id, bot_id, article_id, version, title, content_markdown, origin,
            author_type, author_name, created_at)
        select %(revision)s, workspace_id, bot_id, id, version, title, content_markdown, origin, author_type,
            author_name, stamp.at
        from articles, stamp where bot_id = %(bot)s and id = %(id)s)
    update articles as a set content_markdown = %(text)s, content_html = %(html)s, version = a.version + 1,
        updated_at = stamp.at
    from stamp where a.bot_id = %(bot)s and a.id = %(id)s returning {COLUMNS}
"""
# PostgreSQL's own search, in a table that `bench` makes.
SEARCH = f"""
    select {COLUMNS}, ts_rank(t.words, q.words) as score
    from plainto_tsquery('english', %(query)s) as q (words), bare_texts t
    join articles a on a.bot_id = t.bot_id and a.id = t.article_id
    where t.bot_id = %(bot)s and t.words @@ q.words and a.deleted_at is null and a.status = 'published'
    order by score desc, a.id limit 21
"""
PAGE_STATE = """
    select a.updated_at from articles a join bots b on b.id = a.bot_id
    where b.slug = %s and a.slug = %s and a.deleted_at is null and a.status = 'published'
"""


class Update(BaseModel):
    """The fields that a client changes."""

    contentMarkdown: str


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    kwargs = {"autocommit": True, "row_factory": dict_row}
    async with AsyncConnectionPool[Connection](
        os.environ["BARE_DATABASE_URL"], min_size=1, max_size=POOL_SIZE, open=False, kwargs=kwargs
    ) as pool:
        app.state.pool = pool
        yield


app = FastAPI(openapi_url=None, lifespan=lifespan)


async def connected(request: Request) -> AsyncIterator[Connection]:
    async with request.app.state.pool.connection() as connection:
        yield connection


Connected = Annotated[Connection, Depends(connected)]


async def known_bot(connection: Connected, authorization: Annotated[str, Header()]) -> dict[str, Any]:
    key = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).digest()
    row = await (await connection.execute(KEY, [key])).fetchone()
    assert row is not None, "the benchmark sends keys that exist"
    return row


KnownBot = Annotated[dict[str, Any], Depends(known_bot)]


def answer(content: Any) -> Response:
    return Response(to_json(content), media_type="application/json")


@app.get("/v1/articles/search")
async def search(connection: Connected, bot: KnownBot, q: str) -> Response:
    rows = await (await connection.execute(SEARCH, {"bot": bot["id"], "query": q})).fetchall()
    return answer({"results": rows[:20], "has_more": len(rows) > 20})


@app.get("/v1/articles/{slug}")
async def get(connection: Connected, bot: KnownBot, slug: str) -> Response:
    return answer(await (await connection.execute(ARTICLE, {"bot": bot["id"], "slug": slug})).fetchone())


@app.get("/v1/articles")
async def list_page(connection: Connected, bot: KnownBot) -> Response:
    rows = await (await connection.execute(ARTICLES, {"bot": bot["id"]})).fetchall()
    return answer({"results": rows[:20], "has_more": len(rows) > 20})


@app.patch("/v1/articles/{slug}")
async def update(connection: Connected, bot: KnownBot, slug: str, body: Update) -> Response:
    html = nh3.clean(comrak.render_markdown(body.contentMarkdown))
    async with connection.transaction():
        row = await (await connection.execute(LOCK, {"bot": bot["id"], "slug": slug})).fetchone()
        assert row is not None, "the benchmark changes articles that exist"
        values = {"bot": bot["id"], "id": row["id"], "revision": new_id("rev"), "text": body.contentMarkdown}
        saved = await (await connection.execute(REPLACE, {**values, "html": html})).fetchone()
    return answer(saved)


@app.get("/help/{bot_slug}/articles/{slug}")
async def page(request: Request, connection: Connected, bot_slug: str, slug: str) -> Response:
    """The page of an article, by the same statements and templates; 304 needs no more than its time stamp."""
    if request.headers.get("if-none-match"):
        state = await (await connection.execute(PAGE_STATE, [bot_slug, slug])).fetchone()
        if state and etag_of(state["updated_at"]) == request.headers["if-none-match"]:
            return Response(status_code=304, headers={"ETag": request.headers["if-none-match"]})
    tx = Tx(connection)
    arrival = await tx.fetch_one(Arrival, entrances.ARRIVE, slug=bot_slug)
    bot = Bot(arrival.bot_id, arrival.workspace_id, arrival.bot_slug, arrival.bot_name, arrival.bot_locale)
    tx.workspace_id = bot.workspace_id
    visit = Visit(request, Ctx(tx, bot, VISITOR, utc_now()), arrival)
    article = await queries.find_live_article(visit.ctx, slug, bot.locale)
    assert article is not None, "the benchmark reads pages that exist"
    html = part_of_page(
        visit,
        "article.html",
        article=article,
        html=sanitised(article.html),
        headings=contents_of(article.html),
        tree=await tree_of_article(visit, article, bot.locale),
        markdown_url=article_url(bot, bot.locale, slug) + ".md",
        alternates={},
    )
    return Response(html, headers={"ETag": etag_of(article.updated_at)}, media_type="text/html")


def etag_of(moment: object) -> str:
    return f'"{moment}"'
