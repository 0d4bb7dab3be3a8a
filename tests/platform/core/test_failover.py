"""Several hosts in `INSTEP_DATABASE_URL`: the writable one is used, and after it its successor."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from instep.platform.core.database import Database
from instep.platform.core.embedded import DatabaseUnavailable
from instep.platform.core.errors import Unavailable
from instep.platform.core.outages import DatabaseReadOnly
from instep.platform.core.postgres import completed_url
from instep.platform.migrations import migrate
from tests.support.standbys import Pair, paired

NOTE = "insert into jobs (kind, payload) values ('note', '{}')"
SECONDS = 60


@pytest.fixture
def pair() -> Iterator[Pair]:
    with paired() as pair:
        migrate(completed_url(pair.several_hosts))
        pair.catch_up()
        yield pair


@pytest.fixture
async def database(pair: Pair) -> AsyncIterator[Database]:
    opened = Database(completed_url(pair.several_hosts), size=2)
    await opened.open()
    yield opened
    await opened.close()


async def note(database: Database) -> None:
    async with database.enter_workspace("") as tx:
        await tx.execute(NOTE)


@dataclass(frozen=True, slots=True)
class Note:
    workspace_id: str


async def note_on_entering(database: Database) -> None:
    """Write with the same kind of statement that finds a key and counts the request."""
    async with database.enter(Note, f"{NOTE} returning '' as workspace_id"):
        pass


Write = Callable[[Database], Awaitable[None]]


async def note_until_taken(database: Database, write: Write = note) -> None:
    """Retry until the write succeeds, like clients that were asked to."""
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                return await write(database)
            except Unavailable:
                await asyncio.sleep(0.1)


async def note_until_refused(database: Database, write: Write) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            await write(database)


async def test_after_a_failover_the_new_primary_is_used(pair: Pair, database: Database) -> None:
    await note(database)
    pair.catch_up()

    pair.kill_primary()
    with pytest.raises(Unavailable) as refusal:
        await note(database)
    pair.promote_standby()

    await note_until_taken(database)
    assert refusal.value.headers["Retry-After"] == "1"
    async with database.enter_workspace("") as tx:
        assert await tx.value("select count(*) from jobs where kind = 'note'") == 2


@pytest.mark.parametrize("write", [note, note_on_entering])
async def test_a_connection_to_a_primary_that_takes_no_more_writes_is_given_up(
    write: Write, pair: Pair, database: Database
) -> None:
    await write(database)
    with psycopg.connect(pair.primary.url, autocommit=True) as connection:
        connection.execute("alter system set default_transaction_read_only = on")
        connection.execute("select pg_reload_conf()")
    with pytest.raises(DatabaseReadOnly):
        await note_until_refused(database, write)

    pair.promote_standby()

    await note_until_taken(database, write)
    with psycopg.connect(pair.standby.url) as connection:
        assert connection.execute("select count(*) > 1 from jobs where kind = 'note'").fetchone() == (True,)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://a,b/instep", {"target_session_attrs": "read-write", "connect_timeout": "5"}),
        ("postgresql://a:5433,b:5434/instep?target_session_attrs=any", {"target_session_attrs": "any"}),
        ("host=a,b dbname=instep connect_timeout=2", {"connect_timeout": "2"}),
        ("postgresql://a/instep", {"target_session_attrs": None, "tcp_user_timeout": "20000"}),
    ],
)
def test_an_address_is_completed_with_what_it_leaves_open(url: str, expected: dict[str, str]) -> None:
    completed = conninfo_to_dict(completed_url(url))

    assert {name: completed.get(name) for name in expected} == expected
    assert completed["host"] == conninfo_to_dict(url)["host"]


def test_invalid_database_url_is_refused_without_its_password() -> None:
    with pytest.raises(DatabaseUnavailable) as refusal:
        completed_url("postgresql//instep:secret@a,b/instep")

    assert "secret" not in str(refusal.value)
