"""Classifies IP addresses: public ones, and those of clouds' metadata services.

The networks are listed here, because the standard library's `is_global` differs between Python versions.
"""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def networks_in(text: str) -> tuple[Network, ...]:
    return tuple(map(ip_network, text.split()))


# The special-purpose address registries of IANA, without entries that are globally reachable.
NOT_PUBLIC = networks_in(
    """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
    192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
    2001::/23 2001:db8::/32 2002::/16 3fff::/20
    """
)
# All global unicast addresses that IANA has allocated; the rest is special or unassigned.
GLOBAL_V6 = IPv6Network("2000::/3")
# Metadata services of clouds, which hand out the machine's credentials.
METADATA = networks_in(
    """
    100.100.100.200/32 168.63.129.16/32 169.254.0.23/32 169.254.169.0/24 169.254.170.0/24 192.0.0.192/32
    fd00:ec2::/32 fd20:ce::254/128 fe80::a9fe:a9fe/128
    """
)
# The last 32 bits of these addresses are an IPv4 address, to which a translator may forward them.
IPV4_EMBEDDING_PREFIXES = networks_in("::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48")


def is_public(address: Address) -> bool:
    """True if the address is globally reachable."""
    plain = without_mapping(address)
    if is_metadata(plain) or is_within(plain, NOT_PUBLIC):
        return False
    return isinstance(plain, IPv4Address) or plain in GLOBAL_V6


def is_metadata(address: Address) -> bool:
    """True if the address is a metadata service's, directly or through a translator."""
    return any(is_within(candidate, METADATA) for candidate in (address, *embedded_addresses(address)))


def is_within(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks)


def without_mapping(address: Address) -> Address:
    """The IPv4 address for an IPv4-mapped one: `192.0.2.1` for `::ffff:192.0.2.1`."""
    return (address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address


def embedded_addresses(address: Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that an IPv6 address contains."""
    if isinstance(address, IPv4Address):
        return
    if is_within(address, IPV4_EMBEDDING_PREFIXES):
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    yield from address.teredo or ()
