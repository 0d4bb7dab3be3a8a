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
    """No name server answered in time whether the record exists."""


async def find_texts(name: str, servers: Sequence[str] | None = None) -> list[str]:
    """The texts of a name's TXT records, empty without any; raises `NoAnswer`.

    The channel is used for this lookup only: reused ones remember for a while that a record was missing.
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
