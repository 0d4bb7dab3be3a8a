"""Encrypts and decrypts the stored credentials of code hosts."""

import json
from dataclasses import asdict, replace

from instep.platform.core.crypto import Unreadable, key_ring
from instep.platform.core.outbound.client import OutboundClient
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostApi, HostRefused
from instep.transfer.repositories.schemas import CodeHost, HostCredentials


def seal_credentials(host: CodeHost, credentials: HostCredentials) -> CodeHost:
    """The code host with these credentials, encrypted and bound to the row."""
    text = json.dumps(asdict(credentials))
    return replace(host, sealed=key_ring().seal(text, *seal_context(host)))


def open_credentials(host: CodeHost) -> HostCredentials | None:
    """The credentials; None if they were encrypted with a secret key that is no longer configured."""
    try:
        return HostCredentials(**json.loads(key_ring().open(host.sealed, *seal_context(host))))
    except Unreadable:
        return None


def require_credentials(host: CodeHost) -> HostCredentials:
    """Raises `HostRefused`."""
    credentials = open_credentials(host)
    if credentials is None:
        raise HostRefused(
            "The token can't be decrypted with the secret keys of this installation: enter a new one."
        )
    return credentials


def api_with_token(client: OutboundClient, host: CodeHost, token: str) -> HostApi:
    form = FORMS[host.kind]
    return HostApi(client, form.name, host.api_url, form.headers(token))


def seal_context(host: CodeHost) -> tuple[str, ...]:
    """The associated data of encrypted credentials: their table, column, workspace and row."""
    return "code_hosts", "sealed", host.workspace_id, host.id
