"""Embedding models: texts of similar meaning get vectors of similar direction. They are optional."""

import asyncio
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel

from instep.platform.core import limits
from instep.platform.core.outbound.client import OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import RawResponse, send_request
from instep.platform.llm.client import HEADERS, Pause, complete_with_retries, measured_call
from instep.platform.llm.openai import BASE_URL
from instep.platform.llm.protocol import CompletionError
from instep.platform.llm.provider import read_response

Vector = list[float]

# Patterns that Python and PostgreSQL interpret the same way.
ENGLISH_LOCALES, OTHER_LOCALES = "^en(-|$)", "^(?!en(-|$))"
MALFORMED = "Its answer does not have one vector of the same length for each text."


class Embedder(Protocol):
    """An embedding model; vectors of two models with different names can't be compared."""

    @property
    def name(self) -> str: ...

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        """One vector of L2 norm 1 for each text, in order, within `seconds`; or `CompletionError`."""


@dataclass(frozen=True, slots=True)
class Embedders:
    """The embedding models of an installation: one for every bot, or one for English and one for others."""

    english: Embedder | None = None
    others: Embedder | None = None

    @classmethod
    def for_all(cls, embedder: Embedder) -> "Embedders":
        return cls(embedder, embedder)

    def of(self, locale: str) -> Embedder | None:
        """The model of a bot whose language is `locale`."""
        return self.english if is_english(locale) else self.others

    def knows(self, locale: str, language: str | None) -> bool:
        """True if the model of a bot in `locale` knows `language`: one for English knows only English."""
        return self.only is not None or not is_english(locale) or language is None or is_english(language)

    @property
    def only(self) -> Embedder | None:
        """The model of all bots, if they have the same one."""
        return self.english if self.english is self.others else None

    @property
    def by_locales(self) -> list[tuple[Embedder, str]]:
        """Each model with a pattern of the locales of its bots."""
        pairs = [(self.english, ENGLISH_LOCALES), (self.others, OTHER_LOCALES)]
        return [(embedder, locales) for embedder, locales in pairs if embedder]


NO_EMBEDDERS = Embedders()


def is_english(locale: str) -> bool:
    return re.search(ENGLISH_LOCALES, locale) is not None


class Embedding(BaseModel):
    index: int
    embedding: Vector


class EmbeddingsResponse(BaseModel):
    data: list[Embedding]


@dataclass(frozen=True, slots=True)
class HttpEmbedder:
    """An endpoint compatible with OpenAI's embeddings: its own, other providers', local servers."""

    model: str
    client: OutboundClient
    base_url: str = BASE_URL
    key: str | None = field(default=None, repr=False)
    pause: Pause = asyncio.sleep

    @property
    def name(self) -> str:
        return f"openai:{self.model} at {self.base_url}"

    @property
    def url(self) -> str:
        return f"{self.base_url.rstrip('/')}/embeddings"

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        with measured_call("embeddings"):
            try:
                async with asyncio.timeout(seconds):
                    body = await complete_with_retries(lambda: self.post(texts), self.pause)
            except TimeoutError:
                raise CompletionError(f"It did not answer within {seconds:g} seconds.") from None
            return read_vectors(body, len(texts))

    async def post(self, texts: Sequence[str]) -> RawResponse:
        body = json.dumps({"model": self.model, "input": list(texts), "encoding_format": "float"}).encode()
        headers = HEADERS | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        try:
            return await send_request(self.client, self.url, body, headers, limits.MAX_EMBEDDINGS_BYTES)
        except RequestFailed as error:
            raise CompletionError(error.message) from None


def read_vectors(body: bytes, count: int) -> list[Vector]:
    embeddings = sorted(read_response(EmbeddingsResponse, body).data, key=lambda embedding: embedding.index)
    vectors = [embedding.embedding for embedding in embeddings]
    is_complete = [embedding.index for embedding in embeddings] == list(range(count))
    dimensions = {len(vector) for vector in vectors}
    if not is_complete or len(dimensions) != 1 or not 0 < max(dimensions) <= limits.MAX_VECTOR_DIMENSIONS:
        raise CompletionError(MALFORMED)
    return [l2_normalized(vector) for vector in vectors]


def l2_normalized(vector: Vector) -> Vector:
    norm = math.hypot(*vector)
    if not (math.isfinite(norm) and norm > 0):
        raise CompletionError(MALFORMED)
    return [component / norm for component in vector]
