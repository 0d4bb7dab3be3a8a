"""Challenges that a browser must answer to sign in: stored once, valid for minutes, used once."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from psycopg.types.json import Jsonb

from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.identity.keys import hash_key
from instep.platform.identity.sessions import new_token

Purpose = Literal[
    "second_factor",
    "passkey_creation",
    "passkey",
    "oidc",
    "proved_address",
    "github_app",
    "password_reset",
    "new_address",
    "alert_address",
]


@dataclass(frozen=True, slots=True)
class Challenge:
    """The kind of the question, the person if known, and the data that the answer is checked against."""

    person_id: str | None
    data: dict[str, Any]


async def put_challenge(
    tx: Tx,
    purpose: Purpose,
    data: dict[str, Any],
    person_id: str | None = None,
    ttl: timedelta = limits.CHALLENGE_TTL,
) -> str:
    """Store a challenge; returns the token that the browser, or a link in an email, keeps."""
    token = new_token()
    await tx.execute(
        "select put_challenge(%(token)s, %(purpose)s, %(person)s, %(data)s, %(ttl)s)",
        token=hash_key(token),
        purpose=purpose,
        person=person_id,
        data=Jsonb(data),
        ttl=ttl,
    )
    return token


async def find_challenge(tx: Tx, purpose: Purpose, token: str) -> Challenge | None:
    sql = "select * from find_challenge(%(token)s, %(purpose)s)"
    return await tx.first(Challenge, sql, token=hash_key(token), purpose=purpose)


async def take_challenge(tx: Tx, purpose: Purpose, token: str) -> Challenge | None:
    """The challenge, which is deleted, so that it can't be answered again."""
    sql = "select * from take_challenge(%(token)s, %(purpose)s)"
    return await tx.first(Challenge, sql, token=hash_key(token), purpose=purpose)
