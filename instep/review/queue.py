"""The review queue of a server elsewhere, over its REST API."""

import json
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from instep.ci.client import Client
from instep.ci.shapes import Bot
from instep.core import limits
from instep.review import OnConflict
from instep.review.shapes import DraftApplied, DraftSettled, DraftShown, QueuePage

JSON = {"Content-Type": "application/json"}


class Queue:
    """The drafts of one bot; every call raises `Refused` with the server's own sentence."""

    def __init__(self, client: Client, bot: Bot) -> None:
        self.client = client
        self.headers = {"Service-Bot": bot.id}

    def newest(self, article: str | None) -> QueuePage:
        """The drafts that wait, of one article where its id or slug is given, newest first."""
        query = {"page_size": str(limits.MAX_PAGE_SIZE), **({"article_id": article} if article else {})}
        answer = self.client.ask("GET", f"/drafts?{urlencode(query)}", None, self.headers)
        return self.client.read(QueuePage, answer)

    def read(self, draft_id: str) -> DraftShown:
        answer = self.client.ask("GET", path_of(draft_id), None, self.headers)
        return self.client.read(DraftShown, answer)

    def apply(self, draft_id: str, on_conflict: OnConflict) -> DraftApplied:
        """Apply it, with what the server warns of."""
        body = json.dumps({"onConflict": on_conflict}).encode()
        answer = self.client.ask("POST", f"{path_of(draft_id)}/apply", body, self.headers | JSON)
        applied = self.client.read(DraftApplied, answer)
        return applied.model_copy(update={"warnings": warnings_of(answer.headers)})

    def dismiss(self, draft_id: str) -> DraftSettled:
        answer = self.client.ask("POST", f"{path_of(draft_id)}/dismiss", None, self.headers)
        return self.client.read(DraftSettled, answer)


def path_of(draft_id: str) -> str:
    return f"/drafts/{quote(draft_id, safe='')}"


def warnings_of(headers: Mapping[str, str]) -> list[str]:
    """The sentences of the header `Instep-Warnings`; nothing where it holds anything else."""
    try:
        warnings = json.loads(headers.get("Instep-Warnings", "[]"))
    except ValueError:
        return []
    return [str(warning) for warning in warnings] if isinstance(warnings, list) else []
