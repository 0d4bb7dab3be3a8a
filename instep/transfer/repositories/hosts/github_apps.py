"""Creates GitHub Apps with the manifest flow, and gets tokens of their installations.

Source: docs.github.com, Registering a GitHub App from a manifest; Authenticating as a GitHub App.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote, urlencode

from cachetools import LRUCache
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from instep.platform.core.clock import utc_now
from instep.platform.core.outbound.client import OutboundClient
from instep.transfer.repositories.host_credentials import api_with_token
from instep.transfer.repositories.hosts.github import repository_of
from instep.transfer.repositories.hosts.host_json import Malformed, moment_at, number_at, text_at, value_at
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import PAGE_SIZE, HostApi, HostRefused
from instep.transfer.repositories.schemas import CodeHost, HostCredentials, RemoteRepository

# GitHub refuses app tokens with a lifetime of more than ten minutes, and clocks differ.
APP_TOKEN_TTL = timedelta(minutes=9)
CLOCK_SKEW = timedelta(minutes=1)
# A token is renewed this long before it expires.
MIN_TOKEN_TTL = timedelta(minutes=5)
MAX_CACHED_TOKENS = 1_000
# The characters of an organization's name, and of the code for a new app.
ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
CODE = re.compile(r"[A-Za-z0-9_-]{1,200}")
PERMISSIONS = {
    "contents": "read",
    "pull_requests": "write",
    "checks": "write",
    "issues": "read",
    "metadata": "read",
}
EVENTS = ["pull_request", "pull_request_review", "release", "issue_comment"]


@dataclass(frozen=True, slots=True)
class CachedToken:
    token: str
    expires_at: datetime


# By the id of the code host and of the installation.
cached_tokens: LRUCache[tuple[str, int], CachedToken] = LRUCache(MAX_CACHED_TOKENS)


def manifest_of(name: str, site_url: str, page_url: str, host_id: str, hook_url: str | None) -> str:
    """The manifest of an app that reads code and writes to pull requests.

    Without `hook_url` it has no webhook, and Instep polls.
    """
    manifest = {
        "name": name,
        "url": site_url,
        "redirect_url": f"{page_url}/github",
        "setup_url": f"{page_url}/apps/{host_id}",
        "setup_on_update": True,
        "public": False,
        "description": "Reads pull requests and shows drafts of edits to the help center in a comment.",
        "default_permissions": PERMISSIONS,
    }
    if hook_url is not None:
        manifest |= {"hook_attributes": {"url": hook_url, "active": True}, "default_events": EVENTS}
    return json.dumps(manifest)


def registration_url(url: str, organization: str, state: str) -> str:
    """The URL to which the browser posts the manifest: for the organization, or else for the person."""
    owner = f"/organizations/{quote(organization)}" if organization else ""
    return f"{url}{owner}/settings/apps/new?{urlencode({'state': state})}"


async def convert_code(client: OutboundClient, host: CodeHost, code: str) -> tuple[str, HostCredentials]:
    """Exchange the code of a new app for its slug and credentials. Raises `HostRefused` and others."""
    if not CODE.fullmatch(code):
        raise HostRefused("GitHub sent an invalid code: connect GitHub again.")
    api = HostApi(client, FORMS["github"].name, host.api_url, FORMS["github"].common_headers)
    app = await api.post_json(f"/app-manifests/{code}/conversions")
    # An app without a webhook has no webhook secret.
    secret = value_at(app, "webhook_secret") or ""
    credentials = HostCredentials(
        secret=str(secret), app_id=str(number_at(app, "id")), private_key=text_at(app, "pem")
    )
    return text_at(app, "slug"), credentials


def app_token(credentials: HostCredentials) -> str:
    """A JWT with which the app authenticates (RS256)."""
    now = utc_now()
    claims = {
        "iat": int((now - CLOCK_SKEW).timestamp()),
        "exp": int((now + APP_TOKEN_TTL).timestamp()),
        "iss": credentials.app_id,
    }
    try:
        key = RSAKey.import_key(credentials.private_key or "")
        return jwt.encode({"alg": "RS256"}, claims, key)
    except (JoseError, ValueError):
        raise HostRefused("The private key of the app is not valid: connect GitHub again.") from None


async def installation_token(
    client: OutboundClient, host: CodeHost, credentials: HostCredentials, installation_id: int
) -> str:
    """A token for the repositories of an installation, cached in this process until it expires."""
    key = (host.id, installation_id)
    cached = cached_tokens.get(key)
    if cached is None or cached.expires_at - MIN_TOKEN_TTL < utc_now():
        api = api_with_token(client, host, app_token(credentials))
        answer = await api.post_json(f"/app/installations/{installation_id}/access_tokens")
        expires_at = moment_at(answer, "expires_at") or utc_now()
        cached = cached_tokens[key] = CachedToken(text_at(answer, "token"), expires_at)
    return cached.token


async def list_installations(
    client: OutboundClient, host: CodeHost, credentials: HostCredentials
) -> list[int]:
    """The installations of the app, each of which grants access to repositories."""
    api = api_with_token(client, host, app_token(credentials))
    return [
        number_at(row, "id")
        async for page in api.pages(f"/app/installations?per_page={PAGE_SIZE}")
        for row in page
    ]


async def list_readable(api: HostApi) -> list[RemoteRepository]:
    """The repositories that an installation's token can read."""
    repositories = []
    async for page in api.pages(f"/installation/repositories?per_page={PAGE_SIZE}"):
        rows = value_at(page, "repositories")
        if not isinstance(rows, list):
            raise Malformed("repositories")
        # An empty repository may have no branch.
        repositories += [repository_of(row) for row in rows if value_at(row, "default_branch")]
    return repositories
