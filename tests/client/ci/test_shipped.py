"""The changes that a range of commits ships, and the URLs that identify them."""

from pathlib import Path

import pytest

from instep.client.ci.git import GitFailed
from instep.client.ci.shipped import read_shipment
from instep.platform.core.errors import InvalidRequest
from tests.support.repositories import Repository, new_repository

HOME = "https://git.test/acme/app"


@pytest.fixture
def deployed(tmp_path: Path) -> Repository:
    """A history with a release, followed by merge commits in the formats of different hosts."""
    repository = new_repository(tmp_path / "app")
    repository.git("remote", "add", "origin", f"{HOME}.git")
    repository.commit("Begin (#1)", {"a": "1"})
    repository.git("tag", "v1")
    for message in (
        "Raise the upload limit (#7)\n\n* As said in (#3)\n* More (#4)",
        "Merge pull request #8 from acme/branch\n\nRename it",
        "Merge branch 'x' into 'main'\n\nDo it\n\nSee merge request acme/app!9",
        "Merged in x (pull request #10)",
        "Merged PR 11: Do it",
        "Fix #12 and (#13) at once",
    ):
        repository.commit(message, {"a": message})
    repository.git("tag", "v2/stable")
    return repository


@pytest.mark.parametrize(
    ("path", "is_shipped"),
    [
        *((f"pull/{number}", number in (7, 8, 9, 10, 11)) for number in range(1, 14)),
        ("pull/7/files", True),
        ("pulls/7", True),
        ("-/merge_requests/9", True),
        ("pull-requests/10", True),
        ("pullrequest/11", True),
        ("pull/70", False),
        ("issues/7", False),
        ("releases/tag/v2/stable", True),
        ("-/tags/v2%2Fstable", True),
        ("releases/tag/v1", False),
        ("", False),
    ],
)
def test_addresses_of_pull_requests_and_releases(deployed: Repository, path: str, is_shipped: bool) -> None:
    shipment = read_shipment(deployed.folder, "v1..", {})

    assert shipment.has(f"{HOME}/{path}") is is_shipped


def test_addresses_of_commits_and_comparisons(deployed: Repository) -> None:
    shipment = read_shipment(deployed.folder, "v1..HEAD", {})
    head, base = deployed.git("rev-parse", "HEAD"), deployed.git("rev-parse", "v1")

    for path, is_shipped in (
        (f"commit/{head}", True),
        (f"commits/{head[:10]}", True),
        (f"-/commit/{head}", True),
        (f"commit/{base}", False),
        (f"compare/{base[:12]}...{head[:12]}", True),
        (f"compare/{head[:12]}...{base[:12]}", False),
        (f"commit/{head[:6]}", False),
    ):
        assert shipment.has(f"{HOME}/{path}") is is_shipped, path


@pytest.mark.parametrize(
    ("remote", "environment"),
    [
        ("git@git.test:acme/app.git", {}),
        ("ssh://git@git.test:22/acme/app.git", {}),
        ("https://token@GIT.test/acme/app", {}),
        ("/srv/mirror", {"GITHUB_SERVER_URL": "https://git.test", "GITHUB_REPOSITORY": "acme/app"}),
        ("/srv/mirror", {"CI_PROJECT_URL": HOME}),
    ],
)
def test_the_repository_is_known_by_its_remote_or_the_ci(
    deployed: Repository, remote: str, environment: dict[str, str]
) -> None:
    deployed.git("remote", "set-url", "origin", remote)

    shipment = read_shipment(deployed.folder, "v1..HEAD", environment)

    assert shipment.has("https://git.test/acme/app/pull/7?diff=split")
    assert not shipment.has("https://git.test/acme/other/pull/7")
    assert not shipment.has("https://git.test/acme/application/pull/7")


@pytest.mark.parametrize("revisions", ["v1", "..v1", "v1...HEAD", ""])
def test_invalid_range_of_revisions_is_refused(deployed: Repository, revisions: str) -> None:
    with pytest.raises(InvalidRequest, match="two revisions"):
        read_shipment(deployed.folder, revisions, {})


@pytest.mark.parametrize("revisions", ["nothing..HEAD", "--all..HEAD"])
def test_a_revision_that_is_not_there_is_refused(deployed: Repository, revisions: str) -> None:
    with pytest.raises(GitFailed, match="This checkout has no commit"):
        read_shipment(deployed.folder, revisions, {})


@pytest.mark.parametrize("remote", ["", "/srv/mirror", "../mirror", "file:///srv/mirror"])
def test_without_a_remote_on_a_host_the_addresses_have_to_be_named(deployed: Repository, remote: str) -> None:
    deployed.git("remote", *(("set-url", "origin", remote) if remote else ("remove", "origin")))

    with pytest.raises(InvalidRequest, match="--url"):
        read_shipment(deployed.folder, "v1..HEAD", {})
