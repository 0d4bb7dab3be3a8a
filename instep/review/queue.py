"""The review queue of a server elsewhere, over its REST API."""

import json
from collections.abc import Mapping
from urllib.parse import quote, urlencode

import httpx2

from instep.ci.client import Client
from instep.ci.shapes import Bot
from instep.core import limits
from instep.review import OnConflict
from instep.review.shapes import DraftApplied, DraftSettled, DraftShown, QueuePage


class Queue:
    """The drafts of one bot; every call raises `Refused` with the server's own sentence."""

    def __init__(self, client: Client, bot: Bot) -> None:
        self.client, self.bot = client, bot

    def newest(self, article: str | None) -> QueuePage:
        """The drafts that wait, of one article where its id or slug is given, newest first."""
        query = {"page_size": str(limits.PAGE_SIZE_MOST), **({"article_id": article} if article else {})}
        return self.client.read(QueuePage, self.ask("GET", f"/drafts?{urlencode(query)}"))

    def read(self, draft_id: str) -> DraftShown:
        return self.client.read(DraftShown, self.ask("GET", path_of(draft_id)))

    def apply(self, draft_id: str, on_conflict: OnConflict) -> DraftApplied:
        answer = self.ask("POST", f"{path_of(draft_id)}/apply", {"onConflict": on_conflict})
        return self.client.read(DraftApplied, answer).model_copy(update={"warnings": warnings_of(answer)})

    def dismiss(self, draft_id: str) -> DraftSettled:
        return self.client.read(DraftSettled, self.ask("POST", f"{path_of(draft_id)}/dismiss"))

    def ask(self, method: str, path: str, body: Mapping[str, str] | None = None) -> httpx2.Response:
        headers = {"Service-Bot": self.bot.id}
        if body is None:
            return self.client.ask(method, path, None, headers)
        headers["Content-Type"] = "application/json"
        return self.client.ask(method, path, json.dumps(body).encode(), headers)


def path_of(draft_id: str) -> str:
    return f"/drafts/{quote(draft_id, safe='')}"


def warnings_of(answer: httpx2.Response) -> list[str]:
    """The sentences of the header `Instep-Warnings`; nothing where it holds anything else."""
    try:
        warnings = json.loads(answer.headers.get("Instep-Warnings", "[]"))
    except ValueError:
        return []
    return [str(warning) for warning in warnings] if isinstance(warnings, list) else []
