"""Helpers to call the answer API as a visitor's browser or a customer's server, and to read refusals."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from instep.accounts.workspaces.actions import change_origins
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Ctx
from instep.platform.web.visitors.route import VISITOR
from instep.visitors.answers.actions import begin_conversation
from tests.support.cast import Cast, Client, Company, Json
from tests.support.http import Response, body_of, created

LEADS = "/leads"
ANN = "ann@example.com"
SITE = "https://acme.example"


def credentials(company: Company) -> Json:
    return {"botId": str(company.bot_id), "botKey": company.bot_key}


async def second_bot(owner: Tx, cast: Cast) -> Company:
    """Acme with its second bot."""
    key = await owner.value("select bot_key from bots where id = %(id)s", id=cast.second_bot_id)
    return replace(cast.acme, bot_id=cast.second_bot_id, bot_key=key)


@asynccontextmanager
async def visiting(database: Database, company: Company) -> AsyncIterator[Ctx]:
    """The context of an authenticated visitor of this company's bot."""
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        yield Ctx(tx, await find_bot(tx, company.bot_id), VISITOR, utc_now())


async def begin(
    database: Database, company: Company, page_url: str | None = f"{SITE}/pricing", visitor: str = "ann"
) -> str:
    """Begin a conversation with this company's bot and return its id."""
    async with visiting(database, company) as ctx:
        return (await begin_conversation(ctx, visitor, "en", page_url)).id


def escalation(conversation_id: str) -> str:
    return f"/chat/{conversation_id}/escalate"


async def escalate(client: Client, company: Company, conversation_id: str, **sent: Any) -> Response:
    return await client.post(escalation(conversation_id), json={**credentials(company), **sent})


async def leave(client: Client, company: Company, **sent: Any) -> Json:
    body = {**credentials(company), "email": ANN, **sent}
    return created(await client.post(LEADS, json=body))


async def rate(client: Client, company: Company, article: Json, **sent: Any) -> Json:
    """Send feedback about an article; by default, that it did not help."""
    body = {**credentials(company), "articleId": article["id"], "helpful": False, **sent}
    return created(await client.post("/feedback", json=body))


async def open_to(owner: Tx, company: Company, *origins: str) -> None:
    await change_origins(owner, company.workspace_id, company.bot_id, origins, [])


async def spend(owner: Tx, policy: str, subject: str, hits: int) -> None:
    """Set the hits of a rate-limit window."""
    await owner.execute(
        """
        insert into rate_windows (policy, subject, started_at, hits)
        values (%(policy)s, %(subject)s, clock_timestamp(), %(hits)s)
        on conflict (policy, subject) do update set started_at = clock_timestamp(), hits = %(hits)s
        """,
        policy=policy,
        subject=subject,
        hits=hits,
    )


def refusal(response: Response) -> tuple[int, str]:
    """The status and the code of a refusal, which must have exactly the four fields."""
    body = body_of(response)
    assert response.headers["Content-Type"] == "application/json"
    assert body.keys() == {"error", "code", "message", "hint"}
    assert all(value.strip() for value in body.values())
    return response.status_code, body["code"]


def named_fields(response: Response) -> list[str]:
    """The fields named in a refusal of invalid values."""
    assert refusal(response) == (400, "invalid_request")
    return re.findall(r"`(\w+)`: ", body_of(response)["message"])


def cors_of(response: Response) -> dict[str, str]:
    """The CORS headers of a response."""
    return {name: value for name, value in response.headers.items() if name.startswith("access-control-")}


async def rows(owner: Tx, table: str, company: Company) -> list[Json]:
    rows_json = await owner.value(
        f"select coalesce(jsonb_agg(to_jsonb(t) order by t.id), '[]')::text from {table} t "
        "where workspace_id = %(workspace)s",
        workspace=company.workspace_id,
    )
    table_rows: list[Json] = json.loads(rows_json)
    return table_rows


async def alerts(owner: Tx, company: Company) -> list[Json]:
    """The payloads of the company's pending alerts."""
    payloads_json = await owner.value(
        """
        select coalesce(jsonb_agg(payload order by id), '[]')::text from jobs
        where kind = 'send_alert' and payload ->> 'workspace' = %(workspace)s
        """,
        workspace=company.workspace_id,
    )
    payloads: list[Json] = json.loads(payloads_json)
    return payloads


async def is_untouched(owner: Tx, cast: Cast) -> bool:
    """True if Acme has no leads, questions, escalations, events or jobs."""
    tables = ("leads", "messages", "unanswered_questions", "events", "deliveries")
    new_rows = [row for table in tables for row in await rows(owner, table, cast.acme)]
    jobs = await owner.value("select count(*) from jobs where kind <> 'prune'")
    conversations = await rows(owner, "conversations", cast.acme)
    return not new_rows and jobs == 0 and all(row["status"] == "open" for row in conversations)
