"""The grammar of the addresses that this server may be told to call.

It is narrower than what browsers take, so that no two readers can find two hosts in one address.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from instep.core.outbound.networks import Address

NAMED = r"[0-9A-Za-z.-]+"
BRACKETED = r"\[[0-9A-Fa-f:.]+\]"
CHARACTERS = r"(?:[0-9A-Za-z._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"
QUERY_CHARACTERS = r"(?:[0-9A-Za-z._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"
# Also stands in the API's description, so it holds nothing that only Python reads.
PATTERN = (
    rf"(https?)://({NAMED}|{BRACKETED})(?::([1-9][0-9]{{0,4}}))?(?:/{CHARACTERS})?(?:\?{QUERY_CHARACTERS})?"
)
LABEL = re.compile(r"[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?")
NAME_LENGTH = 253
WEB_PORTS = {"http": 80, "https": 443}
# Below it live services that a request could be mistaken by, such as mail.
FIRST_FREE_PORT = 1024
LAST_PORT = 65535
# Names that belong to the machine or the network at hand (RFC 6761, 6762, 8375; ICANN on `internal`).
HOME_NAMES = ("localhost", "localdomain", "local", "internal", "home.arpa")


@dataclass(frozen=True, slots=True)
class Url:
    """An address to call: `host` in lower case, and as `address` where it is an IP address."""

    scheme: str
    host: str
    address: Address | None
    port: int

    @property
    def is_home_name(self) -> bool:
        """Whether the host is a name that the internet's name servers do not know."""
        return self.address is None and (
            "." not in self.host or any(f".{self.host}".endswith(f".{name}") for name in HOME_NAMES)
        )


def parse_url(text: str) -> Url:
    """Read an address, or raise `ValueError` with the end of a sentence that begins with its name."""
    match = re.fullmatch(PATTERN, text)
    if match is None:
        raise ValueError(
            "it must be an address such as https://example.com/hooks, in ASCII and without user name, "
            "fragment, blanks or backslashes"
        )
    scheme, host, port = match.groups()
    address = parse_address(host)
    if address is None and not is_name(host.lower()):
        raise ValueError("its host must be a name such as example.com, or an IP address in its usual form")
    return Url(scheme, str(address or host.lower()), address, read_port(scheme, port))


def parse_address(host: str) -> Address | None:
    try:
        return IPv6Address(host[1:-1]) if host.startswith("[") else IPv4Address(host)
    except ValueError:
        return None


def is_name(host: str) -> bool:
    """Whether it is a host name; one that ends in a number would be an address to some readers."""
    labels = host.split(".")
    return (
        len(host) <= NAME_LENGTH
        and all(LABEL.fullmatch(label) for label in labels)
        and not labels[-1][0].isdigit()
    )


def read_port(scheme: str, port: str | None) -> int:
    number = int(port or WEB_PORTS[scheme])
    if number not in WEB_PORTS.values() and not FIRST_FREE_PORT <= number <= LAST_PORT:
        raise ValueError(f"its port must be 80, 443, or from {FIRST_FREE_PORT} to {LAST_PORT}")
    return number
