"""GET and PATCH /v1/review-settings: assignment rules, reminders and expiry."""

import pytest

from instep.accounts.people.schemas import User
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Role
from tests.support.cast import Cast, Client, Json
from tests.support.http import create_collection, error, ok
from tests.support.sign_in import sign_up

PATH = "/v1/review-settings"


@pytest.fixture
async def people(owner: Tx, cast: Cast) -> list[User]:
    return [await sign_up(owner, cast.acme.workspace_id, Role.EDITOR) for _ in range(2)]


async def change(client: Client, **fields: object) -> Json:
    settings: Json = ok(await client.patch(PATH, json=fields))
    assert ok(await client.get(PATH)) == settings
    return settings


async def test_only_the_fields_sent_change(client: Client, people: list[User]) -> None:
    collection = await create_collection(client)
    rules = [{"collectionId": collection["id"], "reviewers": [user.email for user in people]}]
    await change(client, reminderDays=3, expiryDays=30)
    await change(client, collectionRules=rules, excludedLabels=["internal", "Docs"])

    assert await change(client, expiryDays=None) == {
        "reminderDays": 3,
        "expiryDays": None,
        "collectionRules": rules,
        "excludedLabels": ["Docs", "internal"],
    }


async def test_a_list_replaces_the_one_before_and_keeps_rules_that_are_sent_again(
    client: Client, owner: Tx, people: list[User]
) -> None:
    kept, changed, removed = [(await create_collection(client))["id"] for _ in range(3)]
    ann, bob = (user.email for user in people)
    rules = [{"collectionId": place, "reviewers": [ann, bob]} for place in (kept, changed, removed)]
    await change(client, collectionRules=rules, excludedLabels=["internal", "docs"])
    await owner.execute(
        "update memberships set disabled_at = now() where person_id = %(id)s", id=people[1].id
    )

    shown = await change(
        client,
        collectionRules=[
            {"collectionId": kept, "reviewers": [ann]},
            {"collectionId": changed, "reviewers": [ann.upper()]},
        ],
        excludedLabels=["Docs"],
    )
    assert [rule["reviewers"] for rule in shown["collectionRules"]] == [[ann]] * 2
    assert shown["excludedLabels"] == ["Docs"]

    # The reviewer who was disabled for a while is still in the rule that was not changed.
    await owner.execute("update memberships set disabled_at = null where person_id = %(id)s", id=people[1].id)
    rules = ok(await client.get(PATH))["collectionRules"]
    assert {rule["collectionId"]: rule["reviewers"] for rule in rules} == {kept: [ann, bob], changed: [ann]}


async def test_a_refused_change_changes_nothing(
    client: Client, owner: Tx, cast: Cast, people: list[User]
) -> None:
    collection = (await create_collection(client))["id"]
    viewer = await sign_up(owner, cast.acme.workspace_id, Role.VIEWER)
    stranger = await sign_up(owner, cast.globex.workspace_id, Role.EDITOR)
    before = ok(await client.get(PATH))
    one = {"collectionId": collection, "reviewers": [people[0].email]}
    for rules in (
        [{"collectionId": collection, "reviewers": []}],
        [{"collectionId": collection, "reviewers": [viewer.email]}],
        [{"collectionId": collection, "reviewers": [stranger.email]}],
        [{"collectionId": "col_00000000000000000000000000", "reviewers": [people[0].email]}],
        [one, {**one, "reviewers": [people[1].email]}],
    ):
        refusal = await client.patch(PATH, json={"reminderDays": 1, "collectionRules": rules})
        assert error(refusal)[0] == 400, rules
        assert {detail["field"] for detail in refusal.json().get("details", [])} <= {
            "collectionId",
            "collectionRules.0.reviewers",
            "reviewers",
        }
    for fields in ({"expiryDays": 13}, {"reminderDays": 366}, {"excludedLabels": [" "]}):
        refusal = await client.patch(PATH, json={"reminderDays": 1, **fields})
        assert error(refusal) == (400, "invalid_request"), fields

    assert ok(await client.get(PATH)) == before
