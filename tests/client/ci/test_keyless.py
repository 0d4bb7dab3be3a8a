"""A job without a key exchanges its CI service's token, here a local one, or is refused with a reason."""

from collections.abc import Iterator
from urllib.parse import parse_qsl

import pytest

from instep.accounts.trusts.actions import create_trust, revoke_trust
from instep.accounts.trusts.schemas import TrustFields
from instep.client.ci.client import Client
from instep.client.ci.credentials import read_server
from instep.client.ci.retries import Patience
from instep.client.ci.transport import Refused
from instep.platform.core.database import Tx
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.identity.scopes import Scope
from tests.support.cast import Cast
from tests.support.ci_servers import BOT, Reply, standing
from tests.support.commands import Operator
from tests.support.issuers import Issuer, issuing
from tests.support.repositories import Repository

ALLOW = read_allow_list("127.0.0.0/8")
GIVEN = Reply(200, {"access_token": "isk_given", "token_type": "Bearer"})
AT_ONCE = Patience(0)


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


def github(stand_url: str, issuer: Issuer) -> dict[str, str]:
    return {
        "INSTEP_URL": stand_url,
        "ACTIONS_ID_TOKEN_REQUEST_URL": f"{issuer.url}/job?api-version=2.0",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "request-token",
    }


async def test_a_job_of_github_sends_its_change_without_a_key(
    server: str, owner: Tx, cast: Cast, issuer: Issuer, repository: Repository, operator: Operator
) -> None:
    asked = TrustFields(issuer.url, server, {"repository": "acme/*"}, [cast.acme.bot_id], Scope.PROPOSE)
    trust = await create_trust(owner, cast.acme.workspace_id, asked, ALLOW)
    environment = github(f"{server}/v1/", issuer) | {"INSTEP_API_KEY": ""}
    assert "Set INSTEP_TRUST" in await operator.refused("change", **environment)
    environment["INSTEP_TRUST"] = trust.id
    issuer.requests.clear()

    result = await operator.run("change", "--wait", **environment)

    assert result.code == 0, result.err
    assert "no article" in result.out
    assert issuer.requests[0].headers["authorization"] == "Bearer request-token"
    await revoke_trust(owner, cast.acme.workspace_id, trust.id)
    refusal = await operator.refused("change", **environment)
    assert f"{server} responds with 400:" in refusal


def test_the_token_of_a_gitlab_job_is_exchanged_as_it_is() -> None:
    with standing() as stand:
        stand.replies["POST /oauth/token"] = [GIVEN]
        server = read_server({"INSTEP_URL": stand.url, "INSTEP_ID_TOKEN": "a.b.c", "INSTEP_TRUST": "trust_1"})

    assert (server.url, server.key) == (stand.url, "isk_given")
    assert dict(parse_qsl(stand.requests[0].body.decode())) == {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "subject_token": "a.b.c",
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "client_id": "trust_1",
    }


def test_a_key_that_is_set_is_used_and_no_token_is_asked_for(issuer: Issuer) -> None:
    environment = github("https://help.test", issuer) | {"INSTEP_API_KEY": "isk_x"}

    assert read_server(environment).key == "isk_x"
    assert issuer.lines == []


def test_a_key_that_has_ended_is_renewed_once(issuer: Issuer) -> None:
    unauthorized = Reply(401, {"error": "No valid API key.", "code": "unauthorized"})
    with standing(bots=[unauthorized, Reply(200, {"results": [BOT]})]) as stand:
        stand.replies["POST /oauth/token"] = [GIVEN, Reply(200, {"access_token": "isk_second"})]
        client = Client(read_server(github(stand.url, issuer)), AT_ONCE)
        assert client.choose_bot(None).id == BOT["id"]

        assert stand.requests[-1].headers["authorization"] == "Bearer isk_second"
        stand.replies["GET /v1/tasks/task_1"] = [unauthorized]
        with pytest.raises(Refused, match="responds with 401"):
            client.ask("GET", "/tasks/task_1")


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (
            Reply(400, {"error": "invalid_request", "error_description": "No trust."}),
            "responds with 400: No trust",
        ),
        (Reply(404, {"error": "x", "code": "not_found"}), "with 404"),
        (Reply(200, {"access_token": 7}), "an Instep server"),
        (Reply(200, text="<html>"), "an Instep server"),
        (Reply(503, text="<html>"), "responds with 503"),
        (Reply(302, {}, {"Location": "https://evil.test"}), "responds with 302"),
    ],
)
def test_an_exchange_that_fails_is_told(issuer: Issuer, reply: Reply, sentence: str) -> None:
    with standing() as stand:
        stand.replies["POST /oauth/token"] = [reply]
        with pytest.raises(Refused, match=sentence) as refusal:
            read_server(github(stand.url, issuer), AT_ONCE)

    assert "eyJ" not in refusal.value.message


@pytest.mark.parametrize("reply", [Reply(403, {}), Reply(200, text="x"), Reply(200, {"value": None})])
def test_a_service_that_gives_no_token_is_told(reply: Reply) -> None:
    with standing() as service:
        service.replies["GET /job?audience=https%3A%2F%2Fhelp.test"] = [reply]
        environment = {
            "INSTEP_URL": "https://help.test",
            "ACTIONS_ID_TOKEN_REQUEST_URL": f"{service.url}/job",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "x",
        }
        with pytest.raises(Refused, match="get a token"):
            read_server(environment, AT_ONCE)
        with pytest.raises(Refused, match="can't be used"):
            read_server(environment | {"ACTIONS_ID_TOKEN_REQUEST_TOKEN": "a b"}, AT_ONCE)
