"""Passwords: which are good enough, how they are kept, and how one is checked without telling anything."""

from functools import cache

import anyio.to_thread
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from instep.core import limits
from instep.core.errors import InvalidRequest, RateLimited

# At least what OWASP asks for: 19 MiB, two passes.
HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# zxcvbn looks at no more.
JUDGED_CHARACTERS = 72
places: RunVar[CapacityLimiter] = RunVar("password_places")


class WeakPassword(InvalidRequest):
    """This password is easy to guess: use a longer one, such as four words that nobody connects."""


def refuse_weak(password: str, *known: str) -> None:
    """`known`: what an attacker would try first, such as the person's name."""
    if not limits.MIN_PASSWORD_CHARACTERS <= len(password) <= limits.MAX_PASSWORD_CHARACTERS:
        raise WeakPassword(
            f"A password must have {limits.MIN_PASSWORD_CHARACTERS} to {limits.MAX_PASSWORD_CHARACTERS}"
            " characters."
        )
    # Its lists of passwords and names take a moment to read, and only whoever sets a password needs them.
    from zxcvbn import zxcvbn

    judged = zxcvbn(password[:JUDGED_CHARACTERS], [word for word in known if word])
    if judged["score"] < limits.MIN_PASSWORD_SCORE:
        raise WeakPassword


def hash_password(password: str) -> str:
    return HASHER.hash(as_bytes(password))


async def is_right(password: str, kept: str | None) -> bool:
    """Whether the password is the one that was kept; for nobody's it takes as long as for somebody's."""
    if len(password) > limits.MAX_PASSWORD_CHARACTERS:
        password, kept = "", None
    limiter = waiting_room()
    if limiter.statistics().tasks_waiting >= limits.MAX_PASSWORD_WAITERS:
        raise RateLimited(headers={"Retry-After": "2"})
    return await anyio.to_thread.run_sync(verify, password, kept, limiter=limiter)


def verify(password: str, kept: str | None) -> bool:
    try:
        HASHER.verify(kept or nobodys_hash(), as_bytes(password))
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None


def needs_new_hash(kept: str) -> bool:
    """Whether it was made with less work than today's."""
    return HASHER.check_needs_rehash(kept)


@cache
def nobodys_hash() -> str:
    return hash_password("nobody has this password")


def as_bytes(password: str) -> bytes:
    # A form may hold lone surrogates; what can't be encoded is simply another password.
    return password.encode("utf-8", "surrogatepass")


def waiting_room() -> CapacityLimiter:
    try:
        return places.get()
    except LookupError:
        made = CapacityLimiter(limits.MAX_CONCURRENT_PASSWORD_HASHES)
        places.set(made)
        return made
