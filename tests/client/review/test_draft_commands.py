"""`instep draft …` against a real server: it shows the queue, and drafts are really applied or dismissed."""

import json
import os
import pty
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import pytest

from tests.support.cast import Cast, Json
from tests.support.ci_servers import BOT, Reply, standing
from tests.support.commands import CommandResult, run_command
from tests.support.drafts import BEFORE
from tests.support.installation import COMMAND, free_port
from tests.support.limits import SetLimit
from tests.support.wording import like

SWAPS = (("`install`", "`setup`"), ("ten minutes", "a minute"), ("Sign in.", "Sign in, and look around."))
WHY = "The command was renamed."
SOURCE = "https://git.test/acme/pull/7"


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A reviewer at a terminal with a key of Acme, and the API to check the results."""

    api: httpx2.Client
    environment: dict[str, str]

    def draft(self, *arguments: str, **environment: str) -> CommandResult:
        return run_command("draft", *arguments, **(self.environment | environment))

    def get(self, path: str) -> Any:
        return self.api.get(f"/v1/{path}").raise_for_status().json()

    def post(self, path: str, body: Json | None = None) -> Json:
        answer: Json = self.api.post(f"/v1/{path}", json=body).raise_for_status().json()
        return answer

    def patch(self, article: Json, text: str) -> None:
        self.api.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": text}).raise_for_status()

    def text_of(self, article: Json) -> str:
        text: str = self.get(f"articles/{article['id']}")["contentMarkdown"]
        return text

    def article(self) -> Json:
        return self.post("articles", {"title": "Install", "contentMarkdown": BEFORE})

    def propose(self, article: Json, old: str = "`install`", new: str = "`setup`") -> Json:
        body = {"contentMarkdown": BEFORE.replace(old, new), "reason": WHY, "sourceUrl": SOURCE}
        return self.post(f"articles/{article['id']}/drafts", body)


@pytest.fixture
def ann(server: str, cast: Cast) -> Iterator[Reviewer]:
    key = cast.acme.write_key
    with httpx2.Client(base_url=server, headers={"Authorization": f"Bearer {key}"}, timeout=30) as api:
        yield Reviewer(api, {"INSTEP_URL": server, "INSTEP_API_KEY": key})


def test_the_queue_is_a_table(ann: Reviewer) -> None:
    assert ann.draft("list").text == like("No draft…\n")
    article = ann.article()
    first, second = ann.propose(article), ann.propose(article, *SWAPS[1])
    ann.patch(article, BEFORE.replace("Sign in.", "Enter."))

    header, *rows = ann.draft("list").text.splitlines()

    assert header.split() == ["ID", "TYPE", "LINES", "CHANGED", "TITLE"]
    assert [row.split() for row in rows] == [
        [draft["id"], "edit", "+1", "-1", "yes", "Install"] for draft in (second, first)
    ]
    assert {row.index("edit ") for row in rows} == {header.index("TYPE")}
    assert {row.index("Install") for row in rows} == {header.index("TITLE")}


def test_the_queue_of_one_article_and_as_json(ann: Reviewer) -> None:
    ann.propose(ann.article())
    other = ann.post("articles", {"title": "Other", "contentMarkdown": BEFORE})
    draft = ann.propose(other)

    listed = ann.draft("list", "--article", "other", "--json").json

    assert listed == ann.get("drafts?article_id=other")
    assert [row["id"] for row in listed["results"]] == [draft["id"]]
    assert "article does not exist" in ann.draft("list", "--article", "nothing").refusal


def test_a_draft_is_shown_with_all_that_a_reviewer_decides_by(ann: Reviewer) -> None:
    article = ann.article()
    draft, other = ann.propose(article), ann.propose(article, *SWAPS[1])
    live = BEFORE.replace("Sign in.", "Enter.")
    ann.patch(article, live)

    text = ann.draft("show", draft["id"]).text

    facts, diff = text.split("\n\n", 1)
    assert facts.splitlines() == [
        "Install",
        f"  draft   {draft['id']} (edit, +1 -1)",
        f"  article Install ({article['id']})",
        f"  source  {SOURCE}",
        f"  why     {WHY}",
        like("  since   …changed since…"),
        f"  check   1 more draft of this article waits: {other['id']}.",
    ]
    draft_after = ann.get(f"drafts/{draft['id']}")
    assert diff == draft_after["diff"]
    assert ann.draft("show", draft["id"], "--json").json == draft_after


def test_evidence_and_questions_are_shown() -> None:
    """Evidence and questions come from code changes and visitors, and may contain anything."""
    place = {"file": "app/config.py", "startLine": 2, "endLine": 3, "excerpt": "limit = 25\x1b[31m"}
    gap = {
        "id": "gap_1",
        "type": "gap_draft",
        "status": "pending",
        "title": "Export",
        "articleId": "art_1",
        "articleTitle": "Export",
        "conflict": False,
        "additions": 2,
        "deletions": 0,
        "reason": None,
        "sourceUrl": None,
        "evidence": [place, place],
        "questions": ["How do I\nexport?"],
        "warnings": [],
        "diff": None,
        "contentMarkdown": "Choose\x1b]0;x\x07 Export.\n- Save.\n",
    }
    with standing() as stand:
        stand.replies["GET /v1/drafts/gap_1"] = [Reply(200, gap)]
        text = run_command("draft", "show", "gap_1", INSTEP_URL=stand.url, INSTEP_API_KEY="isk_x").text

    assert text.splitlines() == [
        "Export",
        like("  draft   gap_1 (new article…+2 -0)"),
        "  article Export (art_1)",
        "  asked   How do I export?",
        "  code    app/config.py:2-3  limit = 25\N{REPLACEMENT CHARACTER}[31m",
        "",
        "Choose\N{REPLACEMENT CHARACTER}]0;x\N{REPLACEMENT CHARACTER} Export.",
        "- Save.",
    ]


@pytest.mark.parametrize("count", [2, 3])
def test_drafts_that_are_applied_one_after_the_other_all_stay(ann: Reviewer, count: int) -> None:
    article = ann.article()
    drafts = [ann.propose(article, *swap) for swap in SWAPS[:count]]

    live = BEFORE
    for draft, swap in zip(drafts, SWAPS, strict=False):
        applied = ann.draft("apply", draft["id"])

        assert (applied.text, applied.err) == (like(f"{draft['id']} was applied…{article['id']}.\n"), "")
        live = live.replace(*swap)
        assert ann.text_of(article) == live


def test_changes_that_overlap_are_refused_and_an_overwrite_tells_what_it_takes_away(ann: Reviewer) -> None:
    article = ann.article()
    draft = ann.propose(article)
    later = BEFORE.replace("`install`", "`bootstrap`")
    ann.patch(article, later)

    for wish in ([], ["--on-conflict", "merge"], ["--on-conflict", "fail"]):
        refusal = ann.draft("apply", draft["id"], *wish).refusal
        assert "400: The article" in refusal
        assert ann.text_of(article) == later
    applied = ann.draft("apply", draft["id"], "--on-conflict", "overwrite")

    assert applied.code == 0
    warning = "This removes text added to the article since: “Run `bootstrap`.”."
    assert applied.err == f"instep: Warning: {warning}\n"
    assert ann.text_of(article) == draft["contentMarkdown"]


def test_json_output_names_the_lines_that_an_overwrite_removes(ann: Reviewer) -> None:
    article = ann.article()
    draft = ann.propose(article)
    ann.patch(article, BEFORE + "\nSay hello.\n")

    applied = ann.draft("apply", draft["id"], "--on-conflict", "overwrite", "--json").json

    assert applied == {
        "id": draft["id"],
        "status": "applied",
        "articleId": article["id"],
        "warnings": [like("…“Say hello.”.")],
    }


def test_a_dismissed_draft_leaves_the_queue(ann: Reviewer) -> None:
    article = ann.article()
    first, second = ann.propose(article), ann.propose(article, *SWAPS[1])

    assert ann.draft("dismiss", first["id"]).text == f"{first['id']} was dismissed.\n"
    assert ann.draft("dismiss", second["id"], "--json").json == {"id": second["id"], "status": "dismissed"}

    assert ann.get("drafts")["results"] == []
    assert "by Acme writer" in (ann.draft("apply", first["id"]).refusal)


def test_a_key_of_several_bots_names_one(ann: Reviewer, cast: Cast) -> None:
    draft = ann.propose(ann.article())
    wide = replace(ann, environment=ann.environment | {"INSTEP_API_KEY": cast.wide_key})

    assert "--bot" in wide.draft("list").refusal
    assert draft["id"] not in wide.draft("list", "--bot", str(cast.second_bot_id)).text
    assert draft["id"] in wide.draft("list", INSTEP_BOT=str(cast.acme.bot_id)).text


@pytest.mark.parametrize("draft_id", ["edit_nothing", "../articles", "a/b?c#d", "é"])
def test_a_draft_that_is_not_there_is_refused(ann: Reviewer, draft_id: str) -> None:
    for act in ("show", "apply", "dismiss"):
        assert "responds with 404" in ann.draft(act, draft_id).refusal


def test_settings_that_are_missing_and_servers_that_are_gone_are_told(
    set_limit: SetLimit,
) -> None:
    set_limit("REVIEW_RETRY_SECONDS", 0)
    nowhere = {"INSTEP_URL": "", "INSTEP_API_KEY": ""}
    assert "INSTEP_URL is not" in run_command("draft", "list", **nowhere).refusal

    unreachable = {"INSTEP_URL": f"http://127.0.0.1:{free_port()}", "INSTEP_API_KEY": "isk_x"}
    refusal = run_command("draft", "list", **unreachable).refusal
    assert refusal.rstrip().endswith("reached: Connection refused")


def test_a_wrong_option_is_exit_code_2(ann: Reviewer) -> None:
    assert ann.draft("apply", "edit_1", "--on-conflict", "pray").code == 2


@pytest.mark.parametrize("header", ["no JSON", '{"a": 1}', "7", "null"])
def test_a_malformed_warnings_header_is_ignored(header: str) -> None:
    applied = {"id": "edit_1", "status": "applied", "articleId": "art_1"}
    with standing(bots=[Reply(200, {"results": [BOT]})]) as stand:
        stand.replies["POST /v1/drafts/edit_1/apply"] = [Reply(200, applied, {"Instep-Warnings": header})]
        result = run_command("draft", "apply", "edit_1", INSTEP_URL=stand.url, INSTEP_API_KEY="isk_x")

    assert (result.code, result.err) == (0, "")
    assert json.loads(stand.requests[-1].body) == {"onConflict": "merge"}


def test_a_diff_has_colours_on_a_terminal_unless_they_are_not_wanted(ann: Reviewer) -> None:
    draft = ann.propose(ann.article())

    assert "\x1b" not in ann.draft("show", draft["id"]).text
    assert "\x1b" not in on_terminal(ann, draft, NO_COLOR="1")
    assert "\x1b" not in on_terminal(ann, draft, TERM="dumb")
    coloured = on_terminal(ann, draft)
    assert "\x1b[32m+Run `setup`.\x1b[0m" in coloured
    assert "\x1b[31m-Run `install`.\x1b[0m" in coloured
    assert "\n--- live" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == ann.draft("show", draft["id"]).text


def on_terminal(reviewer: Reviewer, draft: Json, **environment: str) -> str:
    """The command's output on a terminal."""
    ours, theirs = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    program = subprocess.Popen(
        [COMMAND, "draft", "show", draft["id"]],
        stdout=theirs,
        env=plain | reviewer.environment | environment,
    )
    os.close(theirs)
    output = b""
    # A terminal whose writers are gone returns end of file or an error.
    while piece := read_piece(ours):
        output += piece
    os.close(ours)
    assert program.wait(30) == 0
    return output.decode().replace("\r\n", "\n")


def read_piece(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
