"""Which model the operator has set, if any."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from ipaddress import ip_network
from pathlib import Path

from instep.core.config import Settings
from instep.core.outbound.allowed import AllowList
from instep.core.outbound.client import OutboundClient
from instep.core.outbound.urls import parse_url
from instep.llm import anthropic, local_embedding, openai
from instep.llm.anthropic import Anthropic
from instep.llm.client import HttpModel
from instep.llm.embedding import Embedder, HttpEmbedder
from instep.llm.openai import OpenAi
from instep.llm.protocol import Model
from instep.llm.provider import Provider


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator[Model | None]:
    """The model of this installation, ready to be asked; none is set by default."""
    if settings.model is None:
        yield None
        return
    provider = provider_of(settings)
    async with aclosing(OutboundClient(only(provider.url))) as caller:
        yield HttpModel(settings.model, provider, caller, settings.model_seconds)


@asynccontextmanager
async def open_embedder(settings: Settings) -> AsyncIterator[Embedder | None]:
    """What gives texts their vectors in this installation; nothing does by default."""
    kind, _, name = (settings.embeddings or "").partition(":")
    if not kind:
        yield None
    elif kind == "local":
        yield await asyncio.to_thread(local_embedding.load, Path(name))
    else:
        url = settings.vectors_url or openai.BASE_URL
        async with aclosing(OutboundClient(only(url))) as caller:
            yield HttpEmbedder(name, caller, url, settings.vectors_key)


def provider_of(settings: Settings) -> Provider:
    name = (settings.model or "").partition(":")[2]
    key, url = settings.provider_key, settings.provider_url
    if settings.provider == "anthropic":
        return Anthropic(name, url or anthropic.BASE_URL, key)
    # Servers of others know the older field; OpenAI's newest models refuse it.
    return OpenAi(name, url or openai.BASE_URL, key, limit=openai.OLDER if url else openai.NEWER)


def only(address: str) -> AllowList:
    """The address comes from the operator, so its host may be private, and without TLS: it and no other."""
    url = parse_url(address)
    if url.address is None:
        return AllowList(hosts=frozenset((url.host,)))
    return AllowList(networks=(ip_network(url.address),))


def describe_model(settings: Settings) -> str:
    """What `instep doctor` tells."""
    return f"{settings.model} at {provider_of(settings).url}" if settings.model else "none is set"


def describe_embeddings(settings: Settings) -> str:
    """What `instep doctor` tells of what gives texts their vectors."""
    if settings.embeddings is None:
        return "none are set"
    if settings.embeddings.startswith("local:"):
        return settings.embeddings
    return f"{settings.embeddings} at {(settings.vectors_url or openai.BASE_URL).rstrip('/')}/embeddings"
