"""`instep visitor …`."""

from typing import Annotated

import typer

from instep.cli.admin_session import in_workspace
from instep.cli.helping import Area, command
from instep.cli.options import AsJson, InWorkspace
from instep.cli.output import as_lines, say
from instep.visitors.privacy import visitor_data

app = typer.Typer(cls=Area)
Email = Annotated[str | None, typer.Option("--email", help="The email address that the visitor left.")]
Visitor = Annotated[
    str | None, typer.Option("--visitor", help="The identifier that your pages send as `visitor`.")
]


@command(app, "export", "instep visitor export --email ann@example.com --json")
def export(
    email: Email = None, visitor: Visitor = None, workspace: InWorkspace = None, as_json: AsJson = False
) -> None:
    """Print all data stored about a visitor."""
    subject = visitor_data.Subject.of(email, visitor)
    export = in_workspace(workspace, visitor_data.export_visitor, subject)
    say(export, export.model_dump_json(by_alias=True, indent=2), as_json)


@command(app, "erase", "instep visitor erase --email ann@example.com")
def erase(
    email: Email = None, visitor: Visitor = None, workspace: InWorkspace = None, as_json: AsJson = False
) -> None:
    """Delete all data stored about a visitor. This can't be undone."""
    subject = visitor_data.Subject.of(email, visitor)
    erasure = in_workspace(workspace, visitor_data.erase_visitor, subject)
    say(erasure, as_lines(erasure), as_json)
