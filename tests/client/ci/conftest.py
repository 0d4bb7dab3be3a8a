"""Parts shared by the tests of `instep change`: a checkout to run in, and git without anybody's settings."""

import os
from pathlib import Path

import pytest

from tests.support.repositories import Repository, with_feature


@pytest.fixture(autouse=True)
def git_of_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Alice")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "alice@acme.test")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A branch with one commit, in which the test runs."""
    repository = with_feature(tmp_path / "acme")
    monkeypatch.chdir(repository.folder)
    return repository


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
