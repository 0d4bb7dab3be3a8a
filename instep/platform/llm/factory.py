"""The language model and the embedding model that the settings name, if any."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from ipaddress import ip_network
from pathlib import Path

from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.outbound.urls import parse_url
from instep.platform.core.settings import Settings
from instep.platform.llm import anthropic, bundled_embedding, local_embedding, openai
from instep.platform.llm.anthropic import Anthropic
from instep.platform.llm.client import HttpModel
from instep.platform.llm.embedding import Embedders, HttpEmbedder
from instep.platform.llm.openai import OpenAi
from instep.platform.llm.protocol import Model
from instep.platform.llm.provider import Provider


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator[Model | None]:
    """The language model of this installation; None unless one is set."""
    if settings.model is None:
        yield None
        return
    provider = provider_of(settings)
    async with aclosing(OutboundClient(allow_only(provider.url))) as client:
        yield HttpModel(settings.model, provider, client, settings.model_seconds)


@asynccontextmanager
async def open_embedders(settings: Settings) -> AsyncIterator[Embedders]:
    """The embedding models of this installation: the configured one, or else the built-in ones."""
    kind, _, name = (settings.embeddings or "").partition(":")
    if not kind:
        yield Embedders(bundled_embedding.english(), bundled_embedding.multilingual())
    elif kind == "off":
        yield Embedders()
    elif kind == "local":
        yield Embedders.for_all(await asyncio.to_thread(local_embedding.load, Path(name)))
    else:
        url = settings.vectors_url or openai.BASE_URL
        async with aclosing(OutboundClient(allow_only(url))) as client:
            yield Embedders.for_all(HttpEmbedder(name, client, url, settings.vectors_key))


def check_local_model(settings: Settings) -> None:
    """Read the embedding model in the configured folder, if any; raises `Unusable` if it fails."""
    kind, _, name = (settings.embeddings or "").partition(":")
    if kind == "local":
        local_embedding.load(Path(name))


def provider_of(settings: Settings) -> Provider:
    name = (settings.model or "").partition(":")[2]
    return endpoint_of(settings.provider, name, settings.provider_url, settings.provider_key)


def endpoint_of(form: str, model: str, base_url: str | None, key: str | None) -> Provider:
    """The endpoint of a provider's form, at its own address unless another one is given."""
    if form == "anthropic":
        return Anthropic(model, base_url or anthropic.BASE_URL, key)
    # Other servers know only the older field; OpenAI's newest models refuse it.
    return OpenAi(model, base_url or openai.BASE_URL, key, limit=openai.OLDER if base_url else openai.NEWER)


def allow_only(address: str) -> AllowList:
    """Allow one host. The operator has set it, so it may be private and without TLS."""
    url = parse_url(address)
    if url.address is None:
        return AllowList(hosts=frozenset((url.host,)))
    return AllowList(networks=(ip_network(url.address),))


def describe_model(settings: Settings) -> str:
    """The line of `instep doctor` about the language model."""
    return f"{settings.model} at {provider_of(settings).url}" if settings.model else "none is set"


def describe_embeddings(settings: Settings) -> str:
    """The line of `instep doctor` about the embedding models."""
    if settings.embeddings == "off":
        return "off"
    if settings.embeddings is None:
        models = {"English": bundled_embedding.english(), "other languages": bundled_embedding.multilingual()}
        return "; ".join(f"{name}: {model.name if model else 'none'}" for name, model in models.items())
    if settings.embeddings.startswith("local:"):
        return settings.embeddings
    return f"{settings.embeddings} at {(settings.vectors_url or openai.BASE_URL).rstrip('/')}/embeddings"
