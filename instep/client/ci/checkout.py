"""Read the change of a checkout: its two commits, its title and its diff."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from instep.client.ci.diff import Selection, select
from instep.client.ci.environment import CiContext, Kind
from instep.client.ci.git import Git, GitFailed, open_checkout
from instep.platform.core import limits
from instep.platform.text.characters import shorten

DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
COMMIT = re.compile(r"[0-9a-f]{40,64}")
WHOLE_HISTORY = (
    "the checkout is shallow: fetch the whole history, in GitHub Actions with `fetch-depth: 0`, in GitLab"
    " with `GIT_DEPTH: 0`, elsewhere with `git fetch --unshallow`"
)


@dataclass(frozen=True, slots=True)
class CodeChange:
    """The change that a task describes, and its two commits."""

    kind: Kind
    title: str
    url: str | None
    description: str | None
    base: str
    head: str
    selection: Selection
    # A sentence for the log about how the base was chosen.
    note: str | None = None
    # Further texts for a language model, as the API has them.
    context: Mapping[str, Any] = field(default_factory=dict)
    # The email address of the last commit's author, the labels of the pull request, and its target branch.
    author: str | None = None
    labels: Sequence[str] = ()
    branch: str | None = None


def read_change(folder: Path, context: CiContext, paths: Sequence[str] = ()) -> CodeChange:
    """The change from the merge base to the head; with `paths` only in the files that they match."""
    git = open_checkout(folder)
    head = resolve(git, context.head or "HEAD")
    base, note = find_base(git, context, head)
    subject, message = read_message(git, head)
    return CodeChange(
        kind=context.kind or "pr",
        title=task_title(context.title) or task_title(subject) or head[:12],
        url=context.url or None,
        # A pull request has a description of its own, so its commit's message is not used.
        description=task_text(context.description if task_title(context.title) else message),
        base=base,
        head=head,
        selection=select(git, base, head, paths),
        note=note,
        author=read_author(git, head),
        labels=task_labels(context.labels),
        branch=context.branch,
    )


def find_base(git: Git, context: CiContext, head: str) -> tuple[str, str | None]:
    """The commit to compare with, and a note for the log."""
    if context.base:
        return merge_base(git, resolve(git, context.base), head), None
    if context.before:
        return base_of_push(git, context.before, context.default_branch, head)
    if context.kind == "release" and (tag := git.find("describe", "--tags", "--abbrev=0", f"{head}^")):
        return merge_base(git, resolve(git, tag), head), None
    _, commit = default_branch(git, context.default_branch)
    return merge_base(git, commit, head), None


def base_of_push(git: Git, before: str, branch: str | None, head: str) -> tuple[str, str | None]:
    """The branch's commit before the push; after a force push, its merge base with the default branch."""
    commit = find_commit(git, before)
    if base := commit and git.find("merge-base", commit, head):
        return base, None
    if is_shallow(git):
        return merge_base(git, resolve(git, before), head), None
    name, commit = default_branch(git, branch)
    base = merge_base(git, commit, head)
    return base, (
        f"The commit {before[:12]} from before this push no longer exists, as after a force push."
        f" The change is compared with {name} instead, starting at {base[:12]}."
    )


def default_branch(git: Git, branch: str | None) -> tuple[str, str]:
    """The name of the default branch and its last commit."""
    names = (f"origin/{branch}", *DEFAULT_BRANCHES) if branch else DEFAULT_BRANCHES
    for name in names:
        if commit := find_commit(git, name):
            return name, commit
    raise GitFailed(
        "This checkout has no default branch: fetch it, or pass the commit to compare with as --base."
    )


def resolve(git: Git, name: str) -> str:
    """The commit that a name resolves to, in this checkout or at `origin`."""
    if commit := find_commit(git, name) or find_commit(git, f"origin/{name}"):
        return commit
    if is_shallow(git):
        raise GitFailed(f"This checkout has no commit {name}, and {WHOLE_HISTORY}.")
    branch = name.removeprefix("origin/")
    refspec = name if COMMIT.fullmatch(name) else f"{branch}:refs/remotes/origin/{branch}"
    raise GitFailed(
        f"This checkout has no commit {name}: run `git fetch origin {refspec}`, or name another one."
    )


def find_commit(git: Git, name: str) -> str | None:
    # git would read a name that begins with a hyphen as an option.
    if name.startswith("-"):
        return None
    commit = git.find("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    return commit if commit and COMMIT.fullmatch(commit) else None


def merge_base(git: Git, base: str, head: str) -> str:
    if commit := git.find("merge-base", base, head):
        return commit
    reason = f"{base[:12]} and {head[:12]} have no commit in common in this checkout"
    if is_shallow(git):
        raise GitFailed(f"{reason}, and {WHOLE_HISTORY}.")
    raise GitFailed(f"{reason}: name another commit with --base.")


def is_shallow(git: Git) -> bool:
    return git.find("rev-parse", "--is-shallow-repository") == "true"


def read_message(git: Git, head: str) -> tuple[str, str]:
    """The first line of a commit's message, and the rest."""
    raw = git.read("log", "-1", "--no-color", "--no-notes", "--encoding=UTF-8", "--format=%B", head)
    subject, _, rest = raw.decode("utf-8", "replace").strip().partition("\n")
    return subject, rest


def read_author(git: Git, head: str) -> str | None:
    email = clean(git.find("log", "-1", "--format=%ae", head) or "")
    return email if 0 < len(email) <= limits.MAX_EMAIL_CHARACTERS else None


def task_labels(labels: Sequence[str]) -> list[str]:
    """The labels that a task can have."""
    names = [clean(label).strip() for label in labels]
    return [name for name in names if 0 < len(name) <= limits.MAX_LABEL_CHARACTERS][: limits.MAX_LABELS]


def task_title(text: str | None) -> str:
    """One line of at most the length of a task's title."""
    return shorten(" ".join(clean(text or "").split()), limits.MAX_TITLE_CHARACTERS)


def task_text(text: str | None) -> str | None:
    return clean(text or "").strip()[: limits.MAX_CHANGE_BODY_CHARACTERS] or None


def clean(text: str) -> str:
    """The text with replacements for characters that JSON or a database can't hold."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
