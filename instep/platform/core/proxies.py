"""The setting for proxies whose `X-Forwarded-For` is trusted, parsed into networks."""

from functools import cache
from ipaddress import ip_network

from instep.platform.core.outbound.networks import Network

LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


@cache
def read_proxies(text: str) -> tuple[Network, ...]:
    """Parse addresses, networks and the word `loopback`, comma separated; raises `ValueError`."""
    networks: list[Network] = []
    for entry in filter(None, (part.strip().lower() for part in text.split(","))):
        networks += LOOPBACK if entry == "loopback" else [read_network(entry)]
    return tuple(networks)


def read_network(entry: str) -> Network:
    try:
        network = ip_network(entry)
    except ValueError:
        raise ValueError(
            f"{entry} is neither an IP address, nor a network such as 10.0.0.0/8, nor the word loopback"
        ) from None
    if network.prefixlen == 0:
        raise ValueError(f"{entry} includes everyone, who could then forge their address: name your proxies")
    return network
