"""Dangerous actions ask for the password first, then return to the page; nothing is done before that."""

import re
from datetime import timedelta

import pytest

from instep.interfaces.dashboard.pages import routes
from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client
from tests.support.http import created, ok
from tests.support.sign_in import HERE, PASSWORD, TOKEN

OLD = limits.RECENT_SIGN_IN_TTL + timedelta(seconds=5)
ROOT = "/app/{bot_slug}/"
SEGMENT = re.compile(r"\{\w+\}")
SETTINGS_ACTS = {
    route.path.removeprefix(ROOT)
    for route in routes
    if route.path.startswith(f"{ROOT}settings") and "POST" in (route.methods or ())
}
# Every settings form is dangerous unless it is listed here with a reason.
HARMLESS_ACTS = {
    "settings/general": "a name and a language",
    "settings/bots": "a new help center holds nothing and nobody may ask it yet",
    "settings/pause": "it protects, and Resume takes it back",
    "settings/resume": "it gives nobody more than before the pause",
    "settings/site": "a color",
    "settings/site/domain/check": "it looks a record of the DNS up",
    "settings/site/frame": "it is content, as articles are",
    "settings/widget/origins/remove": "it only takes a right away",
    "settings/webhooks/{webhook_id}/stop": "it only takes away",
    "settings/webhooks/{webhook_id}/start": "the address stays the same",
    "settings/webhooks/{webhook_id}/test": "a test event holds nothing of visitors",
    "settings/webhooks/{webhook_id}/redeliver": "the address stays the same",
    "settings/repositories/{repository_id}": "it only chooses among pull requests",
    "settings/repositories/{repository_id}/send": "the same pull request becomes a draft again",
    "settings/repositories/{repository_id}/remove": "it only takes away",
    "settings/repositories/apps/{host_id}": "the app can already read these repositories",
    "settings/repositories/apps/{host_id}/forget": "it only takes away",
    "settings/alerts/test": "a test holds nothing of visitors",
    "settings/email/test": "the test goes to the owner and holds nothing of visitors",
    "settings/model/test": "it asks one small question within the budget",
    "settings/model/forget": "it ends what a provider gets",
    "settings/alerts/remove": "it only takes away",
    "settings/people/revoke": "it only takes a right away",
    "settings/reviews": "it only reminds, and dismissed drafts can come back",
    "settings/reviews/collections": "it only asks people who already may review",
    "settings/reviews/labels": "it only asks nobody",
    "settings/reviews/remove": "it only takes away",
    **dict.fromkeys(
        ("settings/versions", "settings/versions/change", "settings/versions/remove"),
        "it is content, and editors may do it",
    ),
    "settings/redirects": "it is content, and editors may do it",
    "settings/redirects/remove": "it is content, and editors may do it",
    **dict.fromkeys(
        ("settings/style", "settings/style/rules", "settings/style/starters", "settings/style/terms"),
        "it is about how texts are written, and editors may do it",
    ),
    "settings/synonyms": "it is content, and editors may do it",
    "settings/suppressed": "it only lets drafts come to the review again",
}
DANGEROUS_ACTS = ["conversations/visitor/export", "conversations/visitor/erase"]


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


async def test_person_without_a_password_confirms_by_signing_in_again(desk: Desk) -> None:
    page = (await desk.visitor.get("/app/verify?next=/app/account")).text

    # A new sign-in counts as confirmation.
    assert 'href="/sign-in/passkey?next=/app/account"' in page


async def test_the_password_is_not_guessed_there(desk: Desk) -> None:
    statuses = [
        (await desk.visitor.send("/app/verify", "/app/verify", password=f"guess {number}")).status_code
        for number in range(limits.MAX_SIGN_INS_PER_BROWSER + 1)
    ]

    assert statuses == [400] * limits.MAX_SIGN_INS_PER_BROWSER + [429]


@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example/"])
async def test_confirmation_leads_to_no_other_site(desk: Desk, path: str) -> None:
    answer = await desk.visitor.send("/app/verify", "/app/verify", password=PASSWORD, next=path)

    assert answer.headers["Location"] == "/app/"


@pytest.mark.parametrize("action", sorted(SETTINGS_ACTS) + DANGEROUS_ACTS)
async def test_an_old_session_is_asked_first_but_for_what_is_harmless(
    desk: Desk, owner: Tx, action: str
) -> None:
    token = TOKEN.findall((await desk.get("settings/general")).text)[0]
    await age_session(owner, desk)
    answer = await desk.post(SEGMENT.sub("x", action), {"form-token": token})

    is_asked = answer.headers.get("Location", "").startswith("/app/verify?next=")
    assert is_asked is (action not in HARMLESS_ACTS), answer.status_code


def test_every_harmless_act_exists() -> None:
    assert HARMLESS_ACTS.keys() <= SETTINGS_ACTS


async def test_another_address_of_a_webhook_is_saved_only_after_the_proof(
    desk: Desk, owner: Tx, wide: Client
) -> None:
    new = {"url": "https://93.184.215.14/hook", "events": ["lead.created"]}
    webhook = created(await wide.post("/v1/webhooks", json=new))
    page = f"settings/webhooks/{webhook['id']}"
    change = {"url": "https://93.184.215.14/other", "description": "", "events": "lead.created"}
    await age_session(owner, desk)

    asked = await desk.send(page, page, **change)
    assert asked.headers["Location"].startswith("/app/verify?next=")
    assert ok(await wide.get(f"/v1/webhooks/{webhook['id']}"))["url"] == new["url"]

    proof = asked.headers["Location"]
    back = await desk.visitor.send(proof, "/app/verify", password=PASSWORD, next=desk.path(page))
    assert "Almost done" not in (await desk.get("articles")).text
    assert "Almost done" in (await desk.follow(back)).text
    await desk.send(page, page, **change)
    assert ok(await wide.get(f"/v1/webhooks/{webhook['id']}"))["url"] == change["url"]
