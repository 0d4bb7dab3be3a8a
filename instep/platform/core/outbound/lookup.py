"""DNS lookups: all addresses of a host."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from socket import SOCK_STREAM

import pycares
from aiodns import DNSResolver
from aiodns.error import DNSError

from instep.platform.core import limits
from instep.platform.core.outbound.networks import Address

# A lookup raises `NoAddress` instead of returning an empty list.
Lookup = Callable[[str], Awaitable[Sequence[Address]]]

# Each try waits longer than the previous one, and all together as long as a lookup may take.
TRIES = 4
# Search domains of this machine are not used, because they could turn a name into an internal one.
FLAGS = pycares.ARES_FLAG_NOSEARCH | pycares.ARES_FLAG_EDNS


class NoAddress(Exception):
    """The name has no address, or no response arrived in time."""


class Resolver:
    """Lookups with this machine's configuration: `/etc/hosts`, then its name servers."""

    def __init__(self) -> None:
        # The current channel and its predecessor, whose last lookups end before it is closed.
        self.channels: list[DNSResolver] = []
        self.made_at = 0.0

    async def find_addresses(self, host: str) -> list[Address]:
        channel = await self.renew()
        try:
            async with asyncio.timeout(limits.DNS_LOOKUP_SECONDS):
                response = await channel.getaddrinfo(host, type=SOCK_STREAM)
        except (DNSError, TimeoutError):
            raise NoAddress from None
        if not response.nodes:
            raise NoAddress
        return [ip_address(node.addr[0].decode()) for node in response.nodes]

    async def renew(self) -> DNSResolver:
        """The current channel, which is replaced regularly.

        A channel caches for an hour that a name has no address, whatever its zone says (c-ares issue 1293),
        and it never evicts unused entries.
        """
        now = time.monotonic()
        if not self.channels or now > self.made_at + limits.MAX_DNS_CACHE_SECONDS:
            resolver = DNSResolver(flags=FLAGS, timeout=limits.DNS_LOOKUP_SECONDS / TRIES, tries=TRIES)
            self.channels, old, self.made_at = [resolver, *self.channels[:1]], self.channels[1:], now
            for channel in old:
                await channel.close()
        return self.channels[0]

    async def aclose(self) -> None:
        for channel in self.channels:
            await channel.close()
        self.channels = []
