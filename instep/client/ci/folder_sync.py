"""Run `instep sync`: send a folder at its last commit, and write the server's changes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from instep.client.ci.client import Client, LimitReached
from instep.client.ci.command import FAILED, LIMIT_REACHED, WOULD_EDIT
from instep.client.ci.credentials import read_server
from instep.client.ci.escaping import without_commands
from instep.client.ci.folder import Blob, Folder, digest_of, is_asset, is_page, open_folder
from instep.client.ci.options import SyncOptions
from instep.client.ci.printing import print_text, say
from instep.client.ci.shapes import Bot
from instep.client.ci.transport import Refused
from instep.platform.core.errors import AppError
from instep.platform.core.page_names import is_page_name, is_pointer
from instep.platform.text.encodings import decode_unicode

Json = dict[str, Any]
SHALLOW = (
    "The clone is shallow, so the commit of the last sync can't be found: fetch the whole history, in GitHub "
    "Actions with `fetch-depth: 0`."
)


def run_sync(options: SyncOptions, environ: Mapping[str, str]) -> int:
    """Sync the folder and return the exit code: 1 for a refused file, 3 if a dry run would change anything.

    Overlapping changes wait for review, and do not fail the command.
    """
    try:
        server = read_server(environ)
        folder = open_folder(options.path)
        client = Client(server)
        answer = FolderSync(client, client.choose_bot(options.bot or None), folder, options).run()
        if not options.dry_run:
            folder.write(answer["writes"])
    except LimitReached as refusal:
        say(refusal.message)
        return LIMIT_REACHED
    except AppError as refusal:
        say(refusal.message)
        return FAILED
    print_text(json.dumps(answer, ensure_ascii=False) if options.as_json else as_text(answer, folder))
    return exit_code(answer, options)


@dataclass(slots=True)
class FolderSync:
    """One sync of a folder with a bot."""

    client: Client
    bot: Bot
    folder: Folder
    options: SyncOptions

    def run(self) -> Json:
        """The server's answer, after uploading the images that it lacks."""
        state = self.ask("GET", f"/sync?{urlencode({'folder': self.folder.name})}")
        blobs = self.folder.blobs()
        assets = {
            blob.path: (blob, digest_of(data)) for blob, data in self.contents(blobs) if is_whole(blob, data)
        }
        request = {
            "folder": self.folder.name,
            "commit": self.folder.commit,
            "drafts": self.options.drafts,
            "dryRun": self.options.dry_run,
            "restart": self.options.restart,
            **({"navigation": navigation} if (navigation := self.folder.navigation()) else {}),
            **self.changes_since(state, blobs),
        }
        while True:
            digests = [{"path": path, "sha256": digest} for path, (_, digest) in assets.items()]
            answer = self.ask("POST", "/sync", {**request, "assets": digests})
            if not answer["missingAssets"]:
                return answer
            for path in answer["missingAssets"]:
                if self.options.dry_run or not self.upload(assets[path][0]):
                    del assets[path]

    def contents(self, blobs: list[Blob]) -> Any:
        return self.folder.contents(blob for blob in blobs if is_asset(blob))

    def changes_since(self, state: Json, blobs: list[Blob]) -> Json:
        """The pages of the folder, in full if the server lacks them, and their origin."""
        commit, history, renames = state["commit"], set[tuple[str, str]](), list[dict[str, str]]()
        is_known = commit is not None and not self.options.restart and self.folder.has_ancestor(commit)
        if is_known:
            history, renames = self.folder.blobs_since(commit), self.folder.renames_since(commit)
        elif commit is not None and self.folder.is_shallow():
            raise Refused(SHALLOW)
        earlier_pages = {row["path"]: row for row in state["files"]}
        pages = self.folder.contents(blob for blob in blobs if is_page(blob))
        return {
            "files": [page_of(blob, data, earlier_pages.get(blob.path, {}), history) for blob, data in pages],
            "renames": [row for row in renames if is_page_name(row["from"])],
            **({"previousCommit": commit} if is_known else {}),
        }

    def upload(self, blob: Blob) -> bool:
        """True if the server accepted the file; texts keep their links to refused ones."""
        [(_, data)] = self.folder.contents([blob])
        try:
            path = f"/files?name={quote(blob.path.rpartition('/')[2], safe='')}"
            headers = {"Content-Type": "application/octet-stream", "Service-Bot": self.bot.id}
            self.client.ask("POST", path, data, headers)
        except LimitReached:
            raise
        except Refused as refusal:
            say(f"{blob.path} is not uploaded: {refusal.message}")
            return False
        return True

    def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        headers = {"Service-Bot": self.bot.id}
        data = None
        if body is not None:
            data = json.dumps(body, ensure_ascii=False).encode()
            headers["Content-Type"] = "application/json"
        response = self.client.ask(method, path, data, headers)
        try:
            answer: Json = response.json()
        except ValueError:
            raise self.client.not_instep(response) from None
        return answer


def is_whole(blob: Blob, data: bytes) -> bool:
    if is_pointer(data):
        say(f"{blob.path} is left out: it is a pointer of Git LFS. Fetch the file with `git lfs pull`.")
    return not is_pointer(data)


def page_of(blob: Blob, data: bytes, earlier_page: Json, history: set[tuple[str, str]]) -> Json:
    if is_pointer(data):
        raise Refused(f"{blob.path} is a pointer of Git LFS: fetch the file with `git lfs pull`.")
    data = as_utf8(blob.path, data)
    digest = digest_of(data)
    page: Json = {"path": blob.path, "sha256": digest}
    if earlier_page.get("sha256") != digest:
        page["content"] = data.decode()
    page["hasWritten"] = (blob.path, earlier_page.get("writtenBlob")) in history
    return page


def as_utf8(path: str, data: bytes) -> bytes:
    """The bytes of a text in UTF-8; UTF-16 is converted."""
    text = decode_unicode(data)
    if text is None:
        raise Refused(f"{path} is not UTF-8: save it as UTF-8.")
    return data if text.encode() in data else text.encode()


def as_text(answer: Json, folder: Folder) -> str:
    """The result of each file, and the patch to commit."""
    lines = [f"{row['action']:<9} {row['path']}  {row['message']}" for row in answer["results"]]
    writes = answer["writes"]
    if answer["dryRun"]:
        lines.append("Nothing was changed: this was a dry run.")
    elif writes:
        lines += [*folder.summary().splitlines(), "Commit these changes."]
    elif not lines:
        lines.append("The folder and the help center are in sync.")
    return "\n".join(without_commands(line) for line in lines)


def exit_code(answer: Json, options: SyncOptions) -> int:
    actions = {row["action"] for row in answer["results"]}
    if "refused" in actions:
        return FAILED
    return WOULD_EDIT if options.dry_run and (actions - {"waiting", "kept"} or answer["writes"]) else 0
