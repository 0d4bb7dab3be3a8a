"""What visitors asked is forgotten in time."""

from datetime import timedelta

from instep import upkeep
from instep.core import limits
from instep.core.clock import utc_now
from instep.core.database import Database, Tx
from instep.core.jobs import Job
from tests.answers.asking import ask
from tests.answers.visiting import credentials, escalate, leave, rows
from tests.cast import Api, Cast
from tests.web.asking import found

LONG_AGO = limits.CONVERSATIONS_KEPT + timedelta(days=1)


async def test_old_questions_go_but_not_what_somebody_waits_for(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(None)
    forgotten, gone_on, escalated, with_lead = [
        (await ask(client, cast.acme, "How do I begin?"))["conversationId"] for _ in range(4)
    ]
    await owner.run("update conversations set created_at = %(then)s", then=utc_now() - LONG_AGO)
    await owner.run("update messages set created_at = %(then)s", then=utc_now() - LONG_AGO)
    await ask(client, cast.acme, "And then?", conversationId=gone_on)
    found(await escalate(client, cast.acme, escalated))
    await leave(client, cast.acme, conversationId=with_lead)
    recent = (await ask(client, cast.acme, "How do I begin?"))["conversationId"]

    await upkeep.prune(database, Job(1, upkeep.PRUNE, {}, 1))

    kept = {row["id"] for row in await rows(owner, "conversations", cast.acme)}
    assert kept == {gone_on, escalated, with_lead, recent}
    assert {row["conversation_id"] for row in await rows(owner, "messages", cast.acme)} == kept
    assert forgotten not in kept
    answer = await client.post(
        "/chat",
        json={**credentials(cast.acme), "question": "?", "visitor": "ann-7", "conversationId": forgotten},
    )
    assert answer.status_code == 400
