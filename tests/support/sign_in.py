"""Helpers to sign people in: accounts, and a browser that keeps cookies and submits forms."""

import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from fastapi import FastAPI

from instep.accounts.people import actions
from instep.accounts.people.schemas import User
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Role
from tests.support.http import Response

PASSWORD = "four words nobody connects"
SIGNING_KEY = b"what signs cookies while tests run"
OTHER_PASSWORD = "another row of strange words"
TOKEN = re.compile(r'name="form-token" value="(\w+)"')
HERE = {"Sec-Fetch-Site": "same-origin"}


def fresh_email(name: str = "ann") -> str:
    """An address that no other account has: addresses are unique in the whole installation."""
    return f"{name}-{secrets.token_hex(6)}@acme.example"


async def sign_up(owner: Tx, workspace_id: str, role: Role = Role.OWNER, email: str | None = None) -> User:
    return await actions.create_user(owner, workspace_id, email or fresh_email(), role, PASSWORD)


class Browser:
    """A person's browser, with its own IP address."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client

    async def get(self, path: str) -> Response:
        return await self.client.get(path)

    async def send(self, page: str, path: str, **fields: str) -> Response:
        """Open a page and submit its form."""
        [token] = set(TOKEN.findall((await self.get(page)).text))
        return await self.client.post(path, data={"form-token": token, **fields}, headers=HERE)

    async def sign_in(self, email: str, password: str = PASSWORD, next: str = "/app/") -> Response:
        return await self.send("/sign-in", "/sign-in", email=email, password=password, next=next)


@asynccontextmanager
async def browser(
    app: FastAPI, address: str | None = None, site: str = "http://help.test"
) -> AsyncIterator[Browser]:
    client_address = address or f"203.0.113.{secrets.randbelow(256)}:{secrets.token_hex(4)}"
    transport = httpx2.ASGITransport(app, client=(client_address, 1))
    async with httpx2.AsyncClient(transport=transport, base_url=site) as client:
        yield Browser(client)


async def is_signed_in(visitor: Browser) -> bool:
    answer = await visitor.get("/app/connected-apps")
    assert answer.status_code in (200, 303)
    return answer.status_code == 200
