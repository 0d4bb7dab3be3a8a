"""The changes that a branch has merged: a pull request where its message names one, else a commit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.client.ci.checkout import WHOLE_HISTORY, is_shallow, resolve, task_text, task_title
from instep.client.ci.environment import Kind
from instep.client.ci.git import Git, GitFailed
from instep.client.ci.shipped import pull_requests_of
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest

SINCE = re.compile(r"(\d{1,4})([hdw])")
FULL_COMMIT = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28}\b")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
UNITS = {"h": "hours", "d": "days", "w": "weeks"}
# The subjects of merges that say nothing of the change: its title is the first line below.
MERGE_SUBJECT = re.compile(r"Merge pull request #|Merge branch |Merged in .+ \((pull request #)\d+\)$")
NUMBER_IN_TITLE = re.compile(r" \((?:pull request )?[#!]\d{1,10}\)$|^Merged PR \d{1,10}: ")
GITLAB_TRAILER = re.compile(r"^See merge request \S{1,400}$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HistoryRange:
    """The part of the history to send, one of three, and how people call it."""

    since: str | None = None
    last: int | None = None
    revisions: str | None = None

    @property
    def words(self) -> str:
        """`the last 30 days`, `the last 50 changes`, `v1.4.0..v1.5.0`."""
        if self.last is not None:
            return f"the last {self.last} changes"
        if match := SINCE.fullmatch(self.since or ""):
            return f"the last {match[1]} {UNITS[match[2]]}"
        return FULL_COMMIT.sub(r"\1", self.revisions or f"all since {self.since}")

    def arguments(self, git: Git, head: str) -> list[str]:
        """The arguments of `git log`."""
        if self.revisions is not None:
            base, separator, end = self.revisions.partition("..")
            if not separator or not base or end.startswith("."):
                raise InvalidRequest("--range must be two revisions such as v1.4.0..v1.5.0.")
            return [f"{resolve(git, base)}..{resolve(git, end or head)}"]
        if self.last is not None:
            return [f"--max-count={self.last}", head]
        if match := SINCE.fullmatch(self.since or ""):
            return [f"--since={match[1]} {UNITS[match[2]]} ago", head]
        if DATE.fullmatch(self.since or ""):
            return [f"--since={self.since}T00:00:00Z", head]
        raise InvalidRequest("--since must be a time such as 30d, 2w or 12h, or a date such as 2026-10-31.")


@dataclass(frozen=True, slots=True)
class MergedChange:
    """A change of the branch's first-parent history; `base` is the commit before it."""

    commit: str
    base: str
    kind: Kind
    title: str
    description: str | None
    url: str | None


def list_merged(git: Git, history: HistoryRange, head: str, home: str | None) -> list[MergedChange]:
    """The merged changes, oldest first, `MAX_BACKFILL_CHANGES` at most; raises `GitFailed`.

    `home` is the URL of the repository without a scheme, from which the URLs of the changes are made.
    """
    if is_shallow(git):
        raise GitFailed(f"This checkout has no history: {WHOLE_HISTORY}.")
    options = ("--first-parent", "--min-parents=1", "--no-color", "--no-notes", "--encoding=UTF-8", "-z")
    arguments = history.arguments(git, head)
    output = git.read("log", *options, "--format=%H%x00%P%x00%B", *arguments).decode("utf-8", "replace")
    rows = list(rows_of(output.split("\0")))
    if len(rows) > limits.MAX_BACKFILL_CHANGES:
        most = f"{limits.MAX_BACKFILL_CHANGES:,}"
        raise InvalidRequest(f"There are {len(rows):,} changes in {history.words}: choose {most} at most.")
    return [merged_change(commit, base, message, home) for commit, base, message in reversed(rows)]


def rows_of(fields: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Each commit with its first parent and its message."""
    for commit, parents, message in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        yield commit, parents.split()[0], message


def merged_change(commit: str, base: str, message: str, home: str | None) -> MergedChange:
    numbers = pull_requests_of(message)
    subject, _, body = message.strip().partition("\n")
    if MERGE_SUBJECT.match(subject) and body.strip():
        subject, _, body = body.strip().partition("\n")
    body = GITLAB_TRAILER.sub("", body)
    number = min(numbers, key=int) if numbers else None
    return MergedChange(
        commit=commit,
        base=base,
        kind="pr" if number else "commit",
        title=task_title(NUMBER_IN_TITLE.sub("", subject)) or commit[:12],
        description=task_text(body),
        url=address_of(home, commit, number, message) if home else None,
    )


def address_of(home: str, commit: str, number: str | None, message: str) -> str:
    """The web page of a change at the host of its repository, whose kind its name and its messages tell."""
    host = home.partition("/")[0]
    if "gitlab" in host or GITLAB_TRAILER.search(message):
        return f"https://{home}/-/" + (f"merge_requests/{number}" if number else f"commit/{commit}")
    if "bitbucket" in host:
        return f"https://{home}/" + (f"pull-requests/{number}" if number else f"commits/{commit}")
    pulls = "pull" if "github" in host else "pulls"
    return f"https://{home}/" + (f"{pulls}/{number}" if number else f"commit/{commit}")
