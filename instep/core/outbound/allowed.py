"""What may be called: public addresses over https, and what the operator's allow-list names besides."""

from dataclasses import dataclass
from ipaddress import ip_network

from instep.core.outbound.networks import (
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
        raise ValueError(f"its host is not a public address{way_to_open(url)}")
    if url.is_home_name and not is_named:
        raise ValueError(f"its host is not a name of the internet{way_to_open(url)}")
    if url.scheme == "http" and not is_named:
        raise ValueError(f"it must begin with https://{way_to_open(url)}")


def way_to_open(url: Url) -> str:
    """The end of a refusal: what an operator can write, unless nothing opens the address."""
    if url.address is not None and is_metadata(url.address):
        return ", and it is one that can't be opened"
    return f", unless whoever runs Instep adds {url.host} to INSTEP_WEBHOOK_ALLOW"
