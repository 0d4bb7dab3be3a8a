"""Sessions of people: their tokens and their authentication."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import Person, PersonColumns

TOKEN_BYTES = 32
# The length of `token_urlsafe(TOKEN_BYTES)`.
TOKEN_CHARACTERS = 43


@dataclass(frozen=True, slots=True)
class SessionAuth(PersonColumns):
    """The result of authenticating a session; all fields are None without a valid one."""

    person_id: str | None
    workspace_id: str | None
    email: str | None
    role: str | None
    session_id: str | None
    # When the person last proved their identity in this session.
    verified_at: datetime | None


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a request: its person, in the session's workspace."""

    id: str
    person: Person
    verified_at: datetime


def new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


@asynccontextmanager
async def authenticate_session(database: Database, token: str) -> AsyncIterator[tuple[Session | None, Tx]]:
    """Find the session and its person, and enter their workspace, in one round trip."""
    async with database.enter(
        SessionAuth,
        "select * from enter_with_session(%(token)s, %(idle)s, %(most)s)",
        token=hash_key(token) if len(token) == TOKEN_CHARACTERS else None,
        idle=limits.SESSION_IDLE_TTL,
        most=limits.SESSION_MAX_AGE,
    ) as (auth, tx):
        assert auth is not None, "enter_with_session always returns a row"
        yield session_of(auth), tx


def session_of(auth: SessionAuth) -> Session | None:
    if auth.person is None or auth.session_id is None or auth.verified_at is None:
        return None
    return Session(auth.session_id, auth.person, auth.verified_at)
