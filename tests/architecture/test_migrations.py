"""Migrations create the schema in an empty database once, even if several processes start together."""

import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.migrations import (
    BASELINE,
    VERSIONS,
    UnknownRevision,
    head,
    migrate,
    migrate_to,
    revision_at,
    revisions,
)
from tests.support.migrations import NEXT_REVISION, add_migration

COMMAND = Path(sys.executable).with_name("instep")
SCHEMA = """
    select array_agg(line order by line) from (
        select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as line
        from information_schema.columns where table_schema = 'public'
        union all select indexdef from pg_indexes where schemaname = 'public'
        union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
            from pg_constraint where connamespace = 'public'::regnamespace
        union all select concat_ws(' ', tablename, policyname, roles, cmd, qual) from pg_policies
        union all select concat_ws(' ', table_name, grantee, privilege_type)
            from information_schema.role_table_grants where table_schema = 'public'
        union all select pg_get_functiondef(oid) from pg_proc
            where pronamespace = 'public'::regnamespace and prokind <> 'a'
    ) facts
"""


@pytest.fixture
def empty_url(cluster: EmbeddedPostgres) -> str:
    name = sql.Identifier(f"empty_{uuid4().hex}")
    maintenance = make_conninfo(cluster.url, dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(name))
    # The database is removed together with the tests' PostgreSQL server.
    return make_conninfo(cluster.url, dbname=name.as_string(None).strip('"'))


def test_an_empty_database_gets_the_schema_and_one_workspace(empty_url: str) -> None:
    assert revision_at(empty_url) is None

    assert migrate(empty_url) == head()

    assert revision_at(empty_url) == head()
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("select count(*) from workspaces").fetchone() == (1,)


def test_the_second_time_nothing_changes(empty_url: str) -> None:
    migrate(empty_url)
    before = schema(empty_url)

    migrate(empty_url)

    assert schema(empty_url) == before


def test_two_processes_at_once_make_one_schema(empty_url: str, database_url: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("INSTEP_")}
    environment["INSTEP_DATABASE_URL"] = empty_url
    both = [
        subprocess.Popen(
            [COMMAND, "migrate"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for process in both:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()

    assert schema(empty_url) == schema(database_url)
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("select count(*) from workspaces").fetchone() == (1,)


@pytest.mark.parametrize("revision", ["0059", "9999"])
def test_a_database_of_another_version_is_refused_with_what_to_do(empty_url: str, revision: str) -> None:
    migrate(empty_url)
    with psycopg.connect(empty_url) as connection:
        connection.execute("update alembic_version set version_num = %s", [revision])

    with pytest.raises(UnknownRevision, match=r"version that made.*`instep migrate`.*0061"):
        migrate(empty_url)

    assert revision_at(empty_url) == revision


def test_an_update_keeps_the_rows_and_adds_what_is_missing(
    empty_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Databases of the last development version are also at revision 0061, with the same schema."""
    migrate_to(empty_url, "0061")
    with psycopg.connect(empty_url) as connection:
        connection.execute("update workspaces set name = 'Kept'")

    add_migration(monkeypatch, tmp_path, "alter table workspaces add column motto text default 'New'")
    assert migrate(empty_url) == head() == NEXT_REVISION

    with psycopg.connect(empty_url) as connection:
        assert connection.execute("select name, motto from workspaces").fetchall() == [("Kept", "New")]


def test_each_revision_is_one_file_with_a_comment() -> None:
    """If two branches used the same number, some databases would skip one of the migrations."""
    names = sorted(file.name.partition("_")[0] for file in VERSIONS.glob("*.sql"))

    assert [BASELINE, *names] == revisions()
    for file in VERSIONS.glob("*.sql"):
        assert file.read_text().startswith("-- "), file.name


def test_a_migration_that_fails_leaves_the_schema_as_it_was(
    empty_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    migrate(empty_url)
    before, revision = schema(empty_url), head()

    add_migration(monkeypatch, tmp_path, "create table half (id text); select no_such_function()")
    with pytest.raises(psycopg.errors.UndefinedFunction):
        migrate(empty_url)

    assert (schema(empty_url), revision_at(empty_url)) == (before, revision)


def schema(url: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(SCHEMA.encode()).fetchone()
    assert row is not None
    return row[0]
