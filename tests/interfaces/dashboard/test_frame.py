"""`/app/` redirects to the review of a bot in the person's own workspace."""

import re
import secrets
from urllib.parse import urlsplit

from fastapi import FastAPI

from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Role
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Api, Cast, Client, Rows
from tests.support.http import create_article
from tests.support.sign_in import browser, sign_up


async def test_the_first_page_is_the_review_of_the_first_bot(desk: Desk, cast: Cast) -> None:
    answer = await desk.visitor.get("/app/")

    assert answer.headers["Location"] == f"/app/{cast.acme.slug}/review"


async def test_the_help_center_that_was_open_last_is_in_the_title_and_opens_again(
    desk: Desk, cast: Cast, owner: Tx
) -> None:
    slug = await owner.value("select slug from bots where id = %(bot)s", bot=cast.second_bot_id)
    page = await desk.visitor.get(f"/app/{slug}/articles")
    again = await desk.visitor.get("/app/")

    assert "<title>Articles · Acme second · Instep</title>" in page.text
    assert again.headers["Location"] == f"/app/{slug}/review"


async def test_every_page_leads_to_the_public_help_center(desk: Desk, api: Api) -> None:
    page = await desk.get("settings/general")

    link = re.search(r'href="([^"]+)">View help center', page.text)
    assert link is not None
    assert (await api(None).get(urlsplit(link[1]).path)).status_code == 200


async def test_sections_in_which_nothing_waits_have_no_number(desk: Desk, client: Client) -> None:
    empty = await desk.get("settings/general")
    await create_article(client)
    with_article = await desk.get("settings/general")

    assert re.findall(r'<span class="count">(\d+)', empty.text) == []
    assert re.findall(r'<span class="count">(\d+)', with_article.text) == ["1"]


async def test_a_bot_of_another_workspace_is_not_remembered(desk: Desk, cast: Cast) -> None:
    desk.visitor.client.cookies.set("instep-bot", cast.globex.slug)
    answer = await desk.visitor.get("/app/")

    assert answer.headers["Location"] == f"/app/{cast.acme.slug}/review"


async def test_an_owner_without_a_help_center_is_led_to_the_form_that_makes_one(
    app: FastAPI, api: Api, owner: Tx
) -> None:
    rows, workspace_id = Rows(), f"ws_{secrets.token_hex(8)}"
    rows.workspaces.append({"id": workspace_id, "name": "Empty"})
    await rows.insert(owner)
    user = await sign_up(owner, workspace_id)
    async with browser(app) as visitor:
        await visitor.sign_in(user.email)
        answer = await visitor.get("/app/")
        form = {"name": "Empty Help", "slug": "", "language": "de"}
        unnamed = await visitor.send("/app/new-help-center", "/app/new-help-center", **{**form, "name": ""})
        made = await visitor.send("/app/new-help-center", "/app/new-help-center", **form)
        started = await visitor.get(made.headers["Location"])

    assert (answer.status_code, 'href="/app/new-help-center"' in answer.text) == (200, True)
    assert (unnamed.status_code, 'role="alert"' in unnamed.text) == (400, True)
    assert made.headers["Location"].endswith("/get-started")
    assert (started.status_code, "Empty Help" in started.text) == (200, True)


async def test_an_editor_without_a_help_center_is_told_who_can_make_one(
    app: FastAPI, api: Api, owner: Tx
) -> None:
    rows, workspace_id = Rows(), f"ws_{secrets.token_hex(8)}"
    rows.workspaces.append({"id": workspace_id, "name": "Empty"})
    await rows.insert(owner)
    user = await sign_up(owner, workspace_id, Role.EDITOR)
    async with browser(app) as visitor:
        await visitor.sign_in(user.email)
        answer = await visitor.get("/app/")
        refused = await visitor.get("/app/new-help-center")

    assert "An owner" in answer.text
    assert (refused.status_code, 'href="/app/"' in refused.text) == (403, True)


async def test_an_address_without_a_page_leads_back_to_the_dashboard(desk: Desk) -> None:
    for path in (desk.path("nope"), "/app/nobody/review"):
        answer = await desk.visitor.get(path)
        assert (answer.status_code, 'href="/app/"' in answer.text) == (404, True)
