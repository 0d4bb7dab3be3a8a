"""What turns texts into vectors, whichever it is: near in meaning, near in direction. It is optional."""

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel

from instep.core import limits
from instep.core.outbound.client import OutboundClient, RequestFailed
from instep.core.outbound.requests import RawResponse, send_request
from instep.llm.client import HEADERS, Pause, complete_with_retries
from instep.llm.openai import BASE_URL
from instep.llm.protocol import CompletionError
from instep.llm.provider import read_shape

Vector = list[float]

ODD = "Its answer has not one vector of equal length for each text."


class Embedder(Protocol):
    """A model that gives texts their vectors; those of two models with different names don't compare."""

    @property
    def name(self) -> str: ...

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        """One for each text, of length 1; or `CompletionError`."""


class Embedding(BaseModel):
    index: int
    embedding: Vector


class Embeddings(BaseModel):
    data: list[Embedding]


@dataclass(frozen=True, slots=True)
class HttpEmbedder:
    """An endpoint that speaks OpenAI's form: its own, other providers', local servers."""

    model: str
    caller: OutboundClient
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
        try:
            async with asyncio.timeout(seconds):
                answer = await complete_with_retries(lambda: self.post(texts), self.pause)
        except TimeoutError:
            raise CompletionError(f"It did not answer within {seconds:g} seconds.") from None
        return read_vectors(answer, len(texts))

    async def post(self, texts: Sequence[str]) -> RawResponse:
        body = json.dumps({"model": self.model, "input": list(texts), "encoding_format": "float"}).encode()
        headers = HEADERS | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        try:
            return await send_request(self.caller, self.url, body, headers, limits.MAX_EMBEDDINGS_BYTES)
        except RequestFailed as none:
            raise CompletionError(none.message) from None


def read_vectors(answer: bytes, count: int) -> list[Vector]:
    found = sorted(read_shape(Embeddings, answer).data, key=lambda one: one.index)
    vectors = [one.embedding for one in found]
    if [one.index for one in found] != list(range(count)) or not are_alike(vectors):
        raise CompletionError(ODD)
    return [of_length_one(vector) for vector in vectors]


def are_alike(vectors: Sequence[Vector]) -> bool:
    return (
        len({len(vector) for vector in vectors}) == 1 and 0 < len(vectors[0]) <= limits.MAX_VECTOR_DIMENSIONS
    )


def of_length_one(vector: Vector) -> Vector:
    length = math.hypot(*vector)
    if not (math.isfinite(length) and length > 0):
        raise CompletionError(ODD)
    return [number / length for number in vector]
