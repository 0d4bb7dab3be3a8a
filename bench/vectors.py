"""Vectors for the articles of benchmarks: random ones of the default model's form, in its real chunks.

To embed the articles would take longer than all measurements, and comparing takes the same time whatever the
numbers are.
"""

from uuid import UUID

import numpy as np
import psycopg

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.platform.llm.bundled_embedding import ENGLISH_NAME
from instep.platform.llm.embedding import Vector, l2_normalized
from instep.search import queries
from instep.search.index.cache import NEVER
from instep.search.semantic import vectors
from instep.search.semantic.chunks import chunk_article
from instep.search.semantic.vector_segment import quantized
from instep.search.semantic.vectors import StoredVectors

DIMENSIONS = 384
ARTICLES = 1_000_000


async def store_random_vectors(owner: psycopg.AsyncConnection, bot: Bot) -> int:
    """Store vectors for all articles of a bot, as if it were embedded; the number of its chunks."""
    tx = Tx(owner)
    tx.workspace_id = bot.workspace_id
    ctx = Ctx(tx, bot, Actor("command", "bench", can_write=False), utc_now())
    generator, count = np.random.default_rng(1), 0
    articles = await queries.changed_since(ctx, NEVER, None, ARTICLES, only_live=True)
    await vectors.reset_embeddings(ctx, ENGLISH_NAME, DIMENSIONS)
    for article in articles:
        rows = [quantized(chunk, random_vector(generator)).tobytes() for chunk in chunk_article(article)]
        await vectors.store_vectors(ctx, [StoredVectors(article.id, article.changed_at, b"".join(rows))])
        count += len(rows)
    await vectors.set_seen(ctx, articles[-1].changed_at, is_complete=True)
    return count


def random_vector(generator: np.random.Generator) -> Vector:
    return l2_normalized(generator.standard_normal(DIMENSIONS).tolist())


async def copy_vectors(owner: psycopg.AsyncConnection, first: UUID, bot: UUID, suffix: str) -> None:
    """Give a bot, whose articles are copies with longer ids, the vectors of the first one."""
    ids = {"first": first, "bot": bot, "suffix": suffix}
    await owner.execute(
        """
        insert into bot_vectors (bot_id, workspace_id, model, dimensions, seen, is_complete)
        select %(bot)s, workspace_id, model, dimensions, seen, is_complete from bot_vectors
        where bot_id = %(first)s
        """,
        ids,
    )
    await owner.execute(
        """
        insert into article_vectors (bot_id, workspace_id, article_id, seen, chunks)
        select %(bot)s, workspace_id, article_id || %(suffix)s, seen, chunks from article_vectors
        where bot_id = %(first)s
        """,
        ids,
    )
