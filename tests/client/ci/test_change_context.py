"""The context that `instep change` sends to a model: linked issues, code around hunks, the next version."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from instep.client.ci.code_around import code_within, files_to_read
from instep.client.ci.command import send_change
from instep.client.ci.linked_issues import issue_numbers, issue_of
from instep.client.ci.next_version import next_version
from instep.client.ci.options import ChangeOptions
from tests.support.ci_servers import Asked, Reply, serving, standing
from tests.support.growth import grows_linearly
from tests.support.repositories import Repository

HOME = "https://git.test/acme/app"
CODE = "class Pool:\n    def get(self):\n        self.wait()\n        return 1\n\n    def put(self):\n" + (
    "        self.log()\n" * 9
)
DIFF = """\
--- a/pool.py
+++ b/pool.py
@@ -8,3 +8,3 @@
         self.log()
-        self.drop()
+        self.log()
         self.log()
"""


def sent_by(repository: Repository, environment: Mapping[str, str]) -> Any:
    """The context of the task that a job with this environment creates."""
    with standing() as stand:
        job = {"INSTEP_URL": stand.url, "INSTEP_API_KEY": "isk_x", **environment}
        assert send_change(ChangeOptions(base="main", title="Fixes #12 and #13"), job) == 0
        [task] = [json.loads(asked.body) for asked in stand.requests if asked.line == "POST /v1/tasks"]
    return task["change"].get("context", {})


def host(asked: Asked) -> Reply:
    token = asked.headers.get("authorization") or asked.headers.get("private-token")
    if token in ("Bearer t", "t") and asked.line.endswith(("acme/app/issues/12", "projects/7/issues/12")):
        text = {"title": "Too\nsmall", "html_url": f"{HOME}/issues/12", "web_url": f"{HOME}/-/issues/12"}
        return Reply(200, text | {"body": "Pictures are cut.\0", "description": ""})
    return Reply(404, {"message": "Not Found"})


@pytest.mark.parametrize(
    "names",
    [
        {"GITHUB_API_URL": "", "GITHUB_REPOSITORY": "acme/app", "GITHUB_TOKEN": "t"},
        {"GITLAB_CI": "true", "CI_API_V4_URL": "", "CI_PROJECT_ID": "7", "INSTEP_GITLAB_TOKEN": "t"},
    ],
)
def test_the_issues_that_the_token_may_read_are_sent(
    repository: Repository, capsys: pytest.CaptureFixture[str], names: dict[str, str]
) -> None:
    with serving(host) as url:
        variables = {name: value or url for name, value in names.items()}
        homes = {"GITHUB_SERVER_URL": "https://git.test", "CI_PROJECT_URL": HOME}
        context = sent_by(repository, variables | homes)

    assert context["issues"] == [{"title": "Too small", "body": "Pictures are cut.\ufffd"}]
    assert "#13 is left out: the code host responds with 404" in capsys.readouterr().err


def test_without_a_token_and_without_a_version_nothing_is_sent(repository: Repository) -> None:
    assert sent_by(repository, {}) == {}


def test_code_and_version_come_from_the_checkout(repository: Repository) -> None:
    repository.commit("Log", {"pool.py": CODE, "VERSION": "2.4.0.dev0\n"})
    repository.git("branch", "--force", "main")
    repository.commit("Log once", {"pool.py": CODE.replace("wait", "hold")})

    code = {"file": "pool.py", "startLine": 1, "text": CODE.replace("wait", "hold").rstrip("\n")}
    assert sent_by(repository, {}) == {"code": [code], "nextVersion": "2.4.0"}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Fixes #12, closes #3 (#12)", [12, 3]),
        ("<!-- Fixes #1 --> See #2", [2]),
        (f"{HOME}/issues/4, {HOME}/-/work_items/5 and {HOME.upper()}/issues/6", [4, 5, 6]),
        ("other/app#7, https://git.test/other/app/issues/8, a#9, &#10; and ##11", []),
        (" ".join(f"#{number}" for number in range(1, 99)), [1, 2, 3, 4, 5]),
    ],
)
def test_issues_are_those_that_the_text_names(text: str, numbers: list[int]) -> None:
    assert issue_numbers(text, HOME) == numbers


@pytest.mark.parametrize(
    "row",
    [
        None,
        {"title": " ", "html_url": f"{HOME}/issues/1"},
        {"title": "A request", "html_url": f"{HOME}/issues/1", "pull_request": {}, "number": 1}
        | {"pull_request": {"url": "x"}},
        {"title": "A secret", "web_url": f"{HOME}/-/issues/1", "confidential": True},
        {"title": "Moved", "html_url": "https://git.test/acme/secrets/issues/1"},
        {"title": "Nowhere"},
    ],
)
def test_rows_that_are_no_public_issue_are_left_out(row: Any) -> None:
    assert issue_of(row, HOME) is None


def test_code_is_the_largest_block_that_is_not_too_long() -> None:
    [file] = files_to_read(DIFF)
    [whole] = code_within([file], {"pool.py": CODE})
    [method] = code_within([file], {"pool.py": CODE + "    # more\n" * 90})

    assert whole["text"] == CODE.rstrip("\n")
    assert (method["startLine"], method["text"].split("\n")[-1]) == (1, "    # more")
    assert method["text"].count("\n") < 30
    assert code_within([file], {}) == []


@pytest.mark.parametrize("path", ["tests/test_pool.py", "docs/pool.md", "package-lock.json"])
def test_only_code_is_read(path: str) -> None:
    assert files_to_read(DIFF.replace("pool.py", path)) == []


@pytest.mark.parametrize(
    ("files", "tags", "version"),
    [
        ({"package.json": '{\n  "name": "app",\n  "version": "2.4.0",\n'}, {"v2.3.9", "app@2.2.0"}, "2.4.0"),
        ({"package.json": '{\n  "version": "2.4.0",\n'}, {"v2.4.0"}, None),
        ({"package.json": '{\n  "version": "2.4.0",\n'}, set(), None),
        ({"pyproject.toml": '[project]\nname = "app"\nversion = "1.10.dev1"\n'}, set(), "1.10"),
        ({"Cargo.toml": '[package]\nversion = "0.9.0-rc.1"\nrust-version = "1.80"\n'}, {"v0.8.1"}, "0.9.0"),
        ({"gradle.properties": "group=x\nversion=3.1-SNAPSHOT\n"}, {"v3.0"}, "3.1"),
        ({"VERSION": "v5.0.0-beta2\n"}, {"v5.0.0"}, None),
        ({"CHANGELOG.md": "# Changes\n\n## [1.3.0] - Unreleased\n\n## 1.2.0\n"}, set(), "1.3.0"),
        ({"CHANGES.rst": "1.3.0 (unreleased)\n------------------\n"}, {"1.2"}, "1.3.0"),
        ({"CHANGELOG.md": "## [Unreleased]\n\n## [1.2.0] - 2026-01-02\n"}, {"v1.2.0"}, None),
        ({"CHANGELOG.md": "2.5 seconds are enough.\n\n## 0.1.0 - 2026-01-02\n"}, {"v0.0.9"}, "0.1.0"),
        ({"package.json": '{"version": "0.0.0-dev"}'}, set(), None),
        ({}, {"v1.0.0"}, None),
    ],
)
def test_the_next_version_is_what_the_repository_says(
    files: dict[str, str], tags: set[str], version: str | None
) -> None:
    assert next_version(files, tags) == version


def test_long_texts_are_read_in_linear_time() -> None:
    assert grows_linearly(partial(issue_numbers, home=HOME), "<!-- #1 /issues/".__mul__, 20_000)
    assert grows_linearly(
        lambda text: next_version({"CHANGELOG.md": text}, {"v1.0"}), ("## 1.1" + " " * 99).__mul__, 20_000
    )
