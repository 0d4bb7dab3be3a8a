"""Fixtures of the tests of outbound calls."""

from collections.abc import AsyncIterator

import pytest

from instep.platform.core.outbound.client import OutboundClient
from tests.platform.outbound.clients import ALLOWED, leading_to
from tests.support.certificates import Authority


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.create(tmp_path_factory.mktemp("authority"))


@pytest.fixture
async def client(authority: Authority) -> AsyncIterator[OutboundClient]:
    opened_client = OutboundClient(ALLOWED, leading_to("127.0.0.1"), authority.trust())
    yield opened_client
    await opened_client.aclose()
