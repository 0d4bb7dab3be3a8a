"""Where `/app/` leads: to the review of a bot of the person's own workspace."""

import secrets

from fastapi import FastAPI

from instep.core.database import Tx
from tests.dashboard.conftest import Desk
from tests.support.cast import Api, Cast, Rows
from tests.support.sign_in import browser, sign_up


async def test_the_first_page_is_the_review_of_the_first_bot(desk: Desk, cast: Cast) -> None:
    answer = await desk.visitor.get("/app/")

    assert answer.headers["Location"] == f"/app/{cast.acme.slug}/review"


async def test_a_bot_of_another_workspace_is_not_remembered(desk: Desk, cast: Cast) -> None:
    desk.visitor.client.cookies.set("instep-bot", cast.globex.slug)
    answer = await desk.visitor.get("/app/")

    assert answer.headers["Location"] == f"/app/{cast.acme.slug}/review"


async def test_a_workspace_without_a_bot_says_how_to_make_one(app: FastAPI, api: Api, owner: Tx) -> None:
    rows, workspace_id = Rows(), f"ws_{secrets.token_hex(8)}"
    rows.workspaces.append({"id": workspace_id, "name": "Empty"})
    await rows.insert(owner)
    user = await sign_up(owner, workspace_id)
    async with browser(app) as visitor:
        await visitor.sign_in(user.email)
        answer = await visitor.get("/app/")

    assert (answer.status_code, "instep bot create" in answer.text) == (200, True)
