"""What a CI service says of the change that it builds, in its environment variables and files."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from instep.core.errors import InvalidRequest

Kind = Literal["pr", "commit", "release"]
# What stands in place of the commit before the first one.
NO_COMMIT = re.compile(r"0+")


@dataclass(frozen=True, slots=True)
class CiContext:
    """What is known of the change before git is asked; None where nothing is said."""

    kind: Kind | None = None
    base: str | None = None
    head: str | None = None
    title: str | None = None
    url: str | None = None
    description: str | None = None
    default_branch: str | None = None
    # The branch's last commit before a push; after a force push nobody may have it any more.
    before: str | None = None


def read_surroundings(environ: Mapping[str, str]) -> CiContext:
    """Of GitHub Actions and what is like it, GitLab, or Jenkins; nothing elsewhere."""
    if environ.get("GITHUB_ACTIONS") == "true":
        return of_github(environ)
    if environ.get("GITLAB_CI"):
        return of_gitlab(environ)
    return of_jenkins(environ)


def of_github(environ: Mapping[str, str]) -> CiContext:
    event = read_event(environ.get("GITHUB_EVENT_PATH"))
    branch = text_at(event, "repository", "default_branch")
    if "pull_request" in event:
        return CiContext(
            kind="pr",
            base=text_at(event, "pull_request", "base", "sha"),
            head=text_at(event, "pull_request", "head", "sha"),
            title=text_at(event, "pull_request", "title"),
            url=text_at(event, "pull_request", "html_url"),
            description=text_at(event, "pull_request", "body"),
            default_branch=branch,
        )
    if environ.get("GITHUB_REF_TYPE") == "tag":
        return of_github_tag(event, environ.get("GITHUB_REF_NAME"))
    if "after" in event:
        return CiContext(
            kind="commit",
            before=commit(text_at(event, "before")),
            head=commit(text_at(event, "after")),
            url=text_at(event, "compare"),
            default_branch=branch,
        )
    return CiContext(default_branch=branch)


def of_github_tag(event: dict[str, Any], tag: str | None) -> CiContext:
    home = text_at(event, "repository", "html_url")
    return CiContext(
        kind="release",
        title=text_at(event, "release", "name") or tag,
        url=text_at(event, "release", "html_url") or (f"{home}/releases/tag/{tag}" if home else None),
        description=text_at(event, "release", "body"),
    )


def of_gitlab(environ: Mapping[str, str]) -> CiContext:
    said = {name: value for name, value in environ.items() if value}
    home = said.get("CI_PROJECT_URL", "")
    if number := said.get("CI_MERGE_REQUEST_IID"):
        return CiContext(
            kind="pr",
            base=said.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
            # Only pipelines of merged results have it: what they build is a merge that nobody has made.
            head=said.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or said.get("CI_COMMIT_SHA"),
            title=said.get("CI_MERGE_REQUEST_TITLE"),
            url=f"{said.get('CI_MERGE_REQUEST_PROJECT_URL', home)}/-/merge_requests/{number}",
            description=said.get("CI_MERGE_REQUEST_DESCRIPTION"),
        )
    if tag := said.get("CI_COMMIT_TAG"):
        message = said.get("CI_COMMIT_TAG_MESSAGE")
        return CiContext(kind="release", title=tag, url=f"{home}/-/tags/{tag}", description=message)
    head = said.get("CI_COMMIT_SHA")
    return CiContext(
        kind="commit",
        before=commit(said.get("CI_COMMIT_BEFORE_SHA")),
        head=head,
        url=f"{home}/-/commit/{head}" if home and head else None,
        default_branch=said.get("CI_DEFAULT_BRANCH"),
    )


def of_jenkins(environ: Mapping[str, str]) -> CiContext:
    if target := environ.get("CHANGE_TARGET"):
        return CiContext(
            kind="pr",
            base=f"origin/{target}",
            title=environ.get("CHANGE_TITLE"),
            url=environ.get("CHANGE_URL"),
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


def text_at(value: Any, *path: str) -> str | None:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else None


def commit(sha: str | None) -> str | None:
    return None if sha is None or NO_COMMIT.fullmatch(sha) else sha
