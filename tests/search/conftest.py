"""A context in Acme's help center."""

from collections.abc import AsyncIterator

import pytest

from instep.platform.core.database import Database
from instep.platform.identity.schemas import Ctx
from tests.support.cast import Cast
from tests.support.search import context


@pytest.fixture
async def ctx(cast: Cast, database: Database) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        yield context(tx, cast.acme)
