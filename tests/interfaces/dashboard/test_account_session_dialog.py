"""If a session ends while someone writes, they sign in on the same page and nothing is lost."""

import pytest
from fastapi import FastAPI
from playwright.async_api import Page, expect

from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Api, Cast
from tests.support.chromium import Complaints
from tests.support.second_factors import add_authenticator
from tests.support.sign_in import HERE, PASSWORD, TOKEN, browser, is_signed_in, sign_up

SAMPLE = "/app/_parts/session"
PART = {"HX-Request": "true", "HX-Current-URL": "http://help.test/app/account", **HERE}


async def test_a_part_for_nobody_is_refused_with_what_opens_the_dialog(app: FastAPI, api: Api) -> None:
    async with browser(app) as ann:
        answer = await ann.client.get("/app/account", headers=PART)
        whole = await ann.get("/sign-in/dialog")

    assert (answer.status_code, answer.text) == (401, "")
    assert (answer.headers["HX-Trigger"], answer.headers["HX-Reswap"]) == ("instep-signed-out", "none")
    assert "HX-Redirect" not in answer.headers
    assert whole.headers["Location"] == "/sign-in"


async def test_the_dialog_signs_in_and_tells_the_token_of_the_forms(desk: Desk, owner: Tx) -> None:
    visitor, email = desk.visitor, desk.user.email
    await owner.execute("delete from sessions where person_id = %(id)s", id=desk.user.id)
    part = await visitor.client.get(f"/sign-in/dialog?email={email}", headers=PART)
    [token] = TOKEN.findall(part.text)
    assert email in part.text
    fields = {"form-token": token, "email": email}
    wrong = await visitor.client.post("/sign-in/dialog", data={**fields, "password": "x"}, headers=PART)
    answer = await visitor.client.post("/sign-in/dialog", data={**fields, "password": PASSWORD}, headers=PART)

    assert (wrong.status_code, "don&#39;t match" in wrong.text) == (401, True)
    assert (answer.status_code, answer.text) == (204, "")
    assert await is_signed_in(visitor)
    sent = await visitor.client.post(
        "/app/account/sessions",
        data={"form-token": answer.headers["Instep-Form-Token"], "id": "others"},
        headers=HERE,
    )
    assert sent.status_code == 303


@pytest.fixture
async def writing_tab(tab: Page, development_server: str, owner: Tx, cast: Cast) -> tuple[Page, str]:
    """The page of a person whose session ended while they were writing, and the person's id."""
    user = await sign_up(owner, cast.acme.workspace_id)
    await tab.goto(f"{development_server}/sign-in?next={SAMPLE}")
    await tab.get_by_label("Email").fill(user.email)
    await tab.get_by_label("Password").fill(PASSWORD)
    await tab.get_by_role("button", name="Sign in").click()
    await tab.get_by_label("Text").fill("An hour of work")
    await owner.execute("delete from sessions where person_id = %(id)s", id=user.id)
    await tab.get_by_role("button", name="Save").click()
    return tab, user.id


async def test_the_text_is_saved_after_signing_in_in_the_dialog(
    writing_tab: tuple[Page, str], complaints: Complaints
) -> None:
    tab, _ = writing_tab
    dialog = tab.get_by_role("dialog", name="Sign in")
    await dialog.get_by_label("Password").fill("not the password")
    await dialog.get_by_role("button", name="Sign in").click()
    await expect(dialog.get_by_text("don't match")).to_be_visible()
    await dialog.get_by_label("Password").fill(PASSWORD)
    await dialog.get_by_role("button", name="Sign in").click()

    await expect(tab.get_by_text("Saved: An hour of work")).to_be_visible()
    await expect(dialog).to_be_hidden()
    # The page's forms belong to the new session.
    await tab.get_by_label("Text").fill("More")
    await tab.get_by_role("button", name="Save").click()
    await expect(tab.get_by_text("Saved: More")).to_be_visible()
    assert complaints.policy_violations == []


async def test_closed_dialog_keeps_the_text_and_opens_again(writing_tab: tuple[Page, str]) -> None:
    tab, _ = writing_tab
    dialog = tab.get_by_role("dialog", name="Sign in")
    await dialog.get_by_role("button", name="Not now").click()
    await expect(dialog).to_be_hidden()
    await expect(tab.get_by_label("Text")).to_have_value("An hour of work")

    await tab.get_by_role("button", name="Save").click()
    await dialog.get_by_label("Password").fill(PASSWORD)
    await dialog.get_by_label("Password").press("Enter")
    await expect(tab.get_by_text("Saved: An hour of work")).to_be_visible()


async def test_a_second_factor_is_asked_for_in_the_dialog_too(
    tab: Page, development_server: str, owner: Tx, cast: Cast
) -> None:
    user = await sign_up(owner, cast.acme.workspace_id)
    await tab.goto(f"{development_server}/sign-in?next={SAMPLE}")
    await tab.get_by_label("Email").fill(user.email)
    await tab.get_by_label("Password").fill(PASSWORD)
    await tab.get_by_role("button", name="Sign in").click()
    await tab.get_by_label("Text").fill("Work")
    await owner.execute("delete from sessions where person_id = %(id)s", id=user.id)
    codes = (await add_authenticator(owner, user))[1]
    await tab.get_by_role("button", name="Save").click()
    dialog = tab.get_by_role("dialog", name="Sign in")
    await dialog.get_by_label("Password").fill(PASSWORD)
    await dialog.get_by_role("button", name="Sign in").click()
    await dialog.get_by_label("Code").fill(codes[0])
    await dialog.get_by_role("button", name="Sign in").click()

    await expect(tab.get_by_text("Saved: Work")).to_be_visible()
