"""Fixtures of the draft tests: a live article of Acme and a proposed edit of it."""

import pytest

from tests.support.cast import Client, Json
from tests.support.drafts import propose, write_article


@pytest.fixture
async def article(client: Client) -> Json:
    return await write_article(client)


@pytest.fixture
async def draft(client: Client, article: Json) -> Json:
    return await propose(client, article)
