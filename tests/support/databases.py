"""Databases of the tests' PostgreSQL."""

import asyncio

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.migrations import migrate

LOCK = 1


def create_database(cluster: EmbeddedPostgres, name: str) -> str:
    """The address of a new database, which is made from a migrated one without rows."""
    maintenance = make_conninfo(cluster.url, dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute("select pg_advisory_lock(%s)", [LOCK])
        migrate(cluster.url)
        connection.execute(sql.SQL("create database {} template instep").format(sql.Identifier(name)))
    return make_conninfo(cluster.url, dbname=name)


async def until_blocked(owner: Tx, count: int) -> None:
    """Wait until this many sessions of the test's database wait for a lock."""
    # Not by pg_stat_activity: a transaction goes on seeing it as it was at its first look.
    sql = """
        select count(distinct waiting.pid) from pg_locks waiting join pg_locks own on own.pid = waiting.pid
        where not waiting.granted
          and own.database = (select oid from pg_database where datname = current_database())
    """
    async with asyncio.timeout(30):
        while await owner.value(sql) < count:
            pass
