"""Helpers for search tests: publish, search, and store an index or a vector."""

from typing import Any

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.search import queries
from instep.search.index.builder import SegmentBuilder
from instep.search.index.segment import encode_segment
from instep.search.retrieve import retrieve
from instep.search.schemas import Audience
from instep.search.semantic import vectors
from instep.search.semantic.chunks import Chunk
from instep.search.semantic.vector_segment import quantized
from instep.search.semantic.vectors import StoredVectors
from tests.support.cast import Client, Company, Json
from tests.support.http import all_pages, create_article, ok

SEARCH = "/v1/articles/search"


async def publish(client: Client, title: str = "Install", text: str = "Run it.", **fields: Any) -> Json:
    created = await create_article(client, title, contentMarkdown=text, **fields)
    return ok(await client.post(f"/v1/articles/{created['id']}/publish"))


async def search(client: Client, q: str, **params: Any) -> list[Json]:
    return await all_pages(client, SEARCH, q=q, **params)


async def titles(client: Client, q: str, **params: Any) -> list[str]:
    return [row["title"] for row in await search(client, q, **params)]


def context(tx: Tx, company: Company) -> Ctx:
    """The context of a request to the company's help center."""
    bot = Bot(company.bot_id, company.workspace_id, company.slug, "Acme", "en")
    return Ctx(tx, bot, Actor("command", "test", can_write=False), utc_now())


async def store_index(database: Database, company: Company) -> None:
    async with database.enter_workspace(company.workspace_id) as tx:
        data = encode_segment(SegmentBuilder().build({}))
        await queries.store_index(context(tx, company), data, utc_now())


async def store_vector(database: Database, company: Company, article_id: str) -> None:
    async with database.enter_workspace(company.workspace_id) as tx:
        ctx = context(tx, company)
        await vectors.reset_embeddings(ctx, "scripted", 2)
        chunks = quantized(Chunk(article_id, 0, 0, 0, "Text."), [0.6, 0.8]).tobytes()
        await vectors.store_vectors(ctx, [StoredVectors(article_id, ctx.now, chunks)])


async def titles_of(
    ctx: Ctx, question: str, locale: str | None = None, audience: Audience = "public"
) -> list[str]:
    """The titles of the articles that match a question, best first."""
    retrieval = await retrieve(ctx, question, locale, audience=audience)
    return list(dict.fromkeys(passage.title for passage in retrieval.passages))
