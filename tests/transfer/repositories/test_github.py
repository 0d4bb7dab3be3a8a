"""A GitHub pull request becomes one task, by a delivery or a poll, even if events repeat or are lost."""

import json
from dataclasses import replace

import pytest

from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.transfer.repositories import actions
from instep.transfer.repositories.schemas import RepositoryFields
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import DIFF, SETTINGS_AFTER, get, use_up, write_articles
from tests.support.ci_servers import Reply
from tests.support.connected_repositories import Connected, tasks_of
from tests.support.github_double import BASE, NAME, TOKEN, Delivery, GitHubDouble
from tests.support.http import created
from tests.support.wording import like

LOCKED = DIFF.replace("src/settings.py", "package-lock.json")


async def deliver(api: Api, repository: Connected, delivery: Delivery, secret: str | None = None) -> int:
    headers = delivery.headers(repository.secret if secret is None else secret)
    answer = await api(None).post(repository.hook_path, content=delivery.body, headers=headers)
    return answer.status_code


async def test_a_merged_pull_request_becomes_a_draft(
    api: Api, client: Client, host: GitHubDouble, repository: Connected
) -> None:
    await write_articles(client)
    host.open()
    pull = host.merge()

    assert await deliver(api, repository, host.delivery("closed")) == 202
    await repository.work()

    change = await repository.only_change()
    assert (change.status, change.number, change.head) == ("sent", 7, pull["head"]["sha"])
    task = await get(client, f"tasks/{change.task_id}")
    sent = {"kind": "pr", "title": pull["title"], "url": pull["html_url"]}
    assert sent.items() <= task["change"].items()
    assert (task["status"], task["outcome"]) == ("completed", "drafts")
    [draft] = task["drafts"]
    assert (await get(client, f"drafts/{draft['id']}"))["contentMarkdown"] == SETTINGS_AFTER


@pytest.mark.parametrize("times", [2, 3])
async def test_a_repeated_delivery_makes_no_second_task(
    api: Api, client: Client, host: GitHubDouble, repository: Connected, times: int
) -> None:
    host.open()
    host.merge()
    delivery = host.delivery("closed")
    for _ in range(times):
        assert await deliver(api, repository, delivery) == 202
        await repository.work()

    assert len(await tasks_of(client)) == 1


async def test_a_poll_and_a_delivery_make_one_task_together(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    host.open()
    host.merge()
    await repository.poll(owner)
    await deliver(api, repository, host.delivery("closed"))
    await repository.work()
    await repository.poll(owner)

    assert len(await tasks_of(client)) == 1


async def test_late_deliveries_of_earlier_states_change_nothing(
    api: Api, client: Client, host: GitHubDouble, repository: Connected
) -> None:
    host.open()
    opened = host.delivery("opened")
    host.push()
    pushed = host.delivery("synchronize")
    host.merge()
    for delivery in (host.delivery("closed"), pushed, opened):
        assert await deliver(api, repository, delivery) == 202
        await repository.work()

    assert [task["status"] for task in await tasks_of(client)] == ["completed"]


async def test_a_delivery_of_an_old_commit_sends_the_newest_one(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    await repository.set_fields(owner, moment="opened")
    host.open()
    opened = host.delivery("opened")
    pull = host.push()
    await deliver(api, repository, opened)
    await repository.work()

    statuses = {change.head: change.status for change in await repository.changes()}
    assert statuses[pull["head"]["sha"]] == "sent"
    assert sorted(statuses.values()) == ["ignored", "sent"]
    assert len(await tasks_of(client)) == 1


@pytest.mark.parametrize("secret", ["", "wrong"])
async def test_a_delivery_that_is_not_signed_is_refused_as_one_to_an_unknown_address(
    api: Api, host: GitHubDouble, repository: Connected, secret: str
) -> None:
    host.open()
    delivery = host.delivery("opened")
    answers = [
        await api(None).post(path, content=delivery.body, headers=delivery.headers(secret))
        for path in (repository.hook_path, "/hooks/github/host_unknown", "/hooks/sourceforge/host_unknown")
    ]

    assert {(answer.status_code, answer.text) for answer in answers} == {(401, answers[0].text)}
    assert await repository.changes() == []


async def test_a_body_that_was_changed_is_refused(
    api: Api, host: GitHubDouble, repository: Connected
) -> None:
    host.open()
    delivery = host.delivery("opened")
    headers = delivery.headers(repository.secret)
    changed = delivery.body.replace(b"octocat", b"octodog")

    assert (await api(None).post(repository.hook_path, content=changed, headers=headers)).status_code == 401


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b'{"action": "closed"}', b"[" * 100_000, b'{"pull_request": 7, "action": "opened"}'],
)
async def test_bodies_that_are_no_event_are_accepted_and_ignored(
    api: Api, host: GitHubDouble, repository: Connected, body: bytes
) -> None:
    assert await deliver(api, repository, Delivery("pull_request", body)) == 202
    assert await repository.changes() == []


@pytest.mark.parametrize(
    ("fields", "pull", "message"),
    [
        ({}, {"base": {"ref": "next"}}, "targets the branch next, not main"),
        ({"branch": "next"}, {}, "targets the branch main, not next"),
        ({"moment": "opened"}, {"draft": True}, "is a draft"),
        ({"moment": "opened"}, {"user": {"login": "renovate[bot]", "type": "Bot"}}, "A bot opened it"),
        ({"moment": "opened"}, {"state": "closed"}, "was closed without"),
        ({"moment": "approved"}, {}, "when someone approves it"),
        ({"moment": "merged"}, {}, "when it is merged"),
    ],
)
async def test_ignored_pull_request_names_its_reason(
    api: Api,
    client: Client,
    owner: Tx,
    host: GitHubDouble,
    repository: Connected,
    fields: Json,
    pull: Json,
    message: str,
) -> None:
    await repository.set_fields(owner, **fields)
    host.open(**pull)
    await deliver(api, repository, host.delivery("opened"))
    await repository.work()

    change = await repository.only_change()
    assert (change.status, change.message) == ("ignored", like(f"…{message}…"))
    assert await tasks_of(client) == []


async def test_a_pull_request_to_the_branch_of_a_version_is_sent_for_that_version(
    api: Api, client: Client, host: GitHubDouble, repository: Connected
) -> None:
    await write_articles(client)
    body = {"slug": "1.x", "branches": ["release/1.*"]}
    created(await client.post("/v1/product-versions", json=body))
    host.open(base={"ref": "release/1.4"})
    host.merge()

    await deliver(api, repository, host.delivery("closed"))
    await repository.work()

    [task] = await tasks_of(client)
    assert (task["version"], task["outcome"]) == ("1.x", "drafts")


@pytest.mark.parametrize("way", ["delivery", "poll"])
async def test_the_first_approval_sends_it(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected, way: str
) -> None:
    await repository.set_fields(owner, moment="approved")
    host.open()
    await deliver(api, repository, host.delivery("opened"))
    await repository.work()
    assert await tasks_of(client) == []

    host.reviews[7] = [{"state": "COMMENTED"}, {"state": "APPROVED"}]
    if way == "delivery":
        review = {"state": "approved", "user": {"login": "hubot"}}
        await deliver(api, repository, host.delivery("submitted", event="pull_request_review", review=review))
        await repository.work()
    else:
        await repository.poll(owner)
    assert len(await tasks_of(client)) == 1


async def test_only_files_in_the_paths_are_sent(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    await repository.set_fields(owner, paths=["docs", "*.proto"])
    host.open()
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    await repository.work()

    change = await repository.only_change()
    assert (change.status, change.message) == ("unaffected", like("…paths of this repository…"))

    host.open(8, DIFF.replace("src/settings.py", "docs/settings.py") + DIFF)
    host.merge(8)
    await deliver(api, repository, host.delivery("closed", 8))
    await repository.work()
    [task] = await tasks_of(client)
    diff = await owner.value("select diff from tasks where id = %(id)s", id=task["id"])
    assert diff == DIFF.replace("src/settings.py", "docs/settings.py")


async def test_two_help_centers_get_their_parts_of_one_repository_by_one_webhook(
    api: Api, owner: Tx, database: Database, cast: Cast, host: GitHubDouble, repository: Connected
) -> None:
    second = replace(cast.acme, bot_id=cast.second_bot_id)
    new = actions.NewHost("github", host.url, TOKEN)
    remote = await actions.find_with_token(second.workspace_id, repository.client, new, NAME)
    async with acting(database, second) as ctx:
        added = await actions.add_repository(ctx, remote, RepositoryFields(paths=["docs"]))
    assert added.secret is None
    host.open()
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    await repository.work()

    rows = await owner.value(
        "select jsonb_object_agg(repository_id, status) from repository_changes"
        " where repository_id = any(%(ids)s)",
        ids=[repository.repository_id, added.id],
    )
    async with acting(database, second) as ctx:
        await actions.remove_repository(ctx, added.id)
    assert rows == {repository.repository_id: "sent", added.id: "unaffected"}


async def test_a_diff_with_only_lock_files_makes_no_task(
    api: Api, client: Client, host: GitHubDouble, repository: Connected
) -> None:
    host.open(diff=LOCKED)
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    await repository.work()

    assert (await repository.only_change()).status == "unaffected"
    assert await tasks_of(client) == []


async def test_a_diff_of_more_than_300_files_is_read_from_the_pages_of_files(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    host.open()
    patch = DIFF.split("+++ b/src/settings.py\n")[1].rstrip("\n")
    host.files[7] = [
        {"filename": f"src/{number}.py", "status": "modified", "patch": patch} for number in range(348)
    ]
    host.files[7] += [
        {"filename": "logo.png", "status": "added"},
        {"filename": "src/settings.py", "status": "renamed", "previous_filename": "src/a.py", "patch": patch},
        {"filename": "src/new.py", "status": "added", "patch": "@@ -0,0 +1 @@\n+x = 1"},
        {"filename": "src/gone.py", "status": "removed", "patch": "@@ -1 +0,0 @@\n-x = 1"},
    ]
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    await repository.work()

    assert (await repository.only_change()).status == "sent"
    [task] = await tasks_of(client)
    diff = await owner.value("select diff from tasks where id = %(id)s", id=task["id"])
    assert diff.count("diff --git ") == 351
    assert "rename from src/a.py\nrename to src/settings.py\n" in diff
    assert "--- /dev/null\n+++ b/src/new.py\n" in diff
    assert "--- a/src/gone.py\n+++ /dev/null\n" in diff


async def test_a_file_for_which_the_api_gives_no_patch_is_compared_by_its_contents(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    pull = host.open()
    head = pull["head"]["sha"]
    before = "".join(f"line {number}\n" for number in range(400))
    host.contents = {
        (BASE, "src/große datei.py"): before,
        (head, "src/große datei.py"): before.replace("line 7\n", "line seven\n"),
        (head, "src/new.py"): "x = 1\n",
    }
    host.files[7] = [
        {"filename": "src/große datei.py", "status": "modified", "changes": 2},
        {"filename": "src/new.py", "status": "added", "changes": 1},
        {"filename": "src/hidden.py", "status": "modified", "changes": 9},
        {"filename": "logo.png", "status": "modified", "changes": 0},
    ]
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    await repository.work()

    [task] = await tasks_of(client)
    diff = await owner.value("select diff from tasks where id = %(id)s", id=task["id"])
    assert "-line 7\n+line seven\n" in diff
    assert diff.count("\n line ") < 10
    assert "--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1,1 @@\n+x = 1\n" in diff
    assert "diff --git a/src/hidden.py b/src/hidden.py\n" in diff


@pytest.mark.parametrize(
    "limited",
    [
        Reply(
            403,
            {"message": "API rate limit exceeded"},
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"},
        ),
        Reply(429, {"message": "slow down"}, {"Retry-After": "30"}),
        Reply(403, {"message": "You have exceeded a secondary rate limit."}),
        Reply(429),
    ],
    ids=["primary", "retry after", "secondary in words", "bare"],
)
async def test_a_rate_limit_is_waited_for(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected, limited: Reply
) -> None:
    host.open()
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    host.replies = [limited]
    await repository.work()

    change = await repository.only_change()
    assert (change.status, change.message) == ("waiting", like("…GitHub is limiting requests…"))
    assert await tasks_of(client) == []

    await repository.try_again(owner)
    assert (await repository.only_change()).status == "sent"


async def test_an_expired_token_is_reported_and_a_new_one_catches_up(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    host.open()
    host.merge()
    host.tokens = {"another"}
    await deliver(api, repository, host.delivery("closed"))
    await repository.poll(owner)

    change = await repository.only_change()
    assert (change.status, change.message) == ("failed", like("…does not accept the token…"))
    assert await repository.last_error() == like("…does not accept the token…")

    host.tokens = {TOKEN}
    await repository.poll(owner)
    assert (await repository.only_change()).status == "sent"
    assert await repository.last_error() is None


async def test_a_host_that_fails_is_asked_again(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    host.open()
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    host.replies = [Reply(502, text="<html>")]
    await repository.work()
    assert (await repository.only_change()).status == "waiting"

    await repository.try_again(owner)
    assert (await repository.only_change()).status == "sent"


async def test_tasks_beyond_the_limit_of_the_hour_wait(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    await use_up(owner, repository.repository_id, 30)
    host.open()
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    await repository.work()

    change = await repository.only_change()
    assert (change.status, change.message) == ("waiting", like("…tasks are used up…"))
    await owner.execute("delete from rate_windows")
    await repository.try_again(owner)
    assert (await repository.only_change()).status == "sent"


async def test_renamed_repositories_and_branches_are_followed(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    host.former_name, host.name, host.default_branch = NAME, "acme/product", "trunk"
    host.open()
    host.merge()
    await repository.poll(owner)

    assert (await repository.only_change()).status == "sent"
    row = await owner.value(
        "select name || ' ' || default_branch from repositories where id = %(id)s",
        id=repository.repository_id,
    )
    assert row == "acme/product trunk"


async def test_a_poll_reads_all_pages(
    client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    for number in range(1, 251):
        host.open(number)
    await repository.poll(owner)

    count = await owner.value(
        "select count(*) from repository_changes where repository_id = %(id)s", id=repository.repository_id
    )
    assert count == 250


async def test_a_poll_stops_at_what_the_last_one_has_seen(
    client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    host.open(1, updated_at="2020-01-01T00:00:00Z")
    host.open(2)
    await repository.poll(owner)

    assert (await repository.only_change()).number == 2


async def test_the_token_is_sealed_and_sent_to_no_other_host(
    api: Api, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    host.open()
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    host.replies = [Reply(302, None, {"Location": "http://127.0.0.1:9/stolen"})]
    await repository.work()

    change = await repository.only_change()
    assert (change.status, change.message) == ("failed", like("…another host…"))
    dump = json.dumps(await owner.value("select jsonb_agg(h) from code_hosts h"))
    assert TOKEN not in dump
    assert TOKEN.encode().hex() not in dump


async def test_changes_missed_while_paused_are_caught_up_on(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    await owner.execute(
        "update workspaces set paused_at = now() where id = %(id)s", id=repository.company.workspace_id
    )
    host.open()
    host.merge()
    assert await deliver(api, repository, host.delivery("closed")) == 402

    await owner.execute(
        "update workspaces set paused_at = null where id = %(id)s", id=repository.company.workspace_id
    )
    await repository.poll(owner)
    assert len(await tasks_of(client)) == 1


async def test_the_fields_of_a_repository_have_defaults() -> None:
    assert RepositoryFields().moment == "merged"
    assert limits.REPOSITORY_POLL_WINDOW > limits.REPOSITORY_POLL_DELAY
