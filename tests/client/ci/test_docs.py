"""`docs/ci.md` and `action.yml`: their commands run, and their options and limits are correct."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from instep.cli import app
from instep.client.ci.command import FAILED, LIMIT_REACHED, TIMED_OUT, WOULD_EDIT
from instep.client.ci.options import ChangeOptions
from instep.operations.ops.thin_client import build_archive
from instep.platform.core import limits
from instep.platform.text.yaml_values import load_yaml
from tests.support.ci_servers import TASK, Reply, Stand, serving, standing
from tests.support.repositories import Repository

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "ci.md").read_text()
ARTICLE = (ROOT / "docs" / "help" / "05-review" / "06-from-ci.md").read_text()
EDIT = {"id": "edit_1", "type": "edit", "title": "T", "articleId": "art_1"}


def yaml(text: str) -> dict[str, Any]:
    document: dict[str, Any] = load_yaml(text, is_typed=True)
    return document


ACTION = yaml((ROOT / "action.yml").read_text())


def example(name: str) -> dict[str, Any]:
    """The YAML example that begins with this file name."""
    [example] = re.findall(rf"^```yaml\n# {re.escape(name)}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    # In YAML 1.1 the word `on` is a boolean.
    return yaml(example.replace("on: pull_request", "'on': pull_request"))


def lines_with(command: str) -> list[list[str]]:
    """Every line of the examples that runs the command, split into words."""
    lines = re.findall(rf"(?:^|- |sh ')({command} .+?)'?$", TEXT, re.MULTILINE)
    return [shlex.split(line) for line in lines]


def options() -> set[str]:
    output = CliRunner().invoke(app, ["change", "--help"]).output
    return set(re.findall(r"^\W+(--[a-z-]+)", output, re.MULTILINE)) - {"--help"}


def table(text: str, heading: str) -> dict[str, str]:
    [rows] = re.findall(rf"^\| {re.escape(heading)} \|.*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)", text, re.MULTILINE)
    cells = [row.strip("| ").split(" | ") for row in rows.splitlines()]
    return {row[0].strip("`"): row[-1] for row in cells}


def test_every_option_is_told_with_its_default() -> None:
    rows = table(TEXT, "option")

    assert {name.split()[0] for name in rows} == options()
    assert rows["--timeout SECONDS"].startswith(f"{ChangeOptions().timeout},")


def test_the_lines_to_paste_use_options_that_there_are() -> None:
    lines = lines_with(r"(?:instep|python3 instep\.pyz) change")

    assert len(lines) == 7
    assert {word for line in lines for word in line if word.startswith("--")} <= options()


def test_the_exit_codes_are_those_of_the_command() -> None:
    codes = table(TEXT, "code")

    assert list(codes) == ["0", str(FAILED), "2", *map(str, (WOULD_EDIT, TIMED_OUT, LIMIT_REACHED))]
    assert list(table(ARTICLE, "code")) == list(codes)
    assert example(".gitlab-ci.yml")["instep"]["allow_failure"]["exit_codes"] == [
        WOULD_EDIT,
        TIMED_OUT,
        LIMIT_REACHED,
    ]


def test_the_limits_are_those_of_the_code() -> None:
    for words in (
        f"at most {limits.MAX_REPORTED_DIFF_LINES} lines",
        f"up to {limits.MAX_REPORTED_DRAFTS} |",
        f"over {limits.MAX_DIFF_CHARACTERS:,} characters",
        f"for {limits.API_RETRY_SECONDS} seconds",
        f"for {limits.IDEMPOTENCY_RETENTION_HOURS} hours",
    ):
        assert words in TEXT.replace("\n", " ")


def test_the_workflow_gives_the_action_what_it_takes() -> None:
    job = example(".github/workflows/help-center.yml")["jobs"]["instep"]
    checkout, instep = job["steps"]

    assert checkout["with"]["fetch-depth"] == 0
    assert set(instep["with"]) <= set(ACTION["inputs"])
    assert set(table(TEXT, "input")) == set(ACTION["inputs"])
    assert {name for name, options in ACTION["inputs"].items() if options.get("required")} <= set(
        instep["with"]
    )


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A temporary folder that already contains Instep."""
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "instep.pyz").write_bytes(build_archive().content)
    return folder


@pytest.fixture
def outset(tmp_path: Path) -> Path:
    """A temporary folder as the first step finds it."""
    folder = tmp_path / "outset"
    folder.mkdir()
    return folder


def test_the_first_step_of_the_action_gets_the_client_and_verifies_it(outset: Path) -> None:
    archive = build_archive()
    with serving(lambda asked: Reply(raw=archive.content)) as url:
        for sha256 in ("", archive.digest.hex()):
            process = run_step(0, outset, f"{url}/v1/", sha256=sha256)
            assert (process.returncode, process.stdout) == (0, ""), process.stderr
            assert (outset / "instep.pyz").read_bytes() == archive.content
        process = run_step(0, outset, url, sha256="0" * 64)

    assert process.returncode == 1
    assert process.stdout.startswith("::error title=Instep::")
    assert not (outset / "instep.pyz").exists()


def test_the_first_step_fails_where_there_is_no_client(outset: Path) -> None:
    with serving(lambda asked: Reply(404, {})) as url:
        process = run_step(0, outset, url)

    assert process.returncode != 0
    assert "404" in process.stderr


@pytest.mark.parametrize(("check", "code"), [("true", WOULD_EDIT), ("false", 0), ("", 0)])
def test_the_last_step_of_the_action_sends_the_change(
    repository: Repository, tools: Path, check: str, code: int
) -> None:
    completed_task = TASK | {
        "status": "completed",
        "outcome": "drafts",
        "drafts": [EDIT] * (limits.MAX_REPORTED_DRAFTS + 1),
    }
    with standing(poll=[Reply(200, completed_task)]) as stand:
        process = run_last_step(tools, stand, check=check)

    assert process.returncode == code, process.stderr
    assert "1 draft " in process.stdout
    assert json.loads(stand.requests[1].body)["change"]["title"] == "Raise the upload limit"


def test_the_action_sends_only_what_lies_below_its_paths(repository: Repository, tools: Path) -> None:
    repository.commit(
        "More", {"my web/page.ts": "A = 1\n", "docs/a.py": "A = 1\n", "$(touch x)/a.py": "A = 1\n"}
    )
    with standing() as stand:
        process = run_last_step(tools, stand, path="my web\n\n$(touch x)\n")

    assert process.returncode == 0, process.stderr
    diff = json.loads(stand.requests[1].body)["change"]["diff"]
    assert re.findall(r"^\+\+\+ b/(.+?)\t?$", diff, re.MULTILINE) == ["$(touch x)/a.py", "my web/page.ts"]
    assert not (repository.folder / "x").exists()


def test_a_limit_that_is_reached_is_a_warning_of_the_action_and_no_failure(
    repository: Repository, tools: Path
) -> None:
    full = Reply(429, {"error": "All are used up.", "code": "rate_limited"}, {"Retry-After": "1800"})
    with standing(create=[full]) as stand:
        process = run_last_step(tools, stand, check="true")

    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("::warning title=Instep::")
    assert "INSTEP_TASKS_PER_HOUR" in process.stdout
    assert "All are used up." in process.stderr


def test_another_failure_is_one_of_the_action_too(repository: Repository, tools: Path) -> None:
    with standing(create=[Reply(402, {"error": "Paused.", "code": "plan_inactive"})]) as stand:
        process = run_last_step(tools, stand)

    assert process.returncode == FAILED
    assert "::warning" not in process.stdout


def run_last_step(tools: Path, stand: Stand, **inputs: str) -> subprocess.CompletedProcess[str]:
    return run_step(-1, tools, stand.url, **inputs)


def run_step(number: int, tools: Path, url: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does, with the tests' Python."""
    step = ACTION["runs"]["steps"][number]
    values = dict.fromkeys(ACTION["inputs"], "") | {"url": url, "api-key": "isk_x"} | inputs
    environment = {name: filled(text, values) for name, text in step["env"].items()}
    folders = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=os.environ | environment | {"RUNNER_TEMP": str(tools), "PATH": folders},
        capture_output=True,
        text=True,
        check=False,
    )


def filled(text: str, inputs: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], text)


def test_no_input_is_put_into_a_script() -> None:
    assert all("${{" not in step.get("run", "") for step in ACTION["runs"]["steps"])
