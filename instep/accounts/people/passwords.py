"""Passwords: their strength, their hashes, and checking them in constant time."""

import base64
import hmac
from collections.abc import Sequence
from functools import cache

import anyio.to_thread
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError
from argon2.low_level import hash_secret

from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest, RateLimited

# OWASP's minimum for Argon2id: 19 MiB and two passes.
HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# zxcvbn ignores further characters.
MAX_ESTIMATED_CHARACTERS = 72
hashing_slots: RunVar[CapacityLimiter] = RunVar("password_hashing_slots")


class WeakPassword(InvalidRequest):
    """This password is easy to guess: use a longer one, such as four unrelated words."""


def refuse_weak(password: str, *guessable: str) -> None:
    """Raise `WeakPassword`; `guessable` are words that an attacker would try first, such as a name."""
    if not limits.MIN_PASSWORD_CHARACTERS <= len(password) <= limits.MAX_PASSWORD_CHARACTERS:
        raise WeakPassword(
            f"A password must have {limits.MIN_PASSWORD_CHARACTERS} to {limits.MAX_PASSWORD_CHARACTERS}"
            " characters."
        )
    # The import loads long word lists, which are only needed to set a password.
    from zxcvbn import zxcvbn

    estimate = zxcvbn(password[:MAX_ESTIMATED_CHARACTERS], [word for word in guessable if word])
    if estimate["score"] < limits.MIN_PASSWORD_SCORE:
        raise WeakPassword


async def hash_new_password(password: str, *guessable: str, salt: bytes | None = None) -> str:
    """The hash of a password that someone chose; raises `WeakPassword` as `refuse_weak` does."""

    def judge_and_hash() -> str:
        refuse_weak(password, *guessable)
        return hash_password(password, salt)

    return await anyio.to_thread.run_sync(judge_and_hash, limiter=free_limiter())


def hash_password(password: str, salt: bytes | None = None) -> str:
    """The hash; accounts of one address share their salt, so that one computation checks all of them."""
    return HASHER.hash(as_bytes(password), salt=salt)


def salt_of(stored_hash: str) -> bytes:
    salt = stored_hash.split("$")[-2]
    return base64.b64decode(salt + "=" * (-len(salt) % 4))


async def matching_hash(password: str, stored_hashes: Sequence[str | None]) -> str | None:
    """The first stored hash that the password matches; the time is the same with none, one or several.

    Raises `RateLimited` if too many passwords are waiting.
    """
    if len(password) > limits.MAX_PASSWORD_CHARACTERS:
        password, stored_hashes = "", ()
    hashes = [stored_hash for stored_hash in stored_hashes if stored_hash]
    return await anyio.to_thread.run_sync(find_match, password, hashes, limiter=free_limiter())


def find_match(password: str, hashes: Sequence[str]) -> str | None:
    # Only accounts created at the same time have different salts.
    like = {stored_hash.rpartition("$")[0]: stored_hash for stored_hash in hashes or [dummy_hash()]}
    results = [compute_like(stored_hash, password) for stored_hash in like.values()]
    return next((text for text in hashes for result in results if hmac.compare_digest(text, result)), None)


def compute_like(stored_hash: str, password: str) -> str:
    """The hash of the password with salt and parameters of another hash."""
    try:
        its = extract_parameters(stored_hash)
    except InvalidHashError:
        return compute_like(dummy_hash(), password)
    return hash_secret(
        as_bytes(password),
        salt_of(stored_hash),
        its.time_cost,
        its.memory_cost,
        its.parallelism,
        its.hash_len,
        its.type,
        its.version,
    ).decode()


async def renewed_hash(password: str, stored_hash: str | None) -> str | None:
    """A hash of the right password with the current parameters, if the stored one has weaker ones."""
    if not stored_hash or not HASHER.check_needs_rehash(stored_hash):
        return None
    salt = salt_of(stored_hash)
    return await anyio.to_thread.run_sync(hash_password, password, salt, limiter=hashing_limiter())


@cache
def dummy_hash() -> str:
    return hash_password("nobody has this password")


def as_bytes(password: str) -> bytes:
    # A form may contain lone surrogates; encoding them makes such a password wrong instead of an error.
    return password.encode("utf-8", "surrogatepass")


def free_limiter() -> CapacityLimiter:
    """The limiter of hashing; raises `RateLimited` if too many passwords are waiting."""
    limiter = hashing_limiter()
    if limiter.statistics().tasks_waiting >= limits.MAX_PASSWORD_WAITERS:
        raise RateLimited(headers={"Retry-After": "2"})
    return limiter


def hashing_limiter() -> CapacityLimiter:
    try:
        return hashing_slots.get()
    except LookupError:
        limiter = CapacityLimiter(limits.MAX_CONCURRENT_PASSWORD_HASHES)
        hashing_slots.set(limiter)
        return limiter
