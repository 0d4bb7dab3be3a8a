"""Drafts are reviewed in a comment on the pull request, by commands from people who may write."""

import re
from dataclasses import replace

import pytest

from instep.platform.core.database import Database, Tx
from instep.transfer.repositories import actions
from instep.transfer.repositories.pull_commands import PullCommand, command_lines, read_command
from instep.transfer.repositories.schemas import RepositoryFields
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import DIFF, SETTINGS, SETTINGS_AFTER, get, publish
from tests.support.connected_repositories import Connected
from tests.support.github_double import TOKEN, GitHubDouble
from tests.support.pull_reviews import (
    SLOW,
    SLOW_AFTER,
    Deliver,
    conclusions,
    is_approved,
    number_of,
    status_of,
    text_of,
)


@pytest.fixture
def repository_fields() -> RepositoryFields:
    return RepositoryFields(moment="opened")


async def test_one_draft_is_approved_one_dismissed_and_the_merge_makes_it_live(
    client: Client, owner: Tx, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    [comment] = host.own_comments
    assert "-Set `ACME_TIMEOUT` to a number of seconds." in comment
    assert "+Set `ACME_REQUEST_TIMEOUT` to a number of seconds." in comment
    assert "src/settings" in comment
    for draft in drafts.values():
        assert f"/review/{draft['id']}" in comment
    assert "/preview/prev_" in comment
    assert conclusions(host) == ["neutral"]

    first, second = number_of(host, "Settings"), number_of(host, "Slow networks")
    await deliver(host.comment(f"/instep apply {first}"))
    assert await status_of(client, drafts["Settings"]) == "pending"
    assert await text_of(client, drafts["Settings"]) == SETTINGS
    assert "1 approved, 1 open" in host.checks[-1]["output"]["title"]
    await deliver(host.comment(f"/instep dismiss {second} not needed here"))

    dismissed = await get(client, f"drafts/{drafts['Slow networks']['id']}")
    assert dismissed["dismissal"] == {"reason": "not_needed", "comment": "here", "replacedBy": None}
    assert conclusions(host)[-1] == "success"
    assert len(host.own_comments) == 1
    assert "octocat at GitHub" in host.own_comments[0]
    approved = await get(client, f"drafts/{drafts['Settings']['id']}")
    assert approved["approvedBy"] == {"type": "person", "name": "octocat at GitHub"}

    host.merge()
    await deliver(host.delivery("closed"))

    assert await status_of(client, drafts["Settings"]) == "applied"
    assert await text_of(client, drafts["Settings"]) == SETTINGS_AFTER
    assert await text_of(client, drafts["Slow networks"]) == SLOW
    assert conclusions(host)[-1] == "success"
    assert len(host.own_comments) == 1
    names = await owner.value(
        "select array_agg(actor_name order by id) from audit_entries"
        " where resource = %(id)s and action = 'apply_draft'",
        id=drafts["Settings"]["id"],
    )
    assert names == ["octocat at GitHub"]


@pytest.mark.parametrize("author", ["reader", "stranger"])
async def test_commands_of_people_without_write_access_are_answered_and_do_nothing(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json], author: str
) -> None:
    await deliver(host.comment("/instep apply all\n/instep dismiss 1", author))

    assert [await status_of(client, draft) for draft in drafts.values()] == ["pending", "pending"]
    assert not any([await is_approved(client, draft) for draft in drafts.values()])
    answer = host.own_comments[1]
    assert "can write to this repository" in answer
    assert len(host.own_comments) == 2


@pytest.mark.parametrize(
    ("action", "fields"),
    [("edited", {}), ("created", {"user": {"login": "helper[bot]", "type": "Bot"}})],
    ids=["edited", "bot"],
)
async def test_edited_comments_and_those_of_bots_are_no_commands(
    client: Client,
    host: GitHubDouble,
    deliver: Deliver,
    drafts: dict[str, Json],
    action: str,
    fields: Json,
) -> None:
    host.comment("/instep apply all", **fields)
    assert await deliver(host.delivery_of_comment(action, host.comments[-1])) == 202

    assert not any([await is_approved(client, draft) for draft in drafts.values()])


async def test_a_forged_delivery_of_a_comment_is_refused(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    assert await deliver(host.comment("/instep apply all"), secret="guessed") == 401

    assert not any([await is_approved(client, draft) for draft in drafts.values()])


async def test_a_repeated_delivery_repeats_no_command(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    delivery = host.comment("/instep apply all")
    await deliver(delivery)
    assert all([await is_approved(client, draft) for draft in drafts.values()])
    draft = drafts["Settings"]
    await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": "# Settings\n\nOther words.\n"})

    await deliver(delivery)

    assert not await is_approved(client, draft)


async def test_a_draft_that_has_changed_since_the_comment_showed_it_is_not_approved(
    client: Client,
    owner: Tx,
    host: GitHubDouble,
    repository: Connected,
    deliver: Deliver,
    drafts: dict[str, Json],
) -> None:
    draft, number = drafts["Settings"], number_of(host, "Settings")
    early = host.tick()
    await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": "# Settings\n\nOther words.\n"})
    await deliver(host.comment(f"/instep apply {number}"))
    assert not await is_approved(client, draft)
    assert "has changed" in host.own_comments[-1]

    assert "+Other words." in host.own_comments[0]
    await deliver(host.comment(f"/instep apply {number}", created_at=early))
    assert not await is_approved(client, draft)

    await deliver(host.comment(f"/instep apply {number}"))
    assert await is_approved(client, draft)


async def test_a_push_between_command_and_merge_revokes_what_it_changes(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    await deliver(host.comment("/instep apply all"))
    host.push(diff=DIFF.replace("ACME_REQUEST_TIMEOUT", "ACME_WAIT"))
    await deliver(host.delivery("synchronize"))
    assert "approve it again" in host.own_comments[0]
    assert conclusions(host)[-1] == "neutral"

    host.merge()
    await deliver(host.delivery("closed"))

    assert await text_of(client, drafts["Settings"]) == SETTINGS
    assert "2 open" in host.checks[-1]["output"]["title"]
    await deliver(host.comment("/instep apply 1"))
    await deliver(host.comment("/instep apply 2"))
    assert "ACME_WAIT" in await text_of(client, drafts["Settings"])


@pytest.mark.parametrize(
    "diff",
    [
        DIFF.replace("ACME_REQUEST_TIMEOUT", "ACME_WAIT"),
        DIFF.replace("src/settings.py", "package-lock.json"),
    ],
    ids=["other text", "nothing left"],
)
async def test_a_push_of_which_only_the_merge_is_told_makes_nothing_live_that_it_changes(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json], diff: str
) -> None:
    await deliver(host.comment("/instep apply all"))
    host.push(diff=diff)
    host.merge()
    await deliver(host.delivery("closed"))

    assert await text_of(client, drafts["Settings"]) == SETTINGS
    assert await text_of(client, drafts["Slow networks"]) == SLOW
    assert "approve it again" in host.own_comments[0] or "decide in Instep" in host.own_comments[0]


async def test_a_push_that_changes_no_draft_keeps_the_approvals(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    await deliver(host.comment("/instep apply all"))
    host.push()
    await deliver(host.delivery("synchronize"))
    host.merge()
    await deliver(host.delivery("closed"))

    assert await text_of(client, drafts["Settings"]) == SETTINGS_AFTER
    assert await text_of(client, drafts["Slow networks"]) == SLOW_AFTER
    assert len(host.own_comments) == 1


async def test_decisions_in_the_dashboard_reach_the_comment_and_the_check(
    client: Client, owner: Tx, host: GitHubDouble, repository: Connected, drafts: dict[str, Json]
) -> None:
    for draft in drafts.values():
        await client.post(f"/v1/drafts/{draft['id']}/dismiss", json={"reason": "wrong_text"})
    await repository.poll(owner)
    await repository.review(owner)

    assert conclusions(host)[-1] == "success"
    assert "2 drafts are dismissed" in host.own_comments[0]
    assert "in Instep" in host.own_comments[0]


async def test_a_command_waits_for_the_commit_that_is_being_read_and_means_what_was_shown(
    api: Api,
    client: Client,
    owner: Tx,
    host: GitHubDouble,
    repository: Connected,
    deliver: Deliver,
    drafts: dict[str, Json],
) -> None:
    command = host.comment("/instep apply all")
    host.push(diff=DIFF.replace("ACME_REQUEST_TIMEOUT", "ACME_WAIT"))
    for delivery in (host.delivery("synchronize"), command):
        headers = delivery.headers(repository.secret)
        await api(None).post(repository.hook_path, content=delivery.body, headers=headers)
    for _ in range(3):
        await repository.review(owner)

    pending = (await get(client, "drafts"))["results"]
    assert [draft["approvedAt"] for draft in pending] == [None, None]
    assert any("has changed" in text or "already decided" in text for text in host.own_comments)


async def test_a_host_that_does_not_say_who_may_write_lets_nobody(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    host.permissions["octocat"] = "refused"
    await deliver(host.comment("/instep apply all"))

    assert not any([await is_approved(client, draft) for draft in drafts.values()])
    assert "nothing was changed" in host.own_comments[-1]


async def test_an_approval_after_the_merge_is_live_at_once(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    host.merge()
    await deliver(host.delivery("closed"))
    assert await text_of(client, drafts["Settings"]) == SETTINGS

    await deliver(host.comment("/instep apply all"))
    assert await text_of(client, drafts["Settings"]) == SETTINGS_AFTER


@pytest.mark.parametrize(
    ("fields", "comments", "states"),
    [
        ({"comments": False}, 0, ["neutral"]),
        ({"status_mode": "off"}, 1, []),
        ({"status_mode": "required"}, 1, ["failure"]),
    ],
)
async def test_settings_switch_the_comment_and_the_check(
    client: Client,
    owner: Tx,
    host: GitHubDouble,
    repository: Connected,
    deliver: Deliver,
    fields: dict[str, object],
    comments: int,
    states: list[str],
) -> None:
    await repository.set_fields(owner, **fields)
    await publish(client, "Settings", SETTINGS)
    host.open()
    await deliver(host.delivery("opened"))

    assert (len(host.own_comments), conclusions(host)) == (comments, states)


async def test_without_drafts_there_is_no_comment_and_an_earlier_one_says_so(
    client: Client, host: GitHubDouble, deliver: Deliver
) -> None:
    host.open()
    await deliver(host.delivery("opened"))
    assert host.own_comments == []

    await publish(client, "Settings", SETTINGS)
    host.push()
    await deliver(host.delivery("synchronize"))
    assert "1 open" in host.own_comments[0]
    host.push(diff=DIFF.replace("ACME_REQUEST_TIMEOUT", "ACME_TIMEOUT"))
    await deliver(host.delivery("synchronize"))
    assert "1 draft is dismissed" in host.own_comments[0]


async def test_a_host_that_refuses_comments_is_reported_and_reviews_go_on(
    client: Client, owner: Tx, host: GitHubDouble, repository: Connected, deliver: Deliver
) -> None:
    host.may_write = False
    await publish(client, "Settings", SETTINGS)
    host.open()
    await deliver(host.delivery("opened"))

    assert "permission" in ((await repository.stored()).review_error or "")
    host.may_write = True
    await deliver(host.delivery("edited"))
    assert (await repository.stored()).review_error is None
    assert len(host.own_comments) == 1


async def test_a_deleted_comment_is_written_again(
    host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    host.comments.clear()
    await deliver(host.comment("/instep dismiss 1"))

    [comment] = host.own_comments
    assert "1 dismissed" in comment
    # The comment offers only the numbers of drafts that can still be decided.
    assert set(re.findall(r"`/instep \w+ (\d)", comment)) == {"2"}
    await deliver(host.comment("/instep dismiss 2"))
    assert "2 drafts are dismissed" in host.own_comments[0]
    assert "/instep" not in host.own_comments[0]


async def test_a_text_that_the_comment_does_not_show_in_full_is_not_approved_there(
    client: Client, host: GitHubDouble, deliver: Deliver
) -> None:
    await publish(client, "Settings", SETTINGS + "Set `ACME_TIMEOUT` again.\n\nMore.\n\n" * 40)
    host.open()
    await deliver(host.delivery("opened"))
    [draft] = (await get(client, "drafts"))["results"]
    await deliver(host.comment("/instep apply 1"))

    assert not await is_approved(client, draft)
    assert "on its page" in host.own_comments[0]


async def test_commands_that_are_none_are_answered(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    await deliver(host.comment("/instep apply 9\n/instep frobnicate `x` @everyone"))

    assert "no draft 9" in host.own_comments[-1]
    assert "/instep apply all" in host.own_comments[-1]
    await deliver(host.comment("I like this.\n/instep apply all"))
    assert not any([await is_approved(client, draft) for draft in drafts.values()])


async def test_help_centers_that_read_one_repository_are_named_by_commands(
    database: Database,
    client: Client,
    cast: Cast,
    host: GitHubDouble,
    repository: Connected,
    deliver: Deliver,
) -> None:
    second = replace(cast.acme, bot_id=cast.second_bot_id)
    new = actions.NewHost("github", host.url, TOKEN)
    remote = await actions.find_with_token(second.workspace_id, repository.client, new, "acme/app")
    async with acting(database, second) as ctx:
        added = await actions.add_repository(ctx, remote, RepositoryFields(moment="opened", paths=["docs"]))
    await publish(client, "Settings", SETTINGS)
    host.open()
    await deliver(host.delivery("opened"))
    [draft] = (await get(client, "drafts"))["results"]
    await deliver(host.comment("/instep apply 1"))
    before = await is_approved(client, draft)
    [word] = set(re.findall(r"`(/instep \S+) apply 1`", host.own_comments[0]))
    await deliver(host.comment(f"{word} apply 1"))
    after = await is_approved(client, draft)
    async with acting(database, second) as ctx:
        await actions.remove_repository(ctx, added.id)

    assert (before, after) == (False, True)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("/instep apply 1", PullCommand("apply", "", (1,))),
        ("/instep  APPLY 2, 3,2", PullCommand("apply", "", (2, 3))),
        ("/instep apply all", PullCommand("apply", "")),
        ("/instep commit", PullCommand("commit", "")),
        ("/instep commit all", PullCommand("commit", "")),
        ("/instep commit 2 1", PullCommand("commit", "", (2, 1))),
        ("/instep dismiss 2", PullCommand("dismiss", "", (2,))),
        ("/instep dismiss 2 Wrong text see #4", PullCommand("dismiss", "", (2,), "wrong_text", "see #4")),
        ("/instep dismiss 2 we keep it", PullCommand("dismiss", "", (2,), None, "we keep it")),
        ("/instep", PullCommand("help", "")),
        *((f"/instep {words}", PullCommand("unknown", "")) for words in ("apply", "apply 0", "apply 1 x")),
        *(
            (f"/instep {words}", PullCommand("unknown", ""))
            for words in ("apply ²", "dismiss all", "apply 1234")
        ),
    ],
)
def test_a_line_is_one_command_or_none(line: str, command: PullCommand) -> None:
    assert replace(read_command(line), line="") == command


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("\n/instep apply 1\r\n/instep help\nThanks", ["/instep apply 1", "/instep help"]),
        ("> /instep apply 1", []),
        ("/instepapply 1", []),
        ("/instep apply\x00 1", ["/instep apply\ufffd 1"]),
        ("/instep apply 1\n" * 50, ["/instep apply 1"] * 20),
        (" " * 1_000_000, []),
    ],
)
def test_only_the_first_lines_of_a_comment_are_commands(text: str, lines: list[str]) -> None:
    assert command_lines(text) == lines
