"""`instep secrets …`."""

import typer

from instep.cli.admin_session import as_owner
from instep.cli.helping import Area, command
from instep.cli.options import AsJson
from instep.cli.output import say
from instep.operations.ops.rotation import rotate_secrets
from instep.platform.core.crypto import key_ring

app = typer.Typer(cls=Area)


@command(app, "rotate", "instep secrets rotate")
def rotate(as_json: AsJson = False) -> None:
    """Encrypt every stored secret with `INSTEP_SECRET_KEY`; secrets of previous keys are decrypted first."""
    rotation = as_owner(lambda tx: rotate_secrets(tx, key_ring()))
    text = (
        f"{rotation.resealed} secrets were encrypted again, {rotation.already_current} were current, "
        f"{rotation.unreadable} can't be read with the keys that are set."
    )
    say(rotation, text, as_json)
    if rotation.unreadable:
        raise typer.Exit(1)
