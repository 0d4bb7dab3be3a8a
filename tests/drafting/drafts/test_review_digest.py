"""New drafts are posted to a team's chat: by source, with one link each, at most once an hour."""

from datetime import timedelta

import pytest

from instep.drafting.drafts.actions import propose_edit
from instep.drafting.drafts.digest import SEND_REVIEW_DIGEST, send_review_digest
from instep.drafting.drafts.schemas import DraftCreate
from instep.notifications.alerts.actions import SEND_ALERT
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from tests.support.alert_targets import add_target
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json
from tests.support.drafts import propose, queue_new, write_article
from tests.support.places import URL, find_places, new_place, open_place, waiting
from tests.support.wording import like


@pytest.fixture
async def subscribed(database: Database, cast: Cast) -> None:
    """Acme has a channel that receives only notices of drafts."""
    await add_target(database, cast.acme, kinds=("review",))


async def jobs(owner: Tx, cast: Cast, kind: str) -> list[Json]:
    rows: list[Json] | None = await owner.value(
        """
        select jsonb_agg(payload || jsonb_build_object('run_at', run_at)) from jobs
        where kind = %(kind)s and payload->>'bot' = %(bot)s
        """,
        kind=kind,
        bot=str(cast.acme.bot_id),
    )
    return rows or []


async def send(database: Database, cast: Cast) -> None:
    payload = {"workspace": cast.acme.workspace_id, "bot": str(cast.acme.bot_id)}
    await send_review_digest(database, Job(1, SEND_REVIEW_DIGEST, payload, 1))


@pytest.mark.usefixtures("subscribed")
async def test_a_digest_names_each_source_with_a_link(
    client: Client, database: Database, cast: Cast, owner: Tx
) -> None:
    article = await write_article(client)
    await propose(client, article)
    last = await propose(client, article, "Other.\n")
    gap = await queue_new(database, cast.acme, "gap_draft")
    assert len(await jobs(owner, cast, SEND_REVIEW_DIGEST)) == 1

    await send(database, cast)
    [message] = await jobs(owner, cast, SEND_ALERT)
    assert message["title"] == like("Acme: 3…drafts…")
    queue = f"http://help.test/app/{cast.acme.slug}/review"
    assert f"Proposed by Acme writer (2): {queue}/{last['id']}" in message["text"]
    assert f"Asked by visitors (1): {queue}/{gap}" in message["text"]


@pytest.mark.usefixtures("subscribed")
async def test_a_second_digest_waits_an_hour_and_tells_only_what_is_new(
    client: Client, database: Database, cast: Cast, owner: Tx
) -> None:
    article = await write_article(client)
    await propose(client, article)
    await send(database, cast)
    await owner.execute(
        "delete from jobs where kind = %(kind)s and payload->>'bot' = %(bot)s",
        kind=SEND_REVIEW_DIGEST,
        bot=str(cast.acme.bot_id),
    )
    await propose(client, article, "Other.\n")
    [job] = await jobs(owner, cast, SEND_REVIEW_DIGEST)
    assert job["run_at"] > (utc_now() + timedelta(minutes=55)).isoformat()

    await send(database, cast)
    [title] = {message["title"] for message in await jobs(owner, cast, SEND_ALERT)}
    assert title == like("Acme: 1…draft…")


@pytest.mark.usefixtures("subscribed")
async def test_a_draft_that_is_committed_after_a_digest_is_in_the_next_one(
    client: Client, database: Database, cast: Cast, owner: Tx
) -> None:
    article = await write_article(client)
    new = DraftCreate.model_validate({"contentMarkdown": "Late.\n"})
    async with acting(database, cast.acme) as ctx:
        # This transaction began before the digest.
        draft = await propose_edit(ctx, article["id"], new)
        await send(database, cast)
        assert await jobs(owner, cast, SEND_ALERT) == []

    await send(database, cast)
    [message] = await jobs(owner, cast, SEND_ALERT)
    assert draft.id in message["text"]
    await send(database, cast)
    assert len(await jobs(owner, cast, SEND_ALERT)) == 1


@pytest.mark.usefixtures("subscribed")
async def test_a_draft_that_somebody_is_changing_is_left_to_a_digest_that_is_planned(
    client: Client, database: Database, cast: Cast, owner: Tx
) -> None:
    draft = await propose(client, await write_article(client))
    await owner.execute(
        "delete from jobs where kind = %(kind)s and payload->>'bot' = %(bot)s",
        kind=SEND_REVIEW_DIGEST,
        bot=str(cast.acme.bot_id),
    )
    async with acting(database, cast.acme) as ctx:
        await ctx.tx.execute("update drafts set reason = 'It is clearer.' where id = %(id)s", id=draft["id"])
        await send(database, cast)
        assert await jobs(owner, cast, SEND_ALERT) == []
        assert len(await jobs(owner, cast, SEND_REVIEW_DIGEST)) == 1

    await send(database, cast)
    assert draft["id"] in (await jobs(owner, cast, SEND_ALERT))[0]["text"]


async def test_without_a_channel_nothing_is_planned(client: Client, cast: Cast, owner: Tx) -> None:
    await propose(client, await write_article(client))

    assert await jobs(owner, cast, SEND_REVIEW_DIGEST) == []


@pytest.mark.usefixtures("subscribed")
async def test_drafts_reviewed_before_the_digest_are_not_in_it(
    client: Client, database: Database, cast: Cast, owner: Tx
) -> None:
    draft = await propose(client, await write_article(client))
    await client.post(f"/v1/drafts/{draft['id']}/dismiss")
    await send(database, cast)

    assert await jobs(owner, cast, SEND_ALERT) == []


@pytest.mark.usefixtures("subscribed")
async def test_a_digest_counts_places_with_the_drafts_of_their_change(
    client: Client, database: Database, cast: Cast, owner: Tx
) -> None:
    article = await write_article(client)
    await propose(client, article, sourceUrl=URL)
    await find_places(client, database, cast.acme, new_place(article["id"]))
    [place] = await waiting(client)

    for _ in range(2):
        await send(database, cast)

    [message] = await jobs(owner, cast, SEND_ALERT)
    assert message["title"] == like("Acme: 1…draft…1…place…")
    assert f"(2): http://help.test/app/{cast.acme.slug}/review/{place['id']}" in message["text"]


@pytest.mark.usefixtures("subscribed")
async def test_a_place_that_is_settled_before_the_digest_is_not_in_it(
    client: Client, database: Database, cast: Cast, owner: Tx
) -> None:
    place = await open_place(client, database, cast.acme)
    assert len(await jobs(owner, cast, SEND_REVIEW_DIGEST)) == 1
    await client.post(f"/v1/places/{place['id']}/resolve")

    await send(database, cast)

    assert await jobs(owner, cast, SEND_ALERT) == []
