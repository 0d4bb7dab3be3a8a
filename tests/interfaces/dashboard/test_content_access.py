"""Access to the content pages, and the fields that their forms require."""

import re

import pytest
from starlette.routing import Route

from instep.interfaces.dashboard import content
from instep.interfaces.dashboard.pages import routes
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Api, Client
from tests.support.http import create_article, create_collection, created

GET, POST = "GET", "POST"


def below(route: Route) -> str:
    path = route.path.removeprefix("/app/{bot_slug}/")
    return path.replace("{step}", "up").replace("{question_id}", "gold_nothing")


CONTENT_ROUTES = [route for route in routes if route.endpoint.__module__.startswith(content.__name__)]
READING = [below(route) for route in CONTENT_ROUTES if GET in (route.methods or ())]
WRITING = [below(route) for route in CONTENT_ROUTES if POST in (route.methods or ())]


async def paths(client: Client, templates: list[str]) -> list[str]:
    """Paths of content pages with the ids of existing rows."""
    assert templates
    article_id = (await create_article(client))["id"]
    part = {"name": f"note-{article_id.partition('_')[2]}", "text": "Text"}
    rows = {
        "articles": article_id,
        "collections": (await create_collection(client))["id"],
        "parts": created(await client.post("/v1/parts", json=part))["id"],
        "changelog": created(
            await client.post("/v1/changelog/entries", json={"title": "New", "contentMarkdown": "Text"})
        )["id"],
    }
    return [path.replace("{id}", rows[re.split(r"\W", path)[0]]) for path in templates]


async def test_another_workspace_finds_nothing(stranger: Desk, client: Client) -> None:
    for path in await paths(client, READING):
        assert (await stranger.get(path)).status_code == 404, path
    token = await form_token(stranger)
    for path in await paths(client, WRITING):
        assert (await stranger.post(path, {"form-token": token})).status_code == 404, path


async def form_token(desk: Desk) -> str:
    token = re.search(
        r'name="form-token" value="(\w+)"', (await desk.visitor.get("/app/connected-apps")).text
    )
    assert token is not None
    return token[1]


async def test_a_viewer_changes_nothing(viewer: Desk, client: Client) -> None:
    token = await form_token(viewer)
    for path in await paths(client, WRITING):
        assert (await viewer.post(path, {"form-token": token})).status_code == 403, path


async def test_a_form_without_its_token_is_refused(desk: Desk, client: Client) -> None:
    for path in await paths(client, WRITING):
        assert (await desk.post(path, {"etag": "x"})).status_code == 403, path


async def test_without_a_session_a_page_asks_to_sign_in(desk: Desk, client: Client, api: Api) -> None:
    for path in await paths(client, READING):
        answer = await api(None).get(desk.path(path))
        assert answer.status_code == 303, path
        assert answer.headers["Location"].startswith("/sign-in?next="), path


@pytest.mark.parametrize("path", ["articles/art_0000000000000000000000000x", "articles/nothing/history"])
async def test_unknown_articles_get_404(desk: Desk, path: str) -> None:
    assert (await desk.get(path)).status_code == 404
