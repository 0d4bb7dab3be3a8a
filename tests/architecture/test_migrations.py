"""The schema comes about on an empty database, once, whoever asks and however often."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from instep.core.embedded import EmbeddedPostgres
from instep.migrations import VERSIONS, head, migrate, revision_at
from instep.migrations.steps import take_steps

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
    ) found
"""

CREDENTIALS_OF_BEFORE = """
    insert into workspaces (id, name) values ('ws_one', 'One'), ('ws_two', 'Two');
    insert into bots (id, workspace_id, slug, name, bot_key, locale) values
        ('00000000-0000-4000-8000-000000000001', 'ws_one', 'only', 'Only', 'pk_1', 'en'),
        ('00000000-0000-4000-8000-000000000002', 'ws_two', 'first', 'First', 'pk_2', 'en'),
        ('00000000-0000-4000-8000-000000000003', 'ws_two', 'second', 'Second', 'pk_3', 'en');
    insert into api_keys (id, workspace_id, name, key_hash, last_four, scope, bot_ids) values
        ('key_all_of_one', 'ws_one', 'a', '1', '0000', 'content:read', null),
        ('key_all_of_two', 'ws_two', 'b', '2', '0000', 'content:read', null),
        ('key_first_of_two', 'ws_two', 'c', '3', '0000', 'content:read',
            '{00000000-0000-4000-8000-000000000002}');
"""


@pytest.fixture
def empty_url(cluster: EmbeddedPostgres) -> Iterator[str]:
    name = sql.Identifier(f"empty_{uuid4().hex}")
    maintenance = make_conninfo(cluster.url, dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(name))
        yield make_conninfo(cluster.url, dbname=name.as_string(None).strip('"'))
        connection.execute(sql.SQL("drop database {}").format(name))


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


def test_credentials_of_before_go_on_with_the_only_bot_of_their_workspace(empty_url: str) -> None:
    [step] = VERSIONS.glob("*_default_bots.py")
    [before] = re.findall(r'^down_revision = "(.+)"$', step.read_text(), re.MULTILINE)
    take_steps(empty_url, before)
    with psycopg.connect(empty_url) as connection:
        connection.execute(CREDENTIALS_OF_BEFORE)

    migrate(empty_url)

    with psycopg.connect(empty_url) as connection:
        defaults = (
            "select k.id, b.slug from api_keys k left join bots b on b.id = k.default_bot_id order by 1"
        )
        assert connection.execute(defaults).fetchall() == [
            ("key_all_of_one", "only"),
            ("key_all_of_two", None),
            ("key_first_of_two", "first"),
        ]


def schema(url: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(SCHEMA.encode()).fetchone()
    assert row is not None
    return row[0]
