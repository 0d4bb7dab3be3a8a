"""Embeds questions, within a time limit or not at all, and finds the articles nearest in meaning."""

import asyncio
from array import array
from collections.abc import Callable
from time import monotonic
from typing import TypeAlias

import structlog
from cachetools import LRUCache

from instep.core import limits
from instep.identity.schemas import Ctx
from instep.llm.embedding import NO_EMBEDDERS, Embedder, Embedders
from instep.llm.protocol import CompletionError
from instep.search.index.cache import off_loop
from instep.search.query.scoring import ArticleFilter
from instep.search.search_state import SearchState
from instep.search.semantic.vector_cache import vector_cache
from instep.search.semantic.vector_index import SemanticHit

# Comparing so many vectors takes about two milliseconds.
MAX_INLINE_CHUNKS = 20_000

# Floats of 32 bits: a list of Python's takes eight times the memory.
CachedVector: TypeAlias = "array[float]"

log = structlog.get_logger()


class QueryEmbedder:
    """Embeds questions with a cache and a circuit breaker. Without a model it has no semantic hits."""

    def __init__(self, embedders: Embedders = NO_EMBEDDERS, clock: Callable[[], float] = monotonic) -> None:
        self.embedders = embedders
        self.clock = clock
        # By the model's name and the question.
        self.vectors: LRUCache[tuple[str, str], CachedVector] = LRUCache(limits.MAX_CACHED_QUERY_EMBEDDINGS)
        self.open_until = float("-inf")
        # What is being embedded for callers that hold a database connection.
        self.tasks: dict[tuple[str, str], asyncio.Task[CachedVector | None]] = {}

    def use(self, embedders: Embedders) -> None:
        self.embedders = embedders
        self.vectors.clear()
        self.open_until = float("-inf")

    def of(self, ctx: Ctx) -> Embedder | None:
        return self.embedders.of(ctx.bot.locale)

    async def prepare(self, question: str) -> None:
        """Cache the vector before a search, so that it waits without a database connection.

        Where each language has a model of its own, the bot has to be known first. Those models are near.
        """
        embedder = self.embedders.only
        if embedder and self.may_request(embedder, question):
            await self.request(embedder, question)

    async def begin(self, ctx: Ctx, question: str) -> None:
        """Embed a question beside what the caller does until `nearest` needs the vector."""
        embedder = self.of(ctx)
        if embedder and self.task_of(embedder, question):
            # The task hands the question to a thread in its first turn.
            await asyncio.sleep(0)

    async def vector_of(self, embedder: Embedder, question: str) -> "CachedVector | None":
        """The vector of a question; `None` if there is none in time, so that its words alone count."""
        task = self.task_of(embedder, question)
        # Another caller may wait for the same task, so it goes on if this one is cancelled.
        return await asyncio.shield(task) if task else self.vectors.get((embedder.name, question))

    def task_of(self, embedder: Embedder, question: str) -> "asyncio.Task[CachedVector | None] | None":
        """What embeds a question; `None` if its vector is cached or may not be requested now."""
        key = embedder.name, question
        task = self.tasks.get(key)
        # The caller holds a database connection, so only a few may wait.
        has_room = len(self.tasks) < limits.MAX_CONCURRENT_QUERY_EMBEDDINGS
        if task is None and has_room and self.may_request(embedder, question):
            task = self.tasks[key] = asyncio.create_task(self.request(embedder, question))
            task.add_done_callback(lambda _: self.tasks.pop(key, None))
        return task

    def may_request(self, embedder: Embedder, question: str) -> bool:
        """Whether the vector is not cached and the circuit breaker is closed."""
        return (embedder.name, question) not in self.vectors and self.clock() >= self.open_until

    async def request(self, embedder: Embedder, question: str) -> "CachedVector | None":
        try:
            [vector] = await embedder.vectors([question], limits.QUERY_EMBEDDING_SECONDS)
        except CompletionError as error:
            self.open_until = self.clock() + limits.EMBEDDING_BREAKER_SECONDS
            log.warning("questions are searched for by their words alone", reason=error.message)
            return None
        self.vectors[embedder.name, question] = array("f", vector)
        return self.vectors[embedder.name, question]

    async def nearest(
        self, ctx: Ctx, question: str, state: SearchState, scope: ArticleFilter
    ) -> tuple[SemanticHit, ...] | None:
        """The articles within the scope that are nearest to a question in meaning, best first.

        Empty where none is nearer than usual; `None` if they could not be compared.
        """
        embedder = self.of(ctx)
        vector = await self.vector_of(embedder, question) if embedder else None
        if embedder is None or vector is None:
            return None
        vectors = await vector_cache.index_of(ctx, embedder.name, state.embedding_state)
        # The model behind the name may be another one by now.
        if vectors is None or vectors.dimensions != len(vector):
            return None
        allowed = [(live.segment, scope.mask(live)) for live in state.index.segments]
        is_long = vectors.chunk_count > MAX_INLINE_CHUNKS
        return await off_loop(vectors.nearest, vector, allowed, is_long=is_long)


query_embedder = QueryEmbedder()
