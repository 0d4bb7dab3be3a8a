"""`instep change` against a real server: from a checkout to drafts, once for each state of the code."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from instep.client.ci.command import FAILED, LIMIT_REACHED, TIMED_OUT, WOULD_EDIT, send_change
from instep.client.ci.options import ChangeOptions
from instep.platform.core.config import read_settings
from instep.platform.core.database import Tx
from tests.support.cast import Cast, Json
from tests.support.changes import use_up
from tests.support.ci_servers import TASK, Reply, standing
from tests.support.commands import run_command
from tests.support.installation import COMMAND, free_port
from tests.support.limits import SetLimit
from tests.support.repositories import AFTER, ARTICLE, BEFORE, TITLE, Contents, Repository
from tests.support.wording import like

WAIT = ChangeOptions(wait=True, timeout=60)
CHECK = ChangeOptions(check=True, timeout=60)
URL = "https://git.test/acme/pull/7"


@dataclass
class Company:
    """Acme on that server: the environment of its CI jobs, and its API."""

    environment: dict[str, str]
    api: httpx2.Client

    def run(self, options: ChangeOptions = WAIT, environment: dict[str, str] | None = None) -> int:
        return send_change(options, self.environment | (environment or {}))

    def get(self, path: str) -> Any:
        return self.api.get(path).raise_for_status().json()

    @property
    def tasks(self) -> list[Json]:
        tasks: list[Json] = self.get("/v1/tasks")["results"]
        return tasks

    @property
    def drafts(self) -> list[Json]:
        drafts: list[Json] = self.get("/v1/drafts")["results"]
        return drafts

    def post(self, path: str, body: Json | None = None) -> None:
        self.api.post(path, json=body).raise_for_status()


@pytest.fixture
def acme(server: str, cast: Cast) -> Iterator[Company]:
    key = cast.acme.write_key
    with httpx2.Client(base_url=server, headers={"Authorization": f"Bearer {key}"}, timeout=30) as api:
        company = Company({"INSTEP_URL": server, "INSTEP_API_KEY": key}, api)
        company.post("/v1/articles", {"title": "Upload limits", "contentMarkdown": ARTICLE})
        yield company


Printed = pytest.CaptureFixture[str]


def test_the_change_of_a_branch_ends_in_drafts_that_are_told(
    acme: Company, cast: Cast, repository: Repository, capsys: Printed
) -> None:
    assert acme.run() == 0

    [task], [draft] = acme.tasks, acme.drafts
    assert task["change"] == {"kind": "pr", "title": TITLE, "url": None, "bundle": None}
    output = capsys.readouterr()
    assert output.out.startswith(f"Task {task['id']}: 1 draft")
    for words in (
        "1. Upload limits\n   draft   edit of “Upload limits” (art_",
        "code    app/config.py:2  max_upload_mb: int = 25\n",
        f"/app/{cast.acme.slug}/review/{draft['id']}\n   or      instep draft show {draft['id']}\n",
        "| -The setting `max_upload_mb` is 10 by default.\n",
        "| +The setting `max_upload_mb` is 25 by default.\n",
    ):
        assert words in output.out
    base, head = repository.git("merge-base", "main", "HEAD")[:12], repository.git("rev-parse", "HEAD")[:12]
    assert output.err == (
        f"instep: Sending 1 file of {base}...{head} as “{TITLE}” to the bot “Acme”.\n"
        f"instep: The task is {task['id']}.\n"
    )


def test_without_waiting_it_ends_once_the_task_is_made(
    acme: Company, repository: Repository, capsys: Printed
) -> None:
    assert acme.run(ChangeOptions()) == 0

    assert capsys.readouterr().out.startswith(f"Task {acme.tasks[0]['id']}: ")


def test_the_same_run_again_finds_the_same_task(
    acme: Company, repository: Repository, capsys: Printed
) -> None:
    assert acme.run() == acme.run() == 0

    assert len(acme.tasks) == len(acme.drafts) == 1
    first, _, second = capsys.readouterr().out.partition("\nTask ")
    assert first == f"Task {second}".rstrip("\n")


def test_runs_at_once_make_one_task(acme: Company, repository: Repository) -> None:
    with ThreadPoolExecutor(6) as threads:
        codes = list(threads.map(lambda _: acme.run(), range(6)))

    assert codes == [0] * 6
    assert len(acme.tasks) == len(acme.drafts) == 1


def test_another_commit_makes_another_task_which_replaces_the_draft(
    acme: Company, repository: Repository
) -> None:
    options = ChangeOptions(wait=True, timeout=60, url=URL)
    acme.run(options)
    repository.commit("Even larger", {"app/config.py": BEFORE.replace("10", "50")})
    acme.run(options)

    assert [task["change"]["title"] for task in acme.tasks] == ["Even larger", TITLE]
    [draft] = acme.drafts
    assert "is 50 by default" in acme.get(f"/v1/drafts/{draft['id']}")["contentMarkdown"]
    assert draft["sourceUrl"] == URL


@pytest.mark.parametrize(
    ("decision", "body", "state"),
    [
        ("apply", {}, "applied"),
        ("apply", {"when": "release"}, "approved for a release"),
        ("dismiss", {}, "dismissed"),
    ],
)
def test_a_check_fails_until_the_drafts_are_reviewed(
    acme: Company, repository: Repository, capsys: Printed, decision: str, body: Json, state: str
) -> None:
    assert acme.run(CHECK) == WOULD_EDIT
    assert acme.run(CHECK) == WOULD_EDIT

    acme.post(f"/v1/drafts/{acme.drafts[0]['id']}/{decision}", body)

    capsys.readouterr()
    assert acme.run(CHECK) == 0
    assert f", {state}\n" in capsys.readouterr().out
    assert len(acme.tasks) == 1


def test_a_check_of_what_no_article_states_passes(
    acme: Company, repository: Repository, capsys: Printed
) -> None:
    repository.commit("Other", {"app/config.py": BEFORE, "app/new.py": "COLOUR = 'red'\n"})

    assert acme.run(CHECK) == 0

    assert "no article" in capsys.readouterr().out


def test_json_is_the_task_and_its_drafts_as_the_api_has_them(
    acme: Company, repository: Repository, capsys: Printed
) -> None:
    repository.commit(TITLE, {"yarn.lock": "x\n"})
    assert acme.run(ChangeOptions(check=True, as_json=True, timeout=60)) == WOULD_EDIT

    report = json.loads(capsys.readouterr().out)
    details, left_out = report.pop("draftDetails"), report.pop("leftOut")
    assert report.pop("placeDetails") == []
    assert report == acme.tasks[0]
    assert details == [acme.get(f"/v1/drafts/{acme.drafts[0]['id']}")]
    assert left_out == [{"file": "yarn.lock", "reason": "lock file"}]


def test_change_of_generated_files_alone_sends_nothing(
    acme: Company, repository: Repository, capsys: Printed
) -> None:
    repository.commit("Build", {"app/config.py": BEFORE, "web/dist/app.js": "x\n", "logo.png": b"\0"})

    assert acme.run(CHECK) == 0

    output = capsys.readouterr()
    assert output.out.startswith("Nothing to send")
    assert output.err == (
        "instep: Left out: logo.png (binary).\ninstep: Left out: web/dist/app.js (generated).\n"
    )
    assert acme.run(ChangeOptions(as_json=True)) == 0
    assert json.loads(capsys.readouterr().out)["id"] is None
    assert acme.tasks == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (ChangeOptions(base="HEAD"), "both revisions"),
        (ChangeOptions(paths=["web", "docs"]), "web, docs"),
    ],
)
def test_an_empty_diff_is_told_in_its_own_words(
    acme: Company,
    repository: Repository,
    capsys: Printed,
    tmp_path: Path,
    options: ChangeOptions,
    sentence: str,
) -> None:
    summary = tmp_path / "summary.md"

    assert acme.run(options, {"GITHUB_STEP_SUMMARY": str(summary)}) == 0

    assert capsys.readouterr().out == like(f"…{sentence}…\n")
    assert "Nothing to send" in summary.read_text()
    assert acme.tasks == []


def test_a_folder_of_a_monorepo_is_sent_alone(acme: Company, repository: Repository) -> None:
    repository.commit("Web", {"web/page.ts": "export const max_upload_mb = 25\n"})
    command = ["change", "--path", "app", "--wait", "--json"]

    report = run_command(*command, **acme.environment).json

    assert report["outcome"] == "drafts"
    [draft] = report["draftDetails"]
    assert {place["file"] for place in draft["evidence"]} == {"app/config.py"}


def test_a_force_push_is_no_failure(
    acme: Company, repository: Repository, capsys: Printed, tmp_path: Path
) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"before": "f" * 40, "after": repository.git("rev-parse", "HEAD")}))

    assert acme.run(WAIT, {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(event)}) == 0

    assert "ffffffffffff from before" in capsys.readouterr().err
    assert len(acme.drafts) == 1


AWKWARD: dict[str, Contents] = {
    "windows.py": BEFORE.replace("\n", "\r\n"),
    'grün und blau/"quoted".py': AFTER,
    "no-end.py": AFTER.rstrip(),
    "latin.py": "größe = 'ü'\n".encode("latin-1"),
    "nul.py": AFTER.encode() + b"\n" * 9_000 + b"a\0b\n",
    "signs.py": "a = '\f\x85\u2028\x1b[0m'\n",
    "looks.py": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n",
    "package-lock.json": "{}\n",
    "logo.png": b"\0",
}


def test_the_server_takes_every_diff_that_git_writes(acme: Company, repository: Repository) -> None:
    repository.commit("Awkward", AWKWARD)
    repository.git("mv", "app/config.py", "app/settings.py")
    repository.commit("Rename", {"windows.py": AFTER.replace("\n", "\r\n"), "no-end.py": AFTER})

    assert acme.run() == 0

    assert [task["status"] for task in acme.tasks] == ["completed"]
    assert len(acme.drafts) == 1


def test_the_server_takes_the_longest_words_of_a_ci(acme: Company, repository: Repository) -> None:
    jenkins = {"CHANGE_TARGET": "main", "CHANGE_TITLE": "日" * 500 + "\udcff", "CHANGE_URL": URL}
    repository.git("update-ref", "refs/remotes/origin/main", "main")

    assert acme.run(WAIT, jenkins) == 0

    assert acme.tasks[0]["change"] == {"kind": "pr", "title": "日" * 199 + "…", "url": URL, "bundle": None}


def github(folder: Path, repository: Repository, title: str = TITLE) -> dict[str, str]:
    """Check out a merge as GitHub Actions does for a pull request, and return the job's environment."""
    base, head = repository.git("rev-parse", "main"), repository.git("rev-parse", "feature")
    repository.git("checkout", "--quiet", "--detach", "main")
    repository.git("merge", "--quiet", "--no-ff", "feature")
    pull_request = {
        "title": title,
        "html_url": URL,
        "body": "Why.",
        "base": {"sha": base},
        "head": {"sha": head},
    }
    (folder / "event.json").write_text(json.dumps({"pull_request": pull_request}))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }


def test_in_github_actions_the_pull_request_is_sent_and_a_summary_written(
    acme: Company, repository: Repository, tmp_path: Path
) -> None:
    environment = github(tmp_path, repository, "Raise the *limit*")
    (tmp_path / "summary.md").write_text("What was there.\n")

    assert acme.run(WAIT, environment) == 0

    assert acme.tasks[0]["change"] == {"kind": "pr", "title": "Raise the *limit*", "url": URL, "bundle": None}
    page = (tmp_path / "summary.md").read_text()
    assert page.startswith("What was there.\n### Instep: 1 draft")
    assert "#### [Upload limits](http" in page
    assert "```diff\n--- live\n" in page


def test_a_summary_that_cant_be_written_is_no_failure(
    acme: Company, repository: Repository, tmp_path: Path, capsys: Printed
) -> None:
    assert acme.run(WAIT, {"GITHUB_STEP_SUMMARY": str(tmp_path / "no" / "where.md")}) == 0

    assert "GITHUB_STEP_SUMMARY can't be written" in capsys.readouterr().err


def test_in_gitlab_the_merge_request_is_sent(acme: Company, repository: Repository) -> None:
    environment = {
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_PROJECT_URL": "https://git.test/acme",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": repository.git("merge-base", "main", "feature"),
        "CI_MERGE_REQUEST_TITLE": "From GitLab",
        "CI_COMMIT_SHA": repository.git("rev-parse", "feature"),
    }

    assert acme.run(WAIT, environment) == 0

    url = "https://git.test/acme/-/merge_requests/7"
    assert acme.tasks[0]["change"] == {"kind": "pr", "title": "From GitLab", "url": url, "bundle": None}


def test_options_override_the_variables_of_the_ci(
    acme: Company, repository: Repository, tmp_path: Path
) -> None:
    environment = github(tmp_path, repository)
    options = ChangeOptions(
        base="feature~1", head="feature", title="Mine", url="https://mine.test", kind="commit"
    )

    assert acme.run(options, environment) == 0

    assert acme.tasks[0]["change"] == {
        "kind": "commit",
        "title": "Mine",
        "url": "https://mine.test",
        "bundle": None,
    }


def refusal(printed: Printed) -> str:
    """The single error line of a refused run, which prints nothing else."""
    output = printed.readouterr()
    assert output.out == ""
    [line] = [line for line in output.err.splitlines() if not line.startswith("instep: Sending ")]
    return line


@pytest.mark.parametrize(
    ("whose", "sentence"),
    [
        (lambda cast: "isk_wrong", "401: INSTEP_API_KEY"),
        (lambda cast: cast.acme.read_key, "responds with 403: "),
        (lambda cast: cast.paused.write_key, "with 402"),
        (lambda cast: cast.wide_key, "--bot or INSTEP_BOT"),
    ],
    ids=["wrong", "read", "paused", "several bots"],
)
async def test_a_key_that_may_not_is_refused_in_one_sentence(
    acme: Company,
    cast: Cast,
    owner: Tx,
    repository: Repository,
    capsys: Printed,
    whose: Callable[[Cast], str],
    sentence: str,
) -> None:
    await owner.execute(
        "update workspaces set paused_at = now() where id = %(id)s", id=cast.paused.workspace_id
    )
    key = whose(cast)

    assert acme.run(WAIT, {"INSTEP_API_KEY": key}) == FAILED

    sentence_shown = refusal(capsys)
    assert sentence in sentence_shown
    assert key not in sentence_shown
    assert acme.tasks == []


def test_a_key_of_several_bots_names_one(acme: Company, cast: Cast, repository: Repository) -> None:
    wide = {"INSTEP_API_KEY": cast.wide_key}

    assert acme.run(ChangeOptions(bot=str(cast.acme.bot_id), check=True, timeout=60), wide) == WOULD_EDIT
    assert acme.run(ChangeOptions(bot=str(cast.second_bot_id), check=True, timeout=60), wide) == 0

    assert len(acme.tasks) == 1


def test_a_bot_that_the_key_does_not_cover_is_refused(
    acme: Company, cast: Cast, repository: Repository, capsys: Printed
) -> None:
    assert acme.run(ChangeOptions(bot=str(cast.globex.bot_id))) == FAILED

    assert f"bot {cast.globex.bot_id}" in refusal(capsys)


async def test_used_up_tasks_are_told_with_the_time_to_wait(
    acme: Company, cast: Cast, owner: Tx, repository: Repository, capsys: Printed
) -> None:
    await use_up(owner, cast.acme.write_key_id, 30)

    assert acme.run() == LIMIT_REACHED

    sentence = refusal(capsys)
    assert "with 429" in sentence
    assert "INSTEP_TASKS_PER_HOUR" in sentence


def test_a_server_that_is_down_is_told(repository: Repository, capsys: Printed, set_limit: SetLimit) -> None:
    set_limit("API_RETRY_SECONDS", 0)
    url = f"http://127.0.0.1:{free_port()}"

    assert send_change(WAIT, {"INSTEP_URL": url, "INSTEP_API_KEY": "isk_x"}) == FAILED

    assert f"{url} can't be reached" in refusal(capsys)


def test_a_task_that_does_not_end_in_time_has_a_code_of_its_own(
    repository: Repository, capsys: Printed
) -> None:
    with standing(poll=[Reply(200, TASK)]) as stand:
        environment = {"INSTEP_URL": stand.url, "INSTEP_API_KEY": "isk_x"}
        assert send_change(ChangeOptions(wait=True, timeout=1), environment) == TIMED_OUT

    output = capsys.readouterr()
    assert output.out.startswith("Task task_1: queued\n")
    assert "within 1 seconds" in output.err


def test_a_task_that_failed_fails_the_run(repository: Repository, capsys: Printed) -> None:
    fault = {"code": "too_expensive", "message": "Send a smaller diff."}
    with standing(poll=[Reply(200, TASK | {"status": "failed", "error": fault})]) as stand:
        environment = {"INSTEP_URL": stand.url, "INSTEP_API_KEY": "isk_x"}
        assert send_change(CHECK, environment) == FAILED

    assert capsys.readouterr().err.endswith("instep: The task failed: Send a smaller diff.\n")


def test_a_draft_that_is_gone_does_not_stop_the_report(repository: Repository, capsys: Printed) -> None:
    draft = {"id": "edit_gone", "type": "edit", "title": "T", "articleId": "art_1"}
    completed_task = TASK | {"status": "completed", "outcome": "drafts", "drafts": [draft]}
    with standing(poll=[Reply(200, completed_task)]) as stand:
        environment = {"INSTEP_URL": stand.url, "INSTEP_API_KEY": "isk_x"}
        assert send_change(CHECK, environment) == 0

    assert "responds with 404" in capsys.readouterr().err


@pytest.mark.parametrize(
    "reply",
    [
        Reply(503, {"error": "Later.", "code": "x"}),
        Reply(404, text="<html>"),
        Reply(403, {"error": "No.", "code": "x"}),
    ],
)
def test_a_check_does_not_pass_because_a_draft_cant_be_read(
    repository: Repository, set_limit: SetLimit, reply: Reply
) -> None:
    set_limit("API_RETRY_SECONDS", 0)
    draft = {"id": "edit_1", "type": "edit", "title": "T", "articleId": "art_1"}
    completed_task = TASK | {"status": "completed", "outcome": "drafts", "drafts": [draft]}
    with standing(poll=[Reply(200, completed_task)]) as stand:
        stand.replies["GET /v1/drafts/edit_1"] = [reply]
        environment = {"INSTEP_URL": stand.url, "INSTEP_API_KEY": "isk_x"}
        assert send_change(CHECK, environment) == FAILED


@pytest.mark.parametrize("missing", ["INSTEP_URL", "INSTEP_API_KEY"])
def test_missing_setting_is_named_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed, missing: str
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {"INSTEP_URL": "https://help.test", "INSTEP_API_KEY": "isk_x", missing: ""}

    assert send_change(WAIT, environment) == FAILED

    assert f"{missing} is not set" in refusal(capsys)


def test_names_that_command_a_runner_are_told_harmlessly(repository: Repository, capsys: Printed) -> None:
    repository.commit("x", {"app/config.py": BEFORE, "vendor/\n::error::a##[b]": "x\n"})

    assert (
        send_change(ChangeOptions(base="\n::error::x"), {"INSTEP_URL": "http://x", "INSTEP_API_KEY": "x"})
        == 1
    )
    assert send_change(ChangeOptions(), {"INSTEP_URL": "http://x", "INSTEP_API_KEY": "x"}) == 0

    output = capsys.readouterr().err
    assert "error::" in output
    assert all(line.startswith("instep: ") and "##[" not in line for line in output.splitlines())


def test_other_commands_leave_the_name_of_the_bot_alone() -> None:
    nowhere = Path("there-is-no-such-file.toml")

    assert read_settings({"INSTEP_BOT": "x"}, nowhere) == read_settings({}, nowhere)


def test_the_command_ends_with_the_code_of_the_run(acme: Company, repository: Repository) -> None:
    others = {name: value for name, value in os.environ.items() if not name.startswith("INSTEP_")}
    process = subprocess.run(
        [COMMAND, "change", "--check", "--json", "--timeout", "60"],
        env=others | acme.environment,
        stdout=subprocess.PIPE,
        check=False,
    )

    assert process.returncode == WOULD_EDIT
    assert json.loads(process.stdout)["outcome"] == "drafts"
    refusal = run_command("change", **acme.environment | {"INSTEP_API_KEY": "isk_wrong"})
    assert (refusal.code, refusal.out) == (FAILED, "")
    misused = run_command("change", "--kind", "issue", **acme.environment)
    assert (misused.code, misused.out) == (2, "")
