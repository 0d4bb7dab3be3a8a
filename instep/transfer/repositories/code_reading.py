"""Reads the evidence about statements in articles from a clone, as `instep drift` does from a checkout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from instep.client.ci.checkout import is_shallow, resolve
from instep.client.ci.git import Git
from instep.client.ci.shipped import host_and_path
from instep.client.drift.article_code import PartNames, code_of_articles
from instep.client.drift.command import body_of
from instep.client.drift.evidence import CheckoutEvidence, SentCommit, Stated, read_evidence
from instep.platform.core import limits
from instep.transfer.repositories.pull_filters import matches_path


@dataclass(frozen=True, slots=True)
class ClonedBranch:
    """A clone of `url`, its branch, and the paths that count; all if there are none."""

    git: Git
    url: str
    branch: str
    paths: Sequence[str]

    def has(self, path: str) -> bool:
        return not self.paths or matches_path(path, self.paths)


def read_clone(clone: ClonedBranch, stated: Stated, sought: Mapping[tuple[str, int], PartNames]) -> bytes:
    """The body of `POST /drift/checks` for the newest commit of the branch.

    `sought` are the names in the articles that a language model reads, by article and first line.

    Reads the whole history, which can take minutes: call it in another process. Raises `GitFailed`.
    """
    head = resolve(clone.git, clone.branch)
    home = host_and_path(clone.url).removesuffix(".git")
    evidence = within(read_evidence(clone.git, head, head, stated, home), clone.paths)
    past = [row.commit for row in evidence.commits]
    code = code_of_articles(clone.git, head, sought, limits.DRIFT_READINGS, past, clone.has)
    return body_of(head, evidence, code, None, is_partial=is_shallow(clone.git))


def within(evidence: CheckoutEvidence, paths: Sequence[str]) -> CheckoutEvidence:
    """The evidence with only the hunks in the paths; names that other files contain still exist."""
    if not paths:
        return evidence
    commits = [commit for row in evidence.commits if (commit := commit_within(row, paths)).commit.hunks]
    moves = [move for move in evidence.moves if matches_path(move.old, paths)]
    return replace(evidence, commits=commits, moves=moves)


def commit_within(row: SentCommit, paths: Sequence[str]) -> SentCommit:
    hunks = [
        hunk
        for hunk in row.commit.hunks
        if any(matches_path(name.removeprefix("a/").removeprefix("b/"), paths) for name in hunk.head)
    ]
    standing = tuple(place for place in row.standing if matches_path(place.file, paths))
    return SentCommit(replace(row.commit, hunks=hunks), standing)
