"""Passkeys (WebAuthn Level 3): keys on a person's device, which prove possession and that it was unlocked.

One is enough to sign in; people with a passkey can't sign in by password alone. The site is identified by its
host, so a passkey's signature is useless on another site.
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from instep.accounts.people import factor_queries, queries
from instep.accounts.people.attempts import count_passkey_question
from instep.accounts.people.challenges import Challenge, put_challenge, take_challenge
from instep.accounts.people.known_browsers import new_cookie
from instep.accounts.people.schemas import Attempt, Passkey, SignedIn
from instep.accounts.people.second_factors import renew_recovery_codes
from instep.accounts.people.second_step import SecondStepExpired, begin_in
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.core.settings import Settings
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import Person
from instep.platform.identity.sessions import new_token
from instep.platform.web.origins import origin_of

if TYPE_CHECKING:
    from webauthn.helpers.structs import AuthenticationCredential

NAME = "Instep"


class PasskeyRefused(InvalidRequest):
    """This passkey was not accepted: try again, or use another way to sign in."""


@dataclass(frozen=True, slots=True)
class PasskeySite:
    """The site of passkeys: the host of the installation, and the origin that they are used on."""

    host: str
    origin: str


@dataclass(frozen=True, slots=True)
class PasskeyQuestion:
    """The options that the browser passes to the authenticator, as JSON, and the token for the answer."""

    token: str
    options: str


def passkey_site(settings: Settings) -> PasskeySite | None:
    """The site of this installation; None if its URL has an IP address, to which no passkey can be bound."""
    host = urlsplit(settings.base_url).hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        # Browsers use the origin in its canonical form, however the setting spells it.
        return PasskeySite(host, origin_of(settings.base_url) or settings.base_url)
    return None


async def list_passkeys(tx: Tx, person: Person) -> list[Passkey]:
    return await factor_queries.list_passkeys(tx, person.id)


async def ask_for_new_passkey(tx: Tx, site: PasskeySite, person: Person) -> PasskeyQuestion:
    """Ask the browser to create a passkey for the person."""
    # The import costs a tenth of a second, which only people who use passkeys should wait for.
    from webauthn import base64url_to_bytes, generate_registration_options, options_to_json
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    present = await factor_queries.list_passkeys(tx, person.id)
    options = generate_registration_options(
        rp_id=site.host,
        rp_name=NAME,
        user_id=person.id.encode(),
        user_name=person.email,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            PublicKeyCredentialDescriptor(base64url_to_bytes(passkey.id)) for passkey in present
        ],
    )
    token = await put_challenge(tx, "passkey_creation", data_of(options.challenge), person.id)
    return PasskeyQuestion(token, options_to_json(options))


async def add_passkey(
    tx: Tx, site: PasskeySite, person: Person, token: str, credential: str, name: str
) -> list[str]:
    """Store the passkey that the browser created, in a transaction of the caller.

    Returns recovery codes if the person had none yet. Raises `PasskeyRefused` for a credential that does not
    answer the question of `token`, and `InvalidRequest` if the person already has `limits.MAX_PASSKEYS`.
    """
    from webauthn import verify_registration_response
    from webauthn.helpers import bytes_to_base64url
    from webauthn.helpers.exceptions import WebAuthnException

    challenge = await take_challenge(tx, "passkey_creation", token)
    if challenge is None or challenge.person_id != person.id:
        raise PasskeyRefused
    await factor_queries.lock_factors(tx, person.id)
    if len(await factor_queries.list_passkeys(tx, person.id)) >= limits.MAX_PASSKEYS:
        raise InvalidRequest(f"A person can have at most {limits.MAX_PASSKEYS} passkeys: remove one first.")
    try:
        verified = verify_registration_response(
            credential=credential,
            expected_challenge=challenge_bytes(challenge),
            expected_rp_id=site.host,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, RecursionError):
        raise PasskeyRefused from None
    passkey_id = bytes_to_base64url(verified.credential_id)
    is_new = await factor_queries.insert_passkey(
        tx,
        passkey_id,
        person.id,
        readable_name(name),
        verified.credential_public_key,
        verified.sign_count,
    )
    if not is_new:
        raise PasskeyRefused
    await record(tx, person.workspace_id, person.as_actor("page"), "add_passkey", person.id)
    return (
        []
        if await factor_queries.count_recovery_codes(tx, person.id)
        else await renew_recovery_codes(tx, person)
    )


async def remove_passkey(tx: Tx, person: Person, passkey_id: str) -> None:
    if not await factor_queries.delete_passkey(tx, person.id, passkey_id):
        raise NotFound.of("passkey")
    await record(tx, person.workspace_id, person.as_actor("page"), "remove_passkey", person.id)


async def ask_for_passkey(tx: Tx, site: PasskeySite, address: str) -> PasskeyQuestion:
    """Ask the browser for any passkey of this site; requests from an address are counted."""
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers.structs import UserVerificationRequirement

    await count_passkey_question(tx, address)
    options = generate_authentication_options(
        rp_id=site.host, user_verification=UserVerificationRequirement.REQUIRED
    )
    token = await put_challenge(tx, "passkey", data_of(options.challenge))
    return PasskeyQuestion(token, options_to_json(options))


async def sign_in_with_passkey(
    database: Database, key: bytes, site: PasskeySite, token: str, credential: str, attempt: Attempt
) -> SignedIn:
    """Begin a session for the passkey's person; `key` signs the cookie of a known browser."""
    from webauthn import verify_authentication_response
    from webauthn.helpers.exceptions import WebAuthnException

    answer = read_answer(credential)
    async with database.enter_workspace("") as tx:
        challenge = await take_challenge(tx, "passkey", token)
        if challenge is None:
            raise PasskeyRefused
        stored = await factor_queries.find_passkey(tx, answer.id)
        candidate = await queries.find_account(tx, stored.person_id) if stored else None
    if stored is None or candidate is None:
        raise PasskeyRefused
    try:
        verified = verify_authentication_response(
            credential=answer,
            expected_challenge=challenge_bytes(challenge),
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=stored.public_key,
            credential_current_sign_count=stored.sign_count,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError):
        raise PasskeyRefused from None
    session_token = new_token()
    async with database.enter_workspace(candidate.workspace_id) as tx, tx.transaction():
        if not await factor_queries.use_passkey(tx, candidate.id, answer.id, verified.new_sign_count):
            raise PasskeyRefused
        try:
            await begin_in(tx, key, candidate, None, session_token, attempt)
        except SecondStepExpired:
            raise PasskeyRefused from None
    return SignedIn(session_token, new_cookie(key, candidate.id, candidate.password_hash, utc_now()))


def read_answer(credential: str) -> "AuthenticationCredential":
    """The authenticator's answer, as the browser sent it; raises `PasskeyRefused`."""
    from webauthn.helpers import bytes_to_base64url, parse_authentication_credential_json
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        answer = parse_authentication_credential_json(credential)
    except (WebAuthnException, ValueError, RecursionError):
        raise PasskeyRefused from None
    # Other texts may be invalid for a database lookup.
    if answer.id != bytes_to_base64url(answer.raw_id):
        raise PasskeyRefused
    return answer


def data_of(challenge: bytes) -> dict[str, Any]:
    return {"challenge": challenge.hex()}


def challenge_bytes(challenge: Challenge) -> bytes:
    return bytes.fromhex(challenge.data["challenge"])


def readable_name(name: str) -> str:
    """The name that the person gave, on one line."""
    return (
        re.sub(r"\s+", " ", name).replace("\0", "").strip()[: limits.MAX_PASSKEY_NAME_CHARACTERS] or "Passkey"
    )
