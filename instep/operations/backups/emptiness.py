"""Checks whether a database may be restored into: it has no installation, or an unused one."""

from psycopg.sql import SQL, Identifier

from instep.operations.backups.errors import RestoreRefused
from instep.operations.backups.tables import LEFT_OUT, Connection, list_tables
from instep.platform.migrations import UNFINISHED_RESTORE

# Tables that the first start of a server fills, and that a restore may overwrite.
WRITTEN_BY_ITSELF = {*LEFT_OUT, "jobs", "workspaces"}
MAX_TABLES_NAMED = 5

# The application name of Instep's database connections.
IN_USE = """
    select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'instep' and pid <> pg_backend_pid()
"""

# Functions and tables of extensions stay.
CLEAR = """
    do $$ declare thing record; begin
      for thing in select c.oid::regclass as name from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not exists (
          select from pg_depend d
          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      loop
        execute format('drop table %s cascade', thing.name);
      end loop;
      for thing in select p.oid::regprocedure as name from pg_proc p
        where p.pronamespace = 'public'::regnamespace and not exists (
          select from pg_depend d
          where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      loop
        execute format('drop routine %s cascade', thing.name);
      end loop;
    end $$
"""


def refuse_occupied(connection: Connection) -> None:
    """Raise `RestoreRefused` unless the database is empty, unused, or left by an interrupted restore."""
    tables = {table.name for table in list_tables(connection)}
    if connection.execute(IN_USE.encode()).fetchone() != (0,):
        raise RestoreRefused("Instep runs on this database: stop every server and worker, then restore.")
    if not tables or UNFINISHED_RESTORE in tables:
        return
    if "alembic_version" not in tables:
        raise RestoreRefused(
            f"The database contains tables that are not Instep's ({listed(tables)}): restore into a"
            " separate database."
        )
    occupied = {table for table in tables - WRITTEN_BY_ITSELF if has_rows(connection, table)}
    if has_rows(connection, "workspaces", more_than=1):
        occupied.add("workspaces")
    if occupied:
        raise RestoreRefused(
            f"The installation is not empty (it has {listed(occupied)}): restore into an empty one, with "
            "another INSTEP_DATA_DIR or another database in INSTEP_DATABASE_URL."
        )


def has_rows(connection: Connection, table: str, more_than: int = 0) -> bool:
    statement = SQL("select from {} limit %s").format(Identifier("public", table))
    return connection.execute(statement, [more_than + 1]).rowcount > more_than


def listed(tables: set[str]) -> str:
    """Some of the tables, in words."""
    names = [name.replace("_", " ") for name in sorted(tables)]
    rest = len(names) - MAX_TABLES_NAMED
    return ", ".join(names[:MAX_TABLES_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def clear(connection: Connection) -> None:
    """Remove an unused schema, and mark the database as being restored."""
    with connection.transaction():
        connection.execute(CLEAR.encode())
        connection.execute(f"create table {UNFINISHED_RESTORE} ()".encode())
