"""The command `instep`."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, TypeVar, get_args
from uuid import UUID

import psycopg
import typer
import uvicorn
from pydantic import BaseModel

from instep import doctor as health
from instep.alerts import actions as alerts
from instep.alerts.queries import bot_of, list_of_workspace
from instep.alerts.schemas import AlertKind, AlertTarget, AlertTargetOut
from instep.answers.schemas import VisitorSecretOut
from instep.answers.visitor_tokens import visitor_secret
from instep.app import create_app
from instep.ci.command import Options, send_change
from instep.ci.surroundings import Kind
from instep.core import limits
from instep.core.clock import utc_now
from instep.core.config import SettingsError, settings
from instep.core.database import Tx
from instep.core.embedded import DatabaseUnavailable
from instep.core.errors import AppError, InvalidRequest, NotFound
from instep.core.ids import as_uuid
from instep.core.outbound.client import trusted
from instep.core.postgres import running_postgres
from instep.demo.command import run_demo
from instep.identity.schemas import Actor, Bot, Ctx, Scope
from instep.migrations import MigrationRefused
from instep.migrations import migrate as migrate_schema
from instep.routes import list_routes
from instep.runtime import end_well_when_asked
from instep.web.protocol import SERVER
from instep.webhooks import listen
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
webhooks_app = typer.Typer(no_args_is_help=True, help="Signed deliveries of events.")
app.add_typer(key_app, name="key")
alert_app = typer.Typer(no_args_is_help=True, help="Chat channels that are told of hand-offs and leads.")
app.add_typer(alert_app, name="alert")
app.add_typer(webhooks_app, name="webhooks")

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
    # What is wrong around it is said here, in one sentence, and not by each process of the server.
    trusted()
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
def change(
    base: Annotated[
        str | None, typer.Option(metavar="REV", help="What it is compared with; by default what the CI says.")
    ] = None,
    head: Annotated[
        str | None, typer.Option(metavar="REV", help="Its last commit; by default what the CI says, or HEAD.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What it is called; by default as in the CI.")] = None,
    url: Annotated[str | None, typer.Option(help="Where people see it; by default as in the CI.")] = None,
    kind: Annotated[Kind | None, typer.Option(help="What it is; by default as in the CI.")] = None,
    bot: Annotated[
        str | None, typer.Option(envvar="INSTEP_BOT", help="The bot, for a key that covers several.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the drafts and show them.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Wait, and end with exit code 3 if articles need an edit.")
    ] = False,
    timeout: Annotated[
        int, typer.Option(min=1, metavar="SECONDS", help="How long to wait; then the exit code is 4.")
    ] = limits.TASK_WAIT_SECONDS,
    as_json: AsJson = False,
) -> None:
    """Send the code change of this checkout as a task to INSTEP_URL, with INSTEP_API_KEY: for CI."""
    asked = Options(base, head, title, url, kind, bot, wait, check, timeout, as_json)
    raise typer.Exit(send_change(asked, os.environ))


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
    origin: Annotated[
        list[str] | None, typer.Option(help="Whose pages may ask it, such as https://example.com.")
    ] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Make a help center."""

    made = in_workspace(
        workspace, lambda tx, own: actions.create_bot(tx, own, name, slug, locale, origin or [])
    )
    bot = bot_out(made)
    say(bot, as_lines(bot), as_json)


@bot_app.command("list")
def show_bots(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the help centers."""

    bots = in_workspace(workspace, list_bots)
    say_list([bot_out(bot) for bot in bots], ("id", "slug", "bot_key", "name"), as_json)


@bot_app.command("origins")
def change_origins(
    bot_id: Annotated[str, typer.Argument(metavar="ID")],
    add: Annotated[list[str] | None, typer.Option(help="Open it to pages of this origin.")] = None,
    remove: Annotated[list[str] | None, typer.Option(help="Close it to pages of this origin.")] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Change whose pages may ask a bot; without options only show it."""

    bot = as_bot_id(bot_id)
    changed = in_workspace(
        workspace, lambda tx, own: actions.change_origins(tx, own, bot, add or [], remove or [])
    )
    shown = bot_out(changed)
    say(shown, as_lines(shown), as_json)


@bot_app.command("visitor-secret")
def show_visitor_secret(
    bot_id: Annotated[str, typer.Argument(metavar="ID")],
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Make a new one; tokens signed with the old one are refused.")
    ] = False,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Show the secret by which your server proves who is signed in; keep it on your server."""

    async def show(tx: Tx, own: str) -> str:
        return await visitor_secret(await acting(tx, own, as_bot_id(bot_id)), rotate)

    shown = VisitorSecretOut(bot_id=bot_id, visitor_secret=in_workspace(workspace, show))
    say(shown, shown.visitor_secret, as_json)


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


@webhooks_app.command("listen")
def listen_for_deliveries(
    secret: Annotated[
        str, typer.Option(envvar="INSTEP_WEBHOOK_SECRET", help="The endpoint's signing secret, `whsec_…`.")
    ],
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port to listen on.")] = 4242,
    status: Annotated[int, typer.Option(min=200, max=599, help="The answer to what is verified.")] = 204,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each as a line of JSON, with its body.")
    ] = False,
) -> None:
    """Receive deliveries here: verify each and print a line about it. What can't be verified gets 400."""
    end_well_when_asked()
    listen.listen(
        *(secret, host, port, status),
        begin=lambda address: typer.echo(f"Listening on {address}, until Ctrl-C.", err=True),
        tell=lambda received: say(received, listen.as_line(received), as_json),
    )


@alert_app.command("add")
def add_alert(
    bot_id: Annotated[str, typer.Argument(metavar="BOT")],
    url: Annotated[str, typer.Argument(metavar="URL", help="`-` reads it from standard input.")],
    kinds: Annotated[
        list[str] | None,
        typer.Option("--for", help="What it is told of, handoff or lead; both when not given."),
    ] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Tell a channel of Slack, Discord, Teams or Mattermost of hand-offs and leads."""
    address = sys.stdin.readline().strip() if url == "-" else url
    told_of = kinds or get_args(AlertKind)

    async def add(tx: Tx, own: str) -> AlertTarget:
        return await alerts.add_alert_target(await acting(tx, own, as_bot_id(bot_id)), address, told_of)

    target = AlertTargetOut.of(in_workspace(workspace, add))
    say(target, f"{target.id}  {target.address}", as_json)


@alert_app.command("list")
def show_alerts(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the channels, without their secret addresses."""
    targets = in_workspace(workspace, list_of_workspace)
    columns = ("id", "bot_id", "alerts", "address", "status", "last_error")
    say_list([AlertTargetOut.of(target) for target in targets], columns, as_json)


@alert_app.command("remove")
def remove_alert(
    target_id: Annotated[str, typer.Argument(metavar="ID")],
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Tell a channel nothing more."""

    async def remove(tx: Tx, own: str) -> AlertTarget:
        return await alerts.remove_alert_target(await beside(tx, own, target_id), target_id)

    removed = AlertTargetOut.of(in_workspace(workspace, remove))
    say(removed, f"{removed.id} is told nothing more.", as_json)


@alert_app.command("test")
def send_test_alert(
    target_id: Annotated[str, typer.Argument(metavar="ID")],
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Send a test message to a channel; `instep alert list` shows what became of it."""

    async def test(tx: Tx, own: str) -> AlertTarget:
        return await alerts.test_alert_target(await beside(tx, own, target_id), target_id)

    target = AlertTargetOut.of(in_workspace(workspace, test))
    say(target, f"{target.id} gets a test message: `instep alert list` shows what became of it.", as_json)


async def acting(tx: Tx, workspace_id: str, bot_id: UUID) -> Ctx:
    """Who works from the command line, on one bot of the workspace."""
    for bot in await list_bots(tx, workspace_id):
        if bot.id == bot_id:
            known = Bot(bot.id, bot.workspace_id, bot.slug, bot.name, bot.locale)
            return Ctx(tx, known, Actor("command", "instep", can_write=True), utc_now())
    raise NotFound(f"There is no bot {bot_id} in this workspace: `instep bot list` shows them.")


async def beside(tx: Tx, workspace_id: str, target_id: str) -> Ctx:
    """The same, on the bot of an alert target."""
    bot_id = await bot_of(tx, workspace_id, target_id)
    if bot_id is None:
        raise NotFound(f"There is no alert target {target_id}: `instep alert list` shows them.")
    return await acting(tx, workspace_id, bot_id)


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
    return "\n".join(f"{name}: {as_text(value)}" for name, value in fields.items() if value not in (None, []))


def as_text(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def say_list(rows: Sequence[BaseModel], columns: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"results": [row.model_dump(mode="json", by_alias=True) for row in rows]}))
        return
    for row in rows:
        fields = row.model_dump(mode="json")
        typer.echo("  ".join(as_cell(fields[column]) for column in columns))


def as_cell(value: str | list[str] | None) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return "-" if value is None else value


def main() -> None:
    """Run a command; what it refuses ends in one sentence and exit code 1."""
    try:
        app()
    except AppError as error:
        sys.exit(f"instep: {error.message}")
    except (SettingsError, DatabaseUnavailable, MigrationRefused) as error:
        sys.exit(f"instep: {error}")
