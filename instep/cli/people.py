"""`instep user …`."""

import os
import sys
import warnings
from getpass import GetPassWarning
from typing import Annotated

import typer

from instep.accounts.people import actions
from instep.accounts.people.invitations import invite
from instep.accounts.people.schemas import invitation_out, user_out
from instep.cli.admin_session import in_workspace
from instep.cli.helping import Area, command
from instep.cli.options import AsJson, InWorkspace
from instep.cli.output import as_lines, say, say_list
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.served_url import served_url
from instep.platform.identity.scopes import Role

app = typer.Typer(cls=Area)

Email = Annotated[str, typer.Argument(metavar="EMAIL")]
NewRole = Annotated[
    Role, typer.Option(help="Permissions: owner (all), editor (all but settings) or viewer (read).")
]
FromInput = Annotated[
    bool,
    typer.Option("--password-stdin", help="Read the password from standard input instead of a prompt."),
]


@command(
    app,
    "create",
    "instep user create ann@acme.example --role owner",
    "instep user create bob@acme.example --password-stdin < password.txt",
)
def create_user(
    email: Email,
    role: NewRole = Role.EDITOR,
    password_stdin: FromInput = False,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Create an account for a person."""
    password = read_password(password_stdin)
    user = user_out(in_workspace(workspace, actions.create_user, email, role, password))
    say(user, as_lines(user), as_json)


@command(app, "invite", "instep user invite ann@acme.example --role owner")
def invite_user(
    email: Email,
    role: NewRole = Role.EDITOR,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Create a link that invites someone to the workspace; it is shown once and valid for seven days."""
    invitation = in_workspace(workspace, invite, email, role)
    result = invitation_out(invitation, served_url(settings(), os.environ))
    say(
        result,
        f"Send this link to {result.email}. It is shown only now, and valid for seven days:\n{result.url}",
        as_json,
    )


@command(app, "list", "instep user list")
def show_users(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the people who can sign in."""
    users = in_workspace(workspace, actions.list_users)
    columns = ("id", "role", "disabled_at", "email")
    say_list([user_out(user) for user in users], columns, as_json, "instep user create EMAIL --role owner")


@command(app, "role", "instep user role bob@acme.example viewer")
def change_role(
    email: Email,
    role: Annotated[Role, typer.Argument(metavar="ROLE", help="owner, editor or viewer.")],
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Change the role of a person; it also limits the apps that they have connected."""
    user = user_out(in_workspace(workspace, actions.change_role, email, role))
    say(user, f"{user.email} is {user.role}.", as_json)


@command(app, "password", "instep user password bob@acme.example")
def change_password(
    email: Email, password_stdin: FromInput = False, workspace: InWorkspace = None, as_json: AsJson = False
) -> None:
    """Set a person's password; their sessions, apps, passkeys, recovery codes and invitations end."""
    password = read_password(password_stdin)
    user = user_out(in_workspace(workspace, actions.change_password, email, password))
    text = (
        f"{user.email} has a new password, is signed out everywhere, and has no connected apps, passkeys or "
        "recovery codes."
    )
    say(user, text, as_json)


@command(app, "disable", "instep user disable bob@acme.example")
def disable_user(email: Email, workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """Sign a person out everywhere, refuse further sign-ins, and stop the apps that they have connected."""
    user = user_out(in_workspace(workspace, actions.disable_user, email))
    say(user, f"{user.email} can no longer sign in.", as_json)


@command(app, "enable", "instep user enable bob@acme.example")
def enable_user(email: Email, workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """Let a disabled person sign in again."""
    user = user_out(in_workspace(workspace, actions.enable_user, email))
    say(user, f"{user.email} can sign in.", as_json)


@command(app, "unlock", "instep user unlock bob@acme.example")
def unlock_user(email: Email, workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """Remove all second factors of a person who has lost them, and unlink their single sign-on account.

    The password alone signs them in.
    """
    user = user_out(in_workspace(workspace, actions.unlock_user, email))
    say(user, f"{user.email} can now sign in with the password alone.", as_json)


def read_password(from_input: bool) -> str:
    """Read a password; it is never an argument, because other users of the machine can see arguments."""
    if from_input:
        return sys.stdin.readline(limits.MAX_PASSWORD_CHARACTERS + 2).rstrip("\r\n")
    try:
        with warnings.catch_warnings():
            # Without a terminal the password would still be read, and possibly echoed.
            warnings.simplefilter("error", GetPassWarning)
            password: str = typer.prompt(
                "Password", hide_input=True, confirmation_prompt="Repeat the password"
            )
    except GetPassWarning:
        raise InvalidRequest("The password can only be typed in a terminal: use --password-stdin.") from None
    return password
