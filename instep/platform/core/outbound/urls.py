"""The grammar of URLs that this server may call.

It is stricter than that of browsers, so that all parsers find the same host in a URL.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from instep.platform.core.outbound.networks import Address

NAMED = r"[0-9A-Za-z.-]+"
BRACKETED = r"\[[0-9A-Fa-f:.]+\]"
CHARACTERS = r"(?:[0-9A-Za-z._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"
QUERY_CHARACTERS = r"(?:[0-9A-Za-z._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"
# The API's description contains this pattern, so it uses only syntax that JSON Schema allows too.
PATTERN = (
    rf"(https?)://({NAMED}|{BRACKETED})(?::([1-9][0-9]{{0,4}}))?(?:/{CHARACTERS})?(?:\?{QUERY_CHARACTERS})?"
)
LABEL = re.compile(r"[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?")
MAX_NAME_CHARACTERS = 253
WEB_PORTS = {"http": 80, "https": 443}
# Lower ports belong to other services, such as mail, that could misread a request.
FIRST_FREE_PORT = 1024
LAST_PORT = 65535
# Top-level names of the local machine or network (RFC 6761, 6762, 8375; ICANN on `internal`).
HOME_NAMES = ("localhost", "localdomain", "local", "internal", "home.arpa")


@dataclass(frozen=True, slots=True)
class Url:
    """A URL to call: `host` is in lower case; `address` is None unless the host is an IP address."""

    scheme: str
    host: str
    address: Address | None
    port: int

    @property
    def is_home_name(self) -> bool:
        """True if the host is a name that public DNS does not resolve."""
        return self.address is None and (
            "." not in self.host or any(f".{self.host}".endswith(f".{name}") for name in HOME_NAMES)
        )


def parse_url(text: str) -> Url:
    """Parse a URL; raises `ValueError` with a clause that follows the field's name."""
    match = re.fullmatch(PATTERN, text)
    if match is None:
        raise ValueError(
            "it must be an address such as https://example.com/path, in ASCII and without user name, "
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
    """True if this is a host name; some parsers read a name that ends in a number as an IP address."""
    labels = host.split(".")
    return (
        len(host) <= MAX_NAME_CHARACTERS
        and all(LABEL.fullmatch(label) for label in labels)
        and not labels[-1][0].isdigit()
    )


def read_port(scheme: str, port: str | None) -> int:
    number = int(port or WEB_PORTS[scheme])
    if number not in WEB_PORTS.values() and not FIRST_FREE_PORT <= number <= LAST_PORT:
        raise ValueError(f"its port must be 80, 443, or from {FIRST_FREE_PORT} to {LAST_PORT}")
    return number
