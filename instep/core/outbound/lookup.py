"""What a host's name leads to: one look-up, all of its addresses."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from socket import SOCK_STREAM

import pycares
from aiodns import DNSResolver
from aiodns.error import DNSError

from instep.core import limits
from instep.core.outbound.networks import Address

# Raises `NoAddress`, never gives an empty list.
Lookup = Callable[[str], Awaitable[Sequence[Address]]]

# Each waits longer than the one before; the first may be short where answers use to come at once.
TRIES = 4
# A name is taken as it stands: no search domain of this machine may turn it into a name at home.
FLAGS = pycares.ARES_FLAG_NOSEARCH | pycares.ARES_FLAG_EDNS


class NoAddress(Exception):
    """The name leads nowhere, or nobody said in time where."""


class Resolver:
    """Look-ups as this machine is set up for them: `/etc/hosts`, then its name servers."""

    def __init__(self) -> None:
        # The present one and the one before, whose last look-ups have ended long before the next.
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
        """The channel to ask through, now and then a new one.

        A channel remembers for an hour that a name has no address, whatever its zone says of that (c-ares
        issue 1293), and never forgets what nobody asks for any more.
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
