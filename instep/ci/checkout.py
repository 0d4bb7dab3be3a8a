"""The change of a checkout: which commits it lies between, what it is called, and its diff."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from instep.ci.diff import Selection, select
from instep.ci.environment import CiContext, Kind
from instep.ci.git import Git, GitFailed, open_checkout
from instep.core import limits
from instep.text.characters import shorten

DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
COMMIT = re.compile(r"[0-9a-f]{40,64}")
WHOLE_HISTORY = (
    "the checkout is shallow: fetch the whole history, in GitHub Actions with `fetch-depth: 0`, in GitLab"
    " with `GIT_DEPTH: 0`, elsewhere with `git fetch --unshallow`"
)


@dataclass(frozen=True, slots=True)
class CodeChange:
    """A change as a task tells it, and the commits that it lies between."""

    kind: Kind
    title: str
    url: str | None
    description: str | None
    base: str
    head: str
    selection: Selection
    # What a reader of the log should know of how the base was found.
    note: str | None = None


def read_change(folder: Path, said: CiContext, paths: Sequence[str] = ()) -> CodeChange:
    """The change from where its branch began to its head; with `paths` only of the files that they match."""
    git = open_checkout(folder)
    head = resolve(git, said.head or "HEAD")
    base, note = find_base(git, said, head)
    subject, message = read_message(git, head)
    return CodeChange(
        kind=said.kind or "pr",
        title=title_of(said.title) or title_of(subject) or head[:12],
        url=said.url or None,
        # The description of a pull request is its own, and no commit's.
        description=text_of(said.description if title_of(said.title) else message),
        base=base,
        head=head,
        selection=select(git, base, head, paths),
        note=note,
    )


def find_base(git: Git, said: CiContext, head: str) -> tuple[str, str | None]:
    """The commit that the change begins at, and what is to be said of it."""
    if said.base:
        return merge_base(git, resolve(git, said.base), head), None
    if said.before:
        return base_of_push(git, said.before, said.default_branch, head)
    if said.kind == "release" and (tag := git.find("describe", "--tags", "--abbrev=0", f"{head}^")):
        return merge_base(git, resolve(git, tag), head), None
    _, commit = default_branch(git, said.default_branch)
    return merge_base(git, commit, head), None


def base_of_push(git: Git, before: str, branch: str | None, head: str) -> tuple[str, str | None]:
    """Where the branch stood before; after a force push, which replaces that, where it left the default."""
    commit = find_commit(git, before)
    if base := commit and git.find("merge-base", commit, head):
        return base, None
    if is_shallow(git):
        return merge_base(git, resolve(git, before), head), None
    name, commit = default_branch(git, branch)
    base = merge_base(git, commit, head)
    return base, (
        f"The commit {before[:12]} from before this push is gone, as after a force push:"
        f" the change is compared with {name} instead, from {base[:12]} on."
    )


def default_branch(git: Git, named: str | None) -> tuple[str, str]:
    """Its name and its last commit."""
    own = (f"origin/{named}",) if named else ()
    for name in (*own, *DEFAULT_BRANCHES):
        if commit := find_commit(git, name):
            return name, commit
    raise GitFailed("There is no default branch here: fetch it, or name with --base what to compare with.")


def resolve(git: Git, name: str) -> str:
    """The commit that a name stands for, here or at `origin`."""
    found = find_commit(git, name) or find_commit(git, f"origin/{name}")
    if found:
        return found
    if is_shallow(git):
        raise GitFailed(f"There is no commit {name} here, and {WHOLE_HISTORY}.")
    branch = name.removeprefix("origin/")
    what = name if COMMIT.fullmatch(name) else f"{branch}:refs/remotes/origin/{branch}"
    raise GitFailed(f"There is no commit {name} here: `git fetch origin {what}`, or name another one.")


def find_commit(git: Git, name: str) -> str | None:
    # What begins with a hyphen would be an option.
    if name.startswith("-"):
        return None
    found = git.find("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    return found if found and COMMIT.fullmatch(found) else None


def merge_base(git: Git, base: str, head: str) -> str:
    if found := git.find("merge-base", base, head):
        return found
    where = f"{base[:12]} and {head[:12]} have no commit in common here"
    if is_shallow(git):
        raise GitFailed(f"{where}, and {WHOLE_HISTORY}.")
    raise GitFailed(f"{where}: name another commit with --base.")


def is_shallow(git: Git) -> bool:
    return git.find("rev-parse", "--is-shallow-repository") == "true"


def read_message(git: Git, head: str) -> tuple[str, str]:
    """The first line of a commit's message, and the rest."""
    raw = git.read("log", "-1", "--no-color", "--no-notes", "--encoding=UTF-8", "--format=%B", head)
    subject, _, rest = raw.decode("utf-8", "replace").strip().partition("\n")
    return subject, rest


def title_of(text: str | None) -> str:
    """One line, as long as a task takes."""
    return shorten(" ".join(clean(text or "").split()), limits.MAX_TITLE_CHARACTERS)


def text_of(text: str | None) -> str | None:
    return clean(text or "").strip()[: limits.MAX_CHANGE_BODY_CHARACTERS] or None


def clean(text: str) -> str:
    """Without what JSON or a database can't hold."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
