"""The command `instep`, with a module for each area.

Areas are imported when one of their commands is named, and the commands here import the rest of the program
when they run, so that `instep --help` and `instep change` start quickly.
"""

import errno
import os
import sys
from typing import Annotated

import typer

from instep.cli.asking import ask, golden_app
from instep.cli.auditing import audit
from instep.cli.backups import backup, restore
from instep.cli.checks import check
from instep.cli.exporting import export
from instep.cli.helping import Area, command, lazy_area, show_help
from instep.cli.imports import import_articles
from instep.cli.installation import doctor, migrate, routes
from instep.cli.remote import change, drift, release, sync, translate
from instep.cli.serving import demo, serve, worker
from instep.platform.core.errors import AppError, Unusable

app = typer.Typer(
    cls=Area,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def print_version(is_given: bool) -> None:
    if is_given:
        from instep import __version__

        typer.echo(f"instep {__version__}")
        raise typer.Exit


@app.callback()
def instep(
    version: Annotated[
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """A help center that keeps itself in step with a product's code.

    Commands whose text names INSTEP_URL use that server. All others work on this machine.
    """


command(app, None, "instep serve", "instep serve --host 0.0.0.0 --port 80 --workers 2")(serve)
command(app, None, "instep demo")(demo)
command(
    app,
    None,
    "instep change --check",
    'instep change --base origin/main --title "Raise the upload limit" --wait',
    "instep change --path apps/shop --bot shop-help --check",
    "instep change --since 30d --dry-run",
)(change)
command(
    app,
    None,
    "instep release --range v1.4.0..v1.5.0",
    "instep release --url https://git.example.com/acme/app/pull/42",
)(release)
command(
    app,
    None,
    "instep translate de --dry-run",
    "instep translate de --collection guides --bot acme-help",
)(translate)
command(app, None, "instep drift", "instep drift ../shop --bot shop-help --since v1.4.0")(drift)
command(app, None, "instep sync docs/help", "instep sync docs/help --bot acme-help --draft")(sync)
command(app, None, "instep export acme-help.zip", "instep export help-center --bot acme-help")(export)
command(app, None, "instep check docs/help", "instep check docs/help --style style.json")(check)
command(app, None, 'instep ask "How do I export my invoices?"', "instep ask --golden")(ask)
command(
    app,
    "import",
    "instep import docs --dry-run",
    "instep import export.zip --bot acme-help",
    "instep import https://acme.zendesk.com --json",
)(import_articles)
command(app, None, "instep worker")(worker)
command(app, None, "instep migrate")(migrate)
command(app, None, "instep routes", "instep routes --json")(routes)
command(app, None, "instep doctor", "instep doctor --json")(doctor)
command(app, None, "instep backup instep.zip")(backup)
command(app, None, "instep restore instep.zip", "instep restore instep.zip --check")(restore)
command(app, None, "instep audit", "instep audit --limit 200 --json")(audit)
command(app, "help", "instep help change", "instep help key create")(show_help)
app.add_typer(lazy_area("workspaces", "Companies that share this installation."), name="workspace")
app.add_typer(lazy_area("bots", "Help centers."), name="bot")
app.add_typer(lazy_area("keys", "API keys."), name="key")
app.add_typer(lazy_area("models", "A bot's language model, its key and budgets."), name="model")
app.add_typer(lazy_area("people", "People who can sign in."), name="user")
app.add_typer(
    lazy_area(
        "drafts", "Review drafts at INSTEP_URL, with INSTEP_API_KEY. Exit code 1: refused; 2: bad option."
    ),
    name="draft",
)
app.add_typer(
    lazy_area(
        "places",
        "Settle places to write, at INSTEP_URL with INSTEP_API_KEY. Exit code 1: refused; 2: bad option.",
    ),
    name="place",
)
app.add_typer(
    lazy_area("alerts", "Chat channels that receive alerts about handoffs, leads and drafts."), name="alert"
)
app.add_typer(golden_app, name="golden")
app.add_typer(lazy_area("secrets", "Secrets that are stored encrypted."), name="secrets")
app.add_typer(lazy_area("styles", "The style of a help center, and its glossary."), name="style")
app.add_typer(lazy_area("trusts", "CI jobs that don't need an API key."), name="trust")
app.add_typer(lazy_area("visitors", "The data stored about a visitor."), name="visitor")
app.add_typer(lazy_area("webhooks", "Signed deliveries of events."), name="webhooks")


def main() -> None:
    """Run a command; a refusal prints one sentence and ends with exit code 1."""
    try:
        # By itself Typer would name the module that the process began with.
        app(prog_name="instep")
    except AppError as error:
        sys.exit(f"instep: {error.message}")
    except Unusable as error:
        sys.exit(f"instep: {error}")
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        # At exit the interpreter would try to write the rest of the output again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(f"instep: The output or a file can't be written: {error.strerror}.")
