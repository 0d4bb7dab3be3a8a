"""The command `instep`."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeVar
from uuid import UUID

import psycopg
import typer
import uvicorn
from pydantic import BaseModel

from instep import doctor as health
from instep.app import create_app
from instep.core.config import SettingsError, settings
from instep.core.database import Tx
from instep.core.embedded import DatabaseUnavailable
from instep.core.errors import AppError, InvalidRequest
from instep.core.ids import as_uuid
from instep.core.postgres import running_postgres
from instep.demo.command import run_demo
from instep.identity.schemas import Scope
from instep.migrations import MigrationRefused
from instep.migrations import migrate as migrate_schema
from instep.routes import list_routes
from instep.runtime import end_well_when_asked
from instep.web.protocol import SERVER
from instep.worker import run_worker
from instep.workspaces import actions
from instep.workspaces.queries import list_bots, list_keys, list_workspaces
from instep.workspaces.schemas import bot_out, key_out, new_key_out, workspace_out

Result = TypeVar("Result")

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A help center that keeps itself in step with a product's code.",
)
workspace_app = typer.Typer(no_args_is_help=True, help="Companies that share this installation.")
bot_app = typer.Typer(no_args_is_help=True, help="Help centers.")
key_app = typer.Typer(no_args_is_help=True, help="API keys.")
app.add_typer(workspace_app, name="workspace")
app.add_typer(bot_app, name="bot")
app.add_typer(key_app, name="key")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
InWorkspace = Annotated[str | None, typer.Option("--workspace", help="Needed once there are several.")]


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="How many server processes.")] = 1,
    no_jobs: Annotated[bool, typer.Option("--no-jobs", help="Leave jobs to `instep worker`.")] = False,
) -> None:
    """Serve everything: the API, the help centers and, unless told otherwise, jobs."""
    if no_jobs:
        os.environ["INSTEP_JOBS"] = "false"
    if "site_url" not in settings().model_fields_set:
        os.environ["INSTEP_SITE_URL"] = f"http://{host}:{port}"
    settings.cache_clear()
    end_well_when_asked()
    # What is wrong with the database is said here, in one sentence, and not by each process of the server.
    with running_postgres(settings()) as postgres:
        migrate_schema(postgres.url)
        uvicorn.run("instep.app:create_app", host=host, port=port, workers=workers, **SERVER)


@app.command()
def demo(
    port: Annotated[int | None, typer.Option(help="The port to listen on; 8000 or a free one.")] = None,
) -> None:
    """Serve a help center with one code change documented and waiting for review."""
    run_demo(port)


@app.command()
def worker() -> None:
    """Run jobs alone."""
    asyncio.run(run_worker(settings()))


@app.command()
def migrate(as_json: AsJson = False) -> None:
    """Bring the database's schema up to date."""
    with running_postgres(settings()) as postgres:
        revision = migrate_schema(postgres.url)
    say(health.Migrated(revision=revision), f"The schema is at revision {revision}.", as_json)


@app.command()
def routes(as_json: AsJson = False) -> None:
    """List every route with who may call it and where it is written."""
    listed = list_routes(create_app())
    lines = [f"{r.method:7} {r.path:45} {r.access:14} {r.name:22} {r.file}:{r.line}" for r in listed.results]
    say(listed, "\n".join(lines), as_json)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Say how this installation is set up and what is wrong with it."""
    report = as_owner(lambda tx: health.examine(tx, settings()))
    say(report, health.as_text(report), as_json)
    if report.problems:
        raise typer.Exit(1)


@workspace_app.command("create")
def create_workspace(name: str, as_json: AsJson = False) -> None:
    """Make a workspace."""
    made = workspace_out(as_owner(lambda tx: actions.create_workspace(tx, name)))
    say(made, f"{made.id}  {made.name}", as_json)


@workspace_app.command("list")
def show_workspaces(as_json: AsJson = False) -> None:
    """List the workspaces."""

    workspaces = as_owner(list_workspaces)
    say_list([workspace_out(found) for found in workspaces], ("id", "paused_at", "name"), as_json)


@workspace_app.command("pause")
def pause_workspace(
    workspace: Annotated[str | None, typer.Argument(metavar="ID")] = None, as_json: AsJson = False
) -> None:
    """Refuse writes; reads, the site and answers go on."""
    paused = workspace_out(as_owner(lambda tx: actions.pause_workspace(tx, workspace)))
    say(paused, f"{paused.id} is paused.", as_json)


@workspace_app.command("resume")
def resume_workspace(
    workspace: Annotated[str | None, typer.Argument(metavar="ID")] = None, as_json: AsJson = False
) -> None:
    """Let writes go on."""
    resumed = workspace_out(as_owner(lambda tx: actions.resume_workspace(tx, workspace)))
    say(resumed, f"{resumed.id} takes writes again.", as_json)


@bot_app.command("create")
def create_bot(
    name: str,
    slug: Annotated[
        str | None, typer.Option(help="Its place in addresses; made from the name by default.")
    ] = None,
    locale: Annotated[str, typer.Option(help="The language that its articles are written in.")] = "en",
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Make a help center."""

    bot = bot_out(in_workspace(workspace, lambda tx, own: actions.create_bot(tx, own, name, slug, locale)))
    say(bot, as_lines(bot), as_json)


@bot_app.command("list")
def show_bots(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the help centers."""

    bots = in_workspace(workspace, list_bots)
    say_list([bot_out(bot) for bot in bots], ("id", "slug", "bot_key", "name"), as_json)


@key_app.command("create")
def create_key(
    name: str,
    scope: Annotated[Scope, typer.Option(help="What the key may do.")],
    bot: Annotated[list[str] | None, typer.Option(help="A bot that it covers; all when not given.")] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Make an API key. It is shown this once."""

    bots = [as_bot_id(given) for given in bot or []]
    made = in_workspace(workspace, lambda tx, own: actions.create_key(tx, own, name, scope, bots))
    key = new_key_out(made)
    say(key, as_lines(key), as_json)


@key_app.command("list")
def show_keys(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the API keys, without their secrets."""

    keys = in_workspace(workspace, list_keys)
    say_list([key_out(key) for key in keys], ("id", "scope", "last_four", "revoked_at", "name"), as_json)


@key_app.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(metavar="ID")],
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """End an API key: the next call with it is refused."""

    revoked = in_workspace(workspace, lambda tx, own: actions.revoke_key(tx, own, key_id))
    say(key_out(revoked), f"{key_id} is revoked.", as_json)


def as_owner(work: Callable[[Tx], Awaitable[Result]]) -> Result:
    """Run administrative work as the owner of the database, beside whatever server is running."""

    async def run(url: str) -> Result:
        async with await psycopg.AsyncConnection.connect(url) as connection:
            return await work(Tx(connection))

    with running_postgres(settings()) as postgres:
        migrate_schema(postgres.url)
        return asyncio.run(run(postgres.url))


def in_workspace(workspace: str | None, work: Callable[[Tx, str], Awaitable[Result]]) -> Result:
    """The same, in the workspace that is named, or the only one."""

    async def run(tx: Tx) -> Result:
        return await work(tx, (await actions.find_workspace(tx, workspace)).id)

    return as_owner(run)


def as_bot_id(text: str) -> UUID:
    bot_id = as_uuid(text)
    if bot_id is None:
        raise InvalidRequest(f"{text} is not a bot's id: `instep bot list` shows them.")
    return bot_id


def say(out: BaseModel, text: str, as_json: bool) -> None:
    typer.echo(out.model_dump_json(by_alias=True) if as_json else text)


def as_lines(out: BaseModel) -> str:
    """The fields that are set, named as in the API."""
    fields = out.model_dump(mode="json", by_alias=True)
    return "\n".join(f"{name}: {value}" for name, value in fields.items() if value is not None)


def say_list(rows: Sequence[BaseModel], columns: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"results": [row.model_dump(mode="json", by_alias=True) for row in rows]}))
        return
    for row in rows:
        fields = row.model_dump(mode="json")
        typer.echo("  ".join("-" if fields[column] is None else fields[column] for column in columns))


def main() -> None:
    """Run a command; what it refuses ends in one sentence and exit code 1."""
    try:
        app()
    except AppError as error:
        sys.exit(f"instep: {error.message}")
    except (SettingsError, DatabaseUnavailable, MigrationRefused) as error:
        sys.exit(f"instep: {error}")
