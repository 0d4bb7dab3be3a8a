"""Passkeys are bound to the site's origin, and invalid credentials are refused."""

import asyncio
import hashlib
import json

import cbor2
import pytest
from webauthn.helpers import bytes_to_base64url

from instep.accounts.people import passkeys
from instep.accounts.people.schemas import Attempt, User
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest
from tests.support.cast import Api
from tests.support.databases import until_blocked
from tests.support.limits import SetLimit, SetSetting
from tests.support.second_factors import person_of
from tests.support.sign_in import SIGNING_KEY

SITE = passkeys.PasskeySite("help.test", "http://help.test")
TEXTS = {
    "clientDataJSON": "e30",
    "authenticatorData": "AAAA",
    "signature": "AAAA",
    "attestationObject": "AAAA",
}
NESTED = "[" * 8_000
# Base64url of 9,999 opening brackets.
NESTED_DATA = "W1tb" * 3_333


def credential(id: str, **texts: str) -> str:
    fields = {"id": id, "rawId": "AAAA", "type": "public-key", "response": TEXTS | texts}
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("site_url", "origin"),
    [
        ("https://Help.Example.com", "https://help.example.com"),
        ("https://help.example.com:443/", "https://help.example.com"),
        ("HTTPS://help.example.com:8443", "https://help.example.com:8443"),
        ("http://help.example.com:80", "http://help.example.com"),
    ],
)
def test_the_site_has_the_origin_that_browsers_send(
    set_setting: SetSetting, site_url: str, origin: str
) -> None:
    set_setting("INSTEP_SITE_URL", site_url)

    assert passkeys.passkey_site(settings()) == passkeys.PasskeySite("help.example.com", origin)


@pytest.mark.parametrize(
    "answer",
    [
        NESTED,
        credential("\ud800"),
        credential("\0"),
        credential("AAAA\0"),
        credential("AAAA", clientDataJSON=NESTED_DATA),
    ],
)
async def test_a_hostile_credential_signs_nobody_in(api: Api, database: Database, answer: str) -> None:
    async with database.enter_workspace("") as tx:
        question = await passkeys.ask_for_passkey(tx, SITE, f"address {hash(answer)}")

    with pytest.raises(passkeys.PasskeyRefused):
        await passkeys.sign_in_with_passkey(
            database, SIGNING_KEY, SITE, question.token, answer, Attempt("", "", "here")
        )


@pytest.mark.parametrize("answer", [NESTED, credential("AAAA", clientDataJSON=NESTED_DATA)])
async def test_a_hostile_credential_is_not_added(
    api: Api, database: Database, user: User, answer: str
) -> None:
    person = person_of(user)
    async with database.enter_workspace(person.workspace_id) as tx:
        question = await passkeys.ask_for_new_passkey(tx, SITE, person)
        with pytest.raises(passkeys.PasskeyRefused):
            await passkeys.add_passkey(tx, SITE, person, question.token, answer, "Laptop")


async def test_passkeys_that_are_added_at_once_stay_within_the_limit(
    api: Api, database: Database, owner: Tx, user: User, set_limit: SetLimit
) -> None:
    set_limit("MAX_PASSKEYS", 2)
    person = person_of(user)

    async def add(number: int) -> list[str] | None:
        async with database.enter_workspace(person.workspace_id) as tx:
            question = await passkeys.ask_for_new_passkey(tx, SITE, person)
        answer = created_credential(question, f"key {number}".encode())
        async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
            try:
                return await passkeys.add_passkey(tx, SITE, person, question.token, answer, "Laptop")
            except InvalidRequest:
                return None

    async with owner.transaction():
        # Passkeys can be counted but not inserted: all tasks count before any of them inserts.
        await owner.execute("lock table passkeys in share mode")
        additions = [asyncio.create_task(add(number)) for number in range(4)]
        await until_blocked(owner, len(additions))
    outcomes = await asyncio.gather(*additions)

    async with database.enter_workspace(person.workspace_id) as tx:
        assert len(await passkeys.list_passkeys(tx, person)) == 2
    # Only the first passkey comes with recovery codes: a second set would invalidate the first.
    assert sorted(len(codes) for codes in outcomes if codes is not None) == [0, 10]
    assert outcomes.count(None) == 2


def created_credential(question: passkeys.PasskeyQuestion, key_id: bytes) -> str:
    """The response of a browser for a new passkey without attestation (WebAuthn Level 3, section 6.5)."""
    client_data = {
        "type": "webauthn.create",
        "challenge": json.loads(question.options)["challenge"],
        "origin": SITE.origin,
    }
    # An Ed25519 key in COSE form (RFC 9053 section 7.2).
    public_key = cbor2.dumps({1: 1, 3: -8, -1: 6, -2: bytes(32)})
    authenticator_data = b"".join(
        [
            hashlib.sha256(SITE.host.encode()).digest(),
            # Flags (user present, user verified, credential data follows), then the counter.
            bytes([0b0100_0101]),
            bytes(4),
            bytes(16),
            len(key_id).to_bytes(2),
            key_id,
            public_key,
        ]
    )
    attestation = {"fmt": "none", "attStmt": {}, "authData": authenticator_data}
    return json.dumps(
        {
            "id": bytes_to_base64url(key_id),
            "rawId": bytes_to_base64url(key_id),
            "type": "public-key",
            "response": {
                "clientDataJSON": bytes_to_base64url(json.dumps(client_data).encode()),
                "attestationObject": bytes_to_base64url(cbor2.dumps(attestation)),
            },
        }
    )
