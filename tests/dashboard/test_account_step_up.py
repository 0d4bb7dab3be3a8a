"""What is dangerous asks for the password again, leads back, and is not done before."""

from datetime import timedelta

import pytest

from instep.core import limits
from instep.core.database import Tx
from tests.dashboard.conftest import Desk
from tests.support.cast import Cast
from tests.support.sign_in import HERE, PASSWORD, TOKEN

OLD = limits.RECENT_SIGN_IN_TTL + timedelta(seconds=5)


async def age_session(owner: Tx, desk: Desk) -> None:
    await owner.execute(
        "update sessions set verified_at = now() - %(age)s where person_id = %(id)s",
        age=OLD,
        id=desk.user.id,
    )


async def count_keys(owner: Tx, cast: Cast) -> int:
    sql = "select count(*) from api_keys where workspace_id = %(id)s"
    count: int = await owner.value(sql, id=cast.acme.workspace_id)
    return count


async def test_an_old_session_proves_itself_first_and_comes_back(desk: Desk, owner: Tx, cast: Cast) -> None:
    await age_session(owner, desk)
    before = await count_keys(owner, cast)
    page = desk.path("get-started")
    token = TOKEN.findall((await desk.visitor.get(page)).text)[0]
    headers = {**HERE, "Referer": f"http://help.test{page}?a=1"}
    asked = await desk.visitor.client.post(f"{page}/key", data={"form-token": token}, headers=headers)
    question = asked.headers["Location"]

    wrong = await desk.visitor.send(question, "/app/verify", password="not it", next=f"{page}?a=1")
    assert question == f"/app/verify?next={page}%3Fa%3D1"
    assert (wrong.status_code, "not your password" in wrong.text) == (400, True)
    assert await count_keys(owner, cast) == before

    back = await desk.visitor.send(question, "/app/verify", password=PASSWORD, next=f"{page}?a=1")
    made = await desk.send("get-started", "get-started/key")
    assert back.headers["Location"] == f"{page}?a=1"
    assert (made.status_code, made.headers["Location"]) == (303, page)
    assert await count_keys(owner, cast) == before + 1


async def test_a_part_of_a_page_leads_the_whole_page_there(desk: Desk, owner: Tx) -> None:
    await age_session(owner, desk)
    page = desk.path("get-started")
    token = TOKEN.findall((await desk.visitor.get(page)).text)[0]
    headers = {**HERE, "HX-Request": "true", "HX-Current-URL": f"http://help.test{page}"}
    answer = await desk.visitor.client.post(f"{page}/key", data={"form-token": token}, headers=headers)

    assert (answer.status_code, answer.headers["HX-Redirect"]) == (403, f"/app/verify?next={page}")


async def test_who_has_no_password_signs_in_again_in_their_own_way(desk: Desk) -> None:
    page = (await desk.visitor.get("/app/verify?next=/app/account")).text

    # A new session counts as a proof.
    assert 'href="/sign-in/passkey?next=/app/account"' in page


async def test_the_password_is_not_guessed_there(desk: Desk) -> None:
    statuses = [
        (await desk.visitor.send("/app/verify", "/app/verify", password=f"guess {number}")).status_code
        for number in range(limits.MAX_SIGN_INS_PER_BROWSER + 1)
    ]

    assert statuses == [400] * limits.MAX_SIGN_INS_PER_BROWSER + [429]


@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example/"])
async def test_it_leads_nowhere_else(desk: Desk, path: str) -> None:
    answer = await desk.visitor.send("/app/verify", "/app/verify", password=PASSWORD, next=path)

    assert answer.headers["Location"] == "/app/"


@pytest.mark.parametrize(
    "action",
    [
        *(f"settings/{act}" for act in ("keys", "keys/revoke", "apps")),
        *(f"settings/widget/secret{act}" for act in ("", "/rotate")),
        *(f"settings/people{act}" for act in ("", "/role", "/disable", "/enable")),
        *(f"settings/webhooks{act}" for act in ("", "/x/rotate-secret", "/x/delete")),
        *(f"conversations/visitor/{act}" for act in ("export", "erase")),
    ],
)
async def test_dangerous_acts_ask_first(desk: Desk, owner: Tx, action: str) -> None:
    token = TOKEN.findall((await desk.get("settings/general")).text)[0]
    await age_session(owner, desk)
    answer = await desk.post(action, {"form-token": token})

    assert answer.headers["Location"].startswith("/app/verify?next=")
