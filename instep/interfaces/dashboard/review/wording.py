"""Words for the sources of drafts, and for warnings about them."""

import re
from collections.abc import Sequence

from markupsafe import Markup

from instep.drafting.drafts.queue_pages import BundleCounts, QueueRow
from instep.platform.text.characters import quantity
from instep.platform.web.pages import with_code

DRAFT_ID = re.compile(r"\b(?:edit|article|gap)_[0-9a-z]{26}\b")

# The number of a pull or merge request at the end of its URL.
REQUEST_NUMBER = re.compile(r"/(?:pull|pulls|merge_requests|pull-requests)/(\d{1,9})/?$")
TYPE_WORDS = {"edit": "edit", "new_article": "new article", "gap_draft": "new article"}
REASONS = {
    "not_needed": "Not needed",
    "wrong_article": "Wrong article",
    "wrong_text": "Wrong text",
    "duplicate": "Duplicate",
    "later": "Later",
}
KIND_WORDS = {
    "pr": "Pull request",
    "commit": "Commit",
    "release": "Release",
    "drift": "Drift check",
    "translation": "Translation",
    "article": "Request",
    "question": "Visitors' questions",
    "author": "Proposal",
}


def linked_warnings(warnings: Sequence[str], queue_path: str) -> list[Markup]:
    """The sentences, with ids of other drafts replaced by links: `draft 1`, in the order of the ids."""
    ids = list(dict.fromkeys(DRAFT_ID.findall("\n".join(warnings))))

    def link(name: re.Match[str]) -> str:
        return f'<a href="{queue_path}/{name[0]}">draft {ids.index(name[0]) + 1}</a>'

    return [Markup(DRAFT_ID.sub(link, str(with_code(warning)))) for warning in warnings]


def bundle_words(counts: BundleCounts) -> str:
    """The heading of a bundle: `Backfill of the last 30 days: 12 drafts and 1 place of 9 changes`.

    A check against the code has no changes.
    """
    parts = [
        quantity(counts.drafts, "draft") if counts.drafts else "",
        quantity(counts.places, "place") if counts.places else "",
    ]
    waiting = " and ".join(filter(None, parts))
    of_changes = f" of {quantity(counts.changes, 'change')}" if counts.changes else ""
    return f"{counts.title}: {waiting}{of_changes}"


def change_words(row: QueueRow) -> str:
    """The name of the change of a row of the queue."""
    return source_words(row.source_kind, row.source_title, row.source_url, row.author_name)


def source_words(kind: str | None, title: str | None, url: str | None, author: str) -> str:
    """The name of a source in the queue: `#482 Raise the upload limit`."""
    if kind in (None, "author"):
        return f"Proposed by {author}"
    if kind == "question":
        return "Asked by visitors"
    number = REQUEST_NUMBER.search(url or "")
    words = title or "A change without a title"
    return f"#{number[1]} {words}" if number else words
