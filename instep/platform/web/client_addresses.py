"""Client addresses: the only rule for addresses that are counted or stored."""

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address, ip_network

from starlette.requests import Request

from instep.platform.core.outbound.networks import Address, Network, is_within, without_mapping

# A hop as proxies write it: bare, with a port, or in brackets (RFC 3986 section 3.2.2).
HOP = re.compile(r"\[(?P<bracketed>[^\]]*)\](?::\d+)?|(?P<ipv4>[\d.]+):\d+|(?P<bare>.*)")
# The smallest IPv6 prefix that a provider's customer gets, and the prefix of a site.
CUSTOMER_PREFIX = 64
SITE_PREFIX = 48
# The usual block of IPv4 addresses that one party rents.
BLOCK_PREFIX = 24
UNKNOWN = "unknown"
# Most requests come from few connections, and parsing an address takes longer than a cache hit.
MAX_CACHED_ADDRESSES = 2_000


def client_address(request: Request) -> str:
    """The address that a call counts for: an IPv4 address, or the /64 of an IPv6 address.

    Behind trusted proxies (`INSTEP_TRUSTED_PROXIES`) it is the right-most address of `X-Forwarded-For` that
    is not a trusted proxy's. `Forwarded` (RFC 7239) is ignored: most proxies pass on the caller's.
    """
    peer = request.client.host if request.client else UNKNOWN
    lines = tuple(request.headers.getlist("x-forwarded-for"))
    return counted_address(peer, lines, request.app.state.settings.proxies if lines else ())


@lru_cache(MAX_CACHED_ADDRESSES)
def counted_address(peer: str, lines: tuple[str, ...], proxies: tuple[Network, ...]) -> str:
    address = read_address(peer)
    return peer if address is None else counted_prefix(behind_proxies(address, lines, proxies))


def counted_prefix(address: Address) -> str:
    """The address itself for IPv4, its /64 for IPv6, which belongs to one customer."""
    return str(ip_network((address, CUSTOMER_PREFIX), strict=False) if address.version == 6 else address)


def network_of(address: str) -> str:
    """The wider network of a `client_address`: the /24 of an IPv4 address, the /48 of a /64."""
    try:
        network = ip_network(address)
    except ValueError:
        return address
    prefix = SITE_PREFIX if network.version == 6 else BLOCK_PREFIX
    return str(network.supernet(new_prefix=prefix))


def behind_proxies(peer: Address, lines: Sequence[str], proxies: Sequence[Network]) -> Address:
    """Walk from the connection's own address to the left, as long as the hop is a trusted proxy.

    Anything that is not an IP address ends the walk: the hop before it counts.
    """
    caller, hops = peer, ",".join(lines).split(",") if lines else []
    while hops and is_within(caller, proxies):
        hop = read_hop(hops.pop())
        if hop is None:
            break
        caller = hop
    return caller


def read_hop(text: str) -> Address | None:
    parts = HOP.fullmatch(text.strip())
    return read_address(parts["bracketed"] or parts["ipv4"] or parts["bare"] or "") if parts else None


def read_address(text: str) -> Address | None:
    """An IP address without a zone, an IPv4-mapped one as IPv4; None for any other text."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return without_mapping(address)
