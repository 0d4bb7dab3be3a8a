"""Limits the connections of one server process: in total, and from one address."""

import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache

from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.outbound.networks import Network, is_within
from instep.platform.web.client_addresses import counted_address, read_address


class Connections:
    """Counts the open connections of one process; those from `exempt` networks have no limit per address.

    Trusted proxies are exempt, because all of their visitors share one address.
    """

    def __init__(self, max_total: int, max_per_address: int, exempt: Sequence[Network] = ()) -> None:
        self.max_total = max_total
        self.max_per_address = max_per_address
        self.exempt = exempt
        self.by_address = Counter[str]()
        self.count = 0

    def enter(self, host: str) -> bool:
        """Count a new connection; return False, without counting it, if there are too many."""
        address = counted_address(host, (), ())
        if self.count >= self.max_total or self.is_full_for(address, host):
            return False
        self.count += 1
        self.by_address[address] += 1
        return True

    def leave(self, host: str) -> None:
        """Stop counting a connection that was let in."""
        address = counted_address(host, (), ())
        self.count -= 1
        self.by_address[address] -= 1
        if not self.by_address[address]:
            del self.by_address[address]

    def is_full_for(self, address: str, host: str) -> bool:
        return self.by_address[address] >= self.max_per_address and not self.is_exempt(host)

    def is_exempt(self, host: str) -> bool:
        address = read_address(host)
        return address is not None and is_within(address, self.exempt)


@cache
def connections_of_process() -> Connections:
    """The count of this process."""
    return Connections(max_connections(), limits.MAX_ADDRESS_CONNECTIONS, exempt=settings().proxies)


def max_connections() -> int:
    """The number of file descriptors that the process may open, less the reserved ones."""
    allowed = allowed_descriptors()
    reserved = min(limits.RESERVED_DESCRIPTORS, allowed // 2)
    return min(limits.MAX_CONNECTIONS, allowed - reserved)


def allowed_descriptors() -> int:
    if sys.platform == "win32":
        return limits.MAX_CONNECTIONS + limits.RESERVED_DESCRIPTORS
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limits.MAX_CONNECTIONS + limits.RESERVED_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
