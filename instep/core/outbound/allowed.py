"""What may be called: public addresses over https, and what the operator's allow-list names besides."""

from dataclasses import dataclass
from ipaddress import ip_network

from instep.core.outbound.addresses import (
    Address,
    Network,
    is_metadata,
    is_public,
    is_within,
    without_mapping,
)
from instep.core.outbound.urls import Url, is_name


@dataclass(frozen=True, slots=True)
class AllowList:
    """Hosts and networks that an operator has opened; nothing opens a metadata service."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    def names(self, url: Url) -> bool:
        if url.address is None:
            return url.host in self.hosts
        return is_within(without_mapping(url.address), self.networks)

    def permits(self, address: Address, host: str) -> bool:
        """Whether a connection may go to this address, which the host's name has led to."""
        if is_metadata(address):
            return False
        return is_public(address) or host in self.hosts or is_within(without_mapping(address), self.networks)


def read_allow_list(text: str) -> AllowList:
    """Hosts and networks, comma separated; raises `ValueError` for what is neither."""
    hosts, networks = set[str](), list[Network]()
    for entry in filter(None, (part.strip().lower() for part in text.split(","))):
        if is_name(entry):
            hosts.add(entry)
            continue
        try:
            networks.append(ip_network(entry))
        except ValueError:
            raise ValueError(f"{entry} is neither a host name nor a network such as 10.0.0.0/8") from None
    return AllowList(frozenset(hosts), tuple(networks))


def refuse_url(url: Url, allow: AllowList) -> None:
    """Refuse, with the end of a sentence, what can't be called wherever its name may lead."""
    is_named = allow.names(url)
    if url.address is not None and not allow.permits(url.address, url.host):
        raise ValueError("its host is not a public address")
    if url.is_home_name and not is_named:
        raise ValueError("its host is not a name of the internet")
    if url.scheme == "http" and not is_named:
        raise ValueError("it must begin with https://")
