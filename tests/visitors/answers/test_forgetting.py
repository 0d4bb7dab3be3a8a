"""Visitors' questions are deleted in time."""

from datetime import timedelta

from instep.operations.ops import prune
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from tests.support.cast import Api, Cast
from tests.support.http import ok
from tests.support.questions import ask
from tests.support.visitors import credentials, escalate, leave, rows

LONG_AGO = limits.CONVERSATION_RETENTION + timedelta(days=1)


async def test_old_questions_go_but_not_what_somebody_waits_for(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(None)
    forgotten, gone_on, escalated, with_lead = [
        (await ask(client, cast.acme, "How do I begin?"))["conversationId"] for _ in range(4)
    ]
    await owner.execute("update conversations set created_at = %(then)s", then=utc_now() - LONG_AGO)
    await owner.execute("update messages set created_at = %(then)s", then=utc_now() - LONG_AGO)
    await ask(client, cast.acme, "And then?", conversationId=gone_on)
    ok(await escalate(client, cast.acme, escalated))
    await leave(client, cast.acme, conversationId=with_lead)
    recent = (await ask(client, cast.acme, "How do I begin?"))["conversationId"]

    await prune.prune(database, Job(1, prune.PRUNE, {}, 1))

    remaining = {row["id"] for row in await rows(owner, "conversations", cast.acme)}
    assert remaining == {gone_on, escalated, with_lead, recent}
    assert {row["conversation_id"] for row in await rows(owner, "messages", cast.acme)} == remaining
    assert forgotten not in remaining
    answer = await client.post(
        "/chat",
        json={**credentials(cast.acme), "question": "?", "visitor": "ann-7", "conversationId": forgotten},
    )
    assert answer.status_code == 400


async def test_leads_and_escalations_go_when_their_retention_is_over(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(None)
    ages = {
        "over": settings().conversation_retention_days + 1,
        "within": settings().conversation_retention_days - 1,
    }
    for name, days in ages.items():
        escalated, with_lead = [
            (await ask(client, cast.acme, "How do I begin?"))["conversationId"] for _ in range(2)
        ]
        ok(await escalate(client, cast.acme, escalated, message=name))
        await leave(client, cast.acme, conversationId=with_lead, message=name)
        for table, column in (("conversations", "escalated_at"), ("leads", "created_at")):
            await owner.execute(
                f"update {table} set {column} = now() - %(age)s where message = %(name)s",
                age=timedelta(days=days),
                name=name,
            )
    then = timedelta(days=ages["over"])
    await owner.execute("update conversations set created_at = now() - %(then)s", then=then)
    await owner.execute("update messages set created_at = now() - %(then)s", then=then)

    await prune.prune(database, Job(1, prune.PRUNE, {}, 1))

    leads, conversations = (
        await rows(owner, "leads", cast.acme),
        await rows(owner, "conversations", cast.acme),
    )
    assert [lead["message"] for lead in leads] == ["within"]
    assert {row["id"] for row in conversations if row["message"] is None} == {leads[0]["conversation_id"]}
    assert [row["message"] for row in conversations if row["message"]] == ["within"]
