"""Articles that become due for review are reported once in the team's chat."""

from datetime import timedelta

from instep.content.articles.due import ANNOUNCE_DUE, announce_due
from instep.notifications.alerts.actions import SEND_ALERT
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from tests.support.alert_targets import add_target
from tests.support.cast import Cast, Client, Json
from tests.support.changes import publish
from tests.support.http import created, ok
from tests.support.wording import like


async def alerts(owner: Tx, cast: Cast) -> list[Json]:
    rows: list[Json] | None = await owner.value(
        "select jsonb_agg(payload order by id) from jobs where kind = %(kind)s and payload->>'bot' = %(bot)s",
        kind=SEND_ALERT,
        bot=str(cast.acme.bot_id),
    )
    return rows or []


async def run(database: Database) -> None:
    await announce_due(database, Job(1, ANNOUNCE_DUE, {}, 1))


async def test_one_alert_names_what_has_become_due_and_comes_once(
    client: Client, database: Database, cast: Cast, owner: Tx
) -> None:
    await add_target(database, cast.acme, kinds=("review",))
    old, dated, edited = [await publish(client, title, "Run it.") for title in ("Old", "Dated", "Edited")]
    today = utc_now().date().isoformat()
    for article in (dated, edited):
        ok(await client.patch(f"/v1/articles/{article['id']}", json={"reviewBy": today}))
    created(await client.post(f"/v1/articles/{edited['id']}/drafts", json={"contentMarkdown": "Other."}))
    await owner.execute(
        "update articles set text_changed_at = %(at)s where id = %(id)s",
        at=utc_now() - timedelta(days=181),
        id=old["id"],
    )

    await run(database)
    await run(database)

    [message] = await alerts(owner, cast)
    assert message["title"] == like("Acme: 2 articles…")
    dashboard = f"http://help.test/app/{cast.acme.slug}"
    assert message["url"] == f"{dashboard}/health?by=due"
    assert sorted(message["text"].split("\n")) == sorted(
        f"{article['title']}: {dashboard}/articles/{article['id']}" for article in (old, dated)
    )


async def test_another_day_is_told_again(client: Client, database: Database, cast: Cast, owner: Tx) -> None:
    await add_target(database, cast.acme, kinds=("review",))
    path = f"/v1/articles/{(await publish(client, 'Install', 'Run it.'))['id']}"
    today = utc_now().date()
    for day in (today, today - timedelta(days=1)):
        ok(await client.patch(path, json={"reviewBy": day.isoformat()}))
        await run(database)

    assert len(await alerts(owner, cast)) == 2


async def test_target_without_alerts_for_reviews_gets_none(
    client: Client, database: Database, cast: Cast, owner: Tx
) -> None:
    await add_target(database, cast.acme)
    path = f"/v1/articles/{(await publish(client, 'Install', 'Run it.'))['id']}"
    ok(await client.patch(path, json={"reviewBy": utc_now().date().isoformat()}))

    await run(database)

    assert await alerts(owner, cast) == []
