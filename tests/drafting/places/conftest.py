"""Fixtures of the tests of places: a place in a live article of Acme."""

import pytest

from instep.platform.core.database import Database
from tests.support.cast import Cast, Client, Json
from tests.support.places import open_place


@pytest.fixture
async def place(client: Client, cast: Cast, database: Database) -> Json:
    return await open_place(client, database, cast.acme)
