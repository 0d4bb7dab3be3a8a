"""Tenant tables can be distributed by workspace, as in Citus: their keys include `workspace_id`.

A distributed table enforces unique keys and foreign keys only within a shard.
"""

import json
import re
from typing import LiteralString

import pytest
from psycopg import sql
from psycopg.errors import ForeignKeyViolation, UniqueViolation

from instep.platform.core.database import Database, Tx
from tests.support.cast import Cast, Client
from tests.support.changes import send

# These identify a caller before its workspace is known, so their tables are not distributed.
BEFORE_THE_WORKSPACE = {
    "api_keys_key_hash_key": "a key names its workspace",
    "bots_bot_key_key": "a widget shows the key of its bot",
    "bots_domain": "a host name names its bot",
    # With this key, every other key that begins with a bot is as strict as it would be without the workspace.
    "bots_pkey": "a widget names its bot",
    "bots_slug_key": "an address of a help center names its bot",
    "invitations_token_hash_key": "an invitation is opened before signing in",
    "memberships_person_id_fkey": "people belong to no workspace",
    "oauth_grants_code_hash_key": "an app shows a code",
    "oauth_tokens_pkey": "an app shows a token",
    "sessions_pkey": "a browser shows a session",
    "setup_links_pkey": "a link is opened before signing in",
    # Workers take jobs of all workspaces.
    "jobs_pkey": "one queue for all workspaces",
    "jobs_waiting": "one queue for all workspaces",
}
# A CI job's token names an issuer, whose trusts are read before the workspace is known.
ALSO_IN_ONE_PLACE = {"trusts"}

TENANT_TABLES: LiteralString = """
    with tenant_tables as (
      select c.oid, c.relname::text as name, a.attnum from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    )
"""
WITHOUT_WORKSPACE: LiteralString = f"""
    {TENANT_TABLES}
    select t.name, i.indexrelid::regclass::text from pg_index i join tenant_tables t on t.oid = i.indrelid
    where i.indisunique and t.attnum <> all (i.indkey)
    union all
    select t.name, k.conname::text from pg_constraint k join tenant_tables t on t.oid = k.conrelid
    where k.contype = 'f' and t.attnum <> all (k.conkey)
"""
REFERENCES: LiteralString = f"""
    {TENANT_TABLES}
    select t.name, other.name, k.conname::text, pg_get_constraintdef(k.oid),
      k.confkey[array_position(k.conkey, t.attnum)] is not distinct from other.attnum
    from pg_constraint k
    join tenant_tables t on t.oid = k.conrelid join tenant_tables other on other.oid = k.confrelid
    where k.contype = 'f'
"""


async def rows(owner: Tx, statement: LiteralString) -> list[tuple[str, ...]]:
    return await (await owner.connection.execute(statement)).fetchall()


async def tables_in_one_place(owner: Tx) -> set[str]:
    return ALSO_IN_ONE_PLACE | {table for table, _ in await rows(owner, WITHOUT_WORKSPACE)}


async def test_only_queries_that_find_a_caller_leave_out_the_workspace(owner: Tx) -> None:
    assert {name for _, name in await rows(owner, WITHOUT_WORKSPACE)} == BEFORE_THE_WORKSPACE.keys()


async def test_a_reference_leads_to_the_same_workspace(owner: Tx) -> None:
    assert [name for *_, name, _, is_within in await rows(owner, REFERENCES) if not is_within] == []


async def test_tables_in_one_place_refer_to_no_distributed_table(owner: Tx) -> None:
    in_one_place = await tables_in_one_place(owner)

    assert {
        other for table, other, *_ in await rows(owner, REFERENCES) if table in in_one_place
    } <= in_one_place


async def test_postgresql_itself_divides_the_tables_by_workspace(owner: Tx) -> None:
    """Partitions limit keys and references as shards do, so this makes each table a partitioned one."""
    in_one_place = await tables_in_one_place(owner)
    tables = [name for (name,) in await rows(owner, f"{TENANT_TABLES} select name from tenant_tables")]
    divided = [name for name in tables if name not in in_one_place]
    references = await rows(owner, REFERENCES)

    async with owner.connection.transaction(force_rollback=True):
        await owner.execute("create schema divided")
        await owner.execute("set local search_path = divided, public")
        for name in divided:
            # Identity columns of partitioned tables need PostgreSQL 17.
            statement = """
                create table divided.{table} (like public.{table} including all excluding identity)
                partition by hash (workspace_id)
            """
            await owner.connection.execute(sql.SQL(statement).format(table=sql.Identifier(name)))
        for table, _, name, definition, _ in references:
            if table in divided:
                await owner.execute(f"alter table divided.{table} add constraint {name} {definition}")

    assert len(divided) > 40


async def test_every_tenant_table_is_read_by_its_workspace(owner: Tx) -> None:
    exposed = await owner.value(
        """
        select array_agg(c.relname) from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
        """
    )
    assert exposed == ["jobs"]


async def test_the_policy_takes_no_part_in_a_search_by_bot(owner: Tx) -> None:
    """PostgreSQL would treat bot and workspace as independent and join all rows with all others."""
    searched = await owner.value(
        """
        select array_agg(distinct c.relname) from pg_class c
        join pg_index i on i.indrelid = c.oid
        join pg_attribute bot on bot.attrelid = c.oid and bot.attname = 'bot_id'
          and bot.attnum = i.indkey[0]
        join pg_attribute w on w.attrelid = c.oid and w.attname = 'workspace_id'
          and w.attnum = any (i.indkey)
        join pg_policy p on p.polrelid = c.oid
        where c.relnamespace = 'public'::regnamespace
          and pg_get_expr(p.polqual, p.polrelid) not like '%COLLATE "C"%'
        """
    )
    assert searched is None


async def test_a_statement_that_names_its_workspace_is_not_searched_by_it(
    database: Database, cast: Cast
) -> None:
    statement = """
        explain (format json) select id from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and slug = 'begin'
    """
    async with database.enter_workspace(cast.acme.workspace_id) as tx, tx.transaction():
        await tx.execute("set local enable_seqscan = off")
        plan = json.dumps(await tx.value(statement, bot=cast.acme.bot_id))

    conditions = re.findall(r'"Index Cond": "((?:[^"\\]|\\.)*)"', plan)
    assert conditions
    assert all("workspace_id" not in condition for condition in conditions)


async def test_the_key_of_one_company_can_not_stand_for_the_task_of_another(
    owner: Tx, cast: Cast, client: Client
) -> None:
    task = await send(client)

    insert = """
        insert into idempotency_keys (workspace_id, key, request_hash, task_id, created_at)
        values (%s, 'a key', '', %s, now())
    """
    with pytest.raises(ForeignKeyViolation):
        await owner.connection.execute(insert, [cast.globex.workspace_id, task["id"]])


async def test_two_companies_can_not_have_the_same_bot(owner: Tx, cast: Cast) -> None:
    """Keys that begin with a bot rely on this."""
    with pytest.raises(UniqueViolation):
        await owner.execute(
            """
            insert into bots (id, workspace_id, slug, name, bot_key, locale)
            values (%(bot)s, %(workspace)s, %(slug)s, 'Globex', %(slug)s, 'en')
            """,
            bot=cast.acme.bot_id,
            workspace=cast.globex.workspace_id,
            slug=f"{cast.globex.slug}-other",
        )
