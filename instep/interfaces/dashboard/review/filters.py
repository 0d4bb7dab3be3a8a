"""The filters of the queue, as the query of a URL."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

from instep.drafting.drafts.queue_schemas import DraftFilter

TYPES = {
    "edit": "Edits",
    "new_article": "New articles",
    "gap_draft": "Answers to questions",
    "place": "Needs writing",
}
CERTAINTIES = {"certain": "Certain", "likely": "Likely"}
KINDS = {
    "pr": "Pull requests",
    "commit": "Commits",
    "release": "Releases",
    "translation": "Translations",
    "article": "Requests",
    "question": "Questions",
    "author": "People and programs",
}


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """The drafts and places of the queue to show; None and False show all."""

    type: str | None = None
    certainty: str | None = None
    kind: str | None = None
    conflict: bool = False
    approved: bool = False
    mine: bool = False
    unassigned: bool = False

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """The filter in a URL, ignoring unknown values."""

        def choice(name: str, choices: Mapping[str, str]) -> str | None:
            value = query.get(name)
            return value if value in choices else None

        return cls(
            choice("type", TYPES),
            choice("certainty", CERTAINTIES),
            choice("kind", KINDS),
            conflict=query.get("conflict") == "yes",
            approved=query.get("approved") == "yes",
            mine=query.get("mine") == "yes",
            unassigned=query.get("unassigned") == "yes",
        )

    def criteria(self, person_id: str) -> DraftFilter:
        """The filters as criteria for drafts and places; `person_id` is the person who looks."""
        fields: dict[str, Any] = {"kind": self.kind, "type": self.type, "certainty": self.certainty}
        return DraftFilter(
            **fields,
            has_conflict=self.conflict or None,
            is_approved=self.approved or None,
            assignee_id=person_id if self.mine else None,
            is_assigned=False if self.unassigned else None,
        )

    @property
    def is_active(self) -> bool:
        return self != QueueFilter()

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the query."""
        return {
            name: "yes" if value is True else value
            for name, value in asdict(self).items()
            if value not in (None, False)
        }

    def suffix(self, **more: Any) -> str:
        """The query of a URL, with its question mark; empty without one."""
        query = urlencode({**self.fields, **{name: value for name, value in more.items() if value}})
        return f"?{query}" if query else ""

    def toggled(self, name: str, value: Any) -> "QueueFilter":
        """The filter with a condition added, or removed if it has it."""
        empty = False if isinstance(value, bool) else None
        changes: dict[str, Any] = {name: empty if getattr(self, name) == value else value}
        return replace(self, **changes)
