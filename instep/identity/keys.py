"""API keys: how one looks, how it is kept, and the statement that a request with one begins with."""

import hashlib
import re
import secrets
import string
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from instep.core import limits
from instep.core.database import Database, Tx
from instep.identity.schemas import BotKeyAuth, KeyAuth

ALPHABET = string.digits + string.ascii_letters
PREFIX = "isk_"
RANDOM_LENGTH = 30
CHECKSUM_LENGTH = 6
SHAPE = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{RANDOM_LENGTH + CHECKSUM_LENGTH}}}")


def new_key() -> str:
    """`isk_`, 178 random bits, and a checksum by which scanners tell a real key from a lookalike."""
    body = PREFIX + "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH))
    return body + checksum(body)


def new_bot_key() -> str:
    """The public key that a bot's widget carries: no secret, only an address that can be changed."""
    return "pk_" + "".join(secrets.choice(ALPHABET) for _ in range(24))


def hash_key(key: str) -> bytes:
    """What is stored of a key. Its randomness makes a slow hash needless."""
    return hashlib.sha256(key.encode()).digest()


def is_well_formed(key: str) -> bool:
    return SHAPE.fullmatch(key) is not None and checksum(key[:-CHECKSUM_LENGTH]) == key[-CHECKSUM_LENGTH:]


def checksum(body: str) -> str:
    number = zlib.crc32(body.encode())
    digits = ""
    for _ in range(CHECKSUM_LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


@asynccontextmanager
async def authenticate_key(
    database: Database, key: str | None, bot: UUID | None, address: str
) -> AsyncIterator[tuple[KeyAuth, Tx]]:
    """Find the key, count the request, resolve the bot and enter the workspace, in one round trip."""
    known = hash_key(key) if key is not None and is_well_formed(key) else None
    async with database.enter(
        KeyAuth,
        "select * from enter_with_key(%(key)s, %(bot)s, %(address)s, %(seconds)s)",
        key=known,
        bot=bot,
        address=address,
        seconds=limits.REQUEST_WINDOW_SECONDS,
    ) as (auth, tx):
        assert auth is not None, "enter_with_key always returns a row"
        yield auth, tx


@asynccontextmanager
async def authenticate_bot_key(
    database: Database, bot: UUID | None, key: str, visitor: str, address: str
) -> AsyncIterator[tuple[BotKeyAuth, Tx]]:
    """Find the bot, count the call by visitor and by address, and enter the workspace, in one round trip."""
    async with database.enter(
        BotKeyAuth,
        "select * from enter_with_bot_key(%(bot)s, %(key)s, %(visitor)s, %(address)s, %(seconds)s)",
        bot=bot,
        key=hash_key(key),
        visitor=visitor,
        address=address,
        seconds=limits.REQUEST_WINDOW_SECONDS,
    ) as (auth, tx):
        assert auth is not None, "enter_with_bot_key always returns a row"
        yield auth, tx


async def is_origin_of_a_bot(database: Database, origin: str) -> bool:
    """Whether some bot of this installation is open to pages of this origin."""
    async with database.enter_workspace("") as tx:
        found: bool = await tx.value("select is_origin_of_a_bot(%(origin)s)", origin=origin)
        return found
