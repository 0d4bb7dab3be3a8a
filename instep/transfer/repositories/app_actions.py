"""Owners' actions to create a GitHub App in the browser and to choose its repositories."""

import secrets
from dataclasses import dataclass, replace

from instep.accounts.people.challenges import put_challenge, take_challenge
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidRequest, InvalidValue
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.outbound.urls import parse_url
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx, Person
from instep.transfer.repositories.actions import HostUnusable, hook_url, new_code_host, store_code_host
from instep.transfer.repositories.host_access import open_api
from instep.transfer.repositories.host_credentials import require_credentials, seal_credentials
from instep.transfer.repositories.hosts.github_apps import (
    ORGANIZATION,
    convert_code,
    list_installations,
    list_readable,
    manifest_of,
    registration_url,
)
from instep.transfer.repositories.hosts.host_json import Malformed
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostBusy, HostFailed, HostRefused
from instep.transfer.repositories.schemas import CodeHost, RemoteRepository

GITHUB = "github"
# GitHub's limit in characters for the name of an app, which is unique on all of GitHub.
MAX_APP_NAME_CHARACTERS = 34


class AppExpired(InvalidRequest):
    """The creation of the app has expired or was begun by someone else: connect GitHub again."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The form that a browser sends to GitHub: its URL, its origin, and the manifest."""

    address: str
    origin: str
    manifest: str


@dataclass(frozen=True, slots=True)
class ReadableRepository:
    """A repository that an app can read, and the installation that grants this."""

    installation_id: int
    remote: RemoteRepository


async def begin_app(ctx: Ctx, person: Person, url: str, organization: str, page_url: str) -> Registration:
    """Start to create an app; GitHub's response is accepted from the same person for a few minutes.

    `page_url` is the page to which GitHub redirects afterwards.
    """
    host, owner = new_code_host(ctx.workspace_id, GITHUB, url), organization.strip()
    if owner and not ORGANIZATION.fullmatch(owner):
        raise InvalidValue("organization", "it must be the name in the organization's URL, such as acme")
    data = {"workspace": ctx.workspace_id, "bot": str(ctx.bot.id), "host": host.id, "url": host.url}
    state = await put_challenge(ctx.tx, "github_app", data, person.id)
    suffix = secrets.token_hex(2)
    name = f"Instep {ctx.bot.slug}"[: MAX_APP_NAME_CHARACTERS - len(suffix) - 1]
    manifest = manifest_of(
        f"{name} {suffix}",
        settings().base_url,
        page_url,
        host.id,
        hook_url(host) if is_reachable(host) else None,
    )
    return Registration(registration_url(host.url, owner, state), host.url, manifest)


def is_reachable(host: CodeHost) -> bool:
    """True if the host can deliver to this installation: GitHub.com refuses private addresses."""
    site = parse_url(settings().base_url)
    is_private = site.is_home_name or site.address is not None or site.scheme != "https"
    return host.url != "https://github.com" or not is_private


async def finish_app(
    database: Database, client: OutboundClient, person: Person, state: str, code: str
) -> CodeHost:
    """Exchange GitHub's response for the app's credentials. No database connection is held meanwhile."""
    async with database.enter_workspace("") as tx:
        challenge = await take_challenge(tx, "github_app", state)
    if challenge is None or challenge.person_id != person.id:
        raise AppExpired
    if challenge.data["workspace"] != person.workspace_id:
        raise AppExpired
    host = new_code_host(person.workspace_id, GITHUB, challenge.data["url"])
    host = replace(host, id=challenge.data["host"])
    try:
        slug, credentials = await convert_code(client, host, code)
    except (HostRefused, HostFailed) as failure:
        raise HostUnusable(f"The app could not be created. {failure.message}") from None
    except (HostBusy, Malformed):
        raise HostUnusable("GitHub did not send the app: connect GitHub again.") from None
    return seal_credentials(replace(host, app_slug=slug), credentials)


@writes
async def add_app(ctx: Ctx, host: CodeHost) -> str:
    """Store an app that was created for the workspace."""
    await store_code_host(ctx, host)
    return host.id


async def list_app_repositories(client: OutboundClient, host: CodeHost) -> list[ReadableRepository]:
    """List the repositories that the app can read; empty before it is installed. Raises `HostUnusable`."""
    try:
        installation_ids = await list_installations(client, host, require_credentials(host))
        return [
            ReadableRepository(installation_id, remote)
            for installation_id in installation_ids
            for remote in await list_readable(await open_api(client, host, installation_id))
        ]
    except (HostRefused, HostFailed) as failure:
        raise HostUnusable(failure.message) from None
    except HostBusy:
        raise HostUnusable("GitHub is limiting requests: try again in a few minutes.") from None
    except Malformed as error:
        raise HostUnusable(f"GitHub's list of repositories lacks `{error}`.") from None


def app_url(host: CodeHost) -> str:
    """The page at GitHub on which the owners of an app change its permissions."""
    folder = "apps" if host.url == FORMS["github"].home else "github-apps"
    return f"{host.url}/{folder}/{host.app_slug}"


def install_url(host: CodeHost) -> str:
    """The page on which people choose the repositories that the app can read."""
    return f"{app_url(host)}/installations/new"
