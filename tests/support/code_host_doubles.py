"""Test doubles of the documented APIs of GitLab, Gitea and Forgejo, and Bitbucket Cloud.

Responses and payloads have the documented shapes, with the fields that Instep reads.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import ClassVar
from urllib.parse import parse_qs, quote, unquote, urlsplit

from instep.transfer.repositories.schemas import HostKind
from tests.support.cast import Json
from tests.support.changes import DIFF
from tests.support.ci_servers import Asked, Reply, serving
from tests.support.hosted_branches import HostedBranches

TOKEN = "a-token-of-the-host"
ISSUE_OR_FILE = re.compile(r"/issues/(\d+)$|/(?:raw|repository/files|src/\w+)/(.+?)(?:/raw)?$")


@dataclass
class Pull:
    """A pull or merge request; `state` is open, merged or closed."""

    number: int
    title: str = "Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT"
    branch: str = "main"
    author: str = "ann"
    email: str = "ann@example.com"
    labels: tuple[str, ...] = ()
    state: str = "open"
    is_draft: bool = False
    is_approved: bool = False
    diff: str = DIFF
    text: str = ""
    updated_at: str = field(default_factory=lambda: now())

    @property
    def head(self) -> str:
        return hashlib.sha1(str(self.number).encode()).hexdigest()

    @property
    def commit_author(self) -> Json:
        return {"name": self.author, "email": self.email}

    @property
    def merge_commit(self) -> str | None:
        commit = hashlib.sha1(f"merge of {self.number}".encode()).hexdigest()
        return commit if self.state == "merged" else None


@dataclass(frozen=True)
class SignedDelivery:
    """A delivery's body and headers."""

    body: bytes
    headers: dict[str, str]


@dataclass
class HostDouble:
    """One repository, `acme/app`. `replies` are sent first, in place of the regular ones."""

    kind: ClassVar[HostKind]
    url: str = ""
    pulls: dict[int, Pull] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=lambda: {TOKEN})
    replies: list[Reply] = field(default_factory=list)
    requests: list[Asked] = field(default_factory=list)
    page_size: int = 100
    # The texts of issues and files.
    issues: dict[int, str] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    # Comments by id, statuses, and the users with write access.
    comments: dict[int, str] = field(default_factory=dict)
    statuses: list[Json] = field(default_factory=list)
    writers: set[str] = field(default_factory=lambda: {"ann"})
    seconds: int = 0
    # Branches that accept commits, and the pull requests that Instep has opened.
    branches: HostedBranches = field(default_factory=HostedBranches)
    opened: list[Json] = field(default_factory=list)
    # The pull requests in each tag, the newest tag last.
    tags: dict[str, set[int]] = field(default_factory=dict)

    def open(self, number: int = 7, **fields: object) -> Pull:
        self.pulls[number] = Pull(number, **fields)  # type: ignore[arg-type]
        return self.pulls[number]

    def pull_at(self, path: str) -> Pull:
        """The pull request whose latest commit is at the end of the path, or the first one."""
        pulls = list(self.pulls.values())
        return next((pull for pull in pulls if pull.head.startswith(path.rpartition("/")[2])), pulls[0])

    def reply(self, asked: Asked) -> Reply:
        self.requests.append(asked)
        if self.replies:
            return self.replies.pop(0)
        if self.token_of(asked) not in self.tokens:
            return Reply(401, {"message": "401 Unauthorized"})
        url = urlsplit(asked.line.split(" ")[1])
        if (reply := self.answer_commits(url.path, parse_qs(url.query), asked)) is not None:
            return reply
        if is_of_review(url.path):
            return self.answer_review(url.path, asked)
        if part := ISSUE_OR_FILE.search(url.path):
            return self.issue(int(part[1])) if part[1] else self.file(unquote(part[2]))
        return self.answer(url.path, parse_qs(url.query), asked)

    def answer_commits(self, path: str, query: dict[str, list[str]], asked: Asked) -> Reply | None:
        """Answer requests for branches, files, new commits and new pull requests; None for other paths."""
        if "/branches/" in path:
            return self.branches.answer_branch(f"acme/app:{unquote(path.partition('/branches/')[2])}")
        if asked.line.startswith("POST ") and path.endswith("/contents"):
            return self.branches.answer_contents(asked, "acme/app")
        if asked.line.startswith("POST ") and path.endswith("/repository/commits"):
            return self.branches.answer_commits(asked, "acme/app")
        if asked.line.startswith("POST ") and path.endswith(("/pulls", "/merge_requests")):
            self.opened.append(json.loads(asked.body))
            return Reply(201, dict.fromkeys(("html_url", "web_url"), f"{self.url}/own"))
        part, commit = ISSUE_OR_FILE.search(path), query.get("ref", [""])[0]
        name = unquote(part[2] or "") if part else ""
        if (data := self.branches.file(commit, name)) is None:
            return None
        if self.kind == "gitlab" and not path.endswith("/raw"):
            return Reply(200, {"last_commit_id": self.branches.last_commit(commit, name)})
        return Reply(200, raw=data)

    def head_of(self, pull: Pull) -> str:
        return self.branches.heads.get("acme/app:rename", pull.head)

    def answer_review(self, path: str, asked: Asked) -> Reply:
        """Comments, statuses and access: their paths are similar on all hosts."""
        if "/statuses/" in path:
            self.statuses.append(json.loads(asked.body))
            return Reply(201, {})
        if "/collaborators/" in path or "/members/all/" in path:
            is_writer = path.removesuffix("/permission").rpartition("/")[2] in self.writers
            return Reply(200, {"permission": "write", "access_level": 30}) if is_writer else Reply(404)
        if asked.line.startswith("GET "):
            return Reply(200, [{"id": key, "body": body} for key, body in self.comments.items()])
        last = path.rpartition("/")[2]
        is_update = not asked.line.startswith("POST ")
        key = int(last) if is_update else len(self.comments) + 1
        self.comments[key] = json.loads(asked.body)["body"]
        return Reply(201, {"id": key, "updated_at": self.tick()})

    def tick(self) -> str:
        """The host's next timestamp; no two are equal."""
        self.seconds += 1
        return (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)).isoformat()

    def commented(self, secret: str, text: str, author: str = "ann", number: int = 7) -> SignedDelivery:
        """The delivery for a new comment."""
        raise NotImplementedError

    def token_of(self, asked: Asked) -> str:
        return asked.headers.get("authorization", "").partition(" ")[2]

    def answer(self, path: str, query: dict[str, list[str]], asked: Asked) -> Reply:
        raise NotImplementedError

    def row(self, pull: Pull) -> Json:
        raise NotImplementedError

    def delivery(self, event: str, secret: str, number: int = 7) -> SignedDelivery:
        """The delivery for one event: opened, merged or approved."""
        raise NotImplementedError

    def released(self, secret: str, tag: str, *numbers: int) -> SignedDelivery:
        """Publish a release with these pull requests and return its delivery."""
        self.tags[tag] = set(numbers)
        return self.delivery_of_release(secret, tag)

    def delivery_of_release(self, secret: str, tag: str) -> SignedDelivery:
        raise NotImplementedError

    def lacks(self, tag: str, commit: str) -> bool:
        """True if the tag does not contain the commit; hosts may shorten the hash."""
        pulls = [self.pulls[number] for number in self.tags[tag]]
        return not any((pull.merge_commit or "-").startswith(commit) for pull in pulls)

    def issue(self, number: int) -> Reply:
        """An issue, with the host's field names for text and URL."""
        if number not in self.issues:
            return Reply(404, {"message": "Not Found"})
        text, page = self.issues[number], f"{self.url}/acme/app/issues/{number}"
        rows: dict[str, Json] = {
            "gitea": {"body": text, "html_url": page, "pull_request": None},
            "gitlab": {"description": text, "web_url": page, "confidential": "secret" in text},
            "bitbucket": {"content": {"raw": text}, "links": {"html": {"href": page}}},
        }
        return Reply(200, {"title": f"Issue {number}", **rows[self.kind]})

    def file(self, path: str) -> Reply:
        text = self.contents.get(path)
        return Reply(404, {"message": "Not Found"}) if text is None else Reply(200, text=text)

    def newest(self) -> list[Json]:
        pulls = sorted(self.pulls.values(), key=lambda pull: pull.updated_at, reverse=True)
        return [self.row(pull) for pull in pulls]

    def page(self, asked: Asked, query: dict[str, list[str]]) -> tuple[list[Json], str | None]:
        """One page of rows, and the URL of the next page."""
        rows, number = self.newest(), int(query.get("page", ["1"])[0])
        following = f"{self.url}{asked.line.split(' ')[1].split('&page=')[0]}&page={number + 1}"
        start = self.page_size * (number - 1)
        is_last = len(rows) <= start + self.page_size
        return rows[start : start + self.page_size], None if is_last else following

    def linked(self, asked: Asked, query: dict[str, list[str]]) -> Reply:
        rows, following = self.page(asked, query)
        return Reply(200, rows, {"Link": f'<{following}>; rel="next"'} if following else {})


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")


def is_of_review(path: str) -> bool:
    parts = path.split("/")
    return not {"statuses", "collaborators", "members", "comments", "notes"}.isdisjoint(parts)


def signature(body: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@dataclass
class GitLabDouble(HostDouble):
    """GitLab's REST API v4; `has_raw_diffs` is false for versions before 17.9."""

    kind = "gitlab"
    has_raw_diffs: bool = True

    @property
    def project(self) -> Json:
        return {"id": 15, "path_with_namespace": "acme/app", "default_branch": "main"}

    def token_of(self, asked: Asked) -> str:
        return asked.headers.get("private-token", "")

    def row(self, pull: Pull) -> Json:
        return {
            "id": 1000 + pull.number,
            "iid": pull.number,
            "title": pull.title,
            "description": pull.text or None,
            "state": {"open": "opened"}.get(pull.state, pull.state),
            "web_url": f"{self.url}/acme/app/-/merge_requests/{pull.number}",
            "target_branch": pull.branch,
            "sha": self.head_of(pull),
            "source_branch": "rename",
            "merge_commit_sha": pull.merge_commit,
            "draft": pull.is_draft,
            "author": {"id": 1, "username": pull.author},
            "labels": list(pull.labels),
            "updated_at": pull.updated_at,
        }

    def answer(self, path: str, query: dict[str, list[str]], asked: Asked) -> Reply:
        below = path.removeprefix(f"/api/v4/projects/{quote('acme/app', safe='')}")
        if below == "":
            return Reply(200, self.project)
        if below == "/merge_requests" and "source_branch" in query:
            return Reply(200, [])
        if below == "/merge_requests":
            return self.linked(asked, query)
        if below == "/releases":
            rows = [{"tag_name": tag, "released_at": now(), "upcoming_release": False} for tag in self.tags]
            return Reply(200, rows[::-1])
        if below == "/repository/merge_base":
            tag, commit = query["refs[]"]
            return Reply(200, {"id": "0" * 40 if self.lacks(tag, commit) else commit})
        if below.startswith("/repository/commits/"):
            return Reply(200, {"author_email": self.pull_at(below).email})
        return self.answer_request(below)

    def answer_request(self, below: str) -> Reply:
        """Answer a request for a merge request or a part of it."""
        number, _, rest = below.removeprefix("/merge_requests/").partition("/")
        if not number.isdigit() or int(number) not in self.pulls:
            return Reply(404, {"message": "404 Not found"})
        pull = self.pulls[int(number)]
        if rest == "approvals":
            people = [{"user": {"username": "bea"}}] if pull.is_approved else []
            return Reply(200, {"approved": True, "approved_by": people})
        if rest == "raw_diffs" and self.has_raw_diffs:
            return Reply(200, text=pull.diff)
        if rest == "diffs":
            hunks = pull.diff.split("+++ b/src/settings.py\n")[1]
            file = {"old_path": "src/settings.py", "new_path": "src/settings.py", "diff": hunks}
            picture = {"old_path": "a.png", "new_path": "a.png", "diff": "", "new_file": True}
            return Reply(200, [file, picture])
        return Reply(404, {"error": "404 Not Found"}) if rest else Reply(200, self.row(pull))

    def delivery(self, event: str, secret: str, number: int = 7) -> SignedDelivery:
        pull = self.pulls[number]
        row = self.row(pull)
        change = {
            **{
                name: row[name] for name in ("iid", "title", "description", "state", "target_branch", "draft")
            },
            "action": {"opened": "open", "merged": "merge", "approved": "approved"}[event],
            "url": row["web_url"],
            "last_commit": {"id": row["sha"]},
            "author_id": 1,
        }
        body = {"object_kind": "merge_request", "project": self.project, "object_attributes": change}
        headers = {"X-Gitlab-Event": "Merge Request Hook", "X-Gitlab-Token": secret}
        return SignedDelivery(json.dumps(body).encode(), headers)

    def delivery_of_release(self, secret: str, tag: str) -> SignedDelivery:
        body = {"object_kind": "release", "action": "create", "tag": tag, "project": self.project}
        headers = {"X-Gitlab-Event": "Release Hook", "X-Gitlab-Token": secret}
        return SignedDelivery(json.dumps(body).encode(), headers)

    def commented(self, secret: str, text: str, author: str = "ann", number: int = 7) -> SignedDelivery:
        note = {
            "id": 900 + self.seconds,
            "note": text,
            "noteable_type": "MergeRequest",
            "action": "create",
            "author_id": 1 if author == "ann" else 2,
            "system": False,
            "created_at": datetime.fromisoformat(self.tick()).strftime("%Y-%m-%d %H:%M:%S UTC"),
        }
        self.writers = {"1"}
        body = {
            "object_kind": "note",
            "user": {"username": author},
            "project": self.project,
            "object_attributes": note,
            "merge_request": {"iid": number},
        }
        headers = {"X-Gitlab-Event": "Note Hook", "X-Gitlab-Token": secret}
        return SignedDelivery(json.dumps(body).encode(), headers)


@dataclass
class GiteaDouble(HostDouble):
    """API v1 of Gitea and Forgejo."""

    kind = "gitea"

    @property
    def repository(self) -> Json:
        return {"id": 5, "full_name": "acme/app", "default_branch": "main"}

    def row(self, pull: Pull) -> Json:
        return {
            "number": pull.number,
            "title": f"WIP: {pull.title}" if pull.is_draft else pull.title,
            "body": pull.text,
            "state": "open" if pull.state == "open" else "closed",
            "merged": pull.state == "merged",
            "merge_commit_sha": pull.merge_commit,
            "merged_at": pull.updated_at if pull.state == "merged" else None,
            "html_url": f"{self.url}/acme/app/pulls/{pull.number}",
            "base": {"ref": pull.branch},
            "head": {"sha": self.head_of(pull), "ref": "rename"},
            "user": {"login": pull.author},
            "labels": [{"name": label} for label in pull.labels],
            "updated_at": pull.updated_at,
        }

    def answer(self, path: str, query: dict[str, list[str]], asked: Asked) -> Reply:
        below = path.removeprefix("/api/v1/repos/acme/app")
        if below == "":
            return Reply(200, self.repository)
        if below == "/pulls":
            return self.linked(asked, query)
        if below == "/releases":
            return Reply(200, [{"tag_name": tag, "published_at": now()} for tag in self.tags][::-1])
        if below.startswith("/compare/"):
            tag, _, commit = below.removeprefix("/compare/").partition("...")
            return Reply(200, {"total_commits": 3 if self.lacks(tag, commit) else 0})
        if below.startswith("/git/commits/"):
            return Reply(200, {"commit": {"author": self.pull_at(below).commit_author}})
        number, _, rest = below.removeprefix("/pulls/").partition("/")
        plain = number.removesuffix(".diff")
        if not plain.isdigit() or int(plain) not in self.pulls:
            return Reply(404, {"message": "The target couldn't be found."})
        pull = self.pulls[int(plain)]
        if rest == "reviews":
            return Reply(200, [{"state": "APPROVED"}] if pull.is_approved else [{"state": "COMMENT"}])
        return Reply(200, text=pull.diff) if number != plain else Reply(200, self.row(pull))

    def delivery(self, event: str, secret: str, number: int = 7) -> SignedDelivery:
        body: Json = {
            "action": {"opened": "opened", "merged": "closed", "approved": "reviewed"}[event],
            "number": number,
            "pull_request": self.row(self.pulls[number]),
            "repository": self.repository,
        }
        if event == "approved":
            body["review"] = {"type": "pull_request_review_approved", "content": ""}
        content = json.dumps(body).encode()
        name = "pull_request_approved" if event == "approved" else "pull_request"
        return self.signed(name, content, secret)

    def signed(self, event: str, content: bytes, secret: str) -> SignedDelivery:
        headers = {"X-Gitea-Event": event, "X-Gitea-Signature": signature(content, secret)}
        return SignedDelivery(content, headers)

    def delivery_of_release(self, secret: str, tag: str) -> SignedDelivery:
        body = {"action": "published", "release": {"tag_name": tag}, "repository": self.repository}
        return self.signed("release", json.dumps(body).encode(), secret)

    def commented(self, secret: str, text: str, author: str = "ann", number: int = 7) -> SignedDelivery:
        at = self.tick()
        comment = {
            "id": 900 + self.seconds,
            "body": text,
            "user": {"login": author},
            "created_at": at,
            "updated_at": at,
        }
        body = {
            "action": "created",
            "is_pull": True,
            "issue": {"number": number, "pull_request": {"merged": False}},
            "comment": comment,
            "repository": self.repository,
        }
        return self.signed("issue_comment", json.dumps(body).encode(), secret)


@dataclass
class BitbucketDouble(HostDouble):
    """Bitbucket Cloud's REST API 2.0, which redirects once for diffs."""

    kind = "bitbucket"

    @property
    def repository(self) -> Json:
        return {"uuid": "{673a6070-3421-46c9-9d48-90745f7bfe8e}", "full_name": "acme/app"}

    def row(self, pull: Pull) -> Json:
        return {
            "id": pull.number,
            "title": pull.title,
            "summary": {"raw": pull.text or "The name says what it limits."},
            "state": {"open": "OPEN", "merged": "MERGED", "closed": "DECLINED"}[pull.state],
            "draft": pull.is_draft,
            "links": {"html": {"href": f"{self.url}/acme/app/pull-requests/{pull.number}"}},
            "destination": {"branch": {"name": pull.branch}},
            "source": {"commit": {"hash": pull.head[:12]}},
            "author": {"type": "user", "nickname": pull.author},
            "merge_commit": {"hash": pull.merge_commit[:12]} if pull.merge_commit else None,
            "participants": [{"approved": pull.is_approved}],
            "updated_on": pull.updated_at,
        }

    def answer(self, path: str, query: dict[str, list[str]], asked: Asked) -> Reply:
        below = path.removeprefix("/2.0/repositories/acme/app")
        if below == "":
            return Reply(200, {**self.repository, "mainbranch": {"name": "main"}})
        if below == "/refs/tags":
            rows = [{"name": tag, "target": {"date": now()}} for tag in self.tags]
            return Reply(200, {"values": rows[::-1]})
        if below.startswith("/commits/"):
            is_missing = self.lacks(query["exclude"][0], below.removeprefix("/commits/"))
            return Reply(200, {"values": [{"hash": "e" * 40}] if is_missing else []})
        if below.startswith("/diff/"):
            return Reply(200, text=self.pulls[int(below.rpartition("/")[2])].diff)
        if below == "/pullrequests":
            rows, following = self.page(asked, query)
            return Reply(200, {"values": rows, **({"next": following} if following else {})})
        return self.answer_request(below)

    def answer_request(self, below: str) -> Reply:
        """Answer a request for a pull request, a part of it, or the author of its latest commit."""
        if below.startswith("/commit/"):
            pull = self.pull_at(below)
            return Reply(200, {"author": {"raw": f"{pull.author} <{pull.email}>"}})
        number, _, rest = below.removeprefix("/pullrequests/").partition("/")
        if not number.isdigit() or int(number) not in self.pulls:
            return Reply(404, {"type": "error"})
        if rest == "diff":
            location = f"{self.url}/2.0/repositories/acme/app/diff/{number}"
            return Reply(302, None, {"Location": location})
        return Reply(200, self.row(self.pulls[int(number)]))

    def delivery(self, event: str, secret: str, number: int = 7) -> SignedDelivery:
        body = {"repository": self.repository, "pullrequest": self.row(self.pulls[number])}
        key = {"opened": "created", "merged": "fulfilled", "approved": "approved"}[event]
        return self.signed(f"pullrequest:{key}", body, secret)

    def signed(self, event: str, body: Json, secret: str) -> SignedDelivery:
        content = json.dumps(body).encode()
        headers = {"X-Event-Key": event, "X-Hub-Signature": f"sha256={signature(content, secret)}"}
        return SignedDelivery(content, headers)

    def delivery_of_release(self, secret: str, tag: str) -> SignedDelivery:
        changes = [{"old": None, "new": {"type": "tag", "name": tag}}]
        return self.signed("repo:push", {"repository": self.repository, "push": {"changes": changes}}, secret)


@contextmanager
def speaking(double: HostDouble) -> Iterator[HostDouble]:
    with serving(double.reply) as double.url:
        yield double
