"""Embeds questions within a time limit, and finds the articles nearest in meaning."""

import asyncio
from array import array
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import TypeAlias

import structlog
from cachetools import LRUCache

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import Unavailable
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.bundled_embedding import BundledEmbedder
from instep.platform.llm.embedding import NO_EMBEDDERS, Embedder, Embedders
from instep.platform.llm.protocol import CompletionError
from instep.search.index.cache import off_loop
from instep.search.query.scoring import ArticleFilter
from instep.search.search_state import SearchState
from instep.search.semantic.indexing import PROBE_TEXT
from instep.search.semantic.vector_cache import vector_cache
from instep.search.semantic.vector_index import SemanticHit
from instep.search.semantic.vectors import has_bots

# Comparing this many vectors takes about two milliseconds.
MAX_INLINE_CHUNKS = 20_000
# The time for the first question to a model that a job of this process has already loaded.
LOADED_MODEL_SECONDS = 0.2

# 32-bit floats: a Python list takes eight times the memory.
CachedVector: TypeAlias = "array[float]"

log = structlog.get_logger()


class QueryEmbedder:
    """Embeds questions with a cache and a circuit breaker per model; without a model it returns no hits.

    A model of this process is loaded in the background, in advance or by its first question. Until it is
    loaded, its questions are searched by words only.
    """

    def __init__(self, embedders: Embedders = NO_EMBEDDERS, clock: Callable[[], float] = monotonic) -> None:
        self.embedders = embedders
        self.clock = clock
        # By the model's name and the question.
        self.vectors: LRUCache[tuple[str, str], CachedVector] = LRUCache(limits.MAX_CACHED_QUERY_EMBEDDINGS)
        # When the pauses of failed models end, by their names.
        self.open_until: dict[str, float] = {}
        # The pending embeddings for callers that hold a database connection.
        self.tasks: dict[tuple[str, str], asyncio.Task[CachedVector | None]] = {}
        # The models of this process by name: those that are loaded, and those that are being loaded.
        self.loaded: dict[str, Embedder] = {}
        self.loads: dict[str, asyncio.Task[None]] = {}

    def use(self, embedders: Embedders) -> None:
        self.embedders = embedders
        self.vectors.clear()
        self.open_until.clear()
        self.loaded.clear()

    def of(self, ctx: Ctx) -> Embedder | None:
        return self.embedders.of(ctx.bot.locale)

    @asynccontextmanager
    async def loading_ahead(self, database: Database) -> AsyncIterator[None]:
        """Load the models of this process that some bot needs, in parallel with the caller's work."""
        task = asyncio.create_task(self.load_needed(database))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def load_needed(self, database: Database) -> None:
        """Load one model after the other, because requests need the remaining processors."""
        for embedder, locales in self.embedders.by_locales:
            try:
                if isinstance(embedder, BundledEmbedder) and await has_bots(database, locales):
                    await self.load(embedder)
            except Unavailable as outage:
                log.warning("a model is left to the first question", reason=outage.message)

    def load(self, embedder: Embedder) -> asyncio.Task[None]:
        """The task that loads a model; it continues after its callers stop waiting."""
        task = self.loads.get(embedder.name)
        if task is None:
            task = self.loads[embedder.name] = asyncio.create_task(self.finish_load(embedder))
            task.add_done_callback(lambda _: self.loads.pop(embedder.name, None))
        return task

    async def finish_load(self, embedder: Embedder) -> None:
        try:
            # Some models read their weights only when they embed their first text.
            await embedder.vectors([PROBE_TEXT], limits.EMBEDDING_SECONDS)
        except CompletionError as error:
            self.pause(embedder, error.message)
        except Exception as error:
            # Model packages raise errors without a common base class for files that they can't read.
            self.pause(embedder, repr(error))
        else:
            self.loaded[embedder.name] = embedder

    async def is_loaded(self, embedder: Embedder) -> bool:
        """True if a model can be used; a model of this process that is not loaded starts loading."""
        if isinstance(embedder, BundledEmbedder) and self.loaded.get(embedder.name) is not embedder:
            await asyncio.wait([self.load(embedder)], timeout=LOADED_MODEL_SECONDS)
            return self.loaded.get(embedder.name) is embedder
        return True

    def pause(self, embedder: Embedder, reason: str) -> None:
        """Open the circuit breaker of a failed model."""
        self.open_until[embedder.name] = self.clock() + limits.EMBEDDING_BREAKER_SECONDS
        log.warning("questions are searched for by their words alone", model=embedder.name, reason=reason)

    async def prepare(self, question: str) -> None:
        """Cache the vector before a search, to avoid waiting with a database connection.

        If each language has its own model, the bot must be known first. Those models run locally.
        """
        embedder = self.embedders.only
        if embedder and self.may_request(embedder, question):
            await self.request(embedder, question)

    async def begin(self, ctx: Ctx, question: str) -> None:
        """Start embedding a question, in parallel with the caller, until `nearest` needs the vector."""
        embedder = self.of(ctx)
        if embedder and self.task_of(embedder, question):
            # The task passes the question to a thread in its first step.
            await asyncio.sleep(0)

    async def vector_of(self, embedder: Embedder, question: str) -> "CachedVector | None":
        """The vector of a question; `None` if it is not ready in time, so that only its words count."""
        task = self.task_of(embedder, question)
        # Another caller may wait for the same task, so it continues if this one is canceled.
        return await asyncio.shield(task) if task else self.vectors.get((embedder.name, question))

    def task_of(self, embedder: Embedder, question: str) -> "asyncio.Task[CachedVector | None] | None":
        """The task that embeds the question, or None if the vector is cached or can't be requested now."""
        key = embedder.name, question
        task = self.tasks.get(key)
        # The caller holds a database connection, so only a few may wait.
        has_room = len(self.tasks) < limits.MAX_CONCURRENT_QUERY_EMBEDDINGS
        if task is None and has_room and self.may_request(embedder, question):
            task = self.tasks[key] = asyncio.create_task(self.request(embedder, question))
            task.add_done_callback(lambda _: self.tasks.pop(key, None))
        return task

    def may_request(self, embedder: Embedder, question: str) -> bool:
        """True if the vector is not cached and the circuit breaker of the model is closed."""
        is_closed = self.clock() >= self.open_until.get(embedder.name, float("-inf"))
        return is_closed and (embedder.name, question) not in self.vectors

    async def request(self, embedder: Embedder, question: str) -> "CachedVector | None":
        if not await self.is_loaded(embedder):
            return None
        try:
            [vector] = await embedder.vectors([question], limits.QUERY_EMBEDDING_SECONDS)
        except CompletionError as error:
            self.pause(embedder, error.message)
            return None
        self.vectors[embedder.name, question] = array("f", vector)
        return self.vectors[embedder.name, question]

    async def nearest(
        self, ctx: Ctx, question: str, state: SearchState, scope: ArticleFilter
    ) -> tuple[SemanticHit, ...] | None:
        """The articles within the scope that are nearest to a question in meaning, best first.

        Empty if none is nearer than usual; `None` if they could not be compared.
        """
        embedder = self.of(ctx) if self.embedders.knows(ctx.bot.locale, scope.locale) else None
        vector = await self.vector_of(embedder, question) if embedder else None
        if embedder is None or vector is None:
            return None
        vectors = await vector_cache.index_of(ctx, embedder.name, state.embedding_state)
        # The model with this name may have been replaced.
        if vectors is None or vectors.dimensions != len(vector):
            return None
        allowed = [(live.segment, scope.mask(live)) for live in state.index.segments]
        is_long = vectors.chunk_count > MAX_INLINE_CHUNKS
        return await off_loop(vectors.nearest, vector, allowed, is_long=is_long)

    async def similarities(
        self, ctx: Ctx, questions: Sequence[str], state: SearchState, article_id: str
    ) -> list[float]:
        """The similarity of an article to each of some questions, as a cosine; 0 if unknown."""
        embedder = self.of(ctx)
        if embedder is None:
            return [0.0] * len(questions)
        vectors = await vector_cache.index_of(ctx, embedder.name, state.embedding_state)
        question_vectors = await asyncio.gather(
            *(self.vector_of(embedder, question) for question in questions)
        )
        return [
            vectors.similarity_of(article_id, vector)
            if vectors is not None and vector is not None and vectors.dimensions == len(vector)
            else 0.0
            for vector in question_vectors
        ]


query_embedder = QueryEmbedder()
