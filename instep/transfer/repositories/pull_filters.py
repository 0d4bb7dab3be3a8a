"""Decides which pull requests of a repository are sent, and which of their files."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from instep.client.ci.diff import Selection, choose, read_file_diffs, read_patch
from instep.transfer.repositories.schemas import PullRequest, Repository

ABANDONED = "It was closed without merging."


@dataclass(frozen=True, slots=True)
class ChosenDiff:
    """The part of a diff that is sent, and the numbers of files in it, omitted, and outside of the paths."""

    text: str
    files: int
    left_out: int
    outside: int


def reason_to_ignore(repository: Repository, pull_request: PullRequest, is_approved: bool) -> str | None:
    """The reason not to send a pull request in its current state, as a sentence; None if it is sent."""
    if not repository.reads(pull_request.branch):
        return f"It targets the branch {pull_request.branch}, not {repository.read_branch}."
    if pull_request.is_by_instep or (pull_request.is_by_bot and not repository.includes_bots):
        return "A bot opened it."
    if pull_request.is_merged:
        return None
    if pull_request.is_abandoned:
        return ABANDONED
    if pull_request.is_draft:
        return "It is a draft."
    if repository.moment == "merged":
        return "It will be sent when it is merged."
    if repository.moment == "approved" and not is_approved:
        return "It will be sent when someone approves it."
    return None


def choose_files(diff: bytes, paths: Sequence[str]) -> ChosenDiff:
    """The matching files of a diff, without lock files and generated files, as in `instep change`.

    Reading the diff may take seconds: call it in another process.
    """
    selection, outside = Selection(), 0
    for number, (raw, is_whole) in enumerate(read_file_diffs(io.BytesIO(diff))):
        text = raw.decode("utf-8", "replace").replace("\0", "\ufffd")
        file = read_patch(text, is_whole) if paths else None
        if paths and (file is None or not matches_path(file.path, paths)):
            outside += 1
        else:
            choose(selection, number, text, is_whole, {})
    return ChosenDiff(selection.diff, selection.files, len(selection.left_out), outside)


def matches_path(path: str, patterns: Sequence[str]) -> bool:
    """True if a pattern matches the path or is a folder that contains it; `*` also matches slashes."""
    return any(fnmatchcase(path, pattern) or path.startswith(f"{pattern}/") for pattern in patterns)
