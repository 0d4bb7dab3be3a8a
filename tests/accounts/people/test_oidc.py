"""Sign-in with an OpenID provider: a local one, honest and dishonest in every field that matters."""

import hashlib
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from fastapi import FastAPI
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from instep.accounts.people import actions, queries
from instep.accounts.people.oidc import base64url
from instep.accounts.people.schemas import User
from instep.app import put_into
from instep.platform.core import limits
from instep.platform.core.config import SettingsError, read_settings, settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.outbound.allowed import AllowList, read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import Runtime
from tests.support.cast import Api, Cast, Json
from tests.support.databases import create_database
from tests.support.http import Response
from tests.support.limits import SetLimit
from tests.support.receivers import receiving
from tests.support.second_factors import add_authenticator
from tests.support.sign_in import Browser, browser, fresh_email, is_signed_in

CLIENT = {"oidc_client_id": "instep client", "oidc_client_secret": "a:secret/of it"}
KEY = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"}, private=True)
OTHER_KEY = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"}, private=True)
# A provider's key set may contain keys for other purposes.
KEYS = {
    "keys": [
        {"kty": "oct", "k": "AAAA"},
        {**ECKey.generate_key("P-256", private=True).as_dict(private=False), "use": "enc"},
        KEY.as_dict(private=False),
    ]
}


@dataclass
class Issuer:
    """A provider at which everyone signs in as the person with `email`."""

    url: str = ""
    email: str = ""
    claims: Json = field(default_factory=dict)
    document: Json = field(default_factory=dict)
    key: RSAKey = field(default_factory=lambda: KEY)
    request: dict[str, str] = field(default_factory=dict)
    redemptions: list[dict[str, str]] = field(default_factory=list)
    token_status: int = 200
    reads: int = 0

    def answer(self, path: str, head: str, body: bytes) -> tuple[int, Any]:
        if path.endswith("/.well-known/openid-configuration"):
            self.reads += 1
            return 200, {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize?tenant=1",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                **self.document,
            }
        return (200, KEYS) if path == "/keys" else self.redeem(head, dict(parse_qsl(body.decode())))

    def redeem(self, head: str, fields: dict[str, str]) -> tuple[int, Any]:
        self.redemptions.append(fields)
        challenge = base64url(hashlib.sha256(fields["code_verifier"].encode()).digest())
        is_right = challenge == self.request["code_challenge"] and "Basic " in head
        claims = {
            "iss": self.url,
            "aud": [CLIENT["oidc_client_id"], "others"],
            "azp": CLIENT["oidc_client_id"],
            "sub": f"account of {self.email}",
            "iat": int(time.time()),
            "exp": int(time.time()) + 60,
            "nonce": self.request["nonce"],
            "email": self.email,
            "email_verified": True,
            **self.claims,
        }
        present = {name: value for name, value in claims.items() if value is not None}
        token = jwt.encode({"alg": "RS256", "kid": "1"}, present, self.key)
        return (self.token_status if is_right else 400), {"id_token": token}


@asynccontextmanager
async def serving(issuer: Issuer) -> AsyncIterator[None]:
    async def handle(reader: Any, writer: Any) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lengths = [line for line in head.split("\r\n") if line.startswith("Content-Length: ")]
        body = await reader.readexactly(int(lengths[0].partition(": ")[2])) if lengths else b""
        status, document = issuer.answer(head.split(" ")[1], head, body)
        content = json.dumps(document).encode()
        writer.write(f"HTTP/1.1 {status} OK\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)

    async with receiving(handle) as receiver:
        issuer.url = f"http://127.0.0.1:{receiver.port}"
        yield


@pytest.fixture
async def issuer(app: FastAPI, api: Api, database: Database, user: User) -> AsyncIterator[Issuer]:
    issuer = Issuer(email=user.email)
    async with serving(issuer):
        configure(app, database, issuer)
        yield issuer
        await app.state.outbound.aclose()
    put_into(app, Runtime(settings(), database, b"a key for the cursors of the tests"))


def configure(app: FastAPI, database: Database, issuer: Issuer, **values: str) -> None:
    changed = settings().model_copy(update={"oidc_issuer": issuer.url, **CLIENT, **values})
    outbound = OutboundClient(read_allow_list("127.0.0.0/8"))
    put_into(app, Runtime(changed, database, b"a key for the cursors of the tests", outbound=outbound))


async def go(ann: Browser, issuer: Issuer, next: str = "/app/connected-apps?a=1") -> dict[str, str]:
    """Go to the provider and return the parameters that it receives."""
    answer = await ann.client.get("/sign-in/oidc", params={"next": next})
    assert answer.status_code == 303, answer.text
    address = answer.headers["Location"]
    assert address.startswith(f"{issuer.url}/authorize?tenant=1&")
    issuer.request = dict(parse_qsl(urlsplit(address).query))
    return issuer.request


async def come_back(ann: Browser, issuer: Issuer, **fields: str) -> Response:
    parameters = {"code": "the code", "state": issuer.request["state"], **fields}
    return await ann.client.get("/sign-in/oidc/callback", params=parameters)


async def test_the_provider_signs_a_person_in_and_the_page_they_asked_for_opens(
    app: FastAPI, issuer: Issuer, owner: Tx, user: User
) -> None:
    # The provider is responsible for the second factor.
    await add_authenticator(owner, user)
    async with browser(app) as ann:
        assert "Sign in with single sign-on" in (await ann.get("/sign-in")).text
        request = await go(ann, issuer)
        answer = await come_back(ann, issuer)
        again = await come_back(ann, issuer)

        assert request["redirect_uri"] == "http://help.test/sign-in/oidc/callback"
        assert (request["response_type"], request["code_challenge_method"]) == ("code", "S256")
        assert {"openid", "email"} == set(request["scope"].split())
        assert (answer.status_code, answer.headers["Location"]) == (303, "/app/connected-apps?a=1")
        assert await is_signed_in(ann)
        assert again.status_code == 400
    [redemption] = issuer.redemptions
    assert (redemption["code"], redemption["redirect_uri"]) == ("the code", request["redirect_uri"])
    [entry] = await actions.list_audit(owner, user.workspace_id, 1)
    assert (entry.action, entry.actor_name) == ("sign_in", user.email)


async def test_every_tab_comes_back_with_its_own_request(app: FastAPI, issuer: Issuer) -> None:
    async with browser(app) as ann:
        first = await go(ann, issuer, "/app/account")
        second = await go(ann, issuer, "/app/connected-apps")
        paths = []
        for issuer.request in (first, second):
            answer = await come_back(ann, issuer)
            paths.append((answer.status_code, answer.headers["Location"]))

        assert paths == [(303, "/app/account"), (303, "/app/connected-apps")]


async def test_a_browser_keeps_few_requests(app: FastAPI, issuer: Issuer) -> None:
    async with browser(app) as ann:
        requests = [await go(ann, issuer) for _ in range(limits.MAX_OIDC_TABS + 3)]
        names = [name for name in ann.client.cookies if name.startswith("instep-oidc-")]
        issuer.request = requests[-1]

        assert len(names) <= limits.MAX_OIDC_TABS + 1
        assert (await come_back(ann, issuer)).status_code == 303


async def test_a_provider_is_asked_nothing_for_an_address_that_has_tried_too_often(
    app: FastAPI, issuer: Issuer, set_limit: SetLimit
) -> None:
    set_limit("MAX_SIGN_INS_PER_ADDRESS", 2)
    async with browser(app) as ann:
        answers = [await ann.client.get("/sign-in/oidc") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [303, 303, 429, 429]
    assert issuer.reads == 2


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"},
        {"aud": "others"},
        {"aud": None},
        {"azp": "others"},
        {"exp": 1},
        {"exp": None},
        {"iat": None},
        {"sub": None},
        {"sub": 1},
        {"nonce": "another"},
        {"nonce": None},
        {"email_verified": False},
        {"email_verified": "false"},
        {"email_verified": "yes"},
        {"email_verified": 1},
        {"email_verified": None},
        {"email": None},
        {"email": ["ann@acme.example"]},
        {"email": "no address"},
    ],
    ids=str,
)
async def test_a_token_with_a_wrong_claim_signs_nobody_in(app: FastAPI, issuer: Issuer, claims: Json) -> None:
    issuer.claims = claims
    async with browser(app) as ann:
        await go(ann, issuer)
        answer = await come_back(ann, issuer)

        assert (answer.status_code, await is_signed_in(ann)) == (400, False)


TENANT, OTHER_TENANT = "3f1c6a52-8f2a-4d0e-9f51-0d6c1b7a2e44", "b7d1c0de-0000-4000-8000-000000000001"
# The claims about an address in each provider's tokens by default.
ENTRA: Json = {"email_verified": None, "tid": TENANT, "ver": "2.0", "preferred_username": "ann@acme.example"}
AUTHENTIK: Json = {"email_verified": False, "preferred_username": "ann", "groups": []}
COGNITO: Json = {"email_verified": "true"}
KEYCLOAK: Json = {"email_verified": True, "azp": CLIENT["oidc_client_id"], "typ": "ID"}


@pytest.mark.parametrize(
    ("claims", "is_trusted", "signs_in"),
    [
        (ENTRA, False, False),
        (ENTRA, True, True),
        (AUTHENTIK, False, False),
        (AUTHENTIK, True, True),
        (COGNITO, False, True),
        (KEYCLOAK, False, True),
        (ENTRA | {"email": None}, True, False),
    ],
)
async def test_an_address_counts_if_the_provider_or_the_operator_says_so(
    app: FastAPI, issuer: Issuer, database: Database, claims: Json, is_trusted: bool, signs_in: bool
) -> None:
    configure(app, database, issuer, oidc_trusted_issuers=issuer.url if is_trusted else f"{issuer.url}/other")
    issuer.claims = claims
    async with browser(app) as ann:
        await go(ann, issuer)
        answer = await come_back(ann, issuer)

        assert (answer.status_code == 303, await is_signed_in(ann)) == (signs_in, signs_in)
    if not signs_in:
        # The page names the missing claim and the setting that the operator can change.
        assert ("`email_verified`" in answer.text) is not is_trusted
        assert (f"INSTEP_OIDC_TRUSTED_ISSUERS to {issuer.url}" in answer.text) is not is_trusted
        assert ("`email`" in answer.text) is is_trusted


@pytest.mark.parametrize(
    ("tenant", "trusted", "signs_in"),
    [(TENANT, TENANT, True), (OTHER_TENANT, TENANT, False), (TENANT, "", False), ("a/b", "a/b", False)],
)
async def test_at_an_endpoint_of_many_tenants_only_those_trusted_sign_in(
    app: FastAPI, issuer: Issuer, database: Database, tenant: str, trusted: str, signs_in: bool
) -> None:
    # Administrators of another tenant can give their people any address, so only the tenant counts.
    base = issuer.url
    issuer.document = {"issuer": f"{base}/{{tenantid}}/v2.0"}
    issuer.claims = {"iss": f"{base}/{tenant}/v2.0", "tid": tenant, "email_verified": True}
    values = {"oidc_issuer": f"{base}/organizations/v2.0"}
    if trusted:
        values["oidc_trusted_issuers"] = f"{base}/{trusted}/v2.0"
    configure(app, database, issuer, **values)
    async with browser(app) as ann:
        await go(ann, issuer)
        answer = await come_back(ann, issuer)

        assert (answer.status_code == 303, await is_signed_in(ann)) == (signs_in, signs_in)


async def sign_in(app: FastAPI, issuer: Issuer) -> Response:
    async with browser(app) as ann:
        await go(ann, issuer)
        return await come_back(ann, issuer)


async def test_after_the_first_sign_in_the_account_at_the_provider_counts(
    app: FastAPI, issuer: Issuer, database: Database, owner: Tx, user: User
) -> None:
    configure(app, database, issuer, oidc_trusted_issuers=issuer.url)
    issuer.claims = ENTRA | {"sub": "ann"}
    first = await sign_in(app, issuer)
    # The address has been removed, or now belongs to a colleague.
    issuer.claims = ENTRA | {"sub": "ann", "email": None}
    renamed = await sign_in(app, issuer)
    issuer.claims = ENTRA | {"sub": "mallory"}
    other = await sign_in(app, issuer)
    await actions.unlock_user(owner, user.workspace_id, user.email)
    replaced = await sign_in(app, issuer)
    issuer.claims = {"sub": "newer", "email_verified": True}
    verified = await sign_in(app, issuer)

    assert [each.status_code for each in (first, renamed, other, replaced, verified)] == [
        *(303, 303, 400, 303, 303)
    ]
    assert f"instep user unlock {user.email}" in other.text
    entries = await actions.list_audit(owner, user.workspace_id, 10)
    assert [entry.actor_name for entry in entries if entry.action == "sign_in"] == [user.email] * 4


@pytest.mark.parametrize("known_as", ["{url}/", "https://sts.example/1/"])
async def test_an_issuer_is_known_with_or_without_a_slash_and_another_is_named(
    app: FastAPI, issuer: Issuer, known_as: str
) -> None:
    issuer.document = {"issuer": known_as.format(url=issuer.url)}
    async with browser(app) as ann:
        answer = await ann.client.get("/sign-in/oidc")

    assert answer.status_code == (303 if "url" in known_as else 400)
    assert ("INSTEP_OIDC_ISSUER" in answer.text) is (answer.status_code == 400)


@pytest.mark.parametrize("fault", ["key", "status", "state", "browser", "iss", "issuer", "no code"])
async def test_faulty_responses_of_the_provider_sign_nobody_in(
    app: FastAPI, issuer: Issuer, fault: str
) -> None:
    fields = {"state": {"state": "x"}, "iss": {"iss": "https://other.example"}, "no code": {"error": "no"}}
    async with browser(app) as ann, browser(app) as other:
        await go(ann, issuer)
        if fault == "key":
            issuer.key = OTHER_KEY
        elif fault == "status":
            issuer.token_status = 500
        elif fault == "issuer":
            issuer.document = {"issuer": "https://other.example"}
        if fault == "no code":
            state = issuer.request["state"]
            answer = await ann.client.get("/sign-in/oidc/callback", params={"state": state, "error": "no"})
        else:
            # The callback URL of one browser does not sign in another.
            victim = other if fault == "browser" else ann
            answer = await come_back(victim, issuer, **fields.get(fault, {}))

        assert answer.status_code == 400
        assert not await is_signed_in(ann)
        assert not await is_signed_in(other)


async def test_strangers_need_an_invitation_unless_there_is_a_role_for_them(
    app: FastAPI, issuer: Issuer, database: Database, cast: Cast, owner: Tx
) -> None:
    issuer.email = fresh_email()
    async with browser(app) as ann:
        await go(ann, issuer)
        refusal = await come_back(ann, issuer)
        assert (refusal.status_code, "for an invitation" in refusal.text) == (400, True)
        # These tests have several workspaces, so the new person's workspace is ambiguous.
        configure(app, database, issuer, oidc_create_role="viewer")
        await go(ann, issuer)
        assert (await come_back(ann, issuer)).status_code == 400
    assert await owner.value("select count(*) from people where email = %(e)s", e=issuer.email) == 0


async def test_the_provider_is_called_through_the_guard(
    app: FastAPI, issuer: Issuer, database: Database
) -> None:
    app.state.outbound = OutboundClient(AllowList())
    async with browser(app) as ann:
        answer = await ann.get("/sign-in/oidc")

    assert (answer.status_code, "be reached" in answer.text) == (400, True)


async def test_without_a_provider_there_is_no_way_to_it(app: FastAPI, api: Api) -> None:
    async with browser(app) as ann:
        assert "/sign-in/oidc" not in (await ann.get("/sign-in")).text
        assert (await ann.get("/sign-in/oidc")).status_code == 404
        assert (await ann.get("/sign-in/oidc/callback")).status_code == 404


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"ISSUER": "https://login.example.com"}, "needs INSTEP_OIDC_CLIENT_ID"),
        ({"ISSUER": "login.example.com"}, "INSTEP_OIDC_ISSUER"),
        ({"CREATE_ROLE": "admin"}, "INSTEP_OIDC_CREATE_ROLE"),
        ({"TRUSTED_ISSUERS": "login.example.com"}, "INSTEP_OIDC_TRUSTED_ISSUERS"),
        *(
            ({"TRUSTED_ISSUERS": f"https://login.microsoftonline.com/{shared}/v2.0"}, "one tenant")
            for shared in ("common", "organizations", "consumers", "9188040d-6c67-4c5b-b112-36a304b66dad")
        ),
    ],
)
def test_settings_that_can_not_be_are_refused(tmp_path: Any, values: dict[str, str], words: str) -> None:
    environ = {f"INSTEP_OIDC_{name}": value for name, value in values.items()}
    with pytest.raises(SettingsError, match=words):
        read_settings(environ, tmp_path / "none.toml")


async def test_first_sign_in_with_a_provider_joins_the_only_workspace(
    cluster: EmbeddedPostgres,
) -> None:
    database = Database(create_database(cluster, "single_sign_on"), size=1)
    await database.open()
    try:
        async with database.enter_workspace("") as tx:
            first = await queries.create_person_of_provider(tx, "per_1", "ann@acme.example", "viewer")
            second = await queries.create_person_of_provider(tx, "per_2", "ann@acme.example", "owner")
            [candidate] = await queries.find_for_sign_in(tx, "ann@acme.example")
    finally:
        await database.close()

    assert second is None
    assert (candidate.id, candidate.workspace_id, candidate.role) == ("per_1", first, "viewer")
    assert candidate.password_hash is None
