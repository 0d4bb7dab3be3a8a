"""Who imports in tests."""

import pytest

from instep.platform.core.database import Database
from tests.support.cast import Api, Cast
from tests.transfer.imports.bringing import Importer


@pytest.fixture
def importer(api: Api, database: Database, cast: Cast) -> Importer:
    return Importer(database, cast.acme)
