"""Reads the events of a workspace and checks each body against the API description."""

import json
from typing import Any

from instep.platform.core.database import Tx
from tests.support.api_document import document, validator
from tests.support.cast import Company, Json

BODIES = """
    select {} from events e join deliveries d on d.event_id = e.id
    where e.workspace_id = %(workspace)s and (%(webhook)s::text is null or d.endpoint_id = %(webhook)s)
"""


async def heard(owner: Tx, company: Company, webhook: Json | None = None) -> list[Json]:
    """The bodies of all deliveries in the order of the changes, for one endpoint or the whole workspace."""
    rows = await owner.value(
        BODIES.format("array_agg(e.body order by e.created_at, e.id)"),
        workspace=company.workspace_id,
        webhook=webhook and webhook["id"],
    )
    bodies: list[Json] = [json.loads(row) for row in rows or ()]
    for body in bodies:
        if body["type"] != "webhook.test":
            schema_of(body["type"]).validate(body)
    return bodies


async def kinds(owner: Tx, company: Company, webhook: Json | None = None) -> list[str]:
    return [body["type"] for body in await heard(owner, company, webhook)]


async def forget(owner: Tx, company: Company) -> None:
    """Delete the events so far."""
    await owner.execute("delete from events where workspace_id = %(id)s", id=company.workspace_id)


def told(body: Json) -> tuple[str, Json, Json]:
    """The event's type, object and previous attributes, after a check of its envelope."""
    assert body.keys() == {"id", "type", "createdAt", "botId", "actor", "data"}
    assert body["data"].keys() == {"object", "previousAttributes"}
    assert body["actor"].keys() == {"type", "name"}
    return body["type"], body["data"]["object"], body["data"]["previousAttributes"]


def before(old: Json, new: Json) -> Json:
    """The `previousAttributes` of the change from one state to another."""
    assert old.keys() == new.keys()
    return {name: value for name, value in old.items() if new[name] != value}


def schema_of(kind: str) -> Any:
    request = document()["webhooks"][kind]["post"]["requestBody"]
    return validator(request["content"]["application/json"]["schema"])
