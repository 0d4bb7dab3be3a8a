"""The contents of a clone that bear on the statements of articles, as `instep drift` reads a checkout."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from instep.client.ci.checkout import is_shallow, resolve
from instep.client.ci.git import Git
from instep.client.drift.command import body_of
from instep.client.drift.evidence import CheckoutEvidence, SentCommit, read_evidence
from instep.transfer.repositories.pull_filters import matches_path


@dataclass(frozen=True, slots=True)
class ClonedBranch:
    """A clone, its branch, and the files of it that count; without paths all do."""

    git: Git
    branch: str
    paths: Sequence[str]


def read_clone(clone: ClonedBranch, names: Sequence[str], values: Sequence[str]) -> bytes:
    """The body of `POST /drift/checks` for the newest commit of the branch.

    It reads the whole history, which may take minutes: call it in another process. Raises `GitFailed`.
    """
    head = resolve(clone.git, clone.branch)
    evidence = read_evidence(clone.git, head, head, names, values)
    return body_of(head, within(evidence, clone.paths), None, is_partial=is_shallow(clone.git))


def within(evidence: CheckoutEvidence, paths: Sequence[str]) -> CheckoutEvidence:
    """The evidence with only those hunks that are in the paths; names in other files are not gone."""
    if not paths:
        return evidence
    commits = [commit for row in evidence.commits if (commit := commit_within(row, paths)).commit.hunks]
    return replace(evidence, commits=commits)


def commit_within(row: SentCommit, paths: Sequence[str]) -> SentCommit:
    hunks = [
        hunk
        for hunk in row.commit.hunks
        if any(matches_path(name.removeprefix("a/").removeprefix("b/"), paths) for name in hunk.head)
    ]
    standing = tuple(place for place in row.standing if matches_path(place.file, paths))
    return SentCommit(replace(row.commit, hunks=hunks), standing)
