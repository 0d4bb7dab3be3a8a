"""API keys and bot keys: their form, their hash, and their authentication."""

import hashlib
import re
import secrets
import string
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from cachetools import LRUCache

from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import NotFound
from instep.platform.core.pipeline import SqlStatement
from instep.platform.identity.queries import BOT, BOT_DOMAIN, READ_VERSION
from instep.platform.identity.schemas import BotKeyAuth, KeyAuth, PublicBot

ALPHABET = string.digits + string.ascii_letters
PREFIX = "isk_"
RANDOM_CHARACTERS = 30
CHECKSUM_CHARACTERS = 6
SHAPE = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}}")


def new_key() -> str:
    """A key: `isk_`, 178 random bits, and a checksum with which secret scanners recognize real keys."""
    body = PREFIX + random_characters(RANDOM_CHARACTERS)
    return body + checksum(body)


def new_bot_key() -> str:
    """A new public key of a bot, which its widget sends."""
    return "pk_" + random_characters(24)


def random_characters(count: int) -> str:
    # One random number takes a tenth of the time that as many choices take.
    return in_alphabet(secrets.randbelow(len(ALPHABET) ** count), count)


def hash_key(key: str) -> bytes:
    """The hash of a key, 32 bytes; keys are random, so a fast hash is safe."""
    return hashlib.sha256(key.encode()).digest()


def is_well_formed(key: str) -> bool:
    return (
        SHAPE.fullmatch(key) is not None
        and checksum(key[:-CHECKSUM_CHARACTERS]) == key[-CHECKSUM_CHARACTERS:]
    )


def checksum(body: str) -> str:
    return in_alphabet(zlib.crc32(body.encode()), CHECKSUM_CHARACTERS)


def in_alphabet(number: int, count: int) -> str:
    """A number in base 62, with this many digits."""
    digits = ""
    for _ in range(count):
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def hash_of_presented(key: str | None) -> bytes | None:
    """The hash of the key in a request; None if it can't be one."""
    return hash_key(key) if key is not None and is_well_formed(key) else None


def key_statement(key_hash: bytes | None, bot: UUID | None, address: str) -> SqlStatement:
    """Finds the key, counts the request, resolves the bot and enters the workspace."""
    return SqlStatement(
        f"select e.*, {BOT_DOMAIN} from enter_with_key(%(key)s, %(bot)s, %(address)s, %(seconds)s) e",
        {
            "key": key_hash,
            "bot": bot,
            "address": address,
            "seconds": limits.REQUEST_WINDOW_SECONDS,
        },
    )


@asynccontextmanager
async def authenticate_key(
    database: Database, key: str | None, bot: UUID | None, address: str
) -> AsyncIterator[tuple[KeyAuth, Tx]]:
    """Find the key, count the request, resolve the bot and enter the workspace, in one round trip."""
    statement = key_statement(hash_of_presented(key), bot, address)
    async with database.enter(KeyAuth, statement.sql, **statement.params) as (auth, tx):
        assert auth is not None, "enter_with_key always returns a row"
        yield auth, tx


@asynccontextmanager
async def authenticate_uncounted(
    database: Database, key: str | None, bot: UUID | None, _address: str
) -> AsyncIterator[tuple[KeyAuth, Tx]]:
    """The same without writing anything, for reads while the disk is full."""
    sql = f"select e.*, {BOT_DOMAIN} from enter_uncounted(%(key)s, %(bot)s, %(seconds)s) e"
    params = {"key": hash_of_presented(key), "bot": bot, "seconds": limits.REQUEST_WINDOW_SECONDS}
    async with database.enter(KeyAuth, sql, **params) as (auth, tx):
        assert auth is not None, "enter_uncounted always returns a row"
        yield auth, tx


@asynccontextmanager
async def authenticate_bot_key(
    database: Database, bot: UUID | None, key: str, visitor: str, address: str, version: str | None
) -> AsyncIterator[tuple[BotKeyAuth, Tx]]:
    """Find the bot, count the call by visitor and by address, and enter the workspace, in one round trip.

    The product version is the one with this id or slug, by default the current one.
    """
    async with database.enter(
        BotKeyAuth,
        f"""select e.*, {BOT_DOMAIN}, (
            select {READ_VERSION} from product_versions v
            where v.bot_id = e.bot_id and v.workspace_id = e.workspace_id collate "C"
              and case when %(version)s::text is null then v.is_current else %(version)s in (v.id, v.slug) end
        ) as version
        from enter_with_bot_key(%(bot)s, %(key)s, %(visitor)s, %(address)s, %(seconds)s) e""",
        bot=bot,
        key=hash_key(key),
        visitor=visitor,
        address=address,
        seconds=limits.REQUEST_WINDOW_SECONDS,
        version=version,
    ) as (auth, tx):
        assert auth is not None, "enter_with_bot_key always returns a row"
        yield auth, tx


async def find_public_bot(database: Database, name: str, domain: str | None) -> PublicBot:
    """The bot of a help center, by its slug or its host name, and its key.

    On the host name `domain` there is only its own help center. Raises `NotFound`.
    """
    sql = f"select {BOT}, b.bot_key from enter_site(%(name)s) s join bots b on b.id = s.bot_id"
    if "\0" in name:
        raise NotFound
    async with database.enter(PublicBot, sql, name=name) as (public_bot, _):
        if public_bot is None or domain not in (None, public_bot.domain):
            raise NotFound
        return public_bot


async def is_origin_of_a_bot(database: Database, origin: str) -> bool:
    """True if any bot of this installation allows this origin."""
    async with database.enter_workspace("") as tx:
        return await tx.value("select is_origin_of_a_bot(%(origin)s)", origin=origin)


class RecentKeys:
    """The last results of authentication in this process.

    With one, an action's first statement can be sent with the one that finds the key. It grants nothing: the
    request is refused, or begins again, if the key now has another result.
    """

    def __init__(self, size: int) -> None:
        self.results: LRUCache[tuple[bytes, UUID | None], KeyAuth] = LRUCache(size)

    def find(self, key_hash: bytes | None, bot: UUID | None) -> KeyAuth | None:
        """The last result of a key for the bot that a request names, if it was valid and within its limit."""
        return self.results.get((key_hash, bot)) if key_hash is not None else None

    def remember(self, key_hash: bytes | None, bot: UUID | None, auth: KeyAuth, *, is_over: bool) -> None:
        """Keep the result of a usable key; forget an unusable one."""
        if key_hash is None:
            return
        if auth.key_id is None or is_over:
            self.results.pop((key_hash, bot), None)
        else:
            self.results[key_hash, bot] = auth


recent_keys = RecentKeys(limits.MAX_RECENT_KEYS)
