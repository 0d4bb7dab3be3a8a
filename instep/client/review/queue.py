"""The review queue of a remote server, through its REST API."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from email.message import Message
from typing import Any, Literal
from urllib.parse import quote, urlencode

from instep.client.ci.client import Client
from instep.client.ci.shapes import Bot, PlaceList
from instep.client.review import OnConflict
from instep.client.review.shapes import (
    DraftApplied,
    DraftSettled,
    DraftShown,
    PlannedTranslations,
    QueuePage,
    ReleasedDrafts,
)
from instep.platform.core import limits

PlaceAct = Literal["resolve", "dismiss", "reopen"]
JSON = {"Content-Type": "application/json"}


class Queue:
    """The drafts and places of one bot; every call raises `Refused` with the server's own sentence."""

    def __init__(self, client: Client, bot: Bot) -> None:
        self.client = client
        self.headers = {"Service-Bot": bot.id}

    def newest(self, article: str | None) -> QueuePage:
        """The pending drafts, of one article if its id or slug is given, newest first."""
        query = {"page_size": str(limits.MAX_PAGE_SIZE), **({"article_id": article} if article else {})}
        answer = self.client.ask("GET", f"/drafts?{urlencode(query)}", None, self.headers)
        return self.client.read(QueuePage, answer)

    def read(self, draft_id: str) -> DraftShown:
        answer = self.client.ask("GET", path_of(draft_id), None, self.headers)
        return self.client.read(DraftShown, answer)

    def source_urls(self) -> list[str]:
        """The source URLs of the pending drafts, without duplicates."""
        urls, query = dict[str, None](), {"page_size": str(limits.MAX_PAGE_SIZE)}
        while True:
            answer = self.client.ask("GET", f"/drafts?{urlencode(query)}", None, self.headers)
            page = self.client.read(QueuePage, answer)
            urls |= {entry.source_url: None for entry in page.results if entry.source_url}
            if not page.next_cursor:
                return list(urls)
            query["start_cursor"] = page.next_cursor

    def apply(
        self, draft_id: str, on_conflict: OnConflict, hunks: Sequence[int] = (), *, at_release: bool = False
    ) -> DraftApplied:
        """Apply a draft, or approve it for a release; return it with the server's warnings.

        Hunks are numbered as in the current diff.
        """
        body: dict[str, Any] = {"onConflict": on_conflict}
        if hunks:
            body |= {"hunks": list(hunks), "baseVersion": self.read(draft_id).current_version}
        if at_release:
            body["when"] = "release"
        answer = self.client.ask("POST", f"{path_of(draft_id)}/apply", bytes_of(body), self.headers | JSON)
        applied = self.client.read(DraftApplied, answer)
        warnings = warnings_of(answer.headers)
        return replace(applied, warnings=warnings, document={**applied.document, "warnings": warnings})

    def dismiss(self, draft_id: str, reason: str | None, comment: str | None) -> DraftSettled:
        fields = {"reason": reason, "comment": comment}
        body = {name: value for name, value in fields.items() if value}
        answer = self.client.ask("POST", f"{path_of(draft_id)}/dismiss", bytes_of(body), self.headers | JSON)
        return self.client.read(DraftSettled, answer)

    def reopen(self, draft_id: str) -> DraftSettled:
        answer = self.client.ask("POST", f"{path_of(draft_id)}/reopen", None, self.headers)
        return self.client.read(DraftSettled, answer)

    def places(self, article: str | None) -> PlaceList:
        """The open places, of one article if its id or slug is given, newest first."""
        query = {"page_size": str(limits.MAX_PAGE_SIZE), **({"article_id": article} if article else {})}
        answer = self.client.ask("GET", f"/places?{urlencode(query)}", None, self.headers)
        return self.client.read(PlaceList, answer)

    def settle_place(
        self, place_id: str, act: PlaceAct, reason: str | None = None, comment: str | None = None
    ) -> DraftSettled:
        """Resolve, dismiss or reopen a place; a dismissal may include a reason."""
        fields = {"reason": reason, "comment": comment}
        body = {name: value for name, value in fields.items() if value}
        path, sent = f"/places/{quote(place_id, safe='')}/{act}", bytes_of(body) if body else None
        answer = self.client.ask("POST", path, sent, self.headers | (JSON if body else {}))
        return self.client.read(DraftSettled, answer)

    def release(self, urls: Sequence[str]) -> ReleasedDrafts:
        """Apply the approved drafts from these URLs."""
        body = bytes_of({"sourceUrls": list(urls)})
        answer = self.client.ask("POST", "/releases", body, self.headers | JSON)
        return self.client.read(ReleasedDrafts, answer)

    def translate(self, fields: Mapping[str, Any]) -> PlannedTranslations:
        """Have articles translated, or only count them."""
        answer = self.client.ask("POST", "/articles/translate", bytes_of(fields), self.headers | JSON)
        return self.client.read(PlannedTranslations, answer)


def bytes_of(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body).encode()


def path_of(draft_id: str) -> str:
    return f"/drafts/{quote(draft_id, safe='')}"


def warnings_of(headers: Message) -> list[str]:
    """The sentences of the header `Instep-Warnings`; empty if its value is anything else."""
    try:
        warnings = json.loads(headers.get("Instep-Warnings", "[]"))
    except ValueError:
        return []
    return [str(warning) for warning in warnings] if isinstance(warnings, list) else []
