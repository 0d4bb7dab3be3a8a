"""Migrations create the schema on an empty database, once, however many processes start together."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.migrations import (
    VERSIONS,
    UnknownRevision,
    head,
    migrate,
    migrate_to,
    revision_at,
    revisions,
)

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

OLD_DRAFTS = """
    insert into review_digests (workspace_id, bot_id, sent_at) values
        ('w', '00000000-0000-4000-8000-000000000001', '2026-01-02T00:00Z');
    insert into drafts (
        id, workspace_id, bot_id, type, status, article_id, evidence, warnings, author_type, author_name,
        created_at, updated_at
    )
    select id, 'w', ('00000000-0000-4000-8000-00000000000' || bot)::uuid, 'new_article', status, id,
        '[]', '[]', 'system', 'Instep', created_at::timestamptz, created_at::timestamptz
    from (values
        ('older', 1, 'pending', '2026-01-01T00:00Z'),
        ('newer', 1, 'pending', '2026-01-03T00:00Z'),
        ('newer and applied', 1, 'applied', '2026-01-03T00:00Z'),
        ('of a bot without digests', 2, 'pending', '2026-01-01T00:00Z')
    ) as old (id, bot, status, created_at);
"""


@pytest.fixture
def empty_url(cluster: EmbeddedPostgres) -> str:
    name = sql.Identifier(f"empty_{uuid4().hex}")
    maintenance = make_conninfo(cluster.url, dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(name))
    # It goes with the cluster of the tests.
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


def test_a_database_of_another_version_is_refused_with_what_to_do(empty_url: str) -> None:
    migrate(empty_url)
    with psycopg.connect(empty_url) as connection:
        connection.execute("update alembic_version set version_num = '9999'")

    with pytest.raises(UnknownRevision, match="version that made"):
        migrate(empty_url)


def test_the_revisions_of_the_migrations_are_a_chain() -> None:
    """The names begin with the revision, and each continues the one before."""
    chain = [None, *sorted(revisions())]

    for previous, revision in pairwise(chain):
        [file] = VERSIONS.glob(f"{revision}_*.py")
        lines = file.read_text().splitlines()
        assert f'revision = "{revision}"' in lines
        assert f"down_revision = {repr(previous).replace(chr(39), chr(34))}" in lines


def test_an_update_announces_the_drafts_that_are_newer_than_the_last_digest(empty_url: str) -> None:
    migrate_to(empty_url, "0040")
    with psycopg.connect(empty_url) as connection:
        # Rows without the rows that they refer to.
        connection.execute("set session_replication_role = replica")
        connection.execute(OLD_DRAFTS)

    migrate(empty_url)

    with psycopg.connect(empty_url) as connection:
        rows = connection.execute("select id from drafts where not is_announced order by id").fetchall()
    assert rows == [("newer",), ("of a bot without digests",)]


OLD_PEOPLE = """
    insert into workspaces (id, name) values ('w', 'W'), ('v', 'V');
    insert into people (id, email)
    select id, id || '@acme.example' from unnest(array['invited', 'created', 'in both', 'reset']) as id;
    insert into memberships (workspace_id, person_id, role)
    select 'w', id, 'editor' from people union all values ('v', 'in both', 'editor');
    insert into audit_entries (workspace_id, actor_type, actor_id, actor_name, channel, action, resource)
    select 'w', 'person', id, email, 'page', 'accept_invitation', 'inv' from people where id <> 'created'
    union all values ('w', 'command', null, 'instep', 'command', 'create_user', 'created'),
      ('w', 'command', null, 'instep', 'command', 'change_password', 'reset');
"""


def test_an_update_takes_accounts_of_invitations_for_unproved_where_they_belong_to_one_workspace(
    empty_url: str,
) -> None:
    migrate_to(empty_url, "0044")
    with psycopg.connect(empty_url) as connection:
        connection.execute(OLD_PEOPLE)

    migrate(empty_url)

    with psycopg.connect(empty_url) as connection:
        rows = connection.execute("select id, unproved_in from people where unproved_in is not null")
        assert rows.fetchall() == [("invited", "w")]


OLD_REDIRECTS = """
    insert into bots (id, workspace_id, slug, name, locale, bot_key, domain, domain_proof)
    values ('00000000-0000-4000-8000-000000000001', 'w', 'acme', 'A', 'en', 'k', 'help.acme.example', 'dns');
    insert into redirects (id, workspace_id, bot_id, path, anchor, url, created_at)
    select path, 'w', '00000000-0000-4000-8000-000000000001', path, path, url, now() from (values
        ('prefix', 'https://help.acme.example/guides/*'),
        ('home', 'https://help.acme.example'),
        ('search', 'http://help.test/help/acme?q=a#b'),
        ('other help center', 'http://help.test/help/acme-2/x'),
        ('other host', 'https://help.acme.example.org/x')
    ) as old (path, url);
"""


def test_an_update_stores_redirects_to_the_help_center_itself_without_its_host(empty_url: str) -> None:
    migrate_to(empty_url, "0056")
    with psycopg.connect(empty_url) as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute(OLD_REDIRECTS)

    migrate(empty_url)

    with psycopg.connect(empty_url) as connection:
        rows = connection.execute("select path, url from redirects order by path").fetchall()
    assert rows == [
        ("home", "/"),
        ("other help center", "http://help.test/help/acme-2/x"),
        ("other host", "https://help.acme.example.org/x"),
        ("prefix", "/guides/*"),
        ("search", "/?q=a#b"),
    ]


OLD_MODELS = """
    insert into language_models (workspace_id, bot_id, purposes)
    values ('w', '00000000-0000-4000-8000-000000000001', array['drafts', 'new_articles', 'answers']),
      ('w', '00000000-0000-4000-8000-000000000002', array['drafts', 'answers']);
"""


def test_an_update_opens_the_editor_to_models_that_have_all_other_purposes(empty_url: str) -> None:
    migrate_to(empty_url, "0059")
    with psycopg.connect(empty_url) as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute(OLD_MODELS)

    migrate(empty_url)

    with psycopg.connect(empty_url) as connection:
        rows = connection.execute("select 'editor' = any(purposes) from language_models order by bot_id")
        assert rows.fetchall() == [(True,), (False,)]


def schema(url: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(SCHEMA.encode()).fetchone()
    assert row is not None
    return row[0]
