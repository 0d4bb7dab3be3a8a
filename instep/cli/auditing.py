"""`instep audit`."""

from typing import TYPE_CHECKING, Annotated

import typer

from instep.cli.admin_session import in_workspace
from instep.cli.options import AsJson, InWorkspace
from instep.cli.output import say_json_list
from instep.cli.table import table

if TYPE_CHECKING:
    from instep.accounts.people.schemas import AuditEntry


def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The number of entries, newest first.")] = 50,
    before: Annotated[
        int | None, typer.Option(metavar="ID", help="Only entries older than this one.")
    ] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Show who did what: people, keys, commands and the writer."""
    from instep.accounts.people import actions
    from instep.accounts.people.schemas import audit_entry_out

    entries = in_workspace(workspace, actions.list_audit, limit, before)
    if as_json:
        say_json_list([audit_entry_out(entry) for entry in entries])
        return
    if not entries:
        typer.echo("Nothing has been done yet.")
        return
    typer.echo(table(("id", "when", "channel", "who", "action", "resource"), [*map(cells_of, entries)]))


def cells_of(entry: "AuditEntry") -> tuple[str, ...]:
    when = f"{entry.created_at:%Y-%m-%d %H:%M:%S}"
    who = entry.actor_name if entry.app is None else f"{entry.actor_name} through {entry.app}"
    return str(entry.id), when, entry.channel, who, entry.action, entry.resource or "-"
