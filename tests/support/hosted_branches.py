"""Branches of repositories at a code host, and the documented APIs that add commits to them.

Sources: docs.github.com, Git database; docs.gitea.com, Modify multiple files; docs.gitlab.com, Commits API.
"""

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field

from tests.support.cast import Json
from tests.support.ci_servers import Asked, Reply

Files = dict[str, bytes]
MODE = "100644"


@dataclass
class HostedBranches:
    """Commits with their files and parents, and branch heads by `repository:branch`."""

    commits: dict[str, Files] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    # Protected branches, and whether the token has read access only.
    closed: set[str] = field(default_factory=set)
    is_read_only: bool = False
    # Files that others push to a branch just before Instep's next commit.
    pushes: list[tuple[str, Files]] = field(default_factory=list)
    objects: dict[str, bytes] = field(default_factory=dict)
    pending: dict[str, tuple[str, Files]] = field(default_factory=dict)

    def push(self, branch: str, files: Files, head: str = "") -> str:
        """Add a commit to a branch, which may be new."""
        parent = self.heads.get(branch, "")
        all_files = {**self.commits.get(parent, {}), **files}
        commit = head or sha_of(repr((parent, sorted(all_files.items()))))
        self.commits[commit], self.parents[commit], self.heads[branch] = all_files, parent, commit
        return commit

    def refuse(self, branch: str) -> Reply | None:
        """The refusal of a commit to a protected branch, if any; pending pushes by others come first."""
        for name, files in self.pushes:
            self.push(name, files)
        self.pushes.clear()
        if self.is_read_only:
            return Reply(403, {"message": "Resource not accessible by integration"})
        return Reply(422, {"message": "Repository rule violations found"}) if branch in self.closed else None

    def file(self, commit: str, path: str) -> bytes | None:
        return self.commits.get(commit, {}).get(path)

    def answer_branch(self, branch: str) -> Reply:
        head = self.heads.get(branch)
        return Reply(200, {"commit": {"sha": head, "id": head}}) if head else Reply(404, {"message": "404"})

    def answer_git(self, asked: Asked, repository: str, path: str) -> Reply:
        """Answer requests to GitHub's Git database."""
        method, sent = asked.line.split(" ")[0], json.loads(asked.body or b"null")
        if method == "GET":
            kind, _, sha = path.partition("/")
            return Reply(200, {"tree": {"sha": sha}}) if kind == "commits" else self.answer_tree(sha)
        if self.is_read_only:
            return Reply(403, {"message": "Resource not accessible by integration"})
        if path == "blobs":
            data = base64.b64decode(sent["content"])
            self.objects[sha_of(sent["content"])] = data
            return Reply(201, {"sha": sha_of(sent["content"])})
        if path == "trees":
            files = {row["path"]: self.objects[row["sha"]] for row in sent["tree"]}
            self.modes |= {row["path"]: row["mode"] for row in sent["tree"]}
            self.pending["tree"] = sent["base_tree"], files
            return Reply(201, {"sha": "tree"})
        if path == "commits":
            base, files = self.pending[sent["tree"]]
            assert [base] == sent["parents"]
            sha = sha_of(repr((base, sorted(files.items()))))
            self.pending[sha] = base, files
            return Reply(201, {"sha": sha})
        name = sent["ref"].removeprefix("refs/heads/") if path == "refs" else path.removeprefix("refs/heads/")
        return self.move(f"{repository}:{name}", sent["sha"], is_new=path == "refs")

    def answer_tree(self, sha: str) -> Reply:
        """The entries of a tree; a folder's tree is named by the commit and the folder."""
        commit, _, folder = sha.partition("_")
        below = bytes.fromhex(folder).decode()
        rows: dict[str, Json] = {}
        for path in self.commits[commit]:
            if path.startswith(below):
                name, slash, _ = path.removeprefix(below).partition("/")
                tree = f"{commit}_{f'{below}{name}/'.encode().hex()}"
                mode = "040000" if slash else self.modes.get(path, MODE)
                rows[name] = {"path": name, "mode": mode, "sha": tree if slash else sha_of(path)}
        return Reply(200, {"sha": sha, "tree": list(rows.values())})

    def move(self, branch: str, commit: str, *, is_new: bool) -> Reply:
        if refusal := self.refuse(branch):
            return refusal
        base, files = self.pending[commit]
        if is_new == (branch in self.heads) or (not is_new and self.heads[branch] != base):
            return Reply(422, {"message": "Update is not a fast forward"})
        self.heads.setdefault(branch, base)
        self.push(branch, files, commit)
        return Reply(200, {"object": {"sha": commit}})

    def answer_contents(self, asked: Asked, repository: str) -> Reply:
        """Answer Gitea's request to commit several files."""
        sent = json.loads(asked.body)
        branch, base = f"{repository}:{sent['new_branch']}", f"{repository}:{sent['branch']}"
        if refusal := self.refuse(branch):
            return refusal
        present = self.commits[self.heads[base]]
        files = {row["path"]: base64.b64decode(row["content"]) for row in sent["files"]}
        if any(row["sha"] != blob_of(present[row["path"]]) for row in sent["files"]):
            return Reply(422, {"message": "sha does not match"})
        self.heads.setdefault(branch, self.heads[base])
        parent = self.heads[branch]
        return Reply(201, {"commit": {"sha": self.push(branch, files), "parents": [{"sha": parent}]}})

    def answer_commits(self, asked: Asked, repository: str) -> Reply:
        """Answer GitLab's request to commit several files."""
        sent = json.loads(asked.body)
        branch = f"{repository}:{sent['branch']}"
        if refusal := self.refuse(branch):
            return refusal
        self.heads.setdefault(branch, sent.get("start_sha", ""))
        parent = self.heads[branch]
        rows = sent["actions"]
        if any(self.last_commit(parent, row["file_path"]) != row["last_commit_id"] for row in rows):
            return Reply(400, {"message": "You are attempting to update a file that has changed"})
        files = {row["file_path"]: base64.b64decode(row["content"]) for row in rows}
        return Reply(201, {"id": self.push(branch, files), "parent_ids": [parent]})

    def last_commit(self, commit: str, path: str) -> str:
        """The newest commit that changed the file."""
        while (parent := self.parents.get(commit, "")) and self.file(parent, path) == self.file(commit, path):
            commit = parent
        return commit


def sha_of(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def blob_of(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


GIT_PATH = re.compile(r"/api/v3/repos/(?P<repository>[^/]+/[^/]+)/(?P<kind>branches|git)/(?P<rest>.+)")
