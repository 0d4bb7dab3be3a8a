"""Second factors: codes of an authenticator app (RFC 6238), and recovery codes for people who lost it."""

import base64
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime

import pyotp

from instep.accounts.people import factor_queries
from instep.accounts.people.schemas import Passkey, StoredTotp
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.crypto import KeyRing, Unreadable
from instep.platform.core.database import Tx
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import Person

ISSUER = "Instep"
STEP_SECONDS = 30
# A clock may be off by one step, and a code may be typed after the next one has begun.
STEPS_AROUND = (0, -1, 1)
TOTP_CODE = re.compile(r"[0-9]{6}")
RECOVERY_BYTES = 10
RECOVERY_CODE = re.compile(r"[a-z2-7]{16}")


class WrongCode(InvalidRequest):
    """This code is wrong, was used already or is no longer valid: type the one that the app shows now."""


@dataclass(frozen=True, slots=True)
class TotpEnrolment:
    """A secret that waits for its first code: as text, and as the URI that authenticator apps read."""

    secret: str
    address: str


@dataclass(frozen=True, slots=True)
class SecondFactors:
    """The second factors of a person."""

    has_totp: bool
    passkeys: list[Passkey]
    recovery_codes: int

    @property
    def is_on(self) -> bool:
        return self.has_totp or bool(self.passkeys)


async def find_second_factors(tx: Tx, person: Person) -> SecondFactors:
    secret = await factor_queries.find_totp(tx, person.id)
    has_totp = secret is not None and secret.confirmed_at is not None
    passkeys = await factor_queries.list_passkeys(tx, person.id)
    return SecondFactors(has_totp, passkeys, await factor_queries.count_recovery_codes(tx, person.id))


async def begin_totp(tx: Tx, keys: KeyRing, person: Person) -> None:
    """Create a new secret, which is active once the person has entered a code from it."""
    secret = pyotp.random_base32()
    await factor_queries.lock_factors(tx, person.id)
    if not await factor_queries.save_totp(tx, person.id, keys.seal(secret, *place_of(person.id))):
        raise InvalidRequest("You already have an authenticator app: remove it first.")


async def find_enrolment(tx: Tx, keys: KeyRing, person: Person) -> TotpEnrolment | None:
    """The secret that waits for its first code; None if there is none."""
    row = await factor_queries.find_totp(tx, person.id)
    if row is None or row.confirmed_at is not None:
        return None
    secret = open_secret(keys, person.id, row)
    if secret is None:
        return None
    address = pyotp.TOTP(secret).provisioning_uri(name=person.email, issuer_name=ISSUER)
    return TotpEnrolment(secret, address)


async def confirm_totp(tx: Tx, keys: KeyRing, person: Person, code: str) -> list[str]:
    """Activate the new secret; return the recovery codes, or none if the person already has some."""
    await factor_queries.lock_factors(tx, person.id)
    if not await accepts_totp(tx, keys, person.id, code, utc_now()):
        raise WrongCode
    await factor_queries.confirm_totp(tx, person.id)
    await record(tx, person.workspace_id, person.as_actor("page"), "add_authenticator", person.id)
    if await factor_queries.count_recovery_codes(tx, person.id):
        return []
    return await renew_recovery_codes(tx, person)


async def remove_totp(tx: Tx, person: Person) -> None:
    if not await factor_queries.delete_totp(tx, person.id):
        raise NotFound("You have no authenticator app.")
    await record(tx, person.workspace_id, person.as_actor("page"), "remove_authenticator", person.id)


async def renew_recovery_codes(tx: Tx, person: Person) -> list[str]:
    """Create ten new codes, each for one use; the earlier ones become invalid."""
    codes = [new_recovery_code() for _ in range(limits.RECOVERY_CODES)]
    hashes = [hash_recovery_code(person.id, code) for code in codes]
    await factor_queries.lock_factors(tx, person.id)
    await factor_queries.replace_recovery_codes(tx, person.id, hashes)
    await record(tx, person.workspace_id, person.as_actor("page"), "renew_recovery_codes", person.id)
    return codes


async def accepts_code(tx: Tx, keys: KeyRing, person_id: str, text: str) -> bool:
    """True if this is a code from the app or a recovery code, which is then used up."""
    code = re.sub(r"[\s-]", "", text).lower()
    if TOTP_CODE.fullmatch(code):
        secret = await factor_queries.find_totp(tx, person_id)
        is_on = secret is not None and secret.confirmed_at is not None
        return is_on and await accepts_totp(tx, keys, person_id, code, utc_now())
    if RECOVERY_CODE.fullmatch(code):
        return await factor_queries.use_recovery_code(tx, person_id, hash_recovery_code(person_id, code))
    return False


async def accepts_totp(tx: Tx, keys: KeyRing, person_id: str, text: str, now: datetime) -> bool:
    """True if the code is correct and no code of its time step was accepted before."""
    code = re.sub(r"\s", "", text)
    row = await factor_queries.find_totp(tx, person_id)
    secret = open_secret(keys, person_id, row) if row else None
    if secret is None or not TOTP_CODE.fullmatch(code):
        return False
    totp = pyotp.TOTP(secret)
    present = int(now.timestamp()) // STEP_SECONDS
    for step in (present + offset for offset in STEPS_AROUND):
        if hmac.compare_digest(totp.generate_otp(step), code):
            return await factor_queries.use_totp_step(tx, person_id, step)
    return False


def new_recovery_code() -> str:
    """Eighty random bits in base 32, in groups of four."""
    text = base64.b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode().lower()
    return "-".join(text[start : start + 4] for start in range(0, len(text), 4))


def hash_recovery_code(person_id: str, code: str) -> bytes:
    return hash_key(f"recovery code {person_id} {code.replace('-', '')}")


def open_secret(keys: KeyRing, person_id: str, row: StoredTotp) -> str | None:
    """The secret; None if the key that encrypted it is lost, so that only recovery codes help."""
    try:
        return keys.open(row.sealed, *place_of(person_id))
    except Unreadable:
        return None


def place_of(person_id: str) -> tuple[str, ...]:
    return "totp_secrets", "sealed", person_id, person_id
