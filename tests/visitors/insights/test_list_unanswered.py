"""GET /v1/insights/unanswered."""

from datetime import timedelta

import pytest

from instep.operations.ops import prune
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from tests.support.cast import Api, Cast, Client, Json
from tests.support.drafts import propose, write_article
from tests.support.http import at_once, error, named_fields, ok, pages
from tests.support.unanswered import LIST, ask, questions, unanswered

TOPICS = ["billing", "export", "import", "login", "themes", "webhooks", "limits", "backup"]


async def ask_often(database: Database, cast: Cast, counts: dict[str, int]) -> None:
    for question, count in counts.items():
        for number in range(count):
            await ask(database, cast.acme, question, visitor=f"visitor {number}")


async def test_most_asked_come_first_then_those_asked_last(api: Api, cast: Cast, database: Database) -> None:
    await ask_often(database, cast, {"billing": 1, "export": 3, "themes": 1, "login": 2})

    listed = await questions(api(cast.acme.read_key))

    assert listed == [("export", 3), ("login", 2), ("themes", 1), ("billing", 1)]


async def test_list_without_questions_is_empty(api: Api, cast: Cast, database: Database) -> None:
    await ask(database, cast.globex)

    listed = ok(await api(cast.acme.read_key).get(LIST))

    assert listed == {"results": [], "has_more": False, "next_cursor": None}


async def test_the_status_is_that_of_the_draft_until_it_is_asked_again(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    question_id = await ask(database, cast.acme)
    assert await status_of(client) == ("open", None)

    draft = await gap_draft(client, owner, question_id)
    assert await status_of(client) == ("drafted", draft)

    ok(await client.post(f"/v1/drafts/{draft}/apply", json={}))
    assert await status_of(client) == ("answered", draft)

    await ask(database, cast.acme)
    assert await status_of(client) == ("open", draft)


async def test_a_dismissed_draft_leaves_the_question_open(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    draft = await gap_draft(client, owner, await ask(database, cast.acme))

    ok(await client.post(f"/v1/drafts/{draft}/dismiss"))

    assert await status_of(client) == ("open", draft)


async def test_list_holds_waiting_questions_unless_a_status_is_named(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    ids = {topic: await ask(database, cast.acme, topic) for topic in ("billing", "export", "login", "themes")}
    await gap_draft(client, owner, ids["export"])
    answering = await gap_draft(client, owner, ids["login"])
    ok(await client.post(f"/v1/drafts/{answering}/apply", json={}))
    ok(await client.post(f"{LIST}/{ids['themes']}/dismiss"))

    assert await topics(client) == await topics(client, status="waiting") == {"billing", "export"}
    assert await topics(client, status="all") == set(ids)
    statuses = {"open": "billing", "drafted": "export", "answered": "login", "dismissed": "themes"}
    for status, topic in statuses.items():
        assert await topics(client, status=status) == {topic}


async def test_an_unknown_status_is_refused_by_name(api: Api, cast: Cast) -> None:
    for bad in ("new", "", "\0"):
        assert named_fields(await api(cast.acme.read_key).get(LIST, params={"status": bad})) == ["status"]


@pytest.mark.parametrize("size", [1, 3, 100])
async def test_questions_that_stay_are_seen_once_while_others_are_asked(
    api: Api, cast: Cast, database: Database, size: int
) -> None:
    client = api(cast.acme.write_key)
    await ask_often(database, cast, {topic: 1 + number // 3 for number, topic in enumerate(TOPICS)})
    order = await unanswered(client)
    asked, dismissed = order[1], order[6]

    seen: list[str] = []
    first = True
    async for page in pages(client, LIST, page_size=size):
        seen += [row["id"] for row in page]
        if first:
            await at_once(5, lambda _: ask(database, cast.acme, asked["question"]))
            await ask(database, cast.acme, "something new")
            ok(await client.post(f"{LIST}/{dismissed['id']}/dismiss"))
        first = False

    stayed = [row["id"] for row in order if row not in (asked, dismissed)]
    assert [ref for ref in seen if ref in stayed] == stayed


async def test_a_cursor_belongs_to_its_list_filter_and_bot(api: Api, cast: Cast, database: Database) -> None:
    for company in (cast.acme, cast.globex):
        for topic in ("billing", "export"):
            await ask(database, company, topic)
    client = api(cast.acme.read_key)
    cursor = ok(await client.get(LIST, params={"page_size": 1}))["next_cursor"]

    for other, path, status in (
        (client, LIST, "all"),
        (api(cast.globex.read_key), LIST, "waiting"),
        (client, "/v1/insights/health", "published"),
    ):
        refused = await other.get(path, params={"start_cursor": cursor, "status": status})
        assert error(refused) == (400, "invalid_cursor")


async def test_old_questions_are_forgotten(api: Api, cast: Cast, database: Database, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    old = await ask(database, cast.acme, "billing", visitor="ann")
    await ask(database, cast.acme, "billing", visitor="bob")
    await ask(database, cast.acme, "export")
    await owner.execute(
        """
        update askings set asked_at = asked_at - %(age)s
        where id = (select min(id) from askings where question_id = %(question)s)
        """,
        age=limits.QUESTION_LOG_RETENTION + timedelta(hours=1),
        question=old,
    )
    before = {row["question"]: row for row in await unanswered(client)}

    await prune.prune(database, Job(1, prune.PRUNE, {}, 1))

    after = {row["question"]: row for row in await unanswered(client)}
    assert after == before | {"billing": before["billing"] | {"askedCount": 1, "visitorCount": 1}}

    await let_a_year_pass(owner, old)
    await prune.prune(database, Job(1, prune.PRUNE, {}, 1))

    assert await questions(client) == [("export", 1)]
    assert await owner.value("select count(*) from question_terms where question_id = %(q)s", q=old) == 0
    # If asked again, it is stored as a new question.
    assert await ask(database, cast.acme, "billing") != old


async def test_counts_hold_when_askings_are_forgotten_while_others_come(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    question_id = await ask(database, cast.acme)
    for number in range(5):
        await ask(database, cast.acme, visitor=f"old {number}")
    await let_a_year_pass(owner, question_id)

    async def act(number: int) -> None:
        if number % 4:
            await ask(database, cast.acme, visitor=f"new {number}")
        else:
            async with database.enter_workspace("") as tx:
                await tx.execute("select prune_askings(%(age)s)", age=limits.QUESTION_LOG_RETENTION)

    await at_once(20, act)

    (row,) = await unanswered(api(cast.acme.read_key))
    assert (row["askedCount"], row["visitorCount"]) == (15, 15)


async def status_of(client: Client) -> tuple[str, str | None]:
    (row,) = await unanswered(client, status="all")
    return row["status"], row["draftId"]


async def topics(client: Client, **params: str) -> set[str]:
    return {row["question"] for row in await unanswered(client, **params)}


async def let_a_year_pass(owner: Tx, question_id: str) -> None:
    """Make all existing askings of the question a year old."""
    await owner.execute(
        "update askings set asked_at = asked_at - interval '1 year' where question_id = %(id)s",
        id=question_id,
    )


async def gap_draft(client: Client, owner: Tx, question_id: str) -> str:
    """A draft based on the question."""
    draft: Json = await propose(client, await write_article(client, f"Answer {question_id}"))
    draft_id: str = draft["id"]
    await owner.execute(
        "update unanswered_questions set draft_id = %(draft)s where id = %(id)s",
        draft=draft_id,
        id=question_id,
    )
    return draft_id
