"""The list next to a draft: the queue by source, its filters, and the considered articles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import ceil

from instep.drafting.drafts import queue_pages
from instep.drafting.drafts.queue_pages import BundleCounts, QueueCounts, QueuePlace, QueueRow
from instep.interfaces.dashboard.bot_pages import BotPage
from instep.interfaces.dashboard.review import queries
from instep.interfaces.dashboard.review.filters import CERTAINTIES, KINDS, TYPES, QueueFilter
from instep.interfaces.dashboard.review.queries import TaskVerdicts
from instep.interfaces.dashboard.review.wording import bundle_words, change_words
from instep.platform.core import limits
from instep.platform.text.characters import whole_number


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """The drafts and places of one source on a page of the queue."""

    words: str
    rows: list[QueueRow]
    # The page with everything about the source: its drafts, and the considered articles.
    href: str
    verdicts: TaskVerdicts | None


@dataclass(frozen=True, slots=True)
class FilterLink:
    """A condition of the filter, the URL that adds or removes it, and the number of matching drafts."""

    words: str
    href: str
    count: int
    is_active: bool


@dataclass(frozen=True, slots=True)
class QueuePane:
    """A page of the queue."""

    groups: list[SourceGroup]
    filters: list[FilterLink]
    queue_filter: QueueFilter
    total: int
    all_total: int
    page: int
    last_page: int
    place: QueuePlace
    rows: list[QueueRow] = field(default_factory=list)

    @property
    def is_filtered(self) -> bool:
        return self.queue_filter.is_active

    @property
    def suffix(self) -> str:
        """The query of URLs that keep the filter."""
        return self.queue_filter.suffix()

    def with_first_open(self) -> "QueuePane":
        """The same page with the position of its first draft; the positions of others are read with them."""
        first, *others = self.rows
        next_id = others[0].id if others else None
        return replace(self, place=QueuePlace(self.total, first.place, None, next_id))

    def href_of(self, page: int) -> str:
        """The query of the URL of another page of the queue."""
        return self.queue_filter.suffix(page=page)


async def read_pane(page: BotPage, draft_id: str | None) -> QueuePane:
    """The page of the queue that contains a draft, or else the requested one."""
    pane = await read_unlisted(page, draft_id)
    rows = await queue_pages.list_queue(page.ctx, pane.queue_filter.criteria(page.person.id), pane.page)
    counts = await queue_pages.count_queue(page.ctx)
    task_ids = list({row.task_id for row in rows if row.task_id})
    verdicts = await queries.count_verdicts(page.ctx, task_ids) if task_ids else {}
    bundles = await queue_pages.count_bundles(page.ctx) if any(row.bundle for row in rows) else {}
    return replace(
        pane,
        groups=groups_of(page, rows, verdicts, bundles),
        filters=filter_links(page, pane.queue_filter, counts),
        all_total=counts.total,
        rows=rows,
    )


async def read_unlisted(page: BotPage, draft_id: str | None) -> QueuePane:
    """The same page without its drafts, for a draft that is loaded into a page with the list."""
    queue_filter = QueueFilter.of(page.query)
    place = await queue_pages.find_place(page.ctx, queue_filter.criteria(page.person.id), draft_id)
    size = limits.REVIEW_QUEUE_ROWS
    last_page = max(1, ceil(place.total / size))
    number = ceil(place.place / size) if place.place else min(asked_page(page.query), last_page)
    return QueuePane(
        groups=[],
        filters=[],
        queue_filter=queue_filter,
        total=place.total,
        all_total=place.total,
        page=number,
        last_page=last_page,
        place=place,
    )


def asked_page(query: Mapping[str, str]) -> int:
    return whole_number(query.get("page", ""), 5) or 1


def groups_of(
    page: BotPage,
    rows: Sequence[QueueRow],
    verdicts: Mapping[str, TaskVerdicts],
    bundles: Mapping[str, BundleCounts],
) -> list[SourceGroup]:
    groups: list[SourceGroup] = []
    for _, drafts in groupby(rows, lambda row: row.source_key):
        listed = list(drafts)
        first = listed[0]
        counts = bundles.get(first.bundle or "")
        words = bundle_words(counts) if counts else change_words(first)
        draft = next((row for row in listed if row.type != "place"), None)
        href = page.path(f"review/{draft.id}/source" if draft else f"tasks/{first.task_id}")
        looked_at = None if counts else verdicts.get(first.task_id or "")
        groups.append(SourceGroup(words, listed, href, looked_at))
    return groups


def filter_links(page: BotPage, queue_filter: QueueFilter, counts: QueueCounts) -> list[FilterLink]:
    """The conditions that some draft meets, and the active ones."""
    choices = (
        ("kind", KINDS, counts.by_kind),
        ("type", TYPES, counts.by_type),
        ("certainty", CERTAINTIES, counts.by_certainty),
    )
    conditions: list[tuple[str, str, object, int]] = [
        (words, name, value, numbers.get(value, 0))
        for name, options, numbers in choices
        for value, words in options.items()
    ]
    conditions += [
        ("Article changed", "conflict", True, counts.conflicts),
        ("Approved for release", "approved", True, counts.approved),
        ("Assigned to me", "mine", True, counts.mine),
        ("Unassigned", "unassigned", True, counts.unassigned if counts.unassigned < counts.total else 0),
    ]
    links = [
        FilterLink(
            words,
            page.path("review") + queue_filter.toggled(name, value).suffix(),
            count,
            is_active=getattr(queue_filter, name) == value,
        )
        for words, name, value, count in conditions
    ]
    return [link for link in links if link.count or link.is_active]
