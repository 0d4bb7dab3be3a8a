"""Review settings: rules, reminders and expiry, and their effect on the queue and the inbox."""

import html

import pytest
from playwright.async_api import Page, expect

from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Role
from tests.interfaces.dashboard.conftest import Desk
from tests.support.articles import save_copy
from tests.support.cast import Cast, Client
from tests.support.drafts import propose, write_article
from tests.support.http import created, ok
from tests.support.inbox import notices
from tests.support.review_desk import Shelf
from tests.support.sign_in import sign_up

PATH = "settings/reviews"


async def test_an_owner_sets_rules_and_days_in_chromium(
    signed_in_tab: Page,
    cast: Cast,
    owner: Tx,
    client: Client,
    development_server: str,
) -> None:
    editor = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    viewer = await sign_up(owner, cast.acme.workspace_id, Role.VIEWER)
    created(await client.post("/v1/collections", json={"title": "Files"}))
    tab = signed_in_tab
    await tab.set_viewport_size({"width": 390, "height": 900})
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/{PATH}")

    await expect(tab.get_by_label(viewer.email)).to_have_count(0)
    await tab.get_by_label("Collection", exact=True).select_option("Files")
    await tab.get_by_label(editor.email).check()
    await tab.get_by_role("button", name="Add rule for the collection").click()
    rules = tab.get_by_role("list", name="Rules").get_by_role("listitem")
    await expect(rules).to_contain_text(["Files"])
    await expect(rules.first).to_contain_text(editor.email)

    await tab.get_by_label("Label of the pull request").fill("internal")
    await tab.keyboard.press("Enter")
    await expect(rules).to_have_count(2)
    await tab.get_by_role("button", name="Remove the rule for internal").click()
    await expect(rules).to_have_count(1)

    await expect(tab.get_by_label("Days until a reminder")).to_have_value("7")
    await tab.get_by_label("Days until a draft expires").fill("13")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("alert")).to_contain_text("14")
    await expect(tab.get_by_label("Days until a draft expires")).to_have_value("13")
    await tab.get_by_label("Days until a reminder").fill("")
    await tab.get_by_label("Days until a draft expires").fill("60")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_label("Days until a draft expires")).to_have_value("60")
    await expect(tab.get_by_label("Days until a reminder")).to_have_value("")
    assert await tab.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("collections", {"collection": "col_missing", "people": "per_missing"}),
        ("labels", {"label": "x" * 256}),
        ("remove", {"id": "rule_missing"}),
    ],
)
async def test_invalid_rules_are_refused(desk: Desk, action: str, fields: dict[str, str]) -> None:
    answer = await desk.send(PATH, f"{PATH}/{action}", **fields)

    assert answer.status_code in (400, 404)
    assert (await desk.get("settings/audit")).text.count("rule") == 0


async def test_a_rule_is_not_made_twice_and_is_in_the_audit(desk: Desk, owner: Tx) -> None:
    for status in (303, 400):
        answer = await desk.send(PATH, f"{PATH}/labels", label=" Internal ")
        assert answer.status_code == status
    assert (await desk.send(PATH, f"{PATH}/labels", label="internal")).status_code == 400

    sql = "select array_agg(action) from audit_entries where actor_id = %(id)s and action like '%%rule'"
    assert await owner.value(sql, id=desk.user.id) == ["add_label_rule"]


async def test_the_queue_and_the_draft_say_when_it_expires(desk: Desk, shelf: Shelf, owner: Tx) -> None:
    draft = await shelf.edit("Upload limits")
    await owner.execute(
        "update drafts set author_type = 'task', expiry_announced_at = now(),"
        " updated_at = now() - interval '9 days' where id = %(id)s",
        id=draft["id"],
    )
    assert "expires on" not in (await desk.get("review")).text
    await desk.send(PATH, PATH, reminder_days="7", expiry_days="14")

    assert (await desk.get(f"review/{draft['id']}")).text.count("expires on") == 2


async def test_a_draft_that_could_not_be_released_is_announced_once(
    client: Client, editor: Desk, owner: Tx
) -> None:
    source = "https://git.test/acme/pull/1"
    article = await write_article(client)
    draft = await propose(client, article, sourceUrl=source)
    await owner.execute(
        "update drafts set assignee_id = %(person)s where id = %(id)s", person=editor.user.id, id=draft["id"]
    )
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={"when": "release"}))
    ok(
        await client.patch(
            f"/v1/articles/{article['id']}", json={"contentMarkdown": "# Install\n\nRun `go`.\n"}
        )
    )
    for _ in range(2):
        ok(await client.post("/v1/releases", json={"sourceUrls": [source]}))

    assert await notices(owner, editor.user.id) == [("conflict", draft["id"])]
    assert "found a conflict with your version of “<bdi>Install" in html.unescape(
        (await editor.get("inbox")).text
    )


async def test_a_replaced_working_copy_is_announced_to_its_author(
    client: Client, cast: Cast, database: Database, editor: Desk, owner: Tx
) -> None:
    article = await write_article(client)
    await save_copy(database, cast.acme, article["id"], content="Mine.")
    await owner.execute(
        "update articles set working_author_type = 'person', working_author_name = %(email)s"
        " where working_saved_at is not null",
        email=editor.user.email,
    )
    for text in ("Yours.", "Theirs."):
        ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": text}))

    assert await notices(owner, editor.user.id) == [("conflict", article["id"])]
    sql = "select id from notices where person_id = %(id)s"
    [notice] = await owner.column(sql, id=editor.user.id)
    opened = await editor.send("inbox", f"inbox/{notice}/open")
    assert opened.headers["Location"].endswith(f"articles/{article['id']}")
