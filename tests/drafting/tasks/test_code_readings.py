"""A drift check with a language model: it compares articles with the code they describe."""

import json

import pytest
from fastapi import FastAPI

from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.llm.protocol import Completion, OnText, Prompt
from instep.runtime import worker_of
from tests.support.cast import Client, Json
from tests.support.changes import publish
from tests.support.http import created, ok
from tests.support.model_replies import ScriptedModel

COMMIT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
TEXT = "# Limits\n\nA project has at most 400 features, set by `MAX_FEATURES`.\n"
CODE = """\
diff --git a/app/limits.py b/app/limits.py
--- a/app/limits.py
+++ b/app/limits.py
@@ -7,2 +7,2 @@
 # Per project.
 MAX_FEATURES = 1000
"""
EDIT = {
    "article": "A1",
    "action": "replace",
    "line": 3,
    "old": "at most 400 features",
    "new": "at most 1000 features",
    "reason": "The limit is 1000.",
    "quote": "MAX_FEATURES = 1000",
}


class PartsModel(ScriptedModel):
    """Proposes the edit of the one line in `edits` that the prompt contains."""

    def __init__(self, edits: dict[str, Json]) -> None:
        super().__init__()
        self.edits = edits

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        [edit] = [edit for line, edit in self.edits.items() if line in prompt.user]
        return Completion(json.dumps({"edits": [{**EDIT, **edit}]}), 100)


@pytest.fixture
async def article(app: FastAPI, client: Client) -> Json:
    app.state.model = ScriptedModel()
    await publish(client, "Pets", "# Pets\n\nCats and dogs are welcome.\n")
    return await publish(client, "Limits", TEXT)


async def check(client: Client, *articles: Json, code: str = CODE) -> int:
    """Start a check; return the number of its readings."""
    body = {"commit": COMMIT, "changes": [], "goneNames": [], "absentKeys": []}
    sent = [{"articleId": article["id"], "firstLine": 1, "diff": code} for article in articles]
    readings: int = ok(await client.post("/v1/drift/checks", json={**body, "code": sent}))["readings"]
    return readings


async def run(database: Database, *replies: object) -> ScriptedModel:
    model = ScriptedModel(*(json.dumps(reply) if isinstance(reply, dict) else reply for reply in replies))
    worker = worker_of(database, OutboundClient(settings().allow_list), model)
    await worker.run_due()
    return model


async def drafts(client: Client) -> list[Json]:
    rows = ok(await client.get("/v1/drafts"))["results"]
    return [ok(await client.get(f"/v1/drafts/{row['id']}")) for row in rows]


async def test_a_contradiction_becomes_a_draft_with_the_line_of_code(
    client: Client, database: Database, article: Json
) -> None:
    assert await check(client, article) == 1

    model = await run(database, {"edits": [EDIT]})

    [prompt] = model.prompts
    assert "app/limits.py, from line 7:\n# Per project.\nMAX_FEATURES = 1000" in prompt.user
    assert "3|A project has at most 400 features" in prompt.user
    [draft] = await drafts(client)
    assert draft["contentMarkdown"] == TEXT.replace("400", "1000")
    assert (draft["source"]["kind"], draft["certainty"]) == ("drift", "likely")
    assert draft["warnings"] == []
    [evidence] = draft["evidence"]
    assert (evidence["file"], evidence["startLine"], evidence["articleLine"]) == ("app/limits.py", 8, 3)
    # An edit is pending, so the article is not read again.
    assert await check(client, article, code=CODE.replace("1000", "2000")) == 0


async def test_a_past_change_is_shown_with_its_title_and_proves_an_edit(
    client: Client, database: Database, article: Json
) -> None:
    past = """\
--- a/app/limits.py
+++ b/app/limits.py
@@ -7,2 +7,2 @@ 2026-10-01 Count features per team
 # A limit.
-MAX_FEATURES = 400
+TEAM_FEATURES = 400
"""
    await check(client, article, code=past)

    replaced = {"line": 3, "old": "`MAX_FEATURES`", "new": "`TEAM_FEATURES`", "quote": "+TEAM_FEATURES = 400"}
    model = await run(database, {"edits": [{**EDIT, **replaced}]})

    title = "app/limits.py, changed by the commit: 2026-10-01 Count features per team"
    lines = "\n # A limit.\n-MAX_FEATURES = 400\n+TEAM_FEATURES = 400"
    assert title + lines in model.prompts[0].user
    [draft] = await drafts(client)
    assert draft["contentMarkdown"] == TEXT.replace("MAX_", "TEAM_")
    assert (draft["warnings"], draft["evidence"][0]["startLine"]) == ([], 8)


async def test_an_edit_that_only_a_removed_line_proves_has_a_warning(
    client: Client, database: Database, article: Json
) -> None:
    past = CODE.replace(" MAX_FEATURES = 1000", "-MAX_FEATURES = 1000\n+MAX_FEATURES = read_limit()")
    await check(client, article, code=past.replace("-7,2 +7,2 @@", "-7,2 +7,2 @@ 2026-10-01 Read it"))

    gone = {"action": "delete", "line": 3, "last": 3, "old": "A project", "new": ""}
    await run(database, {"edits": [EDIT]})
    [draft] = await drafts(client)
    ok(await client.post(f"/v1/drafts/{draft['id']}/dismiss", json={"reason": "not_needed"}))
    await check(
        client,
        article,
        code=past.replace("read_limit", "find_limit").replace("7,2 @@", "7,2 @@ 2026-10-02 Find it"),
    )
    await run(database, {"edits": [{**EDIT, **gone}]})
    [other] = await drafts(client)

    [warning] = draft["warnings"]
    assert "removed" in warning
    assert not [row for row in other["warnings"] if "proven" in row]


async def test_a_part_that_is_gone_before_its_reading_begins_is_not_read(
    client: Client, database: Database, article: Json
) -> None:
    sent = [{"articleId": article["id"], "firstLine": 401, "diff": CODE}]
    body = {"commit": COMMIT, "changes": [], "goneNames": [], "absentKeys": [], "code": sent}
    assert ok(await client.post("/v1/drift/checks", json=body))["readings"] == 1

    assert (await run(database)).prompts == []


async def test_a_long_article_is_read_in_parts(client: Client, database: Database, article: Json) -> None:
    more = "Some words.\n\n" * 150
    text = (
        f"# Timeouts\n\nSet `ACME_WAIT`.\n\n{more}## Limits\n\nSet `MAX_FEATURES` to 400 at most.\n\n{more}"
    )
    long = await publish(client, "Timeouts", text)
    reads = ok(await client.get("/v1/drift/statements"))["reads"]
    assert [(row["firstLine"], row["names"]) for row in reads if row["articleId"] == long["id"]] == [
        (1, ["ACME_WAIT"]),
        (305, ["MAX_FEATURES"]),
    ]

    sent = [{"articleId": long["id"], "firstLine": line, "diff": CODE} for line in (1, 305)]
    body = {"commit": COMMIT, "changes": [], "goneNames": [], "absentKeys": [], "code": sent[:1]}
    assert ok(await client.post("/v1/drift/checks", json=body))["readings"] == 1
    reads = ok(await client.get("/v1/drift/statements"))["reads"]
    assert [row["firstLine"] for row in reads if row["articleId"] == long["id"]] == [305, 1]
    body["code"] = sent
    assert ok(await client.post("/v1/drift/checks", json=body))["readings"] == 1
    model = PartsModel(
        {
            "3|Set `ACME_WAIT`": {"line": 3, "old": "Set `ACME_WAIT`", "new": "Set `MAX_WAIT`"},
            "305|## Limits": {"line": 307, "old": "400 at most", "new": "1000 at most"},
        }
    )
    await worker_of(database, OutboundClient(settings().allow_list), model).run_due()

    for draft in await drafts(client):
        ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))
    article = ok(await client.get(f"/v1/articles/{long['id']}"))
    assert article["contentMarkdown"] == text.replace("ACME_WAIT", "MAX_WAIT").replace("400", "1000")
    body["code"] = [{**row, "diff": CODE.replace("1000", "2000")} for row in sent]
    assert ok(await client.post("/v1/drift/checks", json=body))["readings"] == 2


async def test_an_unchanged_pair_is_not_read_again(client: Client, database: Database, article: Json) -> None:
    await check(client, article)
    await run(database, {"edits": [], "unchanged": [{"article": "A1", "reason": "The limit is the same."}]})

    assert await check(client, article) == 0
    assert await check(client, article, code=CODE.replace("-7,2 +7,2", "-8,2 +8,2")) == 0
    assert await check(client, article, code=CODE.replace("1000", "400")) == 1
    assert await check(client, article, article) == 0
    assert await check(client, {"id": "art_0000000000000000000000000x"}) == 0
    [task, _] = ok(await client.get("/v1/tasks"))["results"][::-1]
    task = ok(await client.get(f"/v1/tasks/{task['id']}"))
    assert (task["outcome"], task["model"]["calls"]) == ("no_changes", 1)
    assert [row["reason"] for row in task["reviewed"]] == ["The limit is the same."]


async def test_an_edit_without_a_line_of_the_code_is_left_out(
    client: Client, database: Database, article: Json
) -> None:
    await check(client, article)

    unproven = {**EDIT, "quote": "MAX_FEATURES = 2000"}
    await run(database, {"edits": [{**EDIT, "old": "at most 90 gifts"}, unproven]}, {"edits": [unproven]})

    assert await drafts(client) == []


async def test_a_reading_that_failed_is_repeated_by_the_next_check(
    client: Client, database: Database, article: Json
) -> None:
    await check(client, article)
    await run(database, "no JSON")

    assert await check(client, article) == 1


@pytest.mark.parametrize("code", ["", "no diff"])
async def test_a_model_is_not_asked_without_code(
    client: Client, database: Database, article: Json, code: str
) -> None:
    await check(client, article, code=code)

    assert (await run(database)).prompts == []


async def test_the_articles_to_read_are_listed_for_a_help_center_with_a_model(
    app: FastAPI, client: Client, article: Json
) -> None:
    async def listed() -> list[str]:
        return [row["articleId"] for row in ok(await client.get("/v1/drift/statements"))["reads"]]

    other = await publish(client, "Timeouts", "Set `ACME_TIMEOUT`.")
    assert await listed() == [article["id"], other["id"]]

    await check(client, article)
    assert await listed() == [other["id"], article["id"]]
    created(
        await client.post(f"/v1/articles/{other['id']}/drafts", json={"contentMarkdown": "Set `ACME_WAIT`."})
    )
    assert await listed() == [article["id"]]
    app.state.model = None
    assert await listed() == []
    assert await check(client, article, code=CODE.replace("1000", "2000")) == 0
