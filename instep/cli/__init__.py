"""The command `instep`: a module for each area.

A command imports what it works with when it runs, not when the program starts: nobody who asks for the help,
or sends a change from a CI, should wait for the web server.
"""

import sys

import typer

from instep.cli import alerts, asking, bots, keys, people, secrets, visitors, webhooks, workspaces
from instep.cli.asking import ask
from instep.cli.changes import change
from instep.cli.installation import doctor, migrate, routes
from instep.cli.serving import demo, serve, worker
from instep.core.errors import AppError, Unusable

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A help center that keeps itself in step with a product's code.",
)
for command in (serve, demo, change, ask, worker, migrate, routes, doctor, people.audit):
    app.command()(command)
app.add_typer(workspaces.app, name="workspace")
app.add_typer(bots.app, name="bot")
app.add_typer(keys.app, name="key")
app.add_typer(people.app, name="user")
app.add_typer(alerts.app, name="alert")
app.add_typer(asking.golden_app, name="golden")
app.add_typer(secrets.app, name="secrets")
app.add_typer(visitors.app, name="visitor")
app.add_typer(webhooks.app, name="webhooks")


def main() -> None:
    """Run a command; what it refuses ends in one sentence and exit code 1."""
    try:
        app()
    except AppError as error:
        sys.exit(f"instep: {error.message}")
    except Unusable as error:
        sys.exit(f"instep: {error}")
