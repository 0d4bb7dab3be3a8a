"""Commits on branches of GitHub, Gitea and Forgejo, and GitLab.

Sources: docs.github.com, REST API endpoints for Git database; docs.gitea.com, API v1; docs.gitlab.com,
Commits API. Bitbucket Cloud has no reviews, so nothing is approved there.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from instep.transfer.git_sync.actions import blob_of
from instep.transfer.repositories.hosts.github import is_of_fork
from instep.transfer.repositories.hosts.gitlab import project_of_source, project_path
from instep.transfer.repositories.hosts.host_json import Malformed, quoted_name, text_at, value_at
from instep.transfer.repositories.hosts.host_requests import PAGE_SIZE, HostApi
from instep.transfer.repositories.schemas import HostKind


@dataclass(frozen=True, slots=True)
class HostBranch:
    """A branch at a commit; one that does not exist yet begins there, at the head of the branch `base`."""

    repository: str
    name: str
    head: str
    base: str | None = None


@dataclass(frozen=True, slots=True)
class FileEdit:
    """The text of a file before and after a commit; the path is relative to the root of the repository."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class BranchCommit:
    """A new commit, and its parent."""

    id: str
    parent: str


class GitHubCommits:
    """GitHub: trees, in which files keep their modes, and branches that only move forward.

    Its methods raise as those of `HostForm` do, and replace no one's commit.
    """

    commit_name = "sha"

    async def find_head(self, api: HostApi, repository: str, branch: str) -> str | None:
        """The newest commit of a branch; None if there is no such branch."""
        row = await api.find_json(f"/repos/{quoted_name(repository)}/branches/{quote(branch)}")
        return None if row is None else text_at(row, "commit", self.commit_name)

    async def commit_files(
        self, api: HostApi, branch: HostBranch, edits: Sequence[FileEdit], message: str
    ) -> BranchCommit:
        """Add one commit to a branch; raises `HostRefused` if others have changed its files meanwhile."""
        git = f"/repos/{quoted_name(branch.repository)}/git"
        root = text_at(await api.get_json(f"{git}/commits/{branch.head}"), "tree", "sha")
        entries = []
        for edit in edits:
            blob = {"content": in_base64(edit.after), "encoding": "base64"}
            sha = text_at(await api.post_json(f"{git}/blobs", blob), "sha")
            mode = await mode_of(api, f"{git}/trees", root, edit.path)
            entries.append({"path": edit.path, "mode": mode, "type": "blob", "sha": sha})
        tree = text_at(await api.post_json(f"{git}/trees", {"base_tree": root, "tree": entries}), "sha")
        commit = {"message": message, "tree": tree, "parents": [branch.head]}
        sha = text_at(await api.post_json(f"{git}/commits", commit), "sha")
        if branch.base is None:
            update = {"sha": sha, "force": False}
            await api.post_json(f"{git}/refs/heads/{quote(branch.name)}", update, "PATCH")
        else:
            await api.post_json(f"{git}/refs", {"ref": f"refs/heads/{branch.name}", "sha": sha})
        return BranchCommit(sha, branch.head)

    async def open_pull(self, api: HostApi, branch: HostBranch, base: str, title: str, body: str) -> str:
        """The address of the open pull request from a branch to `base`, which is opened if there is none."""
        path = f"/repos/{quoted_name(branch.repository)}/pulls"
        head = quote(f"{branch.repository.partition('/')[0]}:{branch.name}")
        # Gitea lists the pull requests of all branches.
        async for page in api.pages(f"{path}?state=open&head={head}&per_page={PAGE_SIZE}"):
            for row in page:
                if value_at(row, "head", "ref") == branch.name and not is_of_fork(row):
                    return text_at(row, "html_url")
        pull = {"title": title, "body": body, "head": branch.name, "base": base}
        return text_at(await api.post_json(path, pull), "html_url")


class GiteaCommits(GitHubCommits):
    """Gitea and Forgejo, which compare each file with the one that was read."""

    commit_name = "id"

    async def commit_files(
        self, api: HostApi, branch: HostBranch, edits: Sequence[FileEdit], message: str
    ) -> BranchCommit:
        files = [
            {
                "operation": "update",
                "path": edit.path,
                "content": in_base64(edit.after),
                "sha": blob_of(edit.before),
            }
            for edit in edits
        ]
        names = {"branch": branch.base or branch.name, "new_branch": branch.name}
        path = f"/repos/{quoted_name(branch.repository)}/contents"
        answer = await api.post_json(path, {"files": files, "message": message, **names})
        parents = value_at(answer, "commit", "parents")
        return BranchCommit(text_at(answer, "commit", "sha"), only_parent(parents, "sha"))


class GitLabCommits:
    """GitLab, which compares the last commit of each file with the one that was read."""

    async def find_head(self, api: HostApi, repository: str, branch: str) -> str | None:
        path = f"{project_path(repository)}/repository/branches/{quote(branch, safe='')}"
        row = await api.find_json(path)
        return None if row is None else text_at(row, "commit", "id")

    async def commit_files(
        self, api: HostApi, branch: HostBranch, edits: Sequence[FileEdit], message: str
    ) -> BranchCommit:
        path = f"{project_path(branch.repository)}/repository"
        actions = []
        for edit in edits:
            file = await api.get_json(f"{path}/files/{quote(edit.path, safe='')}?ref={branch.head}")
            actions.append(
                {
                    "action": "update",
                    "file_path": edit.path,
                    "content": in_base64(edit.after),
                    "encoding": "base64",
                    "last_commit_id": text_at(file, "last_commit_id"),
                }
            )
        body = {"branch": branch.name, "commit_message": message, "actions": actions}
        body |= {} if branch.base is None else {"start_sha": branch.head}
        answer = await api.post_json(f"{path}/commits", body)
        return BranchCommit(text_at(answer, "id"), only_parent(value_at(answer, "parent_ids")))

    async def open_pull(self, api: HostApi, branch: HostBranch, base: str, title: str, body: str) -> str:
        path = f"{project_path(branch.repository)}/merge_requests"
        query = f"state=opened&source_branch={quote(branch.name, safe='')}&per_page={PAGE_SIZE}"
        for row in await api.get_json(f"{path}?{query}"):
            if project_of_source(row) == "":
                return text_at(row, "web_url")
        request = {
            "title": title,
            "description": body,
            "source_branch": branch.name,
            "target_branch": base,
            "remove_source_branch": True,
        }
        return text_at(await api.post_json(path, request), "web_url")


COMMITS: dict[HostKind, GitHubCommits | GitLabCommits] = {
    "github": GitHubCommits(),
    "gitlab": GitLabCommits(),
    "gitea": GiteaCommits(),
}


async def mode_of(api: HostApi, trees: str, root: str, path: str) -> str:
    """The mode of a file in the tree `root`, such as `100644`."""
    row: Any = {"sha": root}
    for name in path.split("/"):
        tree = value_at(await api.get_json(f"{trees}/{text_at(row, 'sha')}"), "tree")
        rows = tree if isinstance(tree, list) else []
        row = next((row for row in rows if value_at(row, "path") == name), None)
    return text_at(row, "mode")


def only_parent(parents: Any, *path: str) -> str:
    if not isinstance(parents, list) or len(parents) != 1:
        raise Malformed("parents")
    parent = value_at(parents[0], *path)
    if not isinstance(parent, str):
        raise Malformed("parents")
    return parent


def in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
