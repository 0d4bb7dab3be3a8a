"""The information about a change that GitHub Actions, GitLab and Jenkins provide to its job."""

import json
from pathlib import Path
from typing import Any

import pytest

from instep.client.ci.environment import CiContext, read_context
from instep.platform.core.errors import InvalidRequest

BASE, HEAD, ZEROS = "b" * 40, "a" * 40, "0" * 40
REPOSITORY = {"default_branch": "trunk", "html_url": "https://github.test/acme/app"}
GITLAB = {"GITLAB_CI": "true", "CI_PROJECT_URL": "https://gitlab.test/acme/app", "CI_COMMIT_SHA": HEAD}


def github(folder: Path, event: Any, **more: str) -> CiContext:
    path = folder / "event.json"
    path.write_text(json.dumps(event))
    return read_context({"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(path)} | more)


def test_github_tells_of_a_pull_request(tmp_path: Path) -> None:
    url = "https://github.test/acme/app/pull/7"
    pull_request = {
        "title": "Größe",
        "html_url": url,
        "body": "Why.",
        "base": {"sha": BASE, "ref": "release/1.4"},
        "head": {"sha": HEAD},
        "number": 7,
    }

    context = github(tmp_path, {"pull_request": pull_request, "repository": REPOSITORY, "after": ZEROS})

    assert context == CiContext(
        "pr", BASE, HEAD, "Größe", url, "Why.", "trunk", number="7", branch="release/1.4"
    )


def test_a_pull_request_without_a_description_has_none(tmp_path: Path) -> None:
    assert github(tmp_path, {"pull_request": {"title": "T", "body": None}}).description is None


def test_github_tells_of_a_push(tmp_path: Path) -> None:
    event = {"before": BASE, "after": HEAD, "compare": "https://github.test/c", "repository": REPOSITORY}

    context = github(tmp_path, event, GITHUB_REF_TYPE="branch", GITHUB_REF_NAME="next")

    assert context == CiContext(
        "commit", before=BASE, head=HEAD, url="https://github.test/c", default_branch="trunk", branch="next"
    )


def test_the_first_push_of_a_branch_has_no_base(tmp_path: Path) -> None:
    event = {"before": ZEROS, "after": HEAD, "repository": REPOSITORY}

    assert (github(tmp_path, event).base, github(tmp_path, event).before) == (None, None)


def test_github_tells_of_a_tag_and_of_its_release(tmp_path: Path) -> None:
    tag = {"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v1.1"}
    release = {"tag_name": "v1.1", "name": "Spring", "body": "News", "html_url": "https://github.test/r"}

    pushed = github(tmp_path, {"before": ZEROS, "after": HEAD, "repository": REPOSITORY}, **tag)
    released = github(tmp_path, {"release": release, "repository": REPOSITORY}, **tag)

    home = REPOSITORY["html_url"]
    assert pushed == CiContext("release", title="v1.1", url=f"{home}/releases/tag/v1.1")
    assert released == CiContext("release", title="Spring", url="https://github.test/r", description="News")


@pytest.mark.parametrize("event", [{}, [], None, "x", {"pull_request": None}, {"pull_request": {"base": 1}}])
def test_an_event_that_says_little_is_taken_as_it_is(tmp_path: Path, event: Any) -> None:
    context = github(tmp_path, event)

    assert (context.base, context.head, context.title) == (None, None, None)


@pytest.mark.parametrize("text", [None, "{", "\xff"])
def test_an_event_that_cant_be_read_is_refused(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "event.json"
    if text is not None:
        path.write_bytes(text.encode("latin-1"))

    with pytest.raises(InvalidRequest, match="GITHUB_EVENT_PATH"):
        read_context({"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(path)})


def test_gitlab_tells_of_a_merge_request() -> None:
    variables = {
        "CI_MERGE_REQUEST_IID": "12",
        "CI_MERGE_REQUEST_PROJECT_URL": "https://gitlab.test/acme/app",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
        "CI_MERGE_REQUEST_TITLE": "Draft: Größe",
        "CI_MERGE_REQUEST_DESCRIPTION": "Why.",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "release/1.4",
        "CI_COMMIT_BEFORE_SHA": ZEROS,
    }
    url = "https://gitlab.test/acme/app/-/merge_requests/12"

    assert read_context(GITLAB | variables) == CiContext(
        "pr", BASE, HEAD, "Draft: Größe", url, "Why.", number="12", branch="release/1.4"
    )


def test_the_head_of_a_merged_result_is_that_of_the_merge_request() -> None:
    variables = {"CI_MERGE_REQUEST_IID": "12", "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "c" * 40}

    assert read_context(GITLAB | variables).head == "c" * 40


def test_gitlab_tells_of_a_push_and_of_a_tag() -> None:
    home = GITLAB["CI_PROJECT_URL"]
    push = GITLAB | {
        "CI_COMMIT_BEFORE_SHA": BASE,
        "CI_DEFAULT_BRANCH": "trunk",
        "CI_COMMIT_BRANCH": "next",
    }
    tag = GITLAB | {"CI_COMMIT_TAG": "v1.1", "CI_COMMIT_TAG_MESSAGE": "News"}

    assert read_context(push) == CiContext(
        "commit",
        before=BASE,
        head=HEAD,
        url=f"{home}/-/commit/{HEAD}",
        default_branch="trunk",
        branch="next",
    )
    assert read_context(tag) == CiContext(
        "release", title="v1.1", url=f"{home}/-/tags/v1.1", description="News"
    )


def test_jenkins_tells_of_a_pull_request_and_of_a_tag() -> None:
    variables = {"CHANGE_TARGET": "main", "CHANGE_TITLE": "Größe", "CHANGE_URL": "https://git.test/7"}

    assert read_context(variables) == CiContext(
        "pr", base="origin/main", title="Größe", url="https://git.test/7", branch="main"
    )
    assert read_context({"TAG_NAME": "v1.1"}) == CiContext("release", title="v1.1")


def test_elsewhere_nothing_is_said() -> None:
    others = {"GITHUB_ACTIONS": "", "GITHUB_EVENT_PATH": "/nowhere", "CI_MERGE_REQUEST_TITLE": "x"}

    assert read_context(others) == CiContext()
