"""Read the change that a CI service builds from its environment variables and files."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from instep.platform.core.errors import InvalidRequest

Kind = Literal["pr", "commit", "release"]
# The hash that CI services send for a missing commit.
NO_COMMIT = re.compile(r"0+")


@dataclass(frozen=True, slots=True)
class CiContext:
    """The change as the CI service describes it; None for values that it does not set."""

    kind: Kind | None = None
    base: str | None = None
    head: str | None = None
    title: str | None = None
    url: str | None = None
    description: str | None = None
    default_branch: str | None = None
    # The branch's last commit before a push; after a force push it may no longer exist.
    before: str | None = None
    # The number of the pull request.
    number: str | None = None
    labels: Sequence[str] = ()
    # The branch that the change goes to.
    branch: str | None = None


def read_context(environ: Mapping[str, str]) -> CiContext:
    """The context of GitHub Actions and compatible services, GitLab or Jenkins; an empty one elsewhere."""
    if environ.get("GITHUB_ACTIONS") == "true":
        return github_context(environ)
    if environ.get("GITLAB_CI"):
        return gitlab_context(environ)
    return jenkins_context(environ)


def github_context(environ: Mapping[str, str]) -> CiContext:
    event = read_event(environ.get("GITHUB_EVENT_PATH"))
    branch = text_or_none(event, "repository", "default_branch")
    if "pull_request" in event:
        return CiContext(
            kind="pr",
            base=text_or_none(event, "pull_request", "base", "sha"),
            head=text_or_none(event, "pull_request", "head", "sha"),
            title=text_or_none(event, "pull_request", "title"),
            url=text_or_none(event, "pull_request", "html_url"),
            description=text_or_none(event, "pull_request", "body"),
            default_branch=branch,
            number=number_of(event["pull_request"]),
            labels=labels_of(event["pull_request"]),
            branch=text_or_none(event, "pull_request", "base", "ref"),
        )
    if environ.get("GITHUB_REF_TYPE") == "tag":
        return github_tag_context(event, environ.get("GITHUB_REF_NAME"))
    if "after" in event:
        return CiContext(
            kind="commit",
            before=commit(text_or_none(event, "before")),
            head=commit(text_or_none(event, "after")),
            url=text_or_none(event, "compare"),
            default_branch=branch,
            branch=environ.get("GITHUB_REF_NAME") or None,
        )
    return CiContext(default_branch=branch)


def github_tag_context(event: dict[str, Any], tag: str | None) -> CiContext:
    home = text_or_none(event, "repository", "html_url")
    return CiContext(
        kind="release",
        title=text_or_none(event, "release", "name") or tag,
        url=text_or_none(event, "release", "html_url") or (f"{home}/releases/tag/{tag}" if home else None),
        description=text_or_none(event, "release", "body"),
    )


def gitlab_context(environ: Mapping[str, str]) -> CiContext:
    variables = {name: value for name, value in environ.items() if value}
    home = variables.get("CI_PROJECT_URL")
    if number := variables.get("CI_MERGE_REQUEST_IID"):
        target = variables.get("CI_MERGE_REQUEST_PROJECT_URL", home)
        return CiContext(
            kind="pr",
            base=variables.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
            # Only merged-results pipelines set this; their CI_COMMIT_SHA is a temporary merge commit.
            head=variables.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or variables.get("CI_COMMIT_SHA"),
            title=variables.get("CI_MERGE_REQUEST_TITLE"),
            url=f"{target}/-/merge_requests/{number}" if target else None,
            description=variables.get("CI_MERGE_REQUEST_DESCRIPTION"),
            number=number,
            labels=tuple(filter(None, variables.get("CI_MERGE_REQUEST_LABELS", "").split(","))),
            branch=variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
        )
    if tag := variables.get("CI_COMMIT_TAG"):
        message = variables.get("CI_COMMIT_TAG_MESSAGE")
        url = f"{home}/-/tags/{tag}" if home else None
        return CiContext(kind="release", title=tag, url=url, description=message)
    head = variables.get("CI_COMMIT_SHA")
    return CiContext(
        kind="commit",
        before=commit(variables.get("CI_COMMIT_BEFORE_SHA")),
        head=head,
        url=f"{home}/-/commit/{head}" if home and head else None,
        default_branch=variables.get("CI_DEFAULT_BRANCH"),
        branch=variables.get("CI_COMMIT_BRANCH"),
    )


def jenkins_context(environ: Mapping[str, str]) -> CiContext:
    if target := environ.get("CHANGE_TARGET"):
        return CiContext(
            kind="pr",
            base=f"origin/{target}",
            title=environ.get("CHANGE_TITLE"),
            url=environ.get("CHANGE_URL"),
            branch=target,
        )
    if tag := environ.get("TAG_NAME"):
        return CiContext(kind="release", title=tag)
    return CiContext()


def read_event(path: str | None) -> dict[str, Any]:
    if not path:
        return {}
    try:
        event = json.loads(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"GITHUB_EVENT_PATH names a file that can't be read: {error}.") from None
    return event if isinstance(event, dict) else {}


def text_or_none(value: Any, *path: str) -> str | None:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else None


def number_of(pull_request: Any) -> str | None:
    number = pull_request.get("number") if isinstance(pull_request, dict) else None
    return str(number) if isinstance(number, int) else None


def labels_of(pull_request: Any) -> tuple[str, ...]:
    labels = pull_request.get("labels") if isinstance(pull_request, dict) else None
    names = (text_or_none(label, "name") for label in (labels if isinstance(labels, list) else ()))
    return tuple(name for name in names if name)


def commit(sha: str | None) -> str | None:
    return None if sha is None or NO_COMMIT.fullmatch(sha) else sha
