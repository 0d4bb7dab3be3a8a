"""DNS lookups: the texts of a name."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pycares
from aiodns import DNSResolver
from aiodns.error import DNSError

from instep.platform.core import limits

TRIES = 3
# The texts of a name's TXT records.
FindTexts = Callable[[str], Awaitable[Sequence[str]]]


class NoAnswer(Exception):
    """No name server said in time whether there is such a record."""


async def find_texts(name: str, servers: Sequence[str] | None = None) -> list[str]:
    """The texts of the TXT records of a name, none if it has none; raises `NoAnswer`.

    The channel lives for this look-up alone: others keep in mind that a record was missing a while ago.
    """
    channel = DNSResolver(servers, timeout=limits.DNS_LOOKUP_SECONDS / TRIES, tries=TRIES)
    try:
        async with asyncio.timeout(limits.DNS_LOOKUP_SECONDS):
            response = await channel.query_dns(name, "TXT")
    except DNSError as error:
        if error.args[:1] in ((pycares.errno.ARES_ENOTFOUND,), (pycares.errno.ARES_ENODATA,)):
            return []
        raise NoAnswer from None
    except TimeoutError:
        raise NoAnswer from None
    finally:
        await channel.close()
    records = [entry.data for entry in response.answer]
    return [data.data.decode(errors="replace") for data in records if isinstance(data, pycares.TXTRecordData)]
