"""Helpers for tests of places."""

from collections.abc import Collection
from typing import Any

from instep.drafting.places.schemas import NewPlace, PlaceSource
from instep.drafting.places.storing import store_places
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from tests.support.cast import Client, Company, Json
from tests.support.changes import publish, send
from tests.support.http import body_of, ok

URL = "https://git.test/acme/pull/7"
TEXT = "# Exports\n\nCSV or JSON.\n\n## Schedule exports\n\nA scheduled export runs at night.\n"
LABEL = "<label>Pause the scheduled export</label>"
REASON = "The change adds “Pause the scheduled export”, which this section does not name."


def new_place(article_id: str, **fields: Any) -> NewPlace:
    """A place in the article about exports."""
    evidence = {
        "file": "app/export.html",
        "start_line": 2,
        "end_line": 2,
        "excerpt": LABEL,
        "article_line": 5,
    }
    values: dict[str, Any] = {
        "heading": "Schedule exports",
        "line": 5,
        "reason": REASON,
        "evidence": (evidence,),
        "key": "pause",
        "summary": "Words under “Schedule exports”",
    }
    return NewPlace(article_id, **{**values, **fields})


async def find_places(
    client: Client,
    database: Database,
    company: Company,
    *found: NewPlace,
    url: str | None = URL,
    title: str = "Pause scheduled exports",
    withdrawable: Collection[str] = (),
    **change: Any,
) -> Json:
    """Create a task whose change finds these places, as the writer would."""
    task = await send(client, url=url, title=title, diff=None, **change)
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        ctx = Ctx(tx, await find_bot(tx, company.bot_id), Actor("task", "Instep", can_write=True), utc_now())
        await store_places(ctx, task["id"], PlaceSource("pr", title, url), found, withdrawable)
    return body_of(await client.get(f"/v1/tasks/{task['id']}"))


async def open_place(client: Client, database: Database, company: Company) -> Json:
    """Create an article with one place and return the place."""
    article = await publish(client, "Exports", TEXT)
    await find_places(client, database, company, new_place(article["id"]))
    [place] = await waiting(client)
    return place


async def waiting(client: Client, **query: str) -> list[Json]:
    places: list[Json] = ok(await client.get("/v1/places", params=query))["results"]
    return places
