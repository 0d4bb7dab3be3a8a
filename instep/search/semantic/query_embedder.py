"""What a question means: its vector, in time or not at all, and the articles that are near to it."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

import structlog

from instep.core import limits
from instep.identity.schemas import Ctx
from instep.llm.embedding import Embedder, Vector
from instep.llm.protocol import CompletionError
from instep.search.schemas import Audience
from instep.search.semantic import vectors
from instep.search.semantic.vectors import SemanticHit

log = structlog.get_logger()


class QueryEmbedder:
    """The vectors of questions that this process was asked last; without an embedder words alone count."""

    def __init__(self, embedder: Embedder | None = None, clock: Callable[[], float] = monotonic) -> None:
        self.embedder = embedder
        self.clock = clock
        self.vectors: OrderedDict[str, Vector] = OrderedDict()
        self.open_until = float("-inf")
        self.waiting = 0

    def use(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self.vectors.clear()
        self.open_until = float("-inf")

    async def prepare(self, question: str) -> None:
        """Ask for the vector while no connection is held: whoever searches then finds it at hand."""
        if self.embedder and self.is_available(question):
            await self.ask(self.embedder, question)

    async def of(self, question: str) -> Vector | None:
        """None: there is none, so that the words of the question have to do."""
        if self.embedder is None or question in self.vectors:
            return self.vectors.get(question)
        # Who asks now holds a connection to the database, so that only few may wait.
        if not self.is_available(question) or self.waiting >= limits.MAX_CONCURRENT_QUERY_EMBEDDINGS:
            return None
        self.waiting += 1
        try:
            return await self.ask(self.embedder, question)
        finally:
            self.waiting -= 1

    def is_available(self, question: str) -> bool:
        return question not in self.vectors and self.clock() >= self.open_until

    async def ask(self, embedder: Embedder, question: str) -> Vector | None:
        try:
            [vector] = await embedder.vectors([question], limits.QUERY_EMBEDDING_SECONDS)
        except CompletionError as none:
            self.open_until = self.clock() + limits.EMBEDDING_BREAKER_SECONDS
            log.warning("questions are searched for by their words alone", reason=none.message)
            return None
        self.vectors[question] = vector
        if len(self.vectors) > limits.MAX_CACHED_QUERY_EMBEDDINGS:
            self.vectors.popitem(last=False)
        return vector

    async def near(
        self, ctx: Ctx, question: str, locale: str | None, audience: Audience
    ) -> tuple[SemanticHit, ...]:
        """The articles that mean what the question does, those first that do so most."""
        vector = await self.of(question)
        if self.embedder is None or vector is None:
            return ()
        name = self.embedder.name
        found = await vectors.nearest(ctx, name, vector, locale, audience, limits.MAX_SEMANTIC_HITS)
        return tuple(one for one in found if one.likeness > 0)


query_embedder = QueryEmbedder()


async def use_embedder(embedder: Embedder | None, url: str) -> Embedder | None:
    """Have this process search by meaning too, if PostgreSQL at `url` can keep vectors."""
    if embedder and not await asyncio.to_thread(vectors.set_up_vectors, url):
        log.error(vectors.VECTORS_MISSING)
        embedder = None
    query_embedder.use(embedder)
    return embedder
