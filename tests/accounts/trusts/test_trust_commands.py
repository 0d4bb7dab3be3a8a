"""`instep trust …` and the page of trusts: operators and owners create, list and revoke them."""

import re

from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk, desk
from tests.support.cast import Cast
from tests.support.commands import Operator

__all__ = ["desk"]
GITHUB = "https://token.actions.githubusercontent.com"


async def test_an_operator_makes_lists_and_revokes_a_trust(operator: Operator, cast: Cast) -> None:
    acme = ("--workspace", cast.acme.workspace_id)
    create = ("trust", "create", *acme, "--bot", cast.acme.slug, "--issuer")

    trust = await operator.json(
        *create, GITHUB, "--claim", "repository=acme/app", "--claim", "ref=refs/heads/*"
    )

    assert trust["claims"] == {"repository": "acme/app", "ref": "refs/heads/*"}
    assert (trust["botIds"], trust["scope"]) == ([str(cast.acme.bot_id)], "content:write")
    assert trust["audience"].startswith("http")
    row = rf"{trust['id']} +content:write +- +- +{GITHUB} .*ref=refs/heads/\*, repository=acme/app"
    assert re.search(row, await operator.text("trust", "list", *acme))
    assert await operator.text("trust", "revoke", trust["id"], *acme) == f"{trust['id']} was revoked.\n"
    [trust] = (await operator.json("trust", "list", *acme))["results"]
    assert trust["revokedAt"] is not None
    for claims in (("--claim", "repository"), ("--claim", "a=b", "--claim", "a=c")):
        assert (await operator.run(*create, GITHUB, *claims)).code == 2
    assert "must begin with https://" in await operator.refused(*create, "http://a.test", "--claim", "a=b")


async def test_an_owner_makes_and_revokes_a_trust(desk: Desk, owner: Tx, cast: Cast) -> None:
    claims = "repository=acme/app\r\n\r\n ref = refs/heads/* \r\n"
    path = "settings/trusts"

    answer = await desk.send(path, path, issuer=GITHUB, claims=claims, audience="", scope="content:propose")
    page = await desk.follow(answer)

    assert "<code>ref=refs/heads/*</code>, <code>repository=acme/app</code>" in page.text
    assert "for <code>http://help.test</code>" in page.text
    assert "read and propose" in page.text
    trust_id = await owner.value(
        "select id from trusts where workspace_id = %(id)s", id=cast.acme.workspace_id
    )
    page = await desk.follow(await desk.send(path, f"{path}/revoke", id=trust_id))
    assert "Revoked" in page.text
    assert "create trust" in (await desk.get("settings/audit")).text


async def test_refused_form_keeps_the_typed_values(desk: Desk) -> None:
    path = "settings/trusts"
    for fields, sentence in (
        ({"issuer": "https://10.0.0.1", "claims": "a=b"}, "not a public address"),
        ({"issuer": GITHUB, "claims": "repository"}, "Write each claim once"),
        ({"issuer": GITHUB, "claims": "a=*"}, "needs a value"),
        ({"issuer": GITHUB, "claims": "a=b", "scope": ""}, "Choose a scope"),
    ):
        answer = await desk.send(path, path, **{"scope": "content:write"} | fields)
        assert answer.status_code == 400
        assert sentence in answer.text
        assert f'value="{fields["issuer"]}"' in answer.text
