"""Four server processes on the test database, and clients that choose which one they connect to."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import httpx2

from tests.support.cast import Client
from tests.support.installation import Installation, free_port, installed

PROCESSES = 4
# Four processes start at once while other tests run.
READY_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Servers:
    """The URLs of the processes and the installation whose `instep` command started them."""

    installation: Installation
    urls: tuple[str, ...]

    def client(self, process: int, key: str | None, address: str = "127.0.0.1") -> Client:
        """A client that calls from `address`, connected to the process with this number, modulo four."""
        # Nothing is encrypted here, and loading the system's certificates would take longer than the calls.
        transport = httpx2.AsyncHTTPTransport(verify=False, local_address=address)
        return httpx2.AsyncClient(
            base_url=self.urls[process % len(self.urls)],
            headers={"Authorization": f"Bearer {key}"} if key is not None else {},
            transport=transport,
            timeout=60,
        )


@contextmanager
def four_servers(database_url: str, **settings: str) -> Iterator[Servers]:
    shared = {"INSTEP_DATABASE_URL": database_url, "INSTEP_DATABASE_POOL": "4", "INSTEP_JOBS": "false"}
    with installed(**shared, **settings) as installation:
        ports = [free_port() for _ in range(PROCESSES)]
        for port in ports:
            installation.start("serve", "--port", str(port), "--workers", "1")
        urls = tuple(f"http://127.0.0.1:{port}" for port in ports)
        for url in urls:
            installation.until(partial(is_ready, url), READY_SECONDS)
        yield Servers(installation, urls)


def is_ready(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/readyz", timeout=10, verify=False).status_code == 200
    except httpx2.TransportError:
        return False
