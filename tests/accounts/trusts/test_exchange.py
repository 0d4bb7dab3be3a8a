"""ID tokens of CI jobs become API keys: a local issuer, honest and dishonest in every field that matters."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from joserfc.jwk import RSAKey

from instep.accounts.people.actions import list_audit
from instep.accounts.trusts import actions, id_tokens
from instep.accounts.trusts.id_tokens import Issuers
from instep.accounts.trusts.schemas import ID_TOKEN, Trust, TrustFields
from instep.accounts.workspaces.queries import list_keys
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.identity.scopes import Scope
from tests.support.cast import Api, Cast, Client, Company, Json, create_company
from tests.support.http import Response, at_once, create_article, error, stranger
from tests.support.issuers import EC, FORGED, OKP, Issuer, issuing
from tests.support.limits import SetLimit

ALLOW = read_allow_list("127.0.0.0/8")
CLAIMS = {"repository": "acme/*"}
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
REFUSED = "No trust"


@dataclass
class Office:
    """The token endpoint, and Acme's trust in the issuer."""

    client: Client
    api: Api
    owner: Tx
    acme: Company
    issuer: Issuer
    trust: Trust

    async def exchange(self, token: str, **fields: str) -> Response:
        form = {"grant_type": EXCHANGE, "subject_token": token, "subject_token_type": ID_TOKEN}
        form |= {"client_id": self.trust.id, **fields}
        return await self.client.post("/oauth/token", data=form)

    async def key(self, **claims: Any) -> str:
        answer = await self.exchange(self.issuer.token(**claims))
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])

    async def call(self, key: str) -> Response:
        return await self.api(key).get("/v1/articles")

    async def trusts_also(self, company: Company, **changes: Any) -> Trust:
        return await actions.create_trust(
            self.owner, company.workspace_id, fields(self.issuer.url, **changes), ALLOW
        )


def fields(address: str, **changes: Any) -> TrustFields:
    return replace(TrustFields(address, "http://help.test", CLAIMS, [], Scope.WRITE), **changes)


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture
async def office(app: FastAPI, api: Api, owner: Tx, cast: Cast, issuer: Issuer) -> AsyncIterator[Office]:
    outbound = OutboundClient(ALLOW)
    app.state.issuers = Issuers(outbound)
    acme = cast.acme
    await owner.execute("delete from rate_windows")
    # Ports of issuers are reused, so trusts of earlier tests would accept these tokens too.
    await owner.execute("update trusts set revoked_at = now() where revoked_at is null")
    trust = await actions.create_trust(
        owner, acme.workspace_id, fields(issuer.url, bot_ids=[acme.bot_id]), ALLOW
    )
    async with stranger(app) as client:
        yield Office(client, api, owner, acme, issuer, trust)
    await outbound.aclose()
    app.state.issuers = None


async def test_a_job_gets_a_key_for_a_quarter_of_an_hour(office: Office) -> None:
    answer = await office.exchange(office.issuer.token())

    assert answer.headers["Cache-Control"] == "no-store"
    body = answer.json()
    key = body.pop("access_token")
    assert body == {
        "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        "token_type": "Bearer",
        "expires_in": 900,
        "scope": "content:write",
    }
    created = await office.api(key).post("/v1/articles", json={"title": "From CI", "contentMarkdown": "x"})
    assert created.status_code == 201
    bots = (await office.api(key).get("/v1/bots")).json()["results"]
    assert [bot["id"] for bot in bots] == [str(office.acme.bot_id)]
    left = await office.owner.value(
        "select expires_at - now() from api_keys where trust_id = %(id)s", id=office.trust.id
    )
    assert timedelta(minutes=14) < left <= limits.TRUST_TOKEN_TTL
    # These keys don't clutter the list of people's keys.
    keys = await list_keys(office.owner, office.acme.workspace_id)
    assert {row.name for row in keys}.isdisjoint({"repo:acme/app:ref:refs/heads/main"})


async def test_the_audit_log_names_the_job(office: Office) -> None:
    await office.key()

    [entry] = await list_audit(office.owner, office.acme.workspace_id, 1)
    assert (entry.action, entry.resource) == ("exchange_token", office.trust.id)
    assert entry.actor_name == "repo:acme/app:ref:refs/heads/main"


@pytest.mark.parametrize(("key", "algorithm"), [(EC, "ES256"), (OKP, "Ed25519")])
async def test_other_asymmetric_signatures_are_taken(office: Office, key: Any, algorithm: str) -> None:
    assert (await office.exchange(office.issuer.token(key, algorithm))).status_code == 200


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "https://other.test"},
        {"aud": ["https://other.test"]},
        {"aud": None},
        {"aud": 7},
        {"iss": "https://other.test"},
        {"iss": None},
        {"exp": 1},
        {"exp": None},
        {"nbf": 4_000_000_000},
        {"iat": 4_000_000_000},
        {"iat": 1_000_000_000},
        {"iat": None},
        {"sub": None},
        {"repository": "evil/app"},
        {"repository": "acme/app/x"},
        {"repository": "Acme/app"},
        {"repository": None},
        {"repository": {"acme/app": 1}},
    ],
)
async def test_a_token_with_other_claims_is_refused_in_the_same_words(office: Office, claims: Json) -> None:
    assert_refused(await office.exchange(office.issuer.token(**claims)))


async def test_a_token_that_the_issuer_has_not_signed_is_refused(office: Office) -> None:
    issuer = office.issuer
    signed = issuer.token()
    for token in (
        issuer.unsigned(),
        issuer.signed_with_public_key(),
        issuer.token(FORGED),
        signed[:-4] + "AAAA",
        signed.rpartition(".")[0] + ".",
        "a.b.c",
        "e30.e30.e30",
        "[" * 5_000,
        "é.é.é",
        "x" * (limits.MAX_ID_TOKEN_CHARACTERS + 1),
    ):
        assert_refused(await office.exchange(token))


def assert_refused(answer: Response) -> None:
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert answer.json()["error_description"].startswith(REFUSED)


async def test_one_of_several_audiences_is_enough(office: Office) -> None:
    assert await office.key(aud=["https://other.test", "http://help.test"])


async def test_an_issuer_that_nobody_trusts_is_not_asked(office: Office) -> None:
    with issuing() as other:
        assert_refused(await office.exchange(other.token()))
        assert other.lines == []


async def test_keys_are_fetched_once_and_again_when_they_change(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    await office.key()
    await office.key(ref="refs/heads/other")
    assert len(office.issuer.lines) == 2

    new_key = RSAKey.generate_key(2048, {"kid": "new"}, private=True)
    office.issuer.keys = [new_key]
    # An unknown key does not make the server fetch the keys each time.
    assert_refused(await office.exchange(office.issuer.token(new_key)))
    assert len(office.issuer.lines) == 2
    monkeypatch.setattr(limits, "MIN_ISSUER_KEYS_AGE", timedelta())
    assert (await office.exchange(office.issuer.token(new_key))).status_code == 200
    assert_refused(await office.exchange(office.issuer.token()))


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ({"issuer": "https://other.test"}, 200),
        ({"jwks_uri": None}, 200),
        ({}, 404),
    ],
)
async def test_an_issuer_that_answers_badly_is_no_error_of_the_server(
    office: Office, document: Json, status: int
) -> None:
    office.issuer.document, office.issuer.status = document, status

    assert_refused(await office.exchange(office.issuer.token()))


@pytest.mark.parametrize(
    ("document", "status"),
    [
        # A forbidden address looks like one that does not answer, so that it reveals no internal hosts.
        ({"jwks_uri": "http://169.254.169.254/keys"}, 200),
        ({"jwks_uri": "file:///etc/passwd"}, 200),
        ({"padding": "x" * limits.MAX_ISSUER_DOCUMENT_BYTES}, 200),
        ({}, 429),
        ({}, 500),
        ({}, 503),
    ],
)
async def test_jobs_try_again_while_an_issuer_gives_no_answer(
    office: Office, document: Json, status: int
) -> None:
    office.issuer.document, office.issuer.status = document, status
    assert_unavailable(await office.exchange(office.issuer.token()))

    office.issuer.document, office.issuer.status = {}, 200
    assert await office.key()


async def test_jobs_try_again_while_an_issuer_is_down(office: Office) -> None:
    with issuing() as other:
        await actions.create_trust(office.owner, office.acme.workspace_id, fields(other.url), ALLOW)
        token = other.token()

    assert_unavailable(await office.exchange(token, client_id=office.acme.workspace_id))


def assert_unavailable(answer: Response) -> None:
    assert (answer.status_code, answer.json()["error"]) == (503, "temporarily_unavailable")
    assert int(answer.headers["Retry-After"]) > 0


async def test_trusts_made_at_once_stay_within_their_number(
    database: Database, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("MAX_TRUSTS_PER_WORKSPACE", 2)
    workspace_id = cast.acme.workspace_id

    async def make(number: int) -> bool:
        new = fields("https://issuer.test", claims={"repository": f"acme/{number}"})
        try:
            async with database.enter_workspace(workspace_id) as tx, tx.transaction():
                await actions.create_trust(tx, workspace_id, new, ALLOW)
        except InvalidRequest:
            return False
        return True

    assert sorted(await at_once(6, make)) == [False] * 4 + [True] * 2


async def test_a_revoked_trust_ends_its_keys_at_once(office: Office) -> None:
    key = await office.key()
    assert (await office.call(key)).status_code == 200

    await actions.revoke_trust(office.owner, office.acme.workspace_id, office.trust.id)

    assert (await office.call(key)).status_code == 401
    assert_refused(await office.exchange(office.issuer.token()))
    # Trusts of other workspaces can't be revoked.
    with pytest.raises(NotFound):
        await actions.revoke_trust(office.owner, "ws_other", office.trust.id)


async def test_a_token_that_is_exchanged_again_gives_no_second_key(office: Office) -> None:
    token = office.issuer.token()
    first, second = [(await office.exchange(token)).json()["access_token"] for _ in range(2)]

    assert [(await office.call(key)).status_code for key in (first, second)] == [401, 200]

    answers = await asyncio.gather(*(office.exchange(token) for _ in range(5)))
    keys = [answer.json()["access_token"] for answer in answers]
    assert sorted([(await office.call(key)).status_code for key in keys]) == [200, 401, 401, 401, 401]


async def test_an_expired_key_is_refused_and_pruned(office: Office) -> None:
    key = await office.key()
    await office.owner.execute(
        "update api_keys set expires_at = now() - interval '8 days' where trust_id = %(id)s",
        id=office.trust.id,
    )

    assert (await office.call(key)).status_code == 401
    await office.owner.execute("select prune_trust_keys(interval '7 days')")
    count = "select count(*) from api_keys where trust_id = %(id)s"
    assert await office.owner.value(count, id=office.trust.id) == 0
    assert (await office.call(office.acme.write_key)).status_code == 200


async def test_the_trust_of_another_workspace_gets_no_job_and_keeps_none_out(
    office: Office, cast: Cast
) -> None:
    await office.trusts_also(cast.globex)
    acme_id = office.acme.workspace_id
    assert (await office.exchange(office.issuer.token(), client_id=acme_id)).status_code == 200
    await actions.revoke_trust(office.owner, acme_id, office.trust.id)

    for named in (office.trust.id, acme_id):
        assert_refused(await office.exchange(office.issuer.token(), client_id=named))


async def test_a_job_that_names_no_trust_is_refused_once_there_are_several_workspaces(office: Office) -> None:
    form = {"grant_type": EXCHANGE, "subject_token": office.issuer.token(), "subject_token_type": ID_TOKEN}

    answer = await office.client.post("/oauth/token", data=form)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert "INSTEP_TRUST" in answer.json()["error_description"]


async def test_the_only_workspace_needs_no_name(
    app: FastAPI, office: Office, new_api: Api, new_owner: Tx, issuer: Issuer
) -> None:
    app.state.issuers = Issuers(OutboundClient(ALLOW))
    only = await create_company(new_owner, "Only")
    await actions.create_trust(new_owner, only.workspace_id, fields(issuer.url), ALLOW)
    form = {"grant_type": EXCHANGE, "subject_token": issuer.token(), "subject_token_type": ID_TOKEN}

    first = await office.client.post("/oauth/token", data=form)
    await create_company(new_owner, "Second")
    second = await office.client.post("/oauth/token", data=form)

    assert (first.status_code, second.status_code) == (200, 400)


async def test_job_names_one_of_several_matching_trusts(office: Office, cast: Cast) -> None:
    other = await office.trusts_also(cast.acme, bot_ids=[cast.second_bot_id])
    token = office.issuer.token()

    assert_refused(await office.exchange(token, client_id=office.acme.workspace_id))
    for trust, bot_id in ((office.trust, office.acme.bot_id), (other, cast.second_bot_id)):
        key = (await office.exchange(token, client_id=trust.id)).json()["access_token"]
        bots = (await office.api(key).get("/v1/bots")).json()["results"]
        assert [bot["id"] for bot in bots] == [str(bot_id)]


@pytest.mark.parametrize(
    ("form", "code"),
    [
        ({"subject_token_type": "urn:ietf:params:oauth:token-type:saml2"}, "invalid_request"),
        ({"requested_token_type": "urn:ietf:params:oauth:token-type:refresh_token"}, "invalid_request"),
        ({"actor_token": "x"}, "invalid_request"),
        ({"resource": "https://other.test"}, "invalid_target"),
        ({"audience": "https://other.test"}, "invalid_target"),
        ({"scope": "admin"}, "invalid_scope"),
    ],
)
async def test_other_exchanges_are_refused(office: Office, form: dict[str, str], code: str) -> None:
    answer = await office.exchange(office.issuer.token(), **form)

    assert (answer.status_code, answer.json()["error"]) == (400, code)


async def test_a_scope_can_be_narrowed_and_not_widened(office: Office, cast: Cast) -> None:
    narrow = await office.exchange(
        office.issuer.token(), scope="content:read", resource="http://help.test/v1"
    )
    key = narrow.json()["access_token"]
    assert (await office.api(key).post("/v1/articles", json={})).status_code == 403

    for scope in (Scope.READ, Scope.PROPOSE):
        trust = await office.trusts_also(cast.globex, scope=scope)
        answer = await office.exchange(office.issuer.token(), scope="content:write", client_id=trust.id)
        assert answer.json()["error"] == "invalid_scope"


async def test_a_trust_that_may_propose_changes_the_drafts_of_all_its_jobs(
    office: Office, cast: Cast, client: Client
) -> None:
    article = await create_article(client)
    path = f"/v1/articles/{article['id']}/drafts"
    of_a_person = (await client.post(path, json={"contentMarkdown": "By hand."})).json()
    trust = await office.trusts_also(cast.acme, scope=Scope.PROPOSE)
    keys = [
        (await office.exchange(office.issuer.token(run=run), client_id=trust.id)).json()["access_token"]
        for run in ("1", "2")
    ]
    named = {"bot_id": str(cast.acme.bot_id)}
    first, second = [office.api(key) for key in keys]
    draft = (await first.post(path, json={"contentMarkdown": "By a job."}, params=named)).json()

    own = await second.patch(f"/v1/drafts/{draft['id']}", json={"title": "Better"}, params=named)
    foreign = await second.patch(f"/v1/drafts/{of_a_person['id']}", json={"title": "Worse"}, params=named)

    assert (own.status_code, own.json()["title"]) == (200, "Better")
    assert error(foreign) == (403, "insufficient_scope")


async def test_exchanges_and_requests_of_a_trust_are_limited_together(
    office: Office, set_limit: SetLimit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "TOKEN_EXCHANGES_PER_MINUTE", 2)
    keys = [await office.key(), await office.key(ref="refs/heads/other")]
    left = [(await office.call(key)).headers["RateLimit"].partition(";r=")[2] for key in keys]
    assert [int(text.partition(";")[0]) for text in left] == [119, 118]

    answer = await office.exchange(office.issuer.token(ref="refs/heads/third"))
    assert (answer.status_code, answer.json()["error"]) == (429, "temporarily_unavailable")
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"issuer": "http://issuer.test"}, "must begin with https://"),
        ({"issuer": "https://10.0.0.1"}, "not a public address"),
        ({"issuer": "issuer.test"}, "must be an address"),
        ({"issuer": "https://issuer.test?a=b"}, "must be an address"),
        ({"issuer": "https://["}, "must be an address"),
        ({"audience": " "}, "The audience must have"),
        ({"audience": "a\0"}, "The audience must have"),
        ({"claims": {}}, "every job"),
        ({"claims": {"repository": "*/*"}}, "needs a value"),
        ({"claims": {"": "x"}}, "needs a value"),
        ({"claims": {"repository": "x" * 501}}, "at most 500 characters"),
    ],
)
async def test_a_trust_that_would_be_too_wide_or_is_wrong_is_refused(
    office: Office, changes: Json, sentence: str
) -> None:
    asked = fields(office.issuer.url, **changes)
    with pytest.raises(InvalidRequest, match=sentence):
        await actions.create_trust(office.owner, office.acme.workspace_id, asked, ALLOW)


async def test_bots_of_others_are_refused(office: Office, cast: Cast) -> None:
    with pytest.raises(NotFound, match="not in this workspace"):
        await office.trusts_also(cast.globex, bot_ids=[cast.acme.bot_id])


def test_keys_serve_no_longer_than_they_may() -> None:
    assert limits.MIN_ISSUER_KEYS_AGE < limits.ISSUER_KEYS_TTL
    with pytest.raises(id_tokens.InvalidIdToken):
        id_tokens.read_id_token("a.b")
