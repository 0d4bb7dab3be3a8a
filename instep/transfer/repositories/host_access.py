"""Opens the API of a code host with a token: entered by an owner, or of an app's installation."""

from instep.platform.core.outbound.client import OutboundClient
from instep.transfer.repositories.host_credentials import api_with_token, require_credentials
from instep.transfer.repositories.hosts.github_apps import installation_token
from instep.transfer.repositories.hosts.host_requests import HostApi, HostRefused
from instep.transfer.repositories.schemas import CodeHost


async def open_api(client: OutboundClient, host: CodeHost, installation_id: int | None) -> HostApi:
    """Raises `HostRefused`, `HostBusy` and `HostFailed`."""
    return api_with_token(client, host, await find_token(client, host, installation_id))


async def find_token(client: OutboundClient, host: CodeHost, installation_id: int | None) -> str:
    """Raises `HostRefused`, `HostBusy` and `HostFailed`."""
    credentials = require_credentials(host)
    if credentials.token is not None:
        return credentials.token
    if installation_id is None:
        raise HostRefused("The app is not installed for this repository: install it on GitHub.")
    return await installation_token(client, host, credentials, installation_id)
