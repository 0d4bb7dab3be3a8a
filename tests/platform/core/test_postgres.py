"""An operator's own PostgreSQL: reasons that Instep can't use it are stated in one sentence."""

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege

from instep.platform.core.database import Database
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.postgres import Postgres, application_url
from tests.support.cast import Cast
from tests.support.commands import Operator
from tests.support.installation import COMMAND, free_port

# The encoding that `initdb` chooses if the environment has no language, as in containers.
SQL_ASCII = "create database {} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0"


@pytest.fixture
def maintenance_url(cluster: EmbeddedPostgres) -> str:
    return make_conninfo(cluster.url, dbname="postgres")


@pytest.fixture
def ascii_url(maintenance_url: str) -> Iterator[str]:
    name = f"ascii_{uuid4().hex}"
    with psycopg.connect(maintenance_url, autocommit=True) as connection:
        connection.execute(sql.SQL(SQL_ASCII).format(sql.Identifier(name)))
        yield make_conninfo(maintenance_url, dbname=name)
        connection.execute(sql.SQL("drop database {}").format(sql.Identifier(name)))


@pytest.mark.parametrize("command", ["migrate", "doctor", "bot list"])
async def test_a_database_of_another_encoding_is_refused_with_the_statement_that_makes_a_right_one(
    ascii_url: str, command: str
) -> None:
    refusal = await Operator(ascii_url).refused(*command.split())

    assert "SQL_ASCII" in refusal
    assert "encoding 'UTF8' template" in refusal


@pytest.mark.parametrize("command", [("serve", "--port", str(free_port())), ("worker",)])
def test_no_server_starts_on_a_database_of_another_encoding(ascii_url: str, command: tuple[str, ...]) -> None:
    process = subprocess.run(
        [COMMAND, *command],
        env=os.environ | {"INSTEP_DATABASE_URL": ascii_url},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (process.returncode, process.stdout) == (1, "")
    [line] = process.stderr.splitlines()
    assert line.startswith("instep: The database")


async def test_the_statement_of_the_refusal_makes_a_database_that_is_taken(
    ascii_url: str, maintenance_url: str
) -> None:
    refusal = await Operator(ascii_url).refused("migrate")
    statement = refusal.split("`")[1].replace("database instep", f"database utf8_{uuid4().hex}")
    name = statement.split()[2]

    with psycopg.connect(maintenance_url, autocommit=True) as connection:
        connection.execute(statement.encode())
        try:
            url = make_conninfo(maintenance_url, dbname=name)
            assert "at revision" in await Operator(url).text("migrate")
        finally:
            connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://nobody@127.0.0.1:1/instep", "refuses the connection"),
        ("host=/nowhere dbname=instep", "refuses the connection"),
        ("not an address", "PostgreSQL"),
    ],
)
async def test_a_database_that_can_not_be_reached_is_told_in_one_sentence(url: str, reason: str) -> None:
    assert reason in await Operator(url).refused("doctor")


async def test_a_user_without_the_right_to_make_roles_is_told_which_right_is_missing(
    maintenance_url: str,
) -> None:
    role, database = f"role_{uuid4().hex}", f"db_{uuid4().hex}"
    with psycopg.connect(maintenance_url, autocommit=True) as connection:
        connection.execute(f"create role {role} login".encode())
        connection.execute(f"create database {database} owner {role}".encode())
        try:
            url = make_conninfo(maintenance_url, dbname=database, user=role)
            assert "CREATEROLE" in await Operator(url).refused("migrate")
        finally:
            connection.execute(f"drop database {database} with (force)".encode())
            connection.execute(f"drop role {role}".encode())


async def test_request_cant_regain_the_rights_of_the_owner(
    cluster: EmbeddedPostgres, database_url: str, cast: Cast
) -> None:
    database = Database(application_url(Postgres(database_url, cluster)), size=1)
    await database.open()
    try:
        async with database.enter_workspace(cast.acme.workspace_id) as tx:
            assert await tx.value("select current_user::text") == "instep_app"
            assert await tx.value("select count(*) from bots") == 2

            await tx.value("select set_config('role', 'none', false)")

            assert await tx.value("show is_superuser") == "off"
            with pytest.raises(InsufficientPrivilege):
                await tx.value("select count(*) from bots")
            with pytest.raises(InsufficientPrivilege):
                await tx.execute("set role instep")
    finally:
        await database.close()


def test_processes_that_start_together_make_the_login_once(
    cluster: EmbeddedPostgres, database_url: str
) -> None:
    postgres = Postgres(database_url, cluster)

    with ThreadPoolExecutor(8) as threads:
        urls = set(threads.map(lambda _: application_url(postgres), range(16)))

    assert len(urls) == 1
