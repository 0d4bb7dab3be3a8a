"""The importer that tests use."""

import pytest

from instep.platform.core.database import Database
from tests.support.bringing import Importer
from tests.support.cast import Api, Cast


@pytest.fixture
def importer(api: Api, database: Database, cast: Cast) -> Importer:
    return Importer(database, cast.acme)
