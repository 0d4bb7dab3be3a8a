"""Embeds questions, within a time limit or not at all, and finds the articles nearest in meaning."""

import asyncio
from collections.abc import Callable
from time import monotonic

import structlog
from cachetools import LRUCache

from instep.core import limits
from instep.identity.schemas import Ctx
from instep.llm.embedding import Embedder, Vector
from instep.llm.protocol import CompletionError
from instep.search.schemas import Audience
from instep.search.semantic import vectors
from instep.search.semantic.vectors import SemanticHit

log = structlog.get_logger()


class QueryEmbedder:
    """Embeds questions with a cache and a circuit breaker. Without an embedder it has no semantic hits."""

    def __init__(self, embedder: Embedder | None = None, clock: Callable[[], float] = monotonic) -> None:
        self.embedder = embedder
        self.clock = clock
        self.vectors: LRUCache[str, Vector] = LRUCache(limits.MAX_CACHED_QUERY_EMBEDDINGS)
        self.open_until = float("-inf")
        self.waiting = 0

    def use(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self.vectors.clear()
        self.open_until = float("-inf")

    async def prepare(self, question: str) -> None:
        """Cache the vector before a search, so that it waits without a database connection."""
        if self.embedder and self.may_request(question):
            await self.request(self.embedder, question)

    async def vector_of(self, question: str) -> Vector | None:
        """The vector of a question; `None` if there is none in time, so that its words alone count."""
        if self.embedder is None or question in self.vectors:
            return self.vectors.get(question)
        # The caller holds a database connection, so only a few may wait.
        if not self.may_request(question) or self.waiting >= limits.MAX_CONCURRENT_QUERY_EMBEDDINGS:
            return None
        self.waiting += 1
        try:
            return await self.request(self.embedder, question)
        finally:
            self.waiting -= 1

    def may_request(self, question: str) -> bool:
        """Whether the vector is not cached and the circuit breaker is closed."""
        return question not in self.vectors and self.clock() >= self.open_until

    async def request(self, embedder: Embedder, question: str) -> Vector | None:
        try:
            [vector] = await embedder.vectors([question], limits.QUERY_EMBEDDING_SECONDS)
        except CompletionError as error:
            self.open_until = self.clock() + limits.EMBEDDING_BREAKER_SECONDS
            log.warning("questions are searched for by their words alone", reason=error.message)
            return None
        self.vectors[question] = vector
        return vector

    async def nearest(
        self, ctx: Ctx, question: str, locale: str | None, audience: Audience
    ) -> tuple[SemanticHit, ...]:
        """The articles nearest to a question in meaning, best first, as far as they are above the mean."""
        vector = await self.vector_of(question)
        if self.embedder is None or vector is None:
            return ()
        name = self.embedder.name
        hits = await vectors.nearest_articles(ctx, name, vector, locale, audience, limits.MAX_SEMANTIC_HITS)
        return tuple(hit for hit in hits if hit.z_score > 0)


query_embedder = QueryEmbedder()


async def use_embedder(embedder: Embedder | None, url: str) -> Embedder | None:
    """Let this process search by meaning, too, if PostgreSQL at `url` can store vectors; `None` if not."""
    if embedder and not await asyncio.to_thread(vectors.set_up_vectors, url):
        log.error(vectors.VECTORS_MISSING)
        embedder = None
    query_embedder.use(embedder)
    return embedder
