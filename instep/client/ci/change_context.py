"""The context of a change for a language model, from a checkout and the code host of a CI job."""

from collections.abc import Iterator, Mapping
from typing import Any

from instep.client.ci.checkout import CodeChange
from instep.client.ci.code_around import code_within, files_to_read
from instep.client.ci.git import Git
from instep.client.ci.hosts import HostRefuses, find_project, json_of
from instep.client.ci.linked_issues import issue_numbers, issue_of
from instep.client.ci.next_version import VERSION_FILES, next_version
from instep.client.ci.printing import say
from instep.client.ci.retries import Patience
from instep.platform.core import limits


def read_change_context(git: Git, change: CodeChange, environ: Mapping[str, str]) -> dict[str, Any]:
    """The field `context` of a task, as far as the checkout and the code host give it."""
    files = files_to_read(change.selection.diff)
    contents = contents_at(git, change.head, [*(file.new_path for file in files), *VERSION_FILES])
    context = {
        "issues": list(linked_issues(change, environ)),
        "code": code_within(files, contents),
        "nextVersion": next_version(contents, git.read("tag").decode("utf-8", "replace").split()),
    }
    return {name: value for name, value in context.items() if value}


def contents_at(git: Git, commit: str, paths: list[str]) -> dict[str, str]:
    """The texts of files at a commit, without missing and large ones."""
    contents = {}
    listing = git.read("ls-tree", "-z", "-l", "--full-tree", commit, "--", *paths)
    for entry in listing.decode("utf-8", "replace").split("\0")[:-1]:
        fields, _, path = entry.partition("\t")
        _, _, blob, size = fields.split()
        if size.isdigit() and int(size) <= limits.MAX_CONTEXT_FILE_BYTES:
            raw = git.read("cat-file", "blob", blob)
            contents[path] = raw.decode("utf-8", "replace").replace("\0", "\ufffd")
    return contents


def linked_issues(change: CodeChange, environ: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The issues that the change names, if the job has a token that may read them."""
    try:
        project = find_project(environ, Patience(limits.REVIEW_RETRY_SECONDS))
    except HostRefuses:
        return
    for number in issue_numbers(f"{change.title}\n{change.description or ''}", project.home):
        try:
            issue = issue_of(json_of(project.ask("GET", f"{project.url}/issues/{number}")), project.home)
        except HostRefuses as refusal:
            say(f"The issue #{number} is left out: {refusal.message}")
            continue
        if issue:
            yield issue
