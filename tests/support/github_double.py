"""A test double of GitHub's REST API that signs deliveries, as docs.github.com describes.

Responses and payloads have the documented shapes, with the fields that Instep reads.
"""

import hashlib
import hmac
import json
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from instep.transfer.repositories.schemas import HostKind
from tests.support.cast import Json
from tests.support.changes import DIFF
from tests.support.ci_servers import Asked, Reply, serving
from tests.support.hosted_branches import GIT_PATH, HostedBranches

TOKEN = "github_pat_11AAAAAAA0secretsecret"
NAME = "acme/app"
HOOK_SECRET = "the secret that GitHub has made for the app"
APP_KEY = RSAKey.generate_key(2048, private=True)
# The base commit of pull requests.
BASE = "ba5e" * 10
DIFF_TYPE = "application/vnd.github.diff"
BOX = re.compile(r"^- \[([ x])\] Apply when merged$", re.MULTILINE)


@dataclass
class GitHubDouble:
    """One repository with its pull requests. `replies` are sent first, in place of the regular ones."""

    kind: ClassVar[HostKind] = "github"
    url: str = ""
    name: str = NAME
    former_name: str = ""
    repository_id: int = 1296269
    default_branch: str = "main"
    author_email: str = "octocat@example.com"
    pulls: dict[int, Json] = field(default_factory=dict)
    diffs: dict[int, str] = field(default_factory=dict)
    files: dict[int, list[Json]] = field(default_factory=dict)
    reviews: dict[int, list[Json]] = field(default_factory=dict)
    apps: dict[str, Json] = field(default_factory=dict)
    is_installed: bool = False
    releases: list[Json] = field(default_factory=list)
    issues: dict[int, Json] = field(default_factory=dict)
    # Files by commit and path.
    contents: dict[tuple[str, str], str] = field(default_factory=dict)
    # Comments on pull requests, check runs, and each user's permission; other users have none.
    comments: list[Json] = field(default_factory=list)
    # Deliveries for Instep's own comments, which it writes as this user or bot.
    own_deliveries: list["Delivery"] = field(default_factory=list)
    own_login: str = "instep[bot]"
    own_ids: set[int] = field(default_factory=set)
    checks: list[Json] = field(default_factory=list)
    permissions: dict[str, str] = field(default_factory=lambda: {"octocat": "write", "reader": "read"})
    # Older apps and some tokens lack this permission.
    may_write: bool = True
    seconds: int = 0
    # The commits of each tag.
    tags: dict[str, set[str]] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=lambda: {TOKEN})
    replies: list[Reply] = field(default_factory=list)
    requests: list[Asked] = field(default_factory=list)
    # Branches that accept commits.
    branches: HostedBranches = field(default_factory=HostedBranches)
    # The repository's code for git clients; None if it can't be cloned.
    git: Callable[[Asked], Reply] | None = None

    @property
    def repository(self) -> Json:
        return {
            "id": self.repository_id,
            "full_name": self.name,
            "private": True,
            "default_branch": self.default_branch,
            "html_url": f"{self.url}/{self.name}",
        }

    def open(self, number: int = 7, diff: str = DIFF, **changes: object) -> Json:
        """Open a pull request; `changes` override its fields."""
        head = hashlib.sha1(f"{number}".encode()).hexdigest()
        self.pulls[number] = {
            "number": number,
            "state": "open",
            "draft": False,
            "title": "Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT",
            "body": "The name says what it limits.",
            "html_url": f"{self.url}/{self.name}/pull/{number}",
            "user": {"login": "octocat", "type": "User"},
            "labels": [],
            "head": {"ref": "rename", "sha": head, "repo": self.repository},
            "base": {"ref": self.default_branch, "sha": BASE, "repo": self.repository},
            "merged_at": None,
            "merge_commit_sha": None,
            "updated_at": now(),
            **changes,
        }
        self.diffs[number] = diff
        return self.pulls[number]

    def push(self, number: int = 7, diff: str = DIFF) -> Json:
        pull = self.pulls[number]
        head = hashlib.sha1(pull["head"]["sha"].encode()).hexdigest()
        self.diffs[number] = diff
        return self.change(number, head={**pull["head"], "sha": head})

    def merge(self, number: int = 7) -> Json:
        commit = hashlib.sha1(f"merge of {number}".encode()).hexdigest()
        return self.change(number, state="closed", merged_at=now(), merge_commit_sha=commit)

    def release(self, tag: str, *numbers: int, **fields: object) -> "Delivery":
        """Publish a release with these pull requests and return its delivery."""
        self.tags[tag] = {self.pulls[number]["merge_commit_sha"] for number in numbers}
        release = {"tag_name": tag, "draft": False, "prerelease": False, "published_at": now(), **fields}
        self.releases.append(release)
        body = {"action": "published", "release": release, "repository": self.repository}
        return Delivery("release", json.dumps(body).encode())

    def change(self, number: int, **changes: object) -> Json:
        self.pulls[number] = {**self.pulls[number], "updated_at": now(), **changes}
        return self.pulls[number]

    def delivery(
        self, action: str, number: int = 7, event: str = "pull_request", **more: object
    ) -> "Delivery":
        body = {
            "action": action,
            "number": number,
            "pull_request": dict(self.pulls[number]),
            "repository": self.repository,
            "sender": {"login": "octocat", "type": "User"},
            **more,
        }
        return Delivery(event, json.dumps(body).encode())

    def tick(self) -> str:
        """The host's next timestamp; no two are equal."""
        self.seconds += 1
        return (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)).isoformat()

    def comment(self, text: str, author: str = "octocat", number: int = 7, **fields: object) -> "Delivery":
        """Add a comment to a pull request and return its delivery."""
        at = self.tick()
        comment = {
            "id": 5_000_000_000 + self.seconds,
            "number": number,
            "body": text,
            "user": {"login": author, "type": "User"},
            "created_at": at,
            "updated_at": at,
            **fields,
        }
        self.comments.append(comment)
        return self.delivery_of_comment("created", comment)

    def edit(self, text: str, author: str = "octocat", at: int = 0) -> "Delivery":
        """Edit one of Instep's comments and return the delivery."""
        comment = [row for row in self.comments if row["id"] in self.own_ids][at]
        before = comment["body"]
        comment.update(body=text, updated_at=self.tick())
        return self.delivery_of_comment("edited", comment, author, changes={"body": {"from": before}})

    def click_box(self, number: int, author: str = "octocat") -> "Delivery":
        """Toggle the check box of a draft and return the delivery."""
        head, heading, rest = self.own_comments[0].partition(f"\n**{number}. ")
        is_ticked = BOX.search(rest)
        assert is_ticked is not None, "the draft has a box"
        at = is_ticked.start(1)
        return self.edit(
            head + heading + rest[:at] + ("x" if rest[at] == " " else " ") + rest[at + 1 :], author
        )

    def delivery_of_comment(
        self, action: str, comment: Json, sender: str = "octocat", **more: object
    ) -> "Delivery":
        body = {
            "action": action,
            "issue": {"number": comment["number"], "pull_request": {"url": self.url}},
            "comment": comment,
            "repository": self.repository,
            "sender": {"login": sender, "type": "User"},
            **more,
        }
        return Delivery("issue_comment", json.dumps(body).encode())

    @property
    def own_comments(self) -> list[str]:
        """The texts of Instep's own comments."""
        return [str(row["body"]) for row in self.comments if row["id"] in self.own_ids]

    def answer_issue(self, asked: Asked, path: str) -> Reply:
        """Answer a request for an issue or for a pull request's review."""
        number = path.removeprefix("/issues/")
        if not number.isdigit():
            return self.answer_review(asked, path)
        issue = self.issues.get(int(number))
        return Reply(200, issue) if issue else Reply(404, {"message": "Not Found"})

    def answer_review(self, asked: Asked, path: str) -> Reply:
        """Comments, check runs and permissions (REST API: Issue comments, Check runs, Collaborators)."""
        if path.startswith("/collaborators/"):
            login = path.split("/")[2]
            found = self.permissions.get(login)
            if found == "refused":
                return Reply(403, {"message": "Must have push access to view collaborator permission."})
            return Reply(200, {"permission": found}) if found else Reply(404, {"message": "Not Found"})
        if path.startswith("/issues/") and asked.line.startswith("GET "):
            return Reply(200, [row for row in self.comments if path == f"/issues/{row['number']}/comments"])
        if not self.may_write:
            return Reply(403, {"message": "Resource not accessible by integration"})
        sent = json.loads(asked.body)
        if path == "/check-runs":
            self.checks.append(sent)
            return Reply(201, {"id": len(self.checks)})
        if asked.line.startswith("PATCH "):
            found_rows = [row for row in self.comments if path == f"/issues/comments/{row['id']}"]
            for row in found_rows:
                changes = {"body": {"from": row["body"]}}
                row.update(body=sent["body"], updated_at=self.tick())
                self.own_deliveries.append(
                    self.delivery_of_comment("edited", row, self.own_login, changes=changes)
                )
            return Reply(200, found_rows[0]) if found_rows else Reply(404, {"message": "Not Found"})
        self.own_deliveries.append(self.comment(sent["body"], self.own_login, int(path.split("/")[2])))
        self.own_ids.add(self.comments[-1]["id"])
        return Reply(201, self.comments[-1])

    def reply(self, asked: Asked) -> Reply:
        self.requests.append(asked)
        if ".git/" in asked.line:
            return self.git(asked) if self.git else Reply(404)
        if self.replies:
            return self.replies.pop(0)
        if "/favicon.ico" in asked.line:
            return Reply(200, raw=b"")
        is_posted = asked.line.startswith("POST ") and not asked.line.startswith("POST /api/v3/repos/")
        if is_posted or "/settings/" in asked.line or "/installations" in asked.line:
            return self.answer_app(asked)
        if asked.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return Reply(401, {"message": "Bad credentials"})
        return self.unless_unchanged(asked, self.answer_git(asked) or self.answer(asked))

    def unless_unchanged(self, asked: Asked, reply: Reply) -> Reply:
        """Answer conditional requests (Best practices for using the REST API)."""
        etag = f'W/"{hashlib.sha256(reply.content).hexdigest()}"'
        if reply.status != 200:
            return reply
        if asked.headers.get("if-none-match") == etag:
            return Reply(304, raw=b"", headers={"ETag": etag})
        return replace(reply, headers={**reply.headers, "ETag": etag})

    def answer_app(self, asked: Asked) -> Reply:
        """The pages and endpoints that create an app from a manifest, install it, and issue its tokens."""
        url = urlsplit(asked.line.partition(" ")[2])
        if url.path.endswith("/settings/apps/new"):
            manifest = json.loads(parse_qs(asked.body.decode())["manifest"][0])
            self.apps["the-code"] = manifest
            back = f"{manifest['redirect_url']}?code=the-code&{url.query}"
            return page_of("Create GitHub App", f'<a href="{back}">Create GitHub App for octocat</a>')
        if url.path.endswith("/installations/new"):
            self.is_installed = True
            back = f"{self.apps['the-code']['setup_url']}?installation_id=31&setup_action=install"
            return page_of("Install Instep", f'<a href="{back}">Install</a>')
        if url.path == "/api/v3/app-manifests/the-code/conversions" and "the-code" in self.apps:
            app = {"id": 12345, "slug": "instep-acme", "pem": APP_KEY.as_pem(private=True).decode()}
            return Reply(201, {**app, "webhook_secret": HOOK_SECRET, "html_url": f"{self.url}/apps/x"})
        return self.answer_as_app(asked, url.path)

    def answer_as_app(self, asked: Asked, path: str) -> Reply:
        """Answer requests that require the app's JWT (Authenticating as a GitHub App)."""
        try:
            token = asked.headers.get("authorization", "").removeprefix("Bearer ")
            claims = jwt.decode(token, APP_KEY, algorithms=["RS256"]).claims
        except (JoseError, ValueError):
            return Reply(401, {"message": "A JSON web token could not be decoded"})
        if claims["iss"] != "12345" or not 0 < claims["exp"] - claims["iat"] <= 660:
            return Reply(401, {"message": "'Expiration time' claim ('exp') is too far in the future"})
        if path == "/api/v3/app/installations":
            return Reply(200, [{"id": 31, "account": {"login": "acme"}}] if self.is_installed else [])
        if path == "/api/v3/app/installations/31/access_tokens" and self.is_installed:
            expires_at = (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
            return Reply(201, {"token": TOKEN, "expires_at": expires_at})
        return Reply(404, {"message": "Not Found"})

    def answer(self, asked: Asked) -> Reply:
        if asked.line.startswith("GET /api/v3/installation/repositories"):
            return Reply(200, {"total_count": 1, "repositories": [self.repository]})
        url = urlsplit(asked.line.split(" ")[1].removeprefix("/api/v3"))
        if self.former_name and url.path.startswith(f"/repos/{self.former_name}"):
            rest = url.path.removeprefix(f"/repos/{self.former_name}")
            location = f"{self.url}/api/v3/repositories/{self.repository_id}{rest}"
            return Reply(301, {"message": "Moved Permanently", "url": location}, {"Location": location})
        path = url.path.removeprefix(f"/repositories/{self.repository_id}")
        path = path.removeprefix(f"/repos/{self.name}")
        if path == "":
            return Reply(200, self.repository)
        if path.startswith(("/issues/", "/check-runs", "/collaborators/")):
            return self.answer_issue(asked, path)
        query = parse_qs(url.query)
        if path == "/releases":
            return self.page(asked, self.releases[::-1], query)
        if path.startswith(("/contents/", "/compare/", "/commits/")):
            return self.answer_code(path, query)
        if path == "/pulls":
            return self.answer_pulls(asked, query)
        return self.answer_pull(asked, path, query)

    def follow_branches(self) -> None:
        """Update the heads of pull requests to those of their branches, as after a push."""
        for pull in self.pulls.values():
            head = pull["head"]
            branch = f"{head['repo'].get('full_name')}:{head['ref']}"
            if self.branches.heads.get(branch, head["sha"]) != head["sha"]:
                self.change(pull["number"], head={**head, "sha": self.branches.heads[branch]})

    def answer_git(self, asked: Asked) -> Reply | None:
        """Answer a request for a branch or for the Git database; None for other paths."""
        part = GIT_PATH.fullmatch(unquote(urlsplit(asked.line.split(" ")[1]).path))
        if part is None:
            return None
        if part["kind"] == "branches":
            return self.branches.answer_branch(f"{part['repository']}:{part['rest']}")
        reply = self.branches.answer_git(asked, part["repository"], part["rest"])
        self.follow_branches()
        return reply

    def answer_pulls(self, asked: Asked, query: dict[str, list[str]]) -> Reply:
        """Answer a request for the pull requests, those of one branch, or a new one."""
        if asked.line.startswith("POST "):
            return self.answer_new_pull(json.loads(asked.body))
        rows = sorted(self.pulls.values(), key=lambda row: str(row["updated_at"]), reverse=True)
        if head := query.get("head"):
            rows = [row for row in rows if [f"acme:{row['head']['ref']}"] == head and row["state"] == "open"]
        return self.page(asked, rows, query)

    def answer_new_pull(self, sent: Json) -> Reply:
        head = {"ref": sent["head"], "sha": self.branches.heads[f"{self.name}:{sent['head']}"]}
        fields = {"title": sent["title"], "body": sent["body"], "head": {**head, "repo": self.repository}}
        return Reply(201, self.open(max(self.pulls) + 1, **fields))

    def answer_code(self, path: str, query: dict[str, list[str]]) -> Reply:
        """A commit, a file's contents, or the comparison of two commits."""
        if path.startswith("/commits/"):
            return Reply(200, {"commit": {"author": {"name": "octocat", "email": self.author_email}}})
        if path.startswith("/contents/"):
            name = unquote(path.removeprefix("/contents/"))
            if (data := self.branches.file(query["ref"][0], name)) is not None:
                return Reply(200, raw=data)
            text = self.contents.get((query["ref"][0], name))
            return Reply(200, text=text) if text is not None else Reply(404, {"message": "Not Found"})
        if path.startswith(f"/compare/{BASE}..."):
            return Reply(200, {"merge_base_commit": {"sha": BASE}, "ahead_by": 1})
        tag, _, commit = unquote(path.removeprefix("/compare/")).partition("...")
        if tag not in self.tags:
            return Reply(404, {"message": "Not Found"})
        ahead_by = 0 if commit in self.tags[tag] else 3
        return Reply(200, {"status": "diverged" if ahead_by else "behind", "ahead_by": ahead_by})

    def answer_pull(self, asked: Asked, path: str, query: dict[str, list[str]]) -> Reply:
        _, _, number, *rest = path.split("/") if path.startswith("/pulls/") else ("", "", "0")
        if not number.isdigit() or int(number) not in self.pulls:
            return Reply(404, {"message": "Not Found"})
        if rest == ["files"]:
            return self.page(asked, self.files.get(int(number), []), query)
        if rest == ["reviews"]:
            return self.page(asked, self.reviews.get(int(number), []), query)
        if asked.headers.get("accept") != DIFF_TYPE:
            return Reply(200, self.pulls[int(number)])
        if int(number) in self.files:
            message = "Sorry, the diff exceeded the maximum number of files (300)."
            return Reply(406, {"message": message, "errors": [{"code": "too_large", "field": "diff"}]})
        return Reply(200, text=self.diffs[int(number)])

    def page(self, asked: Asked, rows: list[Json], query: dict[str, list[str]]) -> Reply:
        """One page of a list, with a link to the next (Using pagination in the REST API)."""
        size, number = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        headers = {}
        if len(rows) > size * number:
            path = asked.line.split(" ")[1].split("&page=")[0]
            headers["Link"] = (
                f'<{self.url}{path}&page={number + 1}>; rel="next", <{self.url}{path}>; rel="last"'
            )
        return Reply(200, rows[size * (number - 1) : size * number], headers)


@dataclass(frozen=True)
class Delivery:
    """A delivery's body and its identifying fields."""

    event: str
    body: bytes
    id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def headers(self, secret: str) -> dict[str, str]:
        digest = hmac.new(secret.encode(), self.body, hashlib.sha256).hexdigest()
        return {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/044aadd",
            "X-GitHub-Delivery": self.id,
            "X-GitHub-Event": self.event,
            "X-Hub-Signature-256": f"sha256={digest}",
        }


def page_of(title: str, body: str) -> Reply:
    page = f'<!doctype html><html lang="en"><title>{title}</title><main><h1>{title}</h1>{body}</main>'
    return Reply(200, None, {"Content-Type": "text/html"}, text=page)


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def github() -> Iterator[GitHubDouble]:
    double = GitHubDouble()
    with serving(double.reply) as double.url:
        yield double
