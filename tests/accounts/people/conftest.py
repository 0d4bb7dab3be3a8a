"""Fixtures for tests of people: an owner of Acme."""

import pytest

from instep.accounts.people.schemas import User
from instep.platform.core.database import Tx
from tests.support.cast import Cast
from tests.support.sign_in import sign_up


@pytest.fixture
async def user(owner: Tx, cast: Cast) -> User:
    return await sign_up(owner, cast.acme.workspace_id)
