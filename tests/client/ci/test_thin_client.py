"""`instep.pyz`: small, reproducible, and sufficient for everything that a job runs."""

import hashlib
import json
import os
import re
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest
from typer.testing import CliRunner

from instep.cli import app as installed_commands
from instep.operations.ops.thin_client import build_archive
from tests.support.cast import Client
from tests.support.ci_servers import ordinary, serving
from tests.support.repositories import Repository
from tests.support.wording import like

MAX_BYTES = 120 * 1024
MAX_PROCESSOR_SECONDS = 2.0


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("client") / "instep.pyz"
    path.write_bytes(build_archive().content)
    return path


def run(archive: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the archive with the standard library only."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(archive), *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_archive_is_small_and_reproducible() -> None:
    first = build_archive()
    second = build_archive.__wrapped__()

    assert len(first.content) <= MAX_BYTES
    assert first == second
    assert first.content.startswith(b"#!/usr/bin/env python3\n")


async def test_the_server_gives_it_with_its_digest(visitor: Client) -> None:
    content = build_archive().content
    digest = hashlib.sha256(content)
    answer = await visitor.get("/ci/instep.pyz", headers={"Accept-Encoding": "gzip"})
    again = await visitor.get("/ci/instep.pyz", headers={"If-None-Match": answer.headers["ETag"]})
    told = await visitor.get("/ci/instep.pyz.sha256")

    assert answer.content == content
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Repr-Digest"] == f"sha-256=:{b64encode(digest.digest()).decode()}:"
    assert (again.status_code, again.content) == (304, b"")
    assert told.text == f"{digest.hexdigest()}  instep.pyz\n"


@pytest.mark.parametrize("name", ["change", "release", "sync"])
def test_archive_has_the_options_of_the_installed_command(archive: Path, name: str) -> None:
    option = re.compile(r"(?<![\w-])--[a-z]+")
    installed = CliRunner().invoke(installed_commands, [name, "--help"]).output

    shown = run(archive, name, "--help").stdout

    assert set(option.findall(shown)) == set(re.findall(r"^\W+(--[a-z]+)", installed, re.MULTILINE))


def test_a_wrong_option_ends_with_2_and_the_version_is_known(archive: Path) -> None:
    assert run(archive, "change", "--timeout", "0").returncode == 2
    assert run(archive, "release", "--chek").returncode == 2
    assert run(archive, "--version").stdout.startswith("instep 0.")


def test_a_change_is_sent_soon_and_with_nothing_but_the_standard_library(
    archive: Path, repository: Repository
) -> None:
    replies = ordinary()
    before = os.times()
    with serving(lambda asked: replies[asked.line][-1]) as url:
        process = run(archive, "change", "--check", "--json", INSTEP_URL=url, INSTEP_API_KEY="isk_x")

    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout)["outcome"] == "no_changes"
    after = os.times()
    worked = after.children_user + after.children_system - before.children_user - before.children_system
    assert worked < MAX_PROCESSOR_SECONDS


def test_a_release_says_in_one_sentence_what_is_missing(archive: Path, repository: Repository) -> None:
    process = run(archive, "release", "--range", "main..HEAD", INSTEP_URL="", INSTEP_API_KEY="")

    assert (process.returncode, process.stdout) == (1, "")
    # The command reads the remote, which this checkout lacks, before it calls the server.
    assert process.stderr.startswith("instep: No remote `origin`")


def test_an_old_python_is_told_what_it_needs(archive: Path) -> None:
    program = (
        "import sys, runpy; sys.version_info = (3, 9, 2); sys.argv = ['instep.pyz'];"
        f" runpy.run_path({str(archive)!r}, run_name='__main__')"
    )

    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert process.returncode == 1
    assert process.stderr == like("instep: Python 3.9…3.11…\n")
