"""An embeddings endpoint on a real socket whose vectors match a few synonyms, and helpers for it."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from instep.platform.core.database import Database
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.identity.schemas import Bot
from instep.platform.llm.embedding import Embedder, HttpEmbedder
from instep.platform.llm.factory import allow_only
from instep.search.semantic.indexing import embed_bot
from tests.support.cast import Company
from tests.support.model_endpoint import KEY, Asked, Endpoint, Mood, endpoint, http

MEANINGS = (
    frozenset(("car", "automobile", "vehicle")),
    frozenset(("invoice", "bill", "receipt")),
    frozenset(("holiday", "vacation", "leave")),
)


def vector_of(text: str, dimensions: int = 4) -> list[float]:
    words = re.findall(r"\w+", text.lower())
    vector = [float(sum(word in meaning for word in words)) for meaning in MEANINGS] + [0.1]
    return (vector + [0.0] * dimensions)[:dimensions]


def answered(vectors: list[list[float]]) -> bytes:
    data = [{"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(vectors)]
    return http(200, json.dumps({"object": "list", "data": data, "model": "scripted"}).encode())


async def knows(asked: Asked) -> bytes:
    return answered([vector_of(text) for text in asked.body["input"]])


async def knows_more(asked: Asked) -> bytes:
    """Reply with vectors of another length, as after the model with this name was replaced."""
    return answered([vector_of(text, 6) for text in asked.body["input"]])


async def is_uneven(asked: Asked) -> bytes:
    return answered([vector_of(text, 3 + n) for n, text in enumerate([*asked.body["input"], "one more"])])


async def is_not_a_number(asked: Asked) -> bytes:
    return answered([[float("nan"), 1.0] for _ in asked.body["input"]])


async def is_nothing(asked: Asked) -> bytes:
    return answered([[0.0, 0.0] for _ in asked.body["input"]])


async def does_not_take_holidays(asked: Asked) -> bytes:
    if any("holiday" in text.lower() for text in asked.body["input"]):
        return http(400, b'{"error": {"message": "This text is too long."}}')
    return await knows(asked)


@asynccontextmanager
async def embedding(*moods: Mood, model: str = "scripted") -> AsyncIterator[tuple[HttpEmbedder, Endpoint]]:
    async def pause(_: float) -> None:
        return

    async with endpoint(*moods) as behind:
        url = f"{behind.url}/v1"
        caller = OutboundClient(allow_only(url))
        yield HttpEmbedder(model, caller, url, KEY, pause), behind
        await caller.aclose()


async def embed(database: Database, embedder: Embedder, *companies: Company) -> None:
    for company in companies:
        bot = Bot(company.bot_id, company.workspace_id, company.slug, "Acme", "en")
        await embed_bot(database, embedder, bot)


def sent_texts(behind: Endpoint) -> list[str]:
    return [text for asked in behind.asked for text in asked.body["input"]]
