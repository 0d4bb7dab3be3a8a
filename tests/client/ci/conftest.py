"""Fixtures for tests of `instep change`: a checkout to run in, and git without user settings."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repositories import Repository, with_feature


@pytest.fixture(autouse=True, scope="module")
def git_of_nobody() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        environment.setenv("GIT_CONFIG_NOSYSTEM", "1")
        for who in ("AUTHOR", "COMMITTER"):
            environment.setenv(f"GIT_{who}_NAME", "Alice")
            environment.setenv(f"GIT_{who}_EMAIL", "alice@acme.test")
        yield


@pytest.fixture(scope="module")
def feature(git_of_nobody: None, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with a one-commit branch, for tests to copy."""
    return with_feature(tmp_path_factory.mktemp("feature") / "acme")


@pytest.fixture
def repository(feature: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A copy of that repository, as the test's working directory."""
    repository = Repository(tmp_path / "acme")
    shutil.copytree(feature.folder, repository.folder)
    monkeypatch.chdir(repository.folder)
    return repository


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
