"""First run: the link that `serve` prints creates the first person and bot, once; nothing else can."""

import json
import re
from collections.abc import Iterator

import httpx2
import pytest

from instep.platform.core.embedded import EmbeddedPostgres
from tests.interfaces.dashboard.conftest import Desk
from tests.support.databases import create_database
from tests.support.http import Response
from tests.support.installation import Installation, installed
from tests.support.sign_in import HERE, PASSWORD, TOKEN

STEPS = {
    "company": "Nordwind",
    "email": "ada@nordwind.example",
    "password": PASSWORD,
    "name": "Nordwind Help",
    "slug": "",
    "language": "de",
}


@pytest.fixture
def installation(cluster: EmbeddedPostgres) -> Iterator[Installation]:
    """A server on an empty database."""
    with installed(INSTEP_DATABASE_URL=create_database(cluster, "first_run")) as installation:
        installation.serve("--no-jobs")
        yield installation


def links(installation: Installation) -> list[str]:
    """The setup links that the server has printed, newest last."""
    installation.until(lambda: "Instep is ready" in installation.last_words(), 30)
    lines = [json.loads(line) for line in installation.last_words().splitlines() if "is ready" in line]
    return [line["set_up"] for line in lines if "set_up" in line]


def submit(browser: httpx2.Client, page: Response, path: str, fields: dict[str, str]) -> Response:
    token = re.findall(TOKEN, page.text)[0]
    return browser.post(path, data={"form-token": token, **fields}, headers=HERE)


def test_the_link_of_a_new_installation_leads_to_the_first_bot_and_its_key(
    installation: Installation,
) -> None:
    [link] = links(installation)
    token = {"token": link.partition("token=")[2]}
    with (
        httpx2.Client(base_url=installation.url) as browser,
        httpx2.Client(base_url=installation.url) as late,
    ):
        page, late_page = browser.get(link), late.get(link)
        weak = submit(browser, page, "/app/setup", {**STEPS, **token, "password": "password12345"})
        bad_slug = submit(browser, page, "/app/setup", {**STEPS, **token, "slug": "Not A Slug"})
        answer = submit(browser, page, "/app/setup", {**STEPS, **token})
        started = browser.get(answer.headers["Location"])
        second = submit(late, late_page, "/app/setup", {**STEPS, **token, "email": "bob@nordwind.example"})

        assert page.status_code == 200
        assert page.headers["Cache-Control"] == "no-store"
        assert (weak.status_code, "easy to guess" in weak.text) == (400, True)
        assert (bad_slug.status_code, "joined by hyphens" in bad_slug.text) == (400, True)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/app/nordwind-help/get-started")
        assert (started.status_code, second.status_code) == (200, 404)
        assert (browser.get(link).status_code, late.get("/app/account").status_code) == (404, 303)

        made = submit(browser, started, "/app/nordwind-help/get-started/key", {})
        shown, again = browser.get(made.headers["Location"]), browser.get(made.headers["Location"])
        [key] = set(re.findall(r"isk_[0-9A-Za-z]{36}", shown.text))
        assert "isk_" in again.text
        assert key not in again.text
        with httpx2.Client(base_url=installation.url, headers={"Authorization": f"Bearer {key}"}) as client:
            assert client.post("/v1/articles", json={"title": "A", "contentMarkdown": "b"}).status_code == 201
            [bot] = client.get("/v1/bots").json()["results"]
        later = browser.get(answer.headers["Location"])
        assert ("and empty" in started.text, "and empty" in later.text) == (True, False)
        assert bot["slug"] == "nordwind-help"

    # Once a person exists, another start prints no link.
    installation.running[-1].terminate()
    installation.running[-1].wait()
    installation.serve("--no-jobs")
    assert len(links(installation)) == 1
    [user] = installation.run("user", "list")["results"]
    assert (user["email"], user["role"]) == ("ada@nordwind.example", "owner")


async def test_only_an_owner_creates_the_key(desk: Desk, editor: Desk, viewer: Desk) -> None:
    assert "Create key" in (await desk.get("get-started")).text
    assert "Create key" not in (await editor.get("get-started")).text
    assert (await viewer.get("get-started")).status_code == 403
    assert (await editor.send("get-started", "get-started/key")).status_code == 403
    assert (await desk.post("get-started/key", {"form-token": ""})).status_code == 403
