"""Users of the dashboard: people of Acme, in browsers without scripts and in Chromium."""

import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager

import httpx2
import pytest
from fastapi import FastAPI
from playwright.async_api import Browser as Chromium
from playwright.async_api import Page

from instep.accounts.people.schemas import User
from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Role
from tests.support.cast import Api, Cast
from tests.support.chromium import Complaints, running_chromium
from tests.support.http import Response
from tests.support.installation import installed
from tests.support.review_desk import Shelf
from tests.support.sign_in import HERE, TOKEN, Browser, browser, sign_up


class Desk:
    """A signed-in person at the dashboard of one bot, with a browser that runs no scripts."""

    def __init__(self, visitor: Browser, user: User, slug: str) -> None:
        self.visitor = visitor
        self.user = user
        self.slug = slug

    def path(self, below: str) -> str:
        return f"/app/{self.slug}/{below}"

    async def get(self, below: str) -> Response:
        """Open a page of the bot."""
        return rendered(await self.visitor.get(self.path(below)))

    async def send(self, page: str, action: str, **fields: str | list[str]) -> Response:
        """Open a page of the bot and submit one of its forms; return the response."""
        token = re.search(TOKEN, (await self.get(page)).text)
        assert token is not None, "the page has no form"
        return await self.post(action, {"form-token": token[1], **fields})

    async def post(self, action: str, fields: Mapping[str, str | list[str]]) -> Response:
        return rendered(await self.visitor.client.post(self.path(action), data=dict(fields), headers=HERE))

    async def follow(self, answer: Response) -> Response:
        """The page that a response redirects to."""
        assert answer.status_code == 303, answer.text
        return rendered(await self.visitor.get(answer.headers["Location"]))


def rendered(answer: Response) -> Response:
    """The response, after a check that its template printed no macro in place of a value."""
    assert "&lt;Macro" not in answer.text
    return answer


@asynccontextmanager
async def desk_of(app: FastAPI, owner: Tx, workspace_id: str, slug: str, role: Role) -> AsyncIterator[Desk]:
    user = await sign_up(owner, workspace_id, role)
    async with browser(app) as visitor:
        assert (await visitor.sign_in(user.email)).status_code == 303
        yield Desk(visitor, user, slug)


@pytest.fixture
async def desk(app: FastAPI, api: Api, owner: Tx, cast: Cast) -> AsyncIterator[Desk]:
    """An owner of Acme at the dashboard of its first bot."""
    async with desk_of(app, owner, cast.acme.workspace_id, cast.acme.slug, Role.OWNER) as desk:
        yield desk


@pytest.fixture
async def editor(app: FastAPI, api: Api, owner: Tx, cast: Cast) -> AsyncIterator[Desk]:
    """An editor of Acme: a second person next to `desk`."""
    async with desk_of(app, owner, cast.acme.workspace_id, cast.acme.slug, Role.EDITOR) as desk:
        yield desk


@pytest.fixture
async def viewer(app: FastAPI, api: Api, owner: Tx, cast: Cast) -> AsyncIterator[Desk]:
    """A viewer of Acme, who may not change anything."""
    async with desk_of(app, owner, cast.acme.workspace_id, cast.acme.slug, Role.VIEWER) as desk:
        yield desk


@pytest.fixture
async def stranger(app: FastAPI, api: Api, owner: Tx, cast: Cast) -> AsyncIterator[Desk]:
    """An owner of Globex who tries the URLs of Acme's dashboard."""
    async with desk_of(app, owner, cast.globex.workspace_id, cast.acme.slug, Role.OWNER) as desk:
        yield desk


@pytest.fixture
def shelf(database: Database, owner: Tx, cast: Cast) -> Shelf:
    """Articles of Acme's first bot and drafts of them."""
    return Shelf(database, owner, cast.acme)


@pytest.fixture(scope="session")
def development_server(database_url: str) -> Iterator[str]:
    settings = {
        "INSTEP_DATABASE_URL": database_url,
        "INSTEP_MODEL_ALLOW": "127.0.0.0/8",
        "INSTEP_WEBHOOK_ALLOW": "127.0.0.0/8",
        # Tests decrypt and verify values that the server encrypts and signs.
        "INSTEP_SECRET_KEY": os.environ["INSTEP_SECRET_KEY"],
    }
    with installed(INSTEP_DEVELOPMENT="true", **settings) as installation:
        installation.serve("--no-jobs")
        yield installation.url


@pytest.fixture(scope="session")
async def system_chromium() -> AsyncIterator[Chromium]:
    async with running_chromium() as browser:
        yield browser


@pytest.fixture
def complaints() -> Complaints:
    """Errors and warnings that Chromium reports for this test's page."""
    return Complaints()


@pytest.fixture
async def tab(
    system_chromium: Chromium, development_server: str, complaints: Complaints
) -> AsyncIterator[Page]:
    """A page in a fresh profile, for paths of a real server."""
    async with await system_chromium.new_context(
        reduced_motion="reduce", base_url=development_server
    ) as profile:
        page = await profile.new_page()
        await complaints.watch(page)
        yield page


@pytest.fixture
async def signed_in_tab(tab: Page, development_server: str, owner: Tx, cast: Cast) -> Page:
    """An empty page in the profile of an owner of Acme who has signed in to a real server."""
    user = await sign_up(owner, cast.acme.workspace_id)
    # Earlier tests signed in from the same address, which may do so only 20 times a minute.
    await owner.execute("delete from rate_windows")
    async with httpx2.AsyncClient(base_url=development_server) as client:
        assert (await Browser(client).sign_in(user.email)).status_code == 303
        cookies = [(cookie.name, cookie.value) for cookie in client.cookies.jar]
    await tab.context.add_cookies(
        [{"name": name, "value": value or "", "url": development_server} for name, value in cookies]
    )
    return tab
