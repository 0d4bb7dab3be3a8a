"""The language model in the editor: who may use it, what it answers, and what it never does."""

import re

import pytest

from instep.platform.core.database import Database, Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.interfaces.dashboard.editor import fields_of
from tests.support.cast import Cast, Client, Json
from tests.support.http import Response, create_article, ok
from tests.support.limits import SetSetting
from tests.support.model_endpoint import errs, follows, says
from tests.support.places import LABEL, REASON, open_place
from tests.support.setting_models import LOOPBACK, with_model

WORDS = "writing/words"
SHORTER = says({"text": "Run it.", "note": "Shorter."})


@pytest.fixture(autouse=True)
def loopback(set_setting: SetSetting) -> None:
    set_setting(*LOOPBACK)


@pytest.fixture
async def article(client: Client) -> Json:
    return await create_article(
        client, "Install", contentMarkdown="You can be able to run it. \U0001f600 End.\n"
    )


async def ask(desk: Desk, article: Json, **fields: str) -> Response:
    page = await desk.get(f"articles/{article['id']}/edit")
    token = fields_of(page)["form-token"]
    sent = {"intent": "shorten", "before": "", "selected": "You can be able to run it.", "after": " End.\n"}
    return await desk.post(WORDS, {"form-token": token, "title": "Install", **sent, **fields})


async def test_the_menu_is_there_with_a_model_for_the_editor_alone(
    desk: Desk, article: Json, cast: Cast, database: Database
) -> None:
    address = f"articles/{article['id']}/edit"
    assert "data-intent" not in (await desk.get(address)).text

    async with with_model(database, cast.acme, SHORTER):
        text = (await desk.get(address)).text
        assert re.findall(r'data-intent="(\w+)"', text) == ["shorten", "fix"]
        assert "data-intent" in (await desk.get("changelog/new")).text
    async with with_model(database, cast.acme, SHORTER, purposes=["drafts"]):
        assert "data-intent" not in (await desk.get(address)).text
        refused = await ask(desk, article)
    assert refused.status_code == 400
    assert "owner" in refused.json()["message"]


async def test_a_proposal_changes_nothing_by_itself(
    editor: Desk, article: Json, client: Client, cast: Cast, database: Database
) -> None:
    before = ok(await client.get(f"/v1/articles/{article['id']}"))
    async with with_model(database, cast.acme, SHORTER) as behind:
        answer = (await ask(editor, article, before="\U0001f600\r\n")).json()

    assert (answer["from"], answer["old"], answer["new"]) == (3, "You can be able to run it.", "Run it.")
    assert answer["note"] == "Shorter."
    assert "".join(text for change, text in answer["words"] if change != "removed") == "Run it."
    assert len(behind.asked) == 1
    assert ok(await client.get(f"/v1/articles/{article['id']}")) == before


async def test_the_style_is_in_the_prompt_and_its_violations_are_reasons_to_fix(
    desk: Desk, client: Client, article: Json, cast: Cast, database: Database
) -> None:
    style = {"rules": [{"rule": "Be brief."}], "avoidWords": ["able"]}
    async with with_model(database, cast.acme, SHORTER) as behind:
        await ask(desk, article)
        ok(await client.patch("/v1/style", json=style))
        offered = (await desk.get(f"articles/{article['id']}/edit")).text
        answer = await ask(desk, article, intent="style")

    assert 'data-intent="style"' in offered
    assert answer.json()["new"] == "Run it."
    plain, styled = behind.asked
    assert "Be brief." in styled.system
    assert "Be brief." not in plain.system
    assert "(able)" in styled.data


async def test_a_place_is_written_from_its_reason_its_lines_and_their_change(
    desk: Desk, client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    place = await open_place(client, database, cast.acme)
    file = place["evidence"][0]["file"]
    diff = f"--- a/{file}\n+++ b/{file}\n@@ -1,1 +1,1 @@\n-<p>Runs at night</p>\n+<p>Runs at noon</p>\n"
    await owner.execute(
        "update tasks set diff = %(diff)s, change_body = 'Exports can wait.' where id = %(id)s",
        diff=diff,
        id=place["taskId"],
    )
    text = ok(await client.get(f"/v1/articles/{place['articleId']}"))["contentMarkdown"]
    told = "A scheduled export runs at night, unless **Pause the scheduled export** is on."
    new = f"## Schedule exports\n\n{told}"
    async with with_model(database, cast.acme, follows(lambda asked: {"text": new, "note": ""})) as behind:
        page = f"articles/{place['articleId']}/edit?place={place['id']}"
        assert 'data-intent="write"' in (await desk.get(page)).text
        sent = {"intent": "write", "place": place["id"], "selected": text, "after": ""}
        answer = (await ask(desk, {"id": place["articleId"]}, **sent)).json()

    assert answer["from"] == text.index("## Schedule")
    assert answer["new"] == f"{new}\n"
    assert LABEL in behind.asked[0].data
    for words in (REASON, "Exports can wait.", "Runs at noon"):
        assert words in behind.asked[0].data


@pytest.mark.parametrize(
    "planted",
    ["Run it. <script>alert(1)</script>", "Run [it](https://login.evil.ru/acme).", "Run `rm_all --now`."],
)
async def test_planted_markup_is_refused_with_a_sentence(
    desk: Desk, article: Json, cast: Cast, database: Database, planted: str
) -> None:
    async with with_model(database, cast.acme, says({"text": planted, "note": "Fine."})):
        refused = await ask(desk, article)

    assert refused.status_code == 400
    assert refused.json()["message"].startswith("Its text was")


async def test_failure_of_the_model_gets_400_with_the_reason(
    desk: Desk, article: Json, cast: Cast, database: Database
) -> None:
    async with with_model(database, cast.acme, errs(401)):
        refused = await ask(desk, article)
    async with with_model(database, cast.acme, SHORTER, tokens_per_day=10) as behind:
        used_up = await ask(desk, article)

    assert (refused.status_code, used_up.status_code) == (400, 400)
    assert "used up" in used_up.json()["message"]
    assert behind.asked == []


@pytest.mark.parametrize("fields", [{"intent": "publish"}, {"intent": "write", "place": "plc_none"}])
async def test_another_intent_and_another_place_are_refused(
    desk: Desk, article: Json, cast: Cast, database: Database, fields: dict[str, str]
) -> None:
    async with with_model(database, cast.acme, SHORTER) as behind:
        assert (await ask(desk, article, **fields)).status_code in (400, 404)
    assert behind.asked == []


async def test_only_those_who_may_edit_ask(
    desk: Desk, viewer: Desk, stranger: Desk, article: Json, cast: Cast, database: Database
) -> None:
    async with with_model(database, cast.acme, SHORTER) as behind:
        assert (await desk.post(WORDS, {"intent": "fix", "selected": "It."})).status_code == 403
        for outsider, status in ((viewer, 403), (stranger, 404)):
            token = re.search(
                r'name="form-token" value="([^"]+)"', (await outsider.visitor.get("/app/account")).text
            )
            fields = {"form-token": token[1] if token else "", "intent": "fix", "selected": "It."}
            assert (await outsider.post(WORDS, fields)).status_code == status
    assert behind.asked == []
