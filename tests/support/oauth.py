"""Helpers to connect apps: a person with a browser, and an app with its requests and tokens."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
import pytest
from fastapi import FastAPI

from instep.accounts.oauth.actions import challenge_of
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from instep.platform.identity.sessions import new_token
from tests.support.cast import Client, Company, Json
from tests.support.http import Response, body_of, stranger
from tests.support.sign_in import HERE, TOKEN, fresh_email

SITE = "http://help.test"
RESOURCE = f"{SITE}/mcp/admin"
HOME = "http://127.0.0.1:3000/callback"
READ, BOTH = "content:read", "content:read content:write"
ROLES = pytest.mark.parametrize("role", list(Role))


async def member(owner: Tx, company: Company, role: Role = Role.EDITOR) -> Person:
    """A member of the company without a password: no test here signs in with one."""
    person = Person(new_id("per"), company.workspace_id, fresh_email(), role)
    await owner.execute(
        "with person as (insert into people (id, email) values (%(id)s, %(email)s) returning id) "
        "insert into memberships (workspace_id, person_id, role) "
        "select %(workspace)s, person.id, %(role)s from person",
        id=person.id,
        workspace=person.workspace_id,
        email=person.email,
        role=role.value,
    )
    return person


async def begin_session(owner: Tx, person: Person) -> str:
    """Start a session for the person and return the value of its cookie."""
    token = new_token()
    await owner.execute(
        "insert into sessions (token_hash, workspace_id, person_id, id) "
        "values (%(token)s, %(workspace)s, %(id)s, %(session)s)",
        token=hash_key(token),
        session=new_id("ses"),
        workspace=person.workspace_id,
        id=person.id,
    )
    return token


@asynccontextmanager
async def browser_of(app: FastAPI, owner: Tx, person: Person) -> AsyncIterator[Client]:
    """The person's browser, signed in."""
    token = await begin_session(owner, person)
    transport = httpx2.ASGITransport(app)
    cookies = {"instep-session": token}
    async with httpx2.AsyncClient(transport=transport, base_url=SITE, cookies=cookies) as browser:
        yield browser


@dataclass
class Request:
    """An app's well-formed authorization request; `without` and `but` modify it."""

    client_id: str
    redirect_uri: str = HOME
    scope: str | None = READ
    state: str = "s t&a=t#e"
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def fields(self, **but: Any) -> dict[str, str]:
        body = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": self.scope,
            "state": self.state,
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "resource": RESOURCE,
        }
        return {name: value for name, value in (body | but).items() if value is not None}

    def path(self, **but: Any) -> str:
        return "/oauth/authorize?" + urlencode(self.fields(**but))

    def redemption(self, code: str, /, **but: Any) -> dict[str, str]:
        body = {
            "grant_type": "authorization_code",
            "client_id": self.client_id,
            "code": code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier,
            "resource": RESOURCE,
        }
        return {name: value for name, value in (body | but).items() if value is not None}


async def register(app: Client, *redirect_uris: str, **fields: Any) -> str:
    metadata = {"client_name": "Claude", "redirect_uris": list(redirect_uris or [HOME]), **fields}
    answer = await app.post("/oauth/register", json=metadata)
    assert answer.status_code == 201, answer.text
    client_id: str = body_of(answer)["client_id"]
    return client_id


async def decide(browser: Client, request: Request, decision: str = "allow", **form: str) -> dict[str, str]:
    """Open the consent page, answer it, and return what the app receives."""
    page = await browser.get(request.path())
    assert page.status_code == 200, page.text
    body = {"scope": "content:write" if "write" in (request.scope or "") else READ} | form
    return told(await submit(browser, page, request.path(), decision=decision, **body), request.redirect_uri)


async def submit(browser: Client, page: Response, path: str, **form: str) -> Response:
    tokens = set(TOKEN.findall(page.text))
    return await browser.post(path, data={"form-token": tokens.pop(), **form}, headers=HERE)


def told(answer: Response, redirect_uri: str = HOME) -> dict[str, str]:
    """The parameters that the redirect passes to the app."""
    assert answer.status_code == 303, answer.text
    location = answer.headers["Location"]
    assert location.startswith(redirect_uri), location
    return dict(parse_qsl(urlsplit(location).query))


async def redeem(app: Client, request: Request, code: str, /, **but: Any) -> Response:
    return await app.post("/oauth/token", data=request.redemption(code, **but))


async def refresh(app: Client, client_id: str, token: str, **but: str) -> Response:
    body = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": token} | but
    return await app.post("/oauth/token", data=body)


async def connect(browser: Client, app: Client, asks: str = READ, **form: str) -> tuple[str, Json]:
    """Register an app and let the person connect it; return the app's id and tokens."""
    request = Request(await register(app), scope=asks)
    answer = await redeem(app, request, (await decide(browser, request, **form))["code"])
    assert answer.status_code == 200, answer.text
    return request.client_id, body_of(answer)


async def connect_somebody(app: FastAPI, owner: Tx, company: Company) -> Json:
    """The tokens of an app that a member of the company has connected."""
    person = await member(owner, company)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        return (await connect(browser, client))[1]


def refusal(answer: Response) -> tuple[int, str]:
    """The status and the error code; the body must follow OAuth, and the response must not be cacheable."""
    body = body_of(answer)
    assert body.keys() == {"error", "error_description"}
    assert body["error_description"].strip()
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status_code, body["error"]
