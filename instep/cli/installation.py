"""Commands for the schema, the routes and the health of this installation."""

import typer

from instep.cli.admin_session import as_owner, installed_postgres
from instep.cli.options import AsJson
from instep.cli.output import say
from instep.cli.table import table


def migrate(as_json: AsJson = False) -> None:
    """Update the database's schema."""
    from instep.operations.ops.doctor import Migrated
    from instep.platform.migrations import migrate as migrate_schema

    with installed_postgres() as postgres:
        revision = migrate_schema(postgres.url)
    say(Migrated(revision=revision), f"The schema is at revision {revision}.", as_json)


def routes(as_json: AsJson = False) -> None:
    """List every route, who may call it, and the location of its code."""
    from instep.app import create_app
    from instep.operations.ops.routes import list_routes

    out = list_routes(create_app())
    rows = [(row.method, row.path, row.access, row.name, f"{row.file}:{row.line}") for row in out.results]
    say(out, table(("method", "path", "access", "name", "source"), rows), as_json)


def doctor(as_json: AsJson = False) -> None:
    """Show the state of this installation and its problems."""
    from instep.operations.ops.doctor import as_text, examine
    from instep.platform.core.config import settings

    report = as_owner(lambda tx: examine(tx, settings()))
    say(report, as_text(report), as_json)
    if report.problems:
        raise typer.Exit(1)
