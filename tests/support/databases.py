"""Databases of the tests' PostgreSQL."""

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from instep.core.embedded import EmbeddedPostgres
from instep.migrations import migrate

LOCK = 1


def create_database(cluster: EmbeddedPostgres, name: str) -> str:
    """The address of a new database, which is made from a migrated one without rows."""
    maintenance = make_conninfo(cluster.url, dbname="postgres")
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute("select pg_advisory_lock(%s)", [LOCK])
        migrate(cluster.url)
        connection.execute(sql.SQL("create database {} template instep").format(sql.Identifier(name)))
    return make_conninfo(cluster.url, dbname=name)
