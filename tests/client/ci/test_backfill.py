"""`instep change` over the history, against a real server: merged changes become one bundle in the queue."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from instep.client.ci.backfill import run_change
from instep.client.ci.command import WOULD_EDIT
from instep.client.ci.options import ChangeOptions
from tests.support.cast import Cast, Json
from tests.support.ci_servers import TASK, Reply, standing
from tests.support.limits import SetLimit
from tests.support.repositories import AFTER, ARTICLE, BEFORE, Contents, Repository, new_repository

WAIT = ChangeOptions(wait=True, timeout=60)
HOME = "https://github.com/acme/app"
Printed = pytest.CaptureFixture[str]


@dataclass
class Company:
    """Acme on that server, with an article that states the code before all changes."""

    environment: dict[str, str]
    api: httpx2.Client

    def run(self, change: ChangeOptions = WAIT, **options: Any) -> int:
        return run_change(replace(change, **({"last": 50} | options)), self.environment)

    def results(self, path: str) -> list[Json]:
        rows: list[Json] = self.api.get(f"/v1/{path}").raise_for_status().json()["results"]
        return rows

    def text_of(self, draft: Json) -> str:
        text: str = self.api.get(f"/v1/drafts/{draft['id']}").raise_for_status().json()["contentMarkdown"]
        return text


@pytest.fixture
def acme(server: str, cast: Cast) -> Iterator[Company]:
    key = cast.acme.write_key
    with httpx2.Client(base_url=server, headers={"Authorization": f"Bearer {key}"}, timeout=30) as api:
        article = {"title": "Upload limits", "contentMarkdown": ARTICLE}
        api.post("/v1/articles", json=article).raise_for_status()
        yield Company({"INSTEP_URL": server, "INSTEP_API_KEY": key}, api)


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A GitHub repository with its first commit, as the test's working directory."""
    repository = new_repository(tmp_path / "acme")
    repository.commit("Begin", {"app/config.py": BEFORE})
    repository.git("remote", "add", "origin", f"{HOME}.git")
    monkeypatch.chdir(repository.folder)
    return repository


def merge(repository: Repository, message: str, files: dict[str, Contents]) -> str:
    """Create a one-commit branch and merge it."""
    repository.git("checkout", "--quiet", "-b", "branch")
    repository.commit("Work", files)
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", message, "branch")
    repository.git("branch", "--quiet", "-D", "branch")
    return repository.git("rev-parse", "HEAD")


def test_each_merged_change_is_a_task_and_their_drafts_are_one_bundle(
    acme: Company, history: Repository, capsys: Printed
) -> None:
    acme.api.post(
        "/v1/articles", json={"title": "Names", "contentMarkdown": "The setting `name` is 'acme'.\n"}
    ).raise_for_status()
    merge(history, "Merge pull request #7 from acme/limits\n\nRaise the limit", {"app/config.py": AFTER})
    history.commit("Use another name (#8)", {"app/config.py": AFTER.replace("'acme'", "'atlas'")})
    history.commit("Explain it", {"docs/limits.md": "Limits are large.\n"})
    history.commit("Lock", {"yarn.lock": "x\n"})

    assert acme.run() == 0

    tasks = acme.results("tasks")
    assert [task["change"] for task in reversed(tasks)] == [
        {
            "kind": "pr",
            "title": "Raise the limit",
            "url": f"{HOME}/pull/7",
            "bundle": "Backfill of the last 50 changes",
        },
        {
            "kind": "pr",
            "title": "Use another name",
            "url": f"{HOME}/pull/8",
            "bundle": "Backfill of the last 50 changes",
        },
    ]
    output = capsys.readouterr()
    assert output.out.startswith("Backfill of the last 50 changes: 2 of 4 changes sent\n   skipped 1: only ")
    assert "   - Raise the limit: 1 draft waits for review\n" in output.out
    assert f"is {tasks[0]['id']}.\n" in output.err


def test_a_dry_run_counts_and_sends_nothing(acme: Company, history: Repository, capsys: Printed) -> None:
    history.commit("Raise the limit (#7)", {"app/config.py": AFTER})
    history.commit("Lock", {"yarn.lock": "x\n"})

    assert acme.run(ChangeOptions(as_json=True), dry_run=True) == 0

    report = json.loads(capsys.readouterr().out)
    assert (report["sent"], list(report["skipped"].values()), report["tokens"]) == (1, [1], None)
    assert [(row["title"], row["task"]) for row in report["changes"]] == [
        ("Raise the limit", None),
        ("Lock", None),
    ]
    assert acme.results("tasks") == []


def test_value_that_changed_twice_is_proposed_as_it_is_today(acme: Company, history: Repository) -> None:
    history.commit("Raise it", {"app/config.py": AFTER})
    history.commit("Raise it more", {"app/config.py": BEFORE.replace("10", "50")})

    assert acme.run() == 0

    [draft] = acme.results("drafts")
    assert "is 50 by default" in acme.text_of(draft)


def test_change_that_was_undone_later_is_not_sent(
    acme: Company, history: Repository, capsys: Printed
) -> None:
    history.commit("Raise it", {"app/config.py": AFTER})
    history.commit("Other", {"app/other.py": "PORT = 1\n"})
    history.commit("Lower it", {"app/config.py": BEFORE})

    assert acme.run() == 0

    assert acme.results("drafts") == []
    assert "   skipped 1: later changes replaced all of it\n" in capsys.readouterr().out


def test_value_that_the_docs_have_already_is_not_proposed(acme: Company, history: Repository) -> None:
    [article] = acme.results("articles")
    text = {"contentMarkdown": ARTICLE.replace("10", "25")}
    acme.api.patch(f"/v1/articles/{article['id']}", json=text).raise_for_status()
    history.commit("Raise it", {"app/config.py": AFTER})

    assert acme.run() == 0

    assert acme.results("drafts") == []


def test_two_changes_that_say_the_same_make_one_draft(acme: Company, history: Repository) -> None:
    history.commit("Begin again", {"app/more.py": BEFORE})
    history.commit("Raise it", {"app/config.py": AFTER})
    history.commit("Raise it there too", {"app/more.py": AFTER})

    assert acme.run(last=2) == 0

    assert len(acme.results("tasks")) == 2
    assert len(acme.results("drafts")) == 1


def test_the_next_run_goes_on_where_one_stopped(acme: Company, history: Repository, capsys: Printed) -> None:
    history.commit("Raise it", {"app/config.py": AFTER})
    assert acme.run() == 0
    history.commit("More", {"app/other.py": "PORT = 1\n"})

    assert acme.run() == 0

    assert [task["change"]["title"] for task in acme.results("tasks")] == ["More", "Raise it"]
    assert len(acme.results("drafts")) == 1
    assert ", which an earlier run created.\n" in capsys.readouterr().err


def test_a_change_that_is_another_one_today_is_not_sent_twice(
    acme: Company, history: Repository, capsys: Printed
) -> None:
    history.commit("Raise it", {"app/config.py": AFTER})
    assert acme.run() == 0
    history.commit("Raise it more", {"app/config.py": BEFORE.replace("10", "50")})

    assert acme.run() == 0

    assert len(acme.results("tasks")) == 2
    assert "   skipped 1: sent before, " in capsys.readouterr().out
    [draft] = acme.results("drafts")
    assert "is 50 by default" in acme.text_of(draft)


def test_a_check_fails_while_something_waits(acme: Company, history: Repository) -> None:
    history.commit("Raise it", {"app/config.py": AFTER})

    assert acme.run(ChangeOptions(check=True, timeout=60)) == WOULD_EDIT

    [draft] = acme.results("drafts")
    acme.api.post(f"/v1/drafts/{draft['id']}/apply", json={}).raise_for_status()
    assert acme.run(ChangeOptions(check=True, timeout=60)) == 0


def test_a_used_up_limit_is_waited_for(history: Repository, capsys: Printed, set_limit: SetLimit) -> None:
    set_limit("API_RETRY_SECONDS", 0)
    history.commit("Raise it", {"app/config.py": AFTER})
    full = Reply(429, {"error": "Used up.", "code": "rate_limited"}, {"Retry-After": "0"})
    with standing(create=[full, Reply(202, TASK)]) as stand:
        environment = {"INSTEP_URL": stand.url, "INSTEP_API_KEY": "isk_x"}
        assert run_change(ChangeOptions(last=1), environment) == 0

    keys = [request.headers["idempotency-key"] for request in stand.requests if request.body]
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert "1 of 1: the hourly task limit is used up." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "line"),
    [
        (None, "   model   no estimate: "),
        (
            {"name": "openai:x", "inputTokens": 9_000, "outputTokens": 1_000, "calls": 3},
            "   model   about 20,000 tokens of openai:x: ",
        ),
    ],
)
def test_a_dry_run_estimates_the_tokens_from_the_last_tasks(
    history: Repository, capsys: Printed, model: Json | None, line: str
) -> None:
    history.commit("Raise it", {"app/config.py": AFTER})
    history.commit("Other", {"app/other.py": "PORT = 1\n"})
    with standing() as stand:
        stand.replies["GET /v1/tasks?page_size=20"] = [
            Reply(200, {"results": [TASK, TASK | {"model": model}]})
        ]
        environment = {"INSTEP_URL": stand.url, "INSTEP_API_KEY": "isk_x"}
        assert run_change(ChangeOptions(last=50, dry_run=True), environment) == 0

    assert f"2 of 2 changes would be sent\n{line}" in capsys.readouterr().out
    assert not any(request.body for request in stand.requests)
