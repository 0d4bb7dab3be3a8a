"""A database that rejects writes: reads still work, and every caller learns the reason."""

from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import psycopg
import pytest
from fastapi import FastAPI
from psycopg import sql
from psycopg.conninfo import make_conninfo

from instep.app import put_into
from instep.operations.ops import health
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.disk import GIB, FreeSpace
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.errors import Unavailable
from instep.platform.core.outages import LOG_INTERVAL_SECONDS, DatabaseFull, OutageLog
from instep.platform.migrations import migrate
from instep.runtime import Runtime
from tests.support.cast import Api, Company, create_company
from tests.support.commands import Operator
from tests.support.limits import SetLimit

ARTICLE = {"title": "Install", "contentMarkdown": "Run it."}
# PostgreSQL raises the same error with the same text when its disk is full.
FULL = """
    create function is_full() returns trigger language plpgsql as $$
    begin
      raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
    end $$;
    create trigger is_full before insert on articles execute function is_full();
    create function takes_no_table() returns event_trigger language plpgsql as $$
    begin
      raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
    end $$;
    create event trigger takes_no_table on ddl_command_start when tag in ('CREATE TABLE AS')
      execute function takes_no_table();
"""
FREED = """
    drop event trigger takes_no_table; drop function takes_no_table;
    drop trigger is_full on articles; drop function is_full;
"""


@pytest.fixture(scope="module")
def own_url(cluster: EmbeddedPostgres) -> str:
    name = f"full_{uuid4().hex}"
    with psycopg.connect(make_conninfo(cluster.url, dbname="postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    url = make_conninfo(cluster.url, dbname=name)
    migrate(url)
    return url


@pytest.fixture
def superuser(own_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(own_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
async def company(superuser: psycopg.Connection, own_url: str) -> Company:
    async with await psycopg.AsyncConnection.connect(own_url, autocommit=True) as connection:
        return await create_company(Tx(connection), "Acme")


@pytest.fixture
async def caller(
    app: FastAPI, api: Api, own_url: str, company: Company, set_limit: SetLimit
) -> AsyncIterator[Api]:
    """Callers of a server on that database; each health check tries a write."""
    set_limit("TRIAL_WRITE_SECONDS", 0, health)
    database = Database(own_url, size=2)
    await database.open()
    put_into(app, Runtime(settings(), database, b"a key for the cursors of the tests"))
    yield api
    await database.close()


@pytest.fixture
def full(superuser: psycopg.Connection) -> Iterator[psycopg.Connection]:
    superuser.execute(FULL)
    yield superuser
    if superuser.execute("select to_regproc('is_full')").fetchone() != (None,):
        superuser.execute(FREED)


async def test_writes_are_refused_with_the_reason_and_reading_goes_on(
    caller: Api, company: Company, full: psycopg.Connection
) -> None:
    client = caller(company.write_key)

    refusal = await client.post("/v1/articles", json=ARTICLE)

    assert (refusal.status_code, refusal.json()["code"]) == (503, "database_full")
    assert "is full" in refusal.json()["error"]
    assert refusal.headers["Retry-After"] == "30"
    assert (await client.get("/v1/articles")).status_code == 200
    full.execute(FREED)
    assert (await client.post("/v1/articles", json=ARTICLE)).status_code == 201


async def test_keys_read_uncounted_while_requests_can_not_be_counted(
    caller: Api, company: Company, full: psycopg.Connection
) -> None:
    client = caller(company.write_key)
    assert (await client.get("/v1/articles")).status_code == 200
    full.execute("create trigger is_full before insert or update on rate_windows execute function is_full()")
    try:
        reads = [await client.get("/v1/articles") for _ in range(2)]
        write = await client.post("/v1/articles", json=ARTICLE)
        unseen = await caller(company.read_key).get("/v1/articles")
        full.execute("update api_keys set revoked_at = now()")
        revoked = await client.get("/v1/articles")
    finally:
        full.execute("drop trigger is_full on rate_windows")

    assert [read.status_code for read in reads] == [200, 200]
    assert (write.status_code, unseen.status_code, revoked.status_code) == (503, 200, 401)


async def test_a_server_that_can_not_write_is_not_ready(
    caller: Api, full: psycopg.Connection, set_limit: SetLimit
) -> None:
    set_limit("ANSWER_SECONDS", 0, health)
    answer = await caller(None).get("/readyz")

    assert (answer.status_code, len(answer.json()["problems"])) == (503, 1)
    full.execute(FREED)
    assert (await caller(None).get("/readyz")).json() == {"status": "ok", "problems": []}


async def test_doctor_tells_that_nothing_can_be_written(full: psycopg.Connection, own_url: str) -> None:
    result = await Operator(own_url).run("doctor")

    assert result.code == 1
    assert "PROBLEM: Nothing" in result.out


async def test_a_command_that_can_not_write_ends_in_one_sentence(
    full: psycopg.Connection, own_url: str
) -> None:
    full.execute("create trigger is_full before insert on workspaces execute function is_full()")
    try:
        refusal = await Operator(own_url).refused("workspace", "create", "Globex")
    finally:
        full.execute("drop trigger is_full on workspaces")

    assert "disk" in refusal


@pytest.fixture
def read_only(superuser: psycopg.Connection) -> Iterator[None]:
    """Make the database read-only, like a standby or a database locked by its provider."""
    database = sql.Identifier(superuser.info.dbname)
    superuser.execute(sql.SQL("alter database {} set default_transaction_read_only = on").format(database))
    yield
    superuser.execute("set default_transaction_read_only = off")
    superuser.execute(sql.SQL("alter database {} reset default_transaction_read_only").format(database))


async def test_a_database_that_is_read_only_is_told_apart(
    company: Company, read_only: None, caller: Api
) -> None:
    answers = [await caller(None).get("/readyz"), await caller(company.write_key).get("/v1/articles")]

    assert [answer.status_code for answer in answers] == [503, 503]
    assert "takes no writes" in answers[0].json()["problems"][0]
    assert answers[1].json()["code"] == "database_read_only"


def test_the_log_tells_of_each_kind_of_outage_once_a_minute() -> None:
    now = 0.0
    outages = OutageLog(clock=lambda: now)

    assert [outages.log(DatabaseFull(), None) for _ in range(3)] == [True, False, False]
    assert outages.log(Unavailable(), None)
    now = LOG_INTERVAL_SECONDS
    assert outages.log(DatabaseFull(), None)


@pytest.mark.parametrize(
    ("free", "total", "is_little"),
    [
        (GIB - 1, 10 * GIB, True),
        (2 * GIB, 100 * GIB, True),
        (2 * GIB, 20 * GIB, False),
        (50 * GIB, 100 * GIB, False),
    ],
)
def test_little_room_is_less_than_a_gibibyte_or_a_twentieth(free: int, total: int, is_little: bool) -> None:
    assert FreeSpace(free, total).is_little is is_little


async def test_doctor_tells_how_much_room_is_left(operator: Operator) -> None:
    assert "GiB free of" in (await operator.run("doctor")).out
