"""What the tests of people share: an owner of Acme."""

import pytest

from instep.core.database import Tx
from instep.people.schemas import User
from tests.support.cast import Cast
from tests.support.sign_in import sign_up


@pytest.fixture
async def user(owner: Tx, cast: Cast) -> User:
    return await sign_up(owner, cast.acme.workspace_id)
