"""Fixtures of the alert tests."""

from collections.abc import AsyncIterator

import pytest

from tests.notifications.alerts.chat import Authority, Chat, Nearby, make_authority, serving


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
async def chat(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Chat]:
    """A chat tool's server with a trusted certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with serving(authority) as chat_server:
        yield chat_server


@pytest.fixture
def nearby(chat: Chat) -> Nearby:
    """An outbound client whose calls all go to that server."""
    return Nearby(chat.port)
