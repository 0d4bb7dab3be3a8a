"""Sessions of people: how a token looks, and the statement that a request with one begins with."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from instep.core import limits
from instep.core.database import Database, Tx
from instep.identity.keys import hash_key
from instep.identity.schemas import Person
from instep.identity.scopes import Role

TOKEN_BYTES = 32
# As long as `token_urlsafe` makes of so many bytes.
TOKEN_CHARACTERS = 43


@dataclass(frozen=True, slots=True)
class SessionAuth:
    """What the first statement of a request with a session tells; all null without a living one."""

    person_id: str | None
    workspace_id: str | None
    email: str | None
    role: str | None

    @property
    def person(self) -> Person | None:
        if self.person_id is None or self.workspace_id is None:
            return None
        return Person(self.person_id, self.workspace_id, self.email or "", Role(self.role or Role.VIEWER))


def new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


@asynccontextmanager
async def authenticate_session(database: Database, token: str) -> AsyncIterator[tuple[Person | None, Tx]]:
    """Find the session and who it is, and enter their workspace, in one round trip."""
    async with database.enter(
        SessionAuth,
        "select * from enter_with_session(%(token)s, %(idle)s, %(most)s)",
        token=hash_key(token) if len(token) == TOKEN_CHARACTERS else None,
        idle=limits.SESSION_IDLE_TTL,
        most=limits.SESSION_MAX_AGE,
    ) as (auth, tx):
        assert auth is not None, "enter_with_session always returns a row"
        yield auth.person, tx
