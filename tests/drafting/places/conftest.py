"""A place in a live article of Acme, which the tests of places share."""

import pytest

from instep.platform.core.database import Database
from tests.drafting.places.finding import open_place
from tests.support.cast import Cast, Client, Json


@pytest.fixture
async def place(client: Client, cast: Cast, database: Database) -> Json:
    return await open_place(client, database, cast.acme)
