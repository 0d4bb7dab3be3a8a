"""A separate installation for the backup tests, whose database holds no other rows."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg_pool import AsyncConnectionPool

from instep.platform.core.database import Database
from instep.platform.core.embedded import EmbeddedPostgres
from tests.content.files.conftest import s3_server
from tests.support.commands import Operator
from tests.support.databases import create_database

__all__ = ["s3_server"]

BackUp = Callable[[], Awaitable[Path]]


@pytest.fixture(scope="session")
def database_url(cluster: EmbeddedPostgres) -> str:
    return create_database(cluster, f"backups_{os.getpid()}")


@pytest.fixture(scope="session")
async def pooled(database_url: str) -> AsyncIterator[Database]:
    opened = Database(database_url, size=5)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
async def pooled_owner(database_url: str) -> AsyncIterator[AsyncConnectionPool]:
    options = {"autocommit": True}
    async with AsyncConnectionPool(database_url, min_size=1, max_size=1, kwargs=options) as pool:
        yield pool


@pytest.fixture
def empty_url(cluster: EmbeddedPostgres) -> Iterator[str]:
    """A database without tables."""
    name = f"restored_{uuid4().hex}"
    maintenance = make_conninfo(cluster.url, dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        yield make_conninfo(cluster.url, dbname=name)
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def elsewhere(empty_url: str, tmp_path: Path) -> Operator:
    """An operator's shell on another machine, where nothing is installed yet."""
    return Operator(empty_url, INSTEP_DATA_DIR=str(tmp_path / "elsewhere"))


@pytest.fixture
def operator(database_url: str, tmp_path: Path) -> Operator:
    return Operator(database_url, INSTEP_DATA_DIR=str(tmp_path / "here"))


@pytest.fixture
def back_up(operator: Operator, tmp_path: Path) -> BackUp:
    """Back up the tests' installation; return the file."""

    async def make() -> Path:
        file = tmp_path / f"{uuid4().hex}.zip"
        await operator.json("backup", str(file))
        return file

    return make
