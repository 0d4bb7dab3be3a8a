"""Owners' actions on repositories: connect code hosts, add, change and remove repositories."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.errors import InvalidState, InvalidValue, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.outbound.allowed import refuse_url
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.outbound.urls import parse_url
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.transfer.git_sync.branch_edits import list_synced_folders
from instep.transfer.repositories import queries
from instep.transfer.repositories.host_credentials import api_with_token, open_credentials, seal_credentials
from instep.transfer.repositories.hosts.host_json import Malformed
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostBusy, HostFailed, HostRefused
from instep.transfer.repositories.intake import check_soon, send_soon
from instep.transfer.repositories.schemas import (
    CodeHost,
    HostCredentials,
    HostKind,
    Moment,
    RemoteRepository,
    Repository,
    RepositoryChange,
    RepositoryFields,
    StatusMode,
)

VISIBLE = re.compile(r"[\x21-\x7e]+")
# Segments that no host allows in names, but that a path would follow.
NAME = re.compile(r"(?!.*(?:^|/)\.{1,2}(?:/|$))[\w.-]+(?:/[\w.-]+)+", re.ASCII)
SECRET_BYTES = 32


class HostUnusable(InvalidState):
    """The code host can't be used."""


@dataclass(frozen=True, slots=True)
class NewHost:
    """The fields of the form to connect a code host with a token."""

    kind: str
    url: str
    token: str


@dataclass(frozen=True, slots=True)
class FoundRepository:
    """A repository that a token can read, not stored yet; `host` contains the credentials."""

    host: CodeHost
    remote: RemoteRepository


@dataclass(frozen=True, slots=True)
class AddedRepository:
    """A stored repository, and the secret of its webhook; None if the webhook existed already."""

    id: str
    host: CodeHost
    secret: str | None


async def list_repositories(ctx: Ctx) -> list[Repository]:
    """List the repositories of the bot, oldest first."""
    return await queries.list_repositories(ctx)


async def get_repository(ctx: Ctx, repository_id: str) -> Repository:
    repository = await queries.find_repository(ctx, repository_id)
    if repository is None:
        raise _unknown_repository()
    return repository


async def list_code_hosts(ctx: Ctx) -> list[CodeHost]:
    """List the code hosts of the workspace, oldest first."""
    return await queries.list_code_hosts(ctx)


async def get_code_host(ctx: Ctx, host_id: str) -> CodeHost:
    host = await queries.find_code_host(ctx.tx, host_id)
    if host is None:
        raise NotFound("There is no such code host.")
    return host


async def list_changes(ctx: Ctx, repository_ids: Sequence[str]) -> list[RepositoryChange]:
    """List the pull requests from these repositories, newest first."""
    return await queries.list_changes(ctx, repository_ids)


def hook_url(host: CodeHost) -> str:
    """The address to which the code host sends its deliveries."""
    return f"{settings().base_url}/hooks/{host.kind}/{host.id}"


def hook_events(host: CodeHost) -> str:
    """The events to select for the webhook, with their names on the host's page."""
    return FORMS[host.kind].events


def host_names() -> dict[HostKind, str]:
    """The names of the kinds of code hosts."""
    return {kind: form.name for kind, form in FORMS.items()}


def new_code_host(workspace_id: str, name: str, url: str) -> CodeHost:
    """A new code host of this kind at this address, not stored yet; raises `InvalidValue`."""
    kind = next((kind for kind in FORMS if kind == name), None)
    if kind is None:
        raise InvalidValue("host", f"it must be one of {', '.join(FORMS)}")
    form = FORMS[kind]
    address = url.strip().rstrip("/") or form.home
    try:
        refuse_url(parse_url(address), settings().allow_list)
    except ValueError as error:
        raise InvalidValue("address", str(error)) from None
    if "?" in address or len(address) > limits.MAX_WEBHOOK_URL_CHARACTERS:
        raise InvalidValue("address", "it must be short and without a query")
    return CodeHost(new_id("host"), workspace_id, kind, address, form.api_url(address), None, b"")


async def find_with_token(
    workspace_id: str, client: OutboundClient, new: NewHost, repository_name: str
) -> FoundRepository:
    """Request a repository from a code host with a token. No transaction is open meanwhile."""
    host, token = new_code_host(workspace_id, new.kind, new.url), _read_token(new.token)
    credentials = HostCredentials(secrets.token_hex(SECRET_BYTES), token)
    remote = await find_remote(client, host, token, repository_name)
    return FoundRepository(seal_credentials(host, credentials), remote)


async def find_remote(client: OutboundClient, host: CodeHost, token: str, name: str) -> RemoteRepository:
    """Request a repository from a code host by its name; raises `HostUnusable`."""
    if not NAME.fullmatch(name) or len(name) > limits.MAX_REPOSITORY_NAME_CHARACTERS:
        raise InvalidValue("repository", "it must be the owner and the name, such as acme/app")
    try:
        return await FORMS[host.kind].find_repository(api_with_token(client, host, token), name)
    except (HostRefused, HostFailed) as failure:
        raise HostUnusable(failure.message) from None
    except HostBusy:
        raise HostUnusable(f"{FORMS[host.kind].name} is limiting requests: try again later.") from None
    except Malformed:
        raise HostUnusable(
            f"{FORMS[host.kind].name} returned no data about this repository: check the address."
        ) from None


@writes
async def add_repository(
    ctx: Ctx, remote_repository: FoundRepository, fields: RepositoryFields, installation_id: int | None = None
) -> AddedRepository:
    """Connect a repository: send its pull requests from now on, and check the articles against its code.

    Its code host is stored if it is new.
    """
    await _refuse_bad_fields(ctx, fields)
    await ctx.tx.advisory_lock(f"repositories {ctx.workspace_id}")
    new_host, remote = remote_repository.host, remote_repository.remote
    host = await queries.find_code_host(ctx.tx, new_host.id)
    # All help centers of the workspace share one webhook per repository.
    host = host or await queries.find_code_host_of(ctx, new_host, remote.remote_id)
    if host is None:
        await store_code_host(ctx, new_host)
    await _refuse_another(ctx, host or new_host, remote)
    repository_id, used_host = new_id("repo"), host or new_host
    await queries.insert_repository(ctx, repository_id, used_host.id, remote, fields, installation_id)
    await check_soon(ctx.tx, ctx.bot.id, repository_id)
    credentials = open_credentials(new_host) if host is None else None
    return AddedRepository(repository_id, used_host, credentials.secret if credentials else None)


async def _refuse_another(ctx: Ctx, host: CodeHost, remote: RemoteRepository) -> None:
    """Refuse a repository beyond the limit, and one that is connected with another token or app."""
    rows = await queries.list_repositories(ctx)
    if len(rows) >= limits.MAX_REPOSITORIES:
        raise InvalidState(
            f"The help center has {limits.MAX_REPOSITORIES} repositories, which is the maximum: remove "
            "one first."
        )
    hosts = {row.id for row in await queries.list_code_hosts(ctx) if row.api_url == host.api_url}
    if any(row.remote_id == remote.remote_id and row.code_host_id in hosts for row in rows):
        raise InvalidState(f"{remote.name} is already connected.")


async def store_code_host(ctx: Ctx, host: CodeHost) -> None:
    if len(await queries.list_code_hosts(ctx)) >= limits.MAX_CODE_HOSTS:
        raise InvalidState(
            f"The workspace has {limits.MAX_CODE_HOSTS} code hosts, which is the maximum: remove one first."
        )
    await queries.insert_code_host(ctx, host)


@writes
async def change_repository(ctx: Ctx, repository_id: str, fields: RepositoryFields) -> str:
    """Change which pull requests of a repository are sent, and which of their files."""
    await _refuse_bad_fields(ctx, fields)
    if not await queries.set_fields(ctx, repository_id, fields):
        raise _unknown_repository()
    return repository_id


@writes
async def remove_repository(ctx: Ctx, repository_id: str) -> str:
    """Disconnect a repository; the token is deleted with its last repository."""
    host_id = await queries.delete_repository(ctx, repository_id)
    if host_id is None:
        raise _unknown_repository()
    if (await get_code_host(ctx, host_id)).app_slug is None:
        await queries.delete_unused_code_host(ctx, host_id)
    return repository_id


@writes
async def forget_code_host(ctx: Ctx, host_id: str) -> str:
    """Delete the credentials of an app that no repository needs."""
    if not await queries.delete_unused_code_host(ctx, (await get_code_host(ctx, host_id)).id):
        raise InvalidState("Some repositories of this app are still connected: remove them first.")
    return host_id


@writes
async def change_token(ctx: Ctx, host_id: str, token: str) -> str:
    """Replace the token of a code host, for example because the old one expired."""
    host = await get_code_host(ctx, host_id)
    old = open_credentials(host)
    if old is None or old.token is None:
        raise InvalidState("This code host has no token to replace: connect it again.")
    new = HostCredentials(old.secret, _read_token(token))
    await queries.set_sealed(ctx, host.id, seal_credentials(host, new).sealed)
    return host.id


@writes
async def check_repository(ctx: Ctx, repository_id: str) -> str:
    """Check the articles now against the newest code of a repository and its history."""
    repository = await get_repository(ctx, repository_id)
    await queries.set_check_status(ctx, repository.id, "waiting")
    await check_soon(ctx.tx, ctx.bot.id, repository.id)
    return repository.id


@writes
async def retry_change(ctx: Ctx, repository_id: str, change_id: str) -> str:
    """Send a failed pull request again."""
    repository = await get_repository(ctx, repository_id)
    if not await queries.retry_change(ctx, change_id):
        raise InvalidState("Only failed pull requests can be sent again.")
    await send_soon(ctx.tx, repository, change_id)
    return change_id


def _read_token(token: str) -> str:
    if not VISIBLE.fullmatch(token) or len(token) > limits.MAX_CODE_HOST_TOKEN_CHARACTERS:
        raise InvalidValue("token", "it must be a token as shown by the host, without spaces or line breaks")
    return token


async def _refuse_bad_fields(ctx: Ctx, fields: RepositoryFields) -> None:
    if fields.docs_folder is not None and fields.docs_folder not in await list_synced_folders(ctx):
        raise InvalidValue("docs_folder", "it must be a folder that is synced with this help center")
    if fields.moment not in get_args(Moment):
        raise InvalidValue("when", f"it must be one of {', '.join(get_args(Moment))}")
    if fields.status_mode not in get_args(StatusMode):
        raise InvalidValue("status", f"it must be one of {', '.join(get_args(StatusMode))}")
    if len(fields.paths) > limits.MAX_REPOSITORY_PATHS:
        raise InvalidValue("paths", f"enter at most {limits.MAX_REPOSITORY_PATHS}")
    for path in [*fields.paths, fields.branch or "-"]:
        if len(path) > limits.MAX_REPOSITORY_PATH_CHARACTERS or not path.isprintable():
            raise InvalidValue(
                "paths", f"each must have at most {limits.MAX_REPOSITORY_PATH_CHARACTERS} visible characters"
            )


def _unknown_repository() -> NotFound:
    return NotFound("There is no such repository.")
