"""The tables in a backup, as described by the database's catalog, and locks of the database.

Every table is in a backup unless it is listed here as excluded, so a new one can't be forgotten.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import class_row
from psycopg.sql import SQL, Composed, Identifier

Connection = psycopg.Connection[Any]

LEFT_OUT = {
    "alembic_version": "the manifest has the revision",
    "article_vectors": "embeddings are made again",
    "backup_runs": "they tell of this installation's own backups",
    "bot_vectors": "embeddings are made again",
    "challenges": "a sign-in that has begun is begun again",
    "draft_viewers": "who looks at a draft is known for seconds",
    "invitations": "a link to join may have been used or withdrawn since",
    "model_prompts": "work that had not ended asks again",
    "oauth_grants": "an app may have been disconnected since: people connect it again",
    "oauth_tokens": "they belong to grants",
    "rate_windows": "counters of an hour at most",
    "refused_origins": "pages ask again",
    "search_indexes": "they are made again from the articles",
    "sessions": "a session may have been ended since: people sign in again",
    "setup_links": "a link to sign in may have been used since",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its stored columns, without generated ones."""

    name: str
    columns: list[str]

    @property
    def sql(self) -> Composed:
        """The table with its columns, in the syntax of COPY."""
        columns = SQL(", ").join(map(Identifier, self.columns))
        return SQL("{} ({})").format(Identifier("public", self.name), columns)


TABLES = """
    select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0
      and not a.attisdropped and a.attgenerated = ''
      and not exists (select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    group by c.relname order by c.relname
"""


def list_tables(connection: Connection) -> list[Table]:
    """All tables of the schema, including those excluded from backups."""
    with connection.cursor(row_factory=class_row(Table)) as cursor:
        return cursor.execute(TABLES).fetchall()


def stored_tables(connection: Connection) -> list[Table]:
    return [table for table in list_tables(connection) if table.name not in LEFT_OUT]


@dataclass(frozen=True, slots=True)
class Sequence:
    """The sequence of a column, and the last number that it has given; 0: none yet."""

    table: str
    column: str
    last: int


# Sequences are not transactional: their last values include numbers taken during the backup.
SEQUENCES = """
    select c.relname::text as table, a.attname::text as column, coalesce(s.last_value, 0) as last
    from pg_depend d
    join pg_class c on c.oid = d.refobjid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
    join pg_class q on q.oid = d.objid and q.relkind = 'S'
    join pg_sequences s on s.schemaname = 'public' and s.sequencename = q.relname
    where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
      and d.deptype in ('a', 'i') and c.relnamespace = 'public'::regnamespace
    order by 1, 2
"""


def list_sequences(connection: Connection) -> list[Sequence]:
    with connection.cursor(row_factory=class_row(Sequence)) as cursor:
        return cursor.execute(SEQUENCES).fetchall()


@contextmanager
def try_lock(connection: Connection, key: int) -> Iterator[bool]:
    """Yields whether this session got the lock; closing the session releases it later than this does."""
    is_locked = connection.execute("select pg_try_advisory_lock(%s)", [key]).fetchone() == (True,)
    try:
        yield is_locked
    finally:
        if is_locked:
            with suppress(psycopg.OperationalError):
                connection.execute("select pg_advisory_unlock(%s)", [key])
