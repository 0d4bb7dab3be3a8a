"""New drafts and places are assigned to owners, to people named by rules, or to authors of changes."""

from collections.abc import Sequence

import pytest

from instep.accounts.people.schemas import User
from instep.drafting.drafts.assignment_rules import add_collection_rule, add_label_rule
from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Role
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json, RunJobs
from tests.support.changes import DIFF, SETTINGS, publish, send
from tests.support.http import body_of, error, ok
from tests.support.inbox import notices
from tests.support.mail_server import MailServer
from tests.support.sign_in import sign_up


@pytest.fixture
async def people(owner: Tx, cast: Cast) -> list[User]:
    return [await sign_up(owner, cast.acme.workspace_id, Role.EDITOR) for _ in range(3)]


@pytest.fixture
async def article(client: Client) -> Json:
    """An article in a nested collection; the change makes the article wrong."""
    article = await publish(client, "Settings", SETTINGS)
    top = body_of(await client.post("/v1/collections", json={"title": "Run it"}))
    inner = body_of(await client.post("/v1/collections", json={"title": "Files", "parentId": top["id"]}))
    moved: Json = ok(await client.patch(f"/v1/articles/{article['id']}", json={"collectionId": inner["id"]}))
    return {**moved, "top": top["id"], "inner": inner["id"]}


async def assignees(owner: Tx, cast: Cast) -> list[str | None]:
    """The assignees of the pending drafts, oldest first."""
    sql = """
        select array_agg(assignee_id order by id) from drafts where bot_id = %(bot)s and status = 'pending'
    """
    ids: list[str | None] | None = await owner.value(sql, bot=cast.acme.bot_id)
    return ids or []


async def ask_team(database: Database, cast: Cast, collection_id: str, people: Sequence[User]) -> None:
    async with acting(database, cast.acme) as ctx:
        await add_collection_rule(ctx, collection_id, [user.id for user in people])


async def test_the_author_of_a_change_is_asked_if_nobody_owns_the_article(
    client: Client,
    cast: Cast,
    owner: Tx,
    run_jobs: RunJobs,
    mail: MailServer,
    people: list[User],
    article: Json,
) -> None:
    ann, bob, _ = people
    await send(client, author=ann.email.upper())
    await run_jobs()
    assert await assignees(owner, cast) == [ann.id]
    [(kind, _)] = await notices(owner, ann.id)
    assert kind == "assigned"
    assert len(mail.to(ann.email)) == 1

    ok(await client.patch(f"/v1/collections/{article['top']}", json={"owner": bob.email}))
    await send(client, url=None, title="Again", author=ann.email)
    await run_jobs()
    assert await assignees(owner, cast) == [ann.id, bob.id]


async def test_an_author_who_may_not_review_here_is_not_asked(
    client: Client, cast: Cast, owner: Tx, run_jobs: RunJobs, mail: MailServer, article: Json
) -> None:
    viewer = await sign_up(owner, cast.acme.workspace_id, Role.VIEWER)
    gone = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    await owner.execute("update memberships set disabled_at = now() where person_id = %(id)s", id=gone.id)
    stranger = await sign_up(owner, cast.globex.workspace_id, Role.EDITOR)
    for number, user in enumerate((viewer, gone, stranger)):
        await send(client, url=None, title=f"Change {number}", author=user.email)
    await send(client, url=None, title="Change 3", author="nobody@example.com")
    await run_jobs()

    assert await assignees(owner, cast) == [None] * 4
    for user in (viewer, gone, stranger):
        assert await notices(owner, user.id) == []
        assert mail.to(user.email) == []


async def test_a_draft_of_a_later_state_of_the_change_stays_with_the_person(
    client: Client, cast: Cast, owner: Tx, run_jobs: RunJobs, people: list[User], article: Json
) -> None:
    ann, bob, _ = people
    await send(client, author=ann.email)
    await run_jobs()
    await owner.execute(
        "update drafts set assignee_id = %(id)s where bot_id = %(bot)s", id=bob.id, bot=cast.acme.bot_id
    )

    await send(client, author=ann.email, diff=DIFF.replace("REQUEST_TIMEOUT", "WAIT"))
    await run_jobs()

    assert await assignees(owner, cast) == [bob.id]
    assert len(await notices(owner, ann.id)) == 1
    assert await notices(owner, bob.id) == []


async def test_one_notice_names_everything_that_a_change_asks_a_person_for(
    client: Client, owner: Tx, run_jobs: RunJobs, mail: MailServer, people: list[User]
) -> None:
    for title in ("Settings", "Slow networks", "Proxies"):
        await publish(client, title, SETTINGS)
    await send(client, author=people[0].email)
    await run_jobs()

    assert len(await notices(owner, people[0].id)) == 1
    assert await owner.value("select others from notices where person_id = %(id)s", id=people[0].id) == 2
    assert len(mail.to(people[0].email)) == 1


async def test_a_team_is_asked_in_turn_and_one_person_about_one_change(
    client: Client,
    cast: Cast,
    database: Database,
    owner: Tx,
    run_jobs: RunJobs,
    people: list[User],
    article: Json,
) -> None:
    second = await publish(client, "Slow networks", SETTINGS)
    ok(await client.patch(f"/v1/articles/{second['id']}", json={"collectionId": article["inner"]}))
    await ask_team(database, cast, article["top"], people)
    for number in range(4):
        await send(client, url=None, title=f"Change {number}")
        await run_jobs()

    ann, bob, cora = (user.id for user in people)
    assert await assignees(owner, cast) == [ann, ann, bob, bob, cora, cora, ann, ann]


async def test_the_nearest_rule_counts_and_the_owner_of_the_article_before_it(
    client: Client,
    cast: Cast,
    database: Database,
    owner: Tx,
    run_jobs: RunJobs,
    people: list[User],
    article: Json,
) -> None:
    ann, bob, cora = people
    await ask_team(database, cast, article["top"], [ann])
    await ask_team(database, cast, article["inner"], [bob])
    ok(await client.patch(f"/v1/collections/{article['inner']}", json={"owner": ann.email}))
    await send(client, url=None, title="First")
    await run_jobs()
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"owner": cora.email}))
    await send(client, url=None, title="Second")
    await run_jobs()

    assert await assignees(owner, cast) == [bob.id, cora.id]


async def test_changes_with_an_excluded_label_are_not_assigned(
    client: Client,
    cast: Cast,
    database: Database,
    owner: Tx,
    run_jobs: RunJobs,
    people: list[User],
    article: Json,
) -> None:
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"owner": people[0].email}))
    async with acting(database, cast.acme) as ctx:
        await add_label_rule(ctx, "Internal")
    for number, labels in enumerate((["bug", "internal"], ["bug"])):
        await send(client, url=None, title=f"Change {number}", labels=labels)
        await run_jobs()

    assert await assignees(owner, cast) == [None, people[0].id]


async def test_a_proposal_through_the_api_is_announced_to_the_owner(
    client: Client, owner: Tx, people: list[User], article: Json
) -> None:
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"owner": people[0].email}))
    body = {"contentMarkdown": "Set nothing."}
    draft = body_of(await client.post(f"/v1/articles/{article['id']}/drafts", json=body))

    assert await notices(owner, people[0].id) == [("assigned", draft["id"])]


@pytest.mark.parametrize("fields", [{"author": "x" * 255}, {"labels": [""]}, {"labels": ["x"] * 101}])
async def test_too_long_an_author_or_label_is_refused(client: Client, fields: Json) -> None:
    answer = await client.post("/v1/tasks", json={"change": {"kind": "pr", "title": "Change", **fields}})

    assert error(answer) == (400, "invalid_request")
