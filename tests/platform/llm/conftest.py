"""A model of either provider, with a scripted endpoint."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from instep.platform.core.config import settings
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.llm.client import HttpModel
from instep.platform.llm.factory import allow_only, provider_of
from tests.support.model_endpoint import KEY, Endpoint, Mood, endpoint

Meet = Callable[..., AbstractAsyncContextManager[tuple[HttpModel, Endpoint]]]


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the model would wait between attempts; tests do not wait."""
    return []


@pytest.fixture
def meet(provider: str, waits: list[float], monkeypatch: pytest.MonkeyPatch) -> Iterator[Meet]:
    """The configured model and its endpoint, which replies in these moods."""

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    @asynccontextmanager
    async def open_endpoint(*moods: Mood, seconds: float = 5) -> AsyncIterator[tuple[HttpModel, Endpoint]]:
        async with endpoint(*moods) as behind:
            base = behind.url if provider == "anthropic" else f"{behind.url}/v1"
            monkeypatch.setenv("INSTEP_MODEL", f"{provider}:scripted-1")
            monkeypatch.setenv(f"{provider.upper()}_BASE_URL", base)
            monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
            settings.cache_clear()
            configured = provider_of(settings())
            client = OutboundClient(allow_only(configured.url))
            yield HttpModel(f"{provider}:scripted-1", configured, client, seconds, pause), behind
            await client.aclose()

    yield open_endpoint
    settings.cache_clear()
