"""Checkboxes in Instep's pull request comment: a tick approves what the comment shows, and nothing else."""

import pytest

from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Role
from instep.transfer.repositories.host_people import name_host_member
from instep.transfer.repositories.schemas import RepositoryFields
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json
from tests.support.changes import DIFF, SETTINGS, SETTINGS_AFTER, get, publish
from tests.support.connected_repositories import Connected
from tests.support.github_double import BOX, GitHubDouble
from tests.support.limits import SetLimit
from tests.support.pull_reviews import (
    Deliver,
    conclusions,
    is_approved,
    number_of,
    open_with_drafts,
    status_of,
    text_of,
)
from tests.support.sign_in import sign_up


@pytest.fixture
def repository_fields() -> RepositoryFields:
    return RepositoryFields(moment="opened")


def boxes(host: GitHubDouble) -> list[str]:
    return BOX.findall(host.own_comments[0])


# Instep posts as an app, or with the token of a person who may also write.
@pytest.mark.parametrize("own_login", ["instep[bot]", "octocat"])
async def test_a_tick_approves_until_it_is_taken_back_and_the_merge_makes_it_live(
    client: Client, owner: Tx, host: GitHubDouble, deliver: Deliver, own_login: str
) -> None:
    host.own_login = own_login
    drafts = await open_with_drafts(client, host, deliver)
    number = number_of(host, "Settings")
    assert boxes(host) == [" ", " "]

    for state in ("x", " ", "x"):
        await deliver(host.click_box(number))
        assert await is_approved(client, drafts["Settings"]) == (state == "x")
        assert boxes(host)[number - 1] == state
    assert "approved by octocat at GitHub" in host.own_comments[0]
    assert not await is_approved(client, drafts["Slow networks"])
    await deliver(host.comment("/instep dismiss 2 not needed" if number == 1 else "/instep dismiss 1 later"))
    assert boxes(host) == ["x"]
    host.merge()
    await deliver(host.delivery("closed"))

    assert await text_of(client, drafts["Settings"]) == SETTINGS_AFTER
    assert await status_of(client, drafts["Slow networks"]) == "dismissed"
    assert conclusions(host)[-1] == "success"
    assert boxes(host) == []
    assert len(host.own_comments) == 1
    actions = await owner.value(
        "select array_agg(action order by id) from audit_entries where resource = %(id)s and"
        " actor_name = 'octocat at GitHub' and actor_type = 'person'",
        id=drafts["Settings"]["id"],
    )
    assert actions == ["apply_draft", "withdraw_approval", "apply_draft"]


@pytest.mark.parametrize("author", ["reader", "stranger"])
async def test_ticks_of_people_without_write_access_are_answered_and_put_back(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json], author: str
) -> None:
    before = host.own_comments[0]
    await deliver(host.click_box(1, author))

    assert not any([await is_approved(client, draft) for draft in drafts.values()])
    assert host.own_comments[0] == before
    [answer] = host.own_comments[1:]
    assert "can write to this repository" in answer


async def test_each_person_has_ticked_only_their_own_boxes(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    by_reader = host.click_box(1, "reader")
    by_writer = host.click_box(2)
    await deliver(by_writer)
    await deliver(by_reader)

    approved = [number for number in (1, 2) if boxes(host)[number - 1] == "x"]
    assert approved == [2]
    assert "can write to this repository" in host.own_comments[1]


@pytest.mark.parametrize("author", ["octocat", "reader"])
async def test_other_edits_of_the_comment_mean_nothing_and_are_put_back(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json], author: str
) -> None:
    before = host.own_comments[0]
    await deliver(host.edit(before.replace("- [ ]", "- [x]").replace("seconds", "minutes"), author))
    await deliver(host.edit("/instep apply all", author))
    unsigned = before.replace("<!-- boxes ", "<!-- boxes 0:1:0:1 ").replace("- [ ]", "- [x]")
    await deliver(host.edit(unsigned, author))

    assert not any([await is_approved(client, draft) for draft in drafts.values()])
    assert host.own_comments[0] == before
    assert ["only its boxes" in text for text in host.own_comments[1:]] == [True] * 3


async def test_an_earlier_text_of_the_comment_is_put_back_too(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    earlier = host.own_comments[0]
    await deliver(host.click_box(1))
    current = host.own_comments[0]
    await deliver(host.edit(earlier))

    assert host.own_comments == [current]


async def test_a_text_that_looks_like_a_box_is_none(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    number = number_of(host, "Settings")
    text = SETTINGS + "\n- [x] Apply when merged\n"
    await client.patch(f"/v1/drafts/{drafts['Settings']['id']}", json={"contentMarkdown": text})
    await deliver(host.delivery("edited"))
    await deliver(host.click_box(number))

    assert await is_approved(client, drafts["Settings"])
    assert not await is_approved(client, drafts["Slow networks"])


async def test_a_comment_that_would_be_too_long_keeps_the_boxes_and_links_to_the_longest_texts(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json], set_limit: SetLimit
) -> None:
    text = SETTINGS + "\nLonger than the other one.\n" * 20
    await client.patch(f"/v1/drafts/{drafts['Settings']['id']}", json={"contentMarkdown": text})
    await deliver(host.delivery("edited"))
    number = number_of(host, "Settings")
    for missing, shown in (("Longer", "+Raise"), ("+Raise", "has no room")):
        most = len(host.own_comments[0]) - 1
        set_limit("MAX_COMMENT_CHARACTERS", most)
        await deliver(host.delivery("edited"))

        [comment] = host.own_comments
        assert len(comment) <= most
        assert missing not in comment
        assert shown in comment
        assert boxes(host) == [" ", " "]
        assert {number_of(host, title) for title in drafts} == {1, 2}

    await deliver(host.click_box(number))
    assert await is_approved(client, drafts["Settings"])
    assert not await is_approved(client, drafts["Slow networks"])


async def test_a_tick_means_the_proposal_that_was_shown(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    draft, number = drafts["Settings"], number_of(host, "Settings")
    tick = host.click_box(number)
    await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": "# Settings\n\nOther words.\n"})
    await deliver(tick)
    assert not await is_approved(client, draft)
    assert "has changed" in host.own_comments[1]
    assert "+Other words." in host.own_comments[0]
    assert boxes(host) == [" ", " "]

    await deliver(host.click_box(number))
    assert await is_approved(client, draft)


async def test_a_push_between_tick_and_merge_revokes_what_it_changes(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    await deliver(host.click_box(1))
    late = host.click_box(2)
    host.push(diff=DIFF.replace("ACME_REQUEST_TIMEOUT", "ACME_WAIT"))
    host.merge()
    await deliver(host.delivery("closed"))
    await deliver(late)

    for draft in drafts.values():
        assert "ACME_TIMEOUT" in await text_of(client, draft)
    assert "approve it again" in host.own_comments[0]
    assert any("has changed" in text or "already decided" in text for text in host.own_comments[1:])
    assert boxes(host) == [" ", " "]


async def test_a_forged_or_repeated_delivery_of_a_tick_does_nothing(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    tick = host.click_box(1)
    assert await deliver(tick, secret="guessed") == 401
    assert not any([await is_approved(client, draft) for draft in drafts.values()])
    await deliver(tick)
    await deliver(host.click_box(1))

    await deliver(tick)

    assert not any([await is_approved(client, draft) for draft in drafts.values()])


async def test_an_approval_in_instep_is_not_taken_back_by_a_box(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    draft, number = drafts["Settings"], number_of(host, "Settings")
    await deliver(host.click_box(number))
    await client.post(f"/v1/drafts/{draft['id']}/apply", json={"when": "release"})
    await deliver(host.click_box(number))

    assert await is_approved(client, draft)
    assert boxes(host)[number - 1] == " "
    assert "approved in Instep" in host.own_comments[0]


async def test_without_deliveries_of_comments_there_are_no_boxes_and_no_commands(
    client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    await publish(client, "Settings", SETTINGS)
    host.open()
    await repository.poll(owner)
    await repository.review(owner)

    assert boxes(host) == []
    assert "/instep" not in host.own_comments[0]


async def test_the_link_to_a_draft_is_an_answer(
    client: Client, host: GitHubDouble, deliver: Deliver, drafts: dict[str, Json]
) -> None:
    await deliver(host.comment(f"/instep edit {number_of(host, 'Settings')}, 9"))

    assert f"/review/{drafts['Settings']['id']})" in host.own_comments[1]
    assert "no draft 9" in host.own_comments[1]


@pytest.mark.parametrize("role", [Role.EDITOR, Role.VIEWER])
async def test_a_decision_of_a_person_whom_an_owner_has_named_is_that_members(
    database: Database,
    client: Client,
    owner: Tx,
    cast: Cast,
    host: GitHubDouble,
    repository: Connected,
    deliver: Deliver,
    drafts: dict[str, Json],
    role: Role,
) -> None:
    user = await sign_up(owner, cast.acme.workspace_id, role)
    async with acting(database, cast.acme) as ctx:
        await name_host_member(ctx, repository.repository_id, " @OctoCat", user.id)
    await deliver(host.click_box(number_of(host, "Settings")))

    is_member = role == Role.EDITOR
    name = user.email if is_member else "octocat at GitHub"
    approved = await get(client, f"drafts/{drafts['Settings']['id']}")
    assert approved["approvedBy"] == {"type": "person", "name": name}
    actor = await owner.value(
        "select array[actor_id, app] from audit_entries where action = 'apply_draft' and resource = %(id)s",
        id=drafts["Settings"]["id"],
    )
    assert actor == ([user.id, "octocat at GitHub"] if is_member else [None, None])
    assert "approved by octocat at GitHub" in host.own_comments[0]
    assert user.email not in host.own_comments[0]
