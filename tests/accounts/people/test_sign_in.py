"""/sign-in: who can sign in, where they go next, and that everyone else learns nothing."""

import time
from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI

from instep.accounts.people import actions, passwords
from instep.accounts.people.schemas import Attempt, User
from instep.app import put_into
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.runtime import Runtime
from tests.support.cast import Api, Cast
from tests.support.sign_in import HERE, PASSWORD, SIGNING_KEY, browser, fresh_email, is_signed_in, sign_up
from tests.support.site_pages import Page


async def test_signing_in_returns_to_the_requested_page(user: User, app: FastAPI, api: Api) -> None:
    async with browser(app) as ann:
        redirect = await ann.get("/app/connected-apps?x=1&y=/z")
        form = await ann.get(redirect.headers["Location"])
        answer = await ann.send(
            redirect.headers["Location"],
            "/sign-in",
            email=f" {user.email.upper()} ",
            password=PASSWORD,
            next="/app/connected-apps?x=1&y=/z",
        )
        page = await ann.get(answer.headers["Location"])

    assert (redirect.status_code, answer.status_code) == (303, 303)
    assert 'value="/app/connected-apps?x=1&amp;y=/z"' in form.text
    assert answer.headers["Location"] == "/app/connected-apps?x=1&y=/z"
    assert (page.status_code, user.email in page.text) == (200, True)
    assert page.headers["Cache-Control"] == "no-store"


async def test_the_session_is_a_cookie_that_scripts_and_other_sites_do_not_get(
    app: FastAPI, api: Api, owner: Tx, user: User, database: Database
) -> None:
    encrypted = settings().model_copy(update={"site_url": "https://help.test"})
    for site, prefix, ending in (
        ("http://help.test", "", "HttpOnly; Path=/; SameSite=lax"),
        ("https://help.test", "__Host-", "HttpOnly; Path=/; SameSite=lax; Secure"),
    ):
        used = encrypted if site.startswith("https") else settings()
        put_into(app, Runtime(used, database, b"a key for the cursors of the tests"))
        async with browser(app, site=site) as ann:
            answer = await ann.sign_in(user.email)
            cookies = {cookie.partition("=")[0]: cookie for cookie in answer.headers.get_list("Set-Cookie")}
            session, browser_cookie = cookies[f"{prefix}instep-session"], cookies[f"{prefix}instep-browser"]
            assert session.partition("; ")[2] == ending
            assert browser_cookie.partition("; ")[2] == ending.replace(
                "Path", f"Max-Age={180 * 86_400}; Path"
            )
            token = session.partition("=")[2].partition(";")[0]
            assert await is_signed_in(ann)
        token_hash = await owner.value(
            "select string_agg(s::text, ' ') from sessions s where person_id = %(id)s", id=user.id
        )
        assert token not in token_hash


@pytest.mark.parametrize(
    "path",
    [
        *("//evil.example", "/\\evil.example", "https://evil.example/", "javascript:alert(1)", "/a\tb"),
        *("", "x", "/%09/evil.example/\\@x", "/" + "a" * limits.MAX_NEXT_PATH_CHARACTERS),
    ],
)
async def test_no_address_leads_away_after_signing_in(user: User, app: FastAPI, api: Api, path: str) -> None:
    async with browser(app) as ann:
        answer = await ann.sign_in(user.email, next=path)

    assert answer.headers["Location"] == "/app/"


async def test_a_wrong_password_and_nobodys_address_are_told_in_the_same_words(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, user: User
) -> None:
    disabled = await sign_up(owner, cast.acme.workspace_id)
    await actions.disable_user(owner, cast.acme.workspace_id, disabled.email)
    sentences = set()
    async with browser(app) as ann:
        for email, password in (
            (user.email, "not the password at all"),
            (disabled.email, PASSWORD),
            (fresh_email("nobody"), PASSWORD),
            (user.email, ""),
            (user.email, PASSWORD + "x" * 300),
            ("\0", PASSWORD),
        ):
            answer = await ann.sign_in(email, password)
            assert (answer.status_code, await is_signed_in(ann)) == (401, False)
            sentences.add(answer.text.replace(f'value="{email}"', ""))

    assert len({text.split("form-token")[0] for text in sentences}) == 1
    assert all("don&#39;t match" in text for text in sentences)


async def test_sign_in_error_belongs_to_the_focused_field(app: FastAPI, user: User) -> None:
    async with browser(app) as ann:
        form = Page((await ann.get("/sign-in")).text)
        refusal = Page((await ann.sign_in(user.email, "not the password at all")).text)

    assert ["autofocus" in field for field in visible_fields(form)] == [True, False]
    email, password = visible_fields(refusal)
    assert (email["autocomplete"], password["autocomplete"]) == ("username", "current-password")
    assert ("autofocus" in email, "autofocus" in password) == (False, True)
    assert (email.get("aria-invalid"), password["aria-invalid"]) == (None, "true")
    [error] = [attrs for _, attrs in refusal.tags if attrs.get("id") == password["aria-describedby"]]
    assert error["class"] == "error"
    labels = {label["for"] for label in refusal.attributes("label")}
    assert {email["id"], password["id"]} == labels


def visible_fields(page: Page) -> list[dict[str, str | None]]:
    return [field for field in page.attributes("input") if field["type"] != "hidden"]


@pytest.fixture
def costly_passwords(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use the product's slow password hashes; other tests use fast ones."""
    monkeypatch.setattr(passwords, "HASHER", PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1))
    passwords.dummy_hash.cache_clear()
    yield
    passwords.dummy_hash.cache_clear()


async def test_nobodys_address_takes_as_long_as_somebodys(
    costly_passwords: None, user: User, api: Api, database: Database
) -> None:
    async def seconds(email: str, address: str) -> float:
        began = time.perf_counter()
        with pytest.raises(actions.SignInFailed):
            await actions.sign_in(database, SIGNING_KEY, Attempt(email, "not the password at all", address))
        return time.perf_counter() - began

    await seconds(user.email, "warm")
    somebody = [await seconds(user.email, f"{fresh_email()}") for _ in range(9)]
    nobody = [await seconds(fresh_email(), f"{fresh_email()}") for _ in range(9)]

    # Checking a password takes about 30 ms; without the check, the response would take 2 ms.
    assert min(nobody) > 0.5 * min(somebody)


async def test_a_form_of_another_site_signs_nobody_in_or_out(user: User, app: FastAPI, api: Api) -> None:
    fields = {"email": user.email, "password": PASSWORD}
    async with browser(app) as ann, browser(app) as other:
        stolen = (await other.get("/sign-in")).text.split('form-token" value="')[1].split('"')[0]
        own_token = (await ann.get("/sign-in")).text.split('form-token" value="')[1].split('"')[0]
        for token, headers in (
            (own_token, {"Sec-Fetch-Site": "cross-site"}),
            (own_token, {"Sec-Fetch-Site": "same-site"}),
            (own_token, {"Origin": "https://evil.example"}),
            (own_token, {"Origin": "null"}),
            (stolen, HERE),
            ("", HERE),
        ):
            answer = await ann.client.post("/sign-in", data={"form-token": token, **fields}, headers=headers)
            assert (answer.status_code, await is_signed_in(ann)) == (403, False)
            assert "session" not in answer.text
        sent_as_json = await ann.client.post(
            "/sign-in", json={"form-token": own_token, **fields}, headers=HERE
        )
        assert sent_as_json.status_code == 400
        assert (await ann.sign_in(user.email)).status_code == 303
        forged = await ann.client.post("/sign-out", data={"form-token": own_token}, headers=HERE)
        assert (forged.status_code, await is_signed_in(ann)) == (403, True)
        again = await ann.client.post("/sign-in", data={"form-token": stolen, **fields}, headers=HERE)
        assert (again.status_code, "belongs to an earlier session" in again.text) == (403, True)


async def test_typed_markup_is_shown_as_text(app: FastAPI, api: Api) -> None:
    async with browser(app) as ann:
        answer = await ann.sign_in('"><script>alert(1)</script>', "x", next='/"><script>')

    assert "<script" not in answer.text
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "script-src" not in answer.headers["Content-Security-Policy"]
