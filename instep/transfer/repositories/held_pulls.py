"""Pull requests that one job alone works on, with their drafts under numbers, which never change."""

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from instep.client.ci.shapes import Bot
from instep.drafting.drafts.actions import get_draft
from instep.drafting.drafts.releasing import list_waiting_drafts
from instep.drafting.places.actions import list_task_places
from instep.drafting.tasks.actions import find_task
from instep.drafting.tasks.schemas import Task
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import NotFound, PlanInactive
from instep.platform.core.jobs import Job, Postponed
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Ctx
from instep.transfer.repositories import queries, review_queries
from instep.transfer.repositories.host_access import open_api
from instep.transfer.repositories.hosts.host_json import Malformed
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostApi, HostBusy, HostRefused
from instep.transfer.repositories.hosts.host_reviews import REVIEWS, ReviewForm
from instep.transfer.repositories.pull_text import NumberedDraft, ReviewState
from instep.transfer.repositories.schemas import (
    CodeHost,
    Repository,
    RepositoryChange,
    ReviewedPull,
    ShownDraft,
)

READER = Actor("task", "Instep", can_write=False, channel="job")
MARKER_BYTES = 16
# A draft that was replaced is followed this often.
MAX_REPLACEMENTS = 50


@dataclass(slots=True)
class HeldPull:
    """A pull request that this job alone works on; `pull` and `entries` are as they were last stored."""

    database: Database
    payload: Mapping[str, Any]
    repository: Repository
    host: CodeHost
    bot: Bot
    change: RepositoryChange
    task: Task | None
    # The help center's slug if others read the same repository, so that commands have to name it.
    slug: str | None
    pull: ReviewedPull
    entries: Sequence[ShownDraft]

    @property
    def host_name(self) -> str:
        return FORMS[self.host.kind].name

    @property
    def form(self) -> ReviewForm:
        return REVIEWS[self.host.kind]

    @property
    def host_actor(self) -> Actor:
        return Actor("task", self.host_name, can_write=True, id=self.repository.id, channel="job")

    def context(self, actor: Actor) -> AbstractAsyncContextManager[Ctx]:
        return job_context(self.database, self.payload, actor)

    async def open_api(self, client: OutboundClient) -> HostApi:
        return await open_api(client, self.host, self.repository.installation_id)

    async def store(self, pull: ReviewedPull, entries: Sequence[ShownDraft]) -> None:
        """Note what was written to the pull request."""
        self.pull, self.entries = pull, entries
        async with self.context(READER) as ctx:
            await review_queries.store_review(ctx, pull, entries)


@asynccontextmanager
async def holding(
    database: Database, job: Job, *, is_patient: bool = False
) -> AsyncIterator[HeldPull | None]:
    """Hold a pull request; None if there is nothing to review. A rate limit of the host is a wait.

    With `is_patient`, a commit that is still to be sent is waited for.
    """
    work = await hold(database, job, is_patient=is_patient)
    if work is None:
        yield None
        return
    try:
        yield work
    except HostBusy as busy:
        raise Postponed(busy.wait) from busy
    except (HostRefused, Malformed, PlanInactive) as refusal:
        async with work.context(READER) as ctx:
            await review_queries.set_review_error(ctx, work.repository.id, f"Reviews stopped: {refusal}")
    finally:
        async with work.context(READER) as ctx:
            await review_queries.let_go(ctx, work.pull)


async def hold(database: Database, job: Job, *, is_patient: bool) -> HeldPull | None:
    async with job_context(database, job.payload, READER) as ctx:
        repository = await queries.find_repository(ctx, job.payload["repository"])
        host = await queries.find_code_host(ctx.tx, repository.code_host_id) if repository else None
        if repository is None or host is None or repository.kind not in REVIEWS:
            return None
        change = await review_queries.find_latest_change(ctx, repository.id, job.payload["number"])
        # The job that sends a commit begins a review when it has ended.
        if change is None or (change.status == "waiting" and not is_patient):
            return None
        task = await task_of_change(ctx, change)
        pull = await hold_when_read(ctx, change, task)
        readers = await queries.list_by_remote_id(ctx.tx, repository.code_host_id, repository.remote_id)
        slug = ctx.bot.slug if len(readers) > 1 else None
        bot = Bot(str(ctx.bot.id), ctx.bot.name, ctx.bot.slug)
    return HeldPull(
        database, job.payload, repository, host, bot, change, task, slug, pull, entries=pull.drafts
    )


async def hold_when_read(ctx: Ctx, change: RepositoryChange, task: Task | None) -> ReviewedPull:
    """The row of a pull request, for this job alone; postpones the job while others work on it."""
    if change.status == "waiting" or (task is not None and task.status not in ("completed", "failed")):
        raise Postponed(limits.PULL_REVIEW_DELAY)
    pull = await review_queries.hold_pull(ctx, change, secrets.token_hex(MARKER_BYTES))
    if pull is None:
        raise Postponed(limits.PULL_REVIEW_DELAY)
    return pull


async def task_of_change(ctx: Ctx, change: RepositoryChange) -> Task | None:
    """The task of a commit; None if it has none, or if the task was deleted."""
    try:
        return await find_task(ctx, [ctx.bot], change.task_id) if change.task_id else None
    except NotFound:
        return None


async def read_state(work: HeldPull) -> ReviewState:
    """The numbered drafts, and the new ones after them."""
    task, url = work.task, work.pull.url
    async with work.context(READER) as ctx, ctx.tx.transaction():
        drafts = [await numbered(ctx, entry, url) for entry in work.entries]
        known_ids = {item.entry.id for item in drafts if item}
        waiting = [row.id for row in await list_waiting_drafts(ctx, url)]
        new_ids = [draft_id for draft_id in waiting if draft_id not in known_ids]
        for number, draft_id in enumerate(new_ids, len(drafts) + 1):
            if number <= limits.MAX_NUMBERED_DRAFTS:
                drafts.append(await numbered(ctx, ShownDraft(number, draft_id), url))
        places = await list_task_places(ctx, task.id) if task else []
    has_failed = work.change.status == "failed" or (task is not None and task.status == "failed")
    return ReviewState(
        [item for item in drafts if item],
        [place for place in places if place.status == "open"],
        error="the pull request could not be read" if has_failed else None,
        note=work.change.message,
    )


async def numbered(ctx: Ctx, entry: ShownDraft, url: str) -> NumberedDraft | None:
    """The draft of a number, or the one of the same change that has replaced it; None if it was erased."""
    try:
        detail = await get_draft(ctx, entry.id)
        for _ in range(MAX_REPLACEMENTS):
            if detail.draft.replaced_by is None:
                break
            successor = await get_draft(ctx, detail.draft.replaced_by)
            if successor.draft.source_url != url:
                break
            detail = successor
    except NotFound:
        return None
    return NumberedDraft(replace(entry, id=detail.id), detail)


def entries_after(
    before: Sequence[ShownDraft], state: ReviewState, written_at: datetime | None
) -> list[ShownDraft]:
    """The entries as a comment written at that time shows them; without a comment, none can be approved."""
    digests = {draft.number: draft.digest for draft in before}
    after = {draft.number: draft for draft in before}
    for item in state.drafts:
        number, digest = item.entry.number, item.seen_digest if written_at else ""
        is_same = digest == digests.get(number)
        since = item.entry.since if is_same or not written_at else written_at.isoformat()
        after[number] = replace(item.entry, digest=digest, since=since)
    return list(after.values())
