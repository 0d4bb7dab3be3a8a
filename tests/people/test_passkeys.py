"""Passkeys are bound to the site as browsers name it, and what is no credential is refused."""

import json

import pytest

from instep.core.config import settings
from instep.core.database import Database
from instep.people import passkeys
from instep.people.schemas import Attempt, User
from tests.support.cast import Api
from tests.support.limits import SetSetting
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
# Base64url of 9,999 brackets.
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
