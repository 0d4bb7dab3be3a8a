"""Allowed destinations: public addresses over https, and those of the operator's allow-list."""

from dataclasses import dataclass
from ipaddress import ip_network

from instep.platform.core.outbound.networks import (
    Address,
    Network,
    is_metadata,
    is_public,
    is_within,
    without_mapping,
)
from instep.platform.core.outbound.urls import Url, is_name


@dataclass(frozen=True, slots=True)
class AllowList:
    """Hosts and networks that an operator allows by a setting; a metadata service is never allowed."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    setting: str = "INSTEP_WEBHOOK_ALLOW"

    def names(self, url: Url) -> bool:
        if url.address is None:
            return url.host in self.hosts
        return is_within(without_mapping(url.address), self.networks)

    def permits(self, address: Address, host: str) -> bool:
        """True if a connection to this address of the host is allowed."""
        if is_metadata(address):
            return False
        return is_public(address) or host in self.hosts or is_within(without_mapping(address), self.networks)


def read_allow_list(text: str, setting: str = "INSTEP_WEBHOOK_ALLOW") -> AllowList:
    """Parse host names and networks, comma separated; raises `ValueError`."""
    hosts, networks = set[str](), list[Network]()
    for entry in filter(None, (part.strip().lower() for part in text.split(","))):
        if is_name(entry):
            hosts.add(entry)
            continue
        try:
            networks.append(ip_network(entry))
        except ValueError:
            raise ValueError(f"{entry} is neither a host name nor a network such as 10.0.0.0/8") from None
    return AllowList(frozenset(hosts), tuple(networks), setting)


def refuse_url(url: Url, allow: AllowList) -> None:
    """Raise `ValueError`, with a clause that follows the field's name, if the URL is not allowed."""
    is_named = allow.names(url)
    if url.address is not None and not allow.permits(url.address, url.host):
        raise ValueError(f"its host is not a public address{way_to_open(url, allow)}")
    if url.is_home_name and not is_named:
        raise ValueError(f"its host is not a public domain name{way_to_open(url, allow)}")
    if url.scheme == "http" and not is_named:
        raise ValueError(f"it must begin with https://{way_to_open(url, allow)}")


def way_to_open(url: Url, allow: AllowList) -> str:
    """The end of a refusal: what an operator can set, unless the address is never allowed."""
    if url.address is not None and is_metadata(url.address):
        return ", and it can't be allowed"
    return f", unless the operator of Instep adds {url.host} to {allow.setting}"
