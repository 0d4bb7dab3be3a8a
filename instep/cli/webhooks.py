"""`instep webhooks …`."""

from typing import Annotated

import typer

from instep.cli.helping import Area, command
from instep.cli.output import say
from instep.notifications.webhooks import listen
from instep.platform.core.signals import exit_cleanly_on_signals

app = typer.Typer(cls=Area)


@command(
    app,
    "listen",
    "instep webhooks listen --secret whsec_…",
    "INSTEP_WEBHOOK_SECRET=whsec_… instep webhooks listen --port 5000 --json",
)
def listen_for_deliveries(
    secret: Annotated[
        str, typer.Option(envvar="INSTEP_WEBHOOK_SECRET", help="The endpoint's signing secret, `whsec_…`.")
    ],
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port to listen on.")] = 4242,
    status: Annotated[
        int, typer.Option(min=200, max=599, help="The status of the response to a verified delivery.")
    ] = 204,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each delivery as a line of JSON, with its body.")
    ] = False,
) -> None:
    """Receive deliveries: verify each one and print a line about it. An invalid signature gets 400."""
    exit_cleanly_on_signals()
    listen.listen(
        *(secret, host, port, status),
        report_address=lambda address: typer.echo(f"Listening on {address}, until Ctrl-C.", err=True),
        report=lambda received: say(received, listen.as_line(received), as_json),
    )
