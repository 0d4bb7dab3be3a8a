"""Databases in the PostgreSQL server of the tests."""

import asyncio

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.migrations import migrate

LOCK = 1


def create_database(cluster: EmbeddedPostgres, name: str) -> str:
    """Create a database from a migrated, empty template and return its URL."""
    maintenance = make_conninfo(cluster.url, dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute("select pg_advisory_lock(%s)", [LOCK])
        migrate(cluster.url)
        connection.execute(sql.SQL("create database {} template instep").format(sql.Identifier(name)))
    return make_conninfo(cluster.url, dbname=name)


async def until_blocked(owner: Tx, count: int) -> None:
    """Wait until this many sessions of the test's database wait for a lock."""
    # A transaction keeps seeing pg_stat_activity as it was on first access, so this reads pg_locks.
    sql = """
        select count(distinct waiting.pid) from pg_locks waiting join pg_locks own on own.pid = waiting.pid
        where not waiting.granted
          and own.database = (select oid from pg_database where datname = current_database())
    """
    async with asyncio.timeout(30):
        while await owner.value(sql) < count:
            pass
