"""What turns texts into vectors, whichever it is: near in meaning, near in direction. It is optional."""

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel

from instep.core import limits
from instep.core.outbound.client import Caller, NoAnswer
from instep.core.outbound.exchange import Whole, exchange
from instep.model.asking import HEADERS, Pause, insist
from instep.model.openai import BASE_URL
from instep.model.protocol import NoReply
from instep.model.provider import read_shape

Vector = list[float]

ODD = "Its answer has not one vector of equal length for each text."


class Embedder(Protocol):
    """A model that gives texts their vectors; those of two models with different names don't compare."""

    @property
    def name(self) -> str: ...

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        """One for each text, of length 1; or `NoReply`."""


class Embedding(BaseModel):
    index: int
    embedding: Vector


class Embeddings(BaseModel):
    data: list[Embedding]


@dataclass(frozen=True, slots=True)
class HttpEmbedder:
    """An endpoint that speaks OpenAI's form: its own, other providers', local servers."""

    model: str
    caller: Caller
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
                answer = await insist(lambda: self.post(texts), self.pause)
        except TimeoutError:
            raise NoReply(f"It did not answer within {seconds:g} seconds.") from None
        return read_vectors(answer, len(texts))

    async def post(self, texts: Sequence[str]) -> Whole:
        body = json.dumps({"model": self.model, "input": list(texts), "encoding_format": "float"}).encode()
        headers = HEADERS | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        try:
            return await exchange(self.caller, self.url, body, headers, limits.EMBEDDINGS_ANSWER_BYTES)
        except NoAnswer as none:
            raise NoReply(none.message) from None


def read_vectors(answer: bytes, count: int) -> list[Vector]:
    found = sorted(read_shape(Embeddings, answer).data, key=lambda one: one.index)
    vectors = [one.embedding for one in found]
    if [one.index for one in found] != list(range(count)) or not are_alike(vectors):
        raise NoReply(ODD)
    return [of_length_one(vector) for vector in vectors]


def are_alike(vectors: Sequence[Vector]) -> bool:
    return len({len(vector) for vector in vectors}) == 1 and 0 < len(vectors[0]) <= limits.VECTOR_NUMBERS


def of_length_one(vector: Vector) -> Vector:
    length = math.hypot(*vector)
    if not (math.isfinite(length) and length > 0):
        raise NoReply(ODD)
    return [number / length for number in vector]
