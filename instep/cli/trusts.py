"""`instep trust …`."""

import os
from typing import Annotated

import typer

from instep.accounts.trusts import actions
from instep.accounts.trusts.queries import list_trusts
from instep.accounts.trusts.schemas import Trust, TrustFields, trust_out
from instep.accounts.workspaces.actions import find_bot_by_reference
from instep.cli.admin_session import in_workspace
from instep.cli.helping import Area, command
from instep.cli.options import AsJson, InWorkspace
from instep.cli.output import as_lines, say, say_list
from instep.platform.core.config import settings
from instep.platform.core.database import Tx
from instep.platform.core.served_url import served_url
from instep.platform.identity.scopes import Scope

app = typer.Typer(cls=Area)


@command(
    app,
    "create",
    "instep trust create --issuer https://token.actions.githubusercontent.com --claim repository=acme/app",
    "instep trust create --issuer https://gitlab.com --claim project_path=acme/app --claim ref_protected=true"
    " --bot acme-help",
)
def create_trust(
    issuer: Annotated[str, typer.Option(help="The URL of the CI service, as in the `iss` of its tokens.")],
    claim: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUE",
            help="A claim that a token must have; * matches any characters except /. Repeatable.",
        ),
    ],
    audience: Annotated[
        str | None,
        typer.Option(help="The expected audience of its tokens; by default this server's address."),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(help="The id or slug of a bot that its jobs can use; repeatable, all by default."),
    ] = None,
    scope: Annotated[Scope, typer.Option(help="The permissions of its jobs.")] = Scope.WRITE,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Give CI jobs with matching tokens access without an API key, for 15 minutes each."""
    claims = read_claims(claim)

    async def create(tx: Tx, workspace_id: str) -> Trust:
        bots = [(await find_bot_by_reference(tx, workspace_id, reference)).id for reference in bot or []]
        fields = TrustFields(issuer, audience or served_url(settings(), os.environ), claims, bots, scope)
        return await actions.create_trust(tx, workspace_id, fields, settings().allow_list)

    trust = trust_out(in_workspace(workspace, create))
    say(trust, as_lines(trust), as_json)


@command(app, "list", "instep trust list", "instep trust list --json")
def show_trusts(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the trusts."""
    trusts = [trust_out(trust) for trust in in_workspace(workspace, list_trusts)]
    columns = ("id", "scope", "used_at", "revoked_at", "issuer", "audience", "claims")
    say_list(trusts, columns, as_json, "instep trust create --issuer URL --claim NAME=VALUE")


@command(app, "revoke", "instep trust revoke trust_…")
def revoke_trust(
    trust_id: Annotated[str, typer.Argument(metavar="ID")],
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a trust: its jobs are refused from the next call on, and get no new keys."""
    trust = in_workspace(workspace, actions.revoke_trust, trust_id)
    say(trust_out(trust), f"{trust_id} was revoked.", as_json)


def read_claims(texts: list[str]) -> dict[str, str]:
    """The claims in texts such as `repository=acme/app`."""
    pairs = [text.partition("=") for text in texts]
    if not all(name.strip() and sign for name, sign, _ in pairs):
        raise typer.BadParameter("write it as NAME=VALUE, such as repository=acme/app", param_hint="--claim")
    claims = {name.strip(): value.strip() for name, _, value in pairs}
    if len(claims) < len(pairs):
        raise typer.BadParameter("name each claim once", param_hint="--claim")
    return claims
