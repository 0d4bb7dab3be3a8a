"""A folder in git as a sync sees it: files, commits, renames, and the job that applies the response."""

import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any

from instep.transfer.git_sync.actions import blob_of
from tests.support.cast import Client, Json
from tests.support.http import body_of, ok

FOLDER = "docs/help"


def page(title: str, text: str = "One\n\nTwo\n\nThree\n", **matter: str) -> str:
    lines = "".join(f"{name}: {value}\n" for name, value in {"title": title, **matter}.items())
    return f"---\n{lines}---\n{text}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Repository:
    """A branch: its current files, and every text that each path has had since the last sync."""

    client: Client
    files: dict[str, str] = field(default_factory=dict)
    assets: dict[str, bytes] = field(default_factory=dict)
    renames: list[Json] = field(default_factory=list)
    commit: str = ""
    # The blobs of each path in the commits since the last sync.
    blobs: set[tuple[str, str]] = field(default_factory=set)
    history: list[str] = field(default_factory=list)

    def write(self, path: str, text: str) -> None:
        self.files[path] = text
        self.note(text, path)

    def note(self, text: str, path: str) -> None:
        self.history.append(text)
        self.blobs.add((path, blob_of(text)))

    def edit(self, path: str, old: str, new: str) -> None:
        assert self.files[path].count(old) == 1, self.files[path]
        self.write(path, self.files[path].replace(old, new))

    def delete(self, path: str) -> None:
        del self.files[path]

    def rename(self, old: str, new: str, *, is_told: bool = True) -> None:
        self.write(new, self.files.pop(old))
        if is_told:
            self.renames.append({"from": old, "to": new})

    async def request(self, **options: Any) -> Json:
        state = ok(await self.client.get("/v1/sync", params={"folder": FOLDER}))
        written = {row["path"]: row["writtenBlob"] for row in state["files"] if row["writtenBlob"]}
        seen = {row["path"]: row["sha256"] for row in state["files"]}
        files = [
            {
                "path": path,
                "sha256": digest(text),
                "hasWritten": (path, written.get(path)) in self.blobs,
                **({} if seen.get(path) == digest(text) else {"content": text}),
            }
            for path, text in self.files.items()
        ]
        assets = [
            {"path": path, "sha256": hashlib.sha256(data).hexdigest()} for path, data in self.assets.items()
        ]
        commit = secrets.token_hex(20)
        body: Json = {"folder": FOLDER, "commit": commit, "files": files, "assets": assets}
        if state["commit"] is not None:
            body["previousCommit"] = state["commit"]
        return {**body, "renames": self.renames, **options}

    async def sync(self, *, commits: bool = True, **options: Any) -> Json:
        """Sync, and commit the response unless the job fails to."""
        answer = ok(await self.client.post("/v1/sync", json=await self.request(**options)))
        if not options.get("dryRun"):
            self.blobs.clear()
            self.renames.clear()
            if commits:
                self.take(answer)
        return answer

    def take(self, answer: Json) -> None:
        for write in answer["writes"]:
            if write["content"] is None:
                self.files.pop(write["path"])
            else:
                self.write(write["path"], write["content"])

    async def settle(self) -> None:
        """Assert that nothing is left to do: syncing the job's commit changes nothing."""
        for _ in range(2):
            answer = await self.sync()
            assert [row for row in answer["results"] if row["action"] not in ("waiting", "refused")] == []
            assert answer["writes"] == []


def actions(answer: Json) -> dict[str, str]:
    return {row["path"]: row["action"] for row in answer["results"]}


async def article_at(client: Client, slug: str) -> Json:
    return ok(await client.get(f"/v1/articles/{slug}"))


async def patch(client: Client, ref: str, /, **fields: Any) -> Json:
    return ok(await client.patch(f"/v1/articles/{ref}", json=fields))


async def replace_in_article(client: Client, slug: str, old: str, new: str) -> Json:
    article = await article_at(client, slug)
    assert article["contentMarkdown"].count(old) == 1
    return await patch(client, slug, contentMarkdown=article["contentMarkdown"].replace(old, new))


async def refused(client: Client, body: Json) -> str:
    response = await client.post("/v1/sync", json=body)
    assert response.status_code == 400, response.text
    return str(body_of(response)["error"])
