"""The review queue as one list, by source: each draft and place has a number and neighbors."""

from dataclasses import asdict, dataclass
from datetime import datetime

from instep.content.articles.live import VERSION_SLUGS
from instep.drafting.drafts.follow_up_queries import EXPIRES_AT
from instep.drafting.drafts.queries import FROM, IS_CONFLICT, JOIN, LINES, VERSION
from instep.drafting.drafts.queue_schemas import DraftFilter
from instep.drafting.drafts.schemas import can_be_released
from instep.drafting.drafts.source_queries import (
    BUNDLE_KEY,
    OPEN_PLACES,
    PLACE_SOURCE_KEY,
    SOURCE_KEY,
    condition_of,
    place_condition_of,
)
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx

ALL_PENDING = DraftFilter()
KIND = """
    coalesce(t.change_kind, case when t.id is not null then 'article'
        when d.type = 'gap_draft' then 'question' else 'author' end)
"""
PENDING = f"{FROM} and d.status = 'pending' and a.deleted_at is null"
SOURCE_KEY_OF = f"""
    select {SOURCE_KEY} from drafts d
    where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.id = %(id)s
"""
# `queue` is the result of `ordered`, with drafts and places.
ROWS_OF_QUEUE = f"""
    select d.id, d.type, coalesce(d.title, a.title) as title, q.source_key, {KIND} as source_kind,
        coalesce(t.change_title, t.article->>'title', d.questions->>0) as source_title, d.source_url,
        d.task_id, d.certainty, d.edited_by_name, {IS_CONFLICT} as is_conflict,
        d.approved_at is not null as is_approved,
        case d.type when 'edit' then d.additions else {LINES} end as additions,
        coalesce(d.deletions, 0) as deletions, d.author_name, null as heading, m.email as assignee_name,
        {EXPIRES_AT} as expires_at, d.created_at, q.place, {VERSION} as version,
        {VERSION_SLUGS}
    from queue q
    join drafts d on d.workspace_id = %(workspace)s and d.bot_id = %(bot)s and d.id = q.id {JOIN}
    where {{condition}}
    union all
    select p.id, 'place', a.title, q.source_key, p.source_kind, p.source_title, p.source_url,
        p.task_id, null, null, false, false, 0, 0, 'Instep', p.heading, m.email, null,
        p.created_at, q.place, {VERSION}, {VERSION_SLUGS}
    from queue q
    join places p on p.workspace_id = %(workspace)s and p.bot_id = %(bot)s and p.id = q.id
    join articles a on a.workspace_id = %(workspace)s and a.id = p.article_id
    left join people m on m.id = p.assignee_id
    left join tasks t on t.workspace_id = %(workspace)s and t.id = p.task_id
    where {{condition}}
    order by place
"""


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A draft or a place in the queue, and its source.

    A place has the type `place`, its article's title, and, unlike drafts, a heading.
    """

    id: str
    type: str
    title: str
    source_key: str
    source_kind: str
    source_title: str | None
    source_url: str | None
    task_id: str | None
    certainty: str | None
    edited_by_name: str | None
    is_conflict: bool
    is_approved: bool
    additions: int
    deletions: int
    author_name: str
    heading: str | None
    assignee_name: str | None
    expires_at: datetime | None
    created_at: datetime
    # From 1, in the order of the whole queue.
    place: int
    # The slug of the product version that its change is for, and the first and last one of its article.
    version: str | None
    since_slug: str | None
    until_slug: str | None

    @property
    def bundle(self) -> str | None:
        """The title of the draft's bundle, if it has one."""
        return bundle_of(self.source_key)

    @property
    def can_be_released(self) -> bool:
        return can_be_released(self.source_url, self.task_id, self.source_kind)


@dataclass(frozen=True, slots=True)
class BundleCounts:
    """The numbers of drafts and places of a bundle that wait, and of the changes they come from."""

    title: str
    drafts: int
    places: int
    changes: int


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """The number of drafts and places that wait, the position of one of them, and its neighbors."""

    total: int
    place: int | None
    previous_id: str | None
    next_id: str | None


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """The numbers of drafts and places that wait, in total and per filter of the queue."""

    total: int
    mine: int
    unassigned: int
    conflicts: int
    approved: int
    by_type: dict[str, int]
    by_certainty: dict[str, int]
    by_kind: dict[str, int]


def bundle_of(source_key: str) -> str | None:
    """The title of the bundle that a source is."""
    return source_key.removeprefix(BUNDLE_KEY) if source_key.startswith(BUNDLE_KEY) else None


def ordered(criteria: DraftFilter) -> str:
    """Everything that waits and meets the criteria, the source with the newest draft first.

    Pages are counted instead of keyed because the order spans the whole queue: each page reads the same few
    columns of all pending drafts.
    """
    return f"""
        pending as (
            select d.id, {SOURCE_KEY} as source_key, d.created_at
            {PENDING} and {condition_of(criteria)}
            union all
            select p.id, {PLACE_SOURCE_KEY}, p.created_at
            {OPEN_PLACES} and {place_condition_of(criteria)}
        ), queue as (
            select p.id, p.source_key, (row_number() over (
                order by p.source_at desc, p.source_key desc, p.created_at desc, p.id desc))::integer as place
            from (select *, max(created_at) over (partition by source_key) as source_at from pending) p
        )
    """


async def list_queue(ctx: Ctx, criteria: DraftFilter, page: int) -> list[QueueRow]:
    """A page of the queue, from 1."""
    return await ctx.all(
        QueueRow,
        f"""
        with {ordered(criteria)}
        {ROWS_OF_QUEUE.format(condition="q.place > %(first)s and q.place <= %(first)s + %(size)s")}
        """,
        first=(page - 1) * limits.REVIEW_QUEUE_ROWS,
        size=limits.REVIEW_QUEUE_ROWS,
        **asdict(criteria),
    )


async def list_of_source(ctx: Ctx, draft_id: str) -> list[QueueRow]:
    """The pending drafts and places of a draft's source, newest first; the draft itself may be settled."""
    return await ctx.all(
        QueueRow,
        f"""
        with {ordered(ALL_PENDING)}
        {ROWS_OF_QUEUE.format(condition=f"q.source_key = ({SOURCE_KEY_OF})")} limit %(limit)s
        """,
        id=draft_id,
        limit=limits.MAX_SOURCE_DRAFTS,
        **asdict(ALL_PENDING),
    )


async def find_source_key(ctx: Ctx, draft_id: str) -> str | None:
    """The key of a draft's source, also for settled drafts."""
    return await ctx.value(SOURCE_KEY_OF, id=draft_id)


async def count_bundles(ctx: Ctx) -> dict[str, BundleCounts]:
    """The drafts and places of each bundle that wait, by its title."""
    rows = await ctx.all(
        BundleCounts,
        f"""
        select t.bundle as title, (count(*) filter (where not i.is_place))::integer as drafts,
            (count(*) filter (where i.is_place))::integer as places,
            (count(distinct t.id) filter (where t.change_kind <> 'drift'))::integer as changes
        from (
            select d.task_id, false as is_place {PENDING} and t.bundle is not null
            union all
            select p.task_id, true {OPEN_PLACES} and p.task_id is not null
        ) i
        join tasks t on t.workspace_id = %(workspace)s and t.id = i.task_id and t.bundle is not null
        group by t.bundle
        """,
    )
    return {row.title: row for row in rows}


async def find_place(ctx: Ctx, criteria: DraftFilter, draft_id: str | None) -> QueuePlace:
    """The position of a draft in the queue; without a draft, the first one comes next."""
    return await ctx.fetch_one(
        QueuePlace,
        f"""
        with {ordered(criteria)}, present as (select place from queue where id = %(id)s)
        select (select count(*)::integer from queue) as total, (select place from present) as place,
            (select q.id from queue q, present p where q.place = p.place - 1) as previous_id,
            (select q.id from queue q where q.place = coalesce((select place from present), 0) + 1) as next_id
        """,
        id=draft_id,
        **asdict(criteria),
    )


async def count_queue(ctx: Ctx) -> QueueCounts:
    """The numbers of drafts and places that each filter of the queue shows."""

    def counts(column: str) -> str:
        return f"""
            coalesce((select jsonb_object_agg({column}, n) from (
                select {column}, count(*) as n from pending where {column} is not null group by 1) c), '{{}}')
        """

    return await ctx.fetch_one(
        QueueCounts,
        f"""
        with pending as (
            select d.type, d.certainty, d.approved_at, {KIND} as kind, {IS_CONFLICT} as is_conflict,
                d.assignee_id
            {PENDING}
            union all
            select 'place', null, null, p.source_kind, false, p.assignee_id {OPEN_PLACES}
        )
        select (select count(*)::integer from pending) as total,
            (select count(*)::integer from pending where assignee_id = %(me)s) as mine,
            (select count(*)::integer from pending where assignee_id is null) as unassigned,
            (select count(*)::integer from pending where is_conflict) as conflicts,
            (select count(*)::integer from pending where approved_at is not null) as approved,
            {counts("type")} as by_type, {counts("certainty")} as by_certainty, {counts("kind")} as by_kind
        """,
        me=ctx.actor.id,
    )
