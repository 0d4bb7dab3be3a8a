"""Helpers to set up second factors for people."""

import pyotp

from instep.accounts.people import second_factors
from instep.accounts.people.schemas import User
from instep.platform.core.clock import utc_now
from instep.platform.core.crypto import key_ring
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role


def person_of(user: User) -> Person:
    return Person(user.id, user.workspace_id, user.email, Role(user.role))


async def add_authenticator(tx: Tx, user: User) -> tuple[str, list[str]]:
    """Turn on an authenticator app; return its secret and the recovery codes."""
    person = person_of(user)
    await second_factors.begin_totp(tx, key_ring(), person)
    enrolment = await second_factors.find_enrolment(tx, key_ring(), person)
    assert enrolment is not None
    # Confirming with the previous code leaves the current one for the test.
    code = pyotp.TOTP(enrolment.secret).at(for_time=utc_now(), counter_offset=-1)
    return enrolment.secret, await second_factors.confirm_totp(tx, key_ring(), person, code)


async def add_second_factors(owner: Tx, user: User) -> None:
    """Set up an authenticator app, recovery codes, a passkey, and an OpenID account."""
    await add_authenticator(owner, user)
    await owner.execute(
        "insert into passkeys (id, person_id, name, public_key, sign_count) "
        "values (%(id)s, %(person)s, 'Laptop', 'x', 0)",
        id=f"credential of {user.id}",
        person=user.id,
    )
    await owner.execute(
        "insert into provider_accounts (issuer, client_id, subject, person_id) "
        "values ('https://login.example', 'instep', %(person)s, %(person)s)",
        person=user.id,
    )
