"""The jobs of reviews in pull requests: keep one comment and one status up to date, and run commands."""

import hashlib
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime

import structlog

from instep.client.ci.report import dashboard_page
from instep.client.ci.shapes import Bot
from instep.drafting.drafts.actions import apply_draft, dismiss_draft, get_draft
from instep.drafting.drafts.pending import DraftNotPending, ProposalChanged, find_draft
from instep.drafting.drafts.previews import create_preview, list_previews, preview_token
from instep.drafting.drafts.releasing import list_waiting_drafts, release_seen
from instep.drafting.drafts.schemas import DraftApply, DraftDismiss
from instep.drafting.places.actions import list_task_places
from instep.drafting.tasks.actions import find_task
from instep.drafting.tasks.schemas import Task
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError, InvalidState, NotFound, PlanInactive
from instep.platform.core.jobs import Job, Postponed
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.restarts import restartable
from instep.platform.core.secret_keys import secret_key
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Ctx
from instep.platform.text.characters import shorten
from instep.platform.web.bodies import body_from
from instep.transfer.repositories import queries, review_queries
from instep.transfer.repositories.host_access import open_api
from instep.transfer.repositories.host_credentials import open_credentials
from instep.transfer.repositories.hosts.host_json import Malformed
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostApi, HostBusy, HostRefused
from instep.transfer.repositories.hosts.host_reviews import REVIEWS
from instep.transfer.repositories.intake import review_soon
from instep.transfer.repositories.pull_commands import PullCommand, read_command
from instep.transfer.repositories.pull_text import (
    HELP,
    CommentFrame,
    NumberedDraft,
    ReviewState,
    command_word,
    comment_of,
)
from instep.transfer.repositories.schemas import (
    CodeHost,
    PullRequest,
    PullStatus,
    Repository,
    RepositoryChange,
    ReviewedPull,
    ShownDraft,
    WrittenComment,
)

log = structlog.get_logger("instep.repositories")

READER = Actor("task", "Instep", can_write=False, channel="job")
MARKER_BYTES = 16
# A draft that was replaced is followed this often.
MAX_REPLACEMENTS = 50
NO_ACCESS = "Only people who can write to this repository can use commands: nothing was changed."
NO_ANSWER = "{host} does not let Instep see who can write to this repository: nothing was changed."
NO_DRAFT = "There is no draft {number}."
DECIDED = "Draft {number} is already decided."
TOO_LONG = "The comment does not show the whole text of draft {number}: approve it on its page."
CHANGED = (
    "Draft {number} has changed since you read it and was not approved: read it again, then repeat the"
    " command."
)
NOT_READ = (
    "The merged commit was not read or needs no edit, so nothing that was approved here goes live by itself:"
    " decide in Instep."
)


@dataclass(frozen=True, slots=True)
class HeldPull:
    """A pull request that this job alone works on."""

    repository: Repository
    host: CodeHost
    bot: Bot
    change: RepositoryChange
    task: Task | None
    pull: ReviewedPull
    # The help center's slug if others read the same repository, so that commands have to name it.
    slug: str | None


async def review_pull(database: Database, client: OutboundClient, job: Job) -> None:
    """Bring the comment and the status of a pull request up to date, and apply what its merge releases."""
    async with holding(database, job) as work:
        if work is not None:
            await PullReview(database, client, job, work).look()


async def run_pull_commands(database: Database, client: OutboundClient, job: Job) -> None:
    """Run the commands of a comment, if its author has write access now, and answer them."""
    async with holding(database, job, is_patient=True) as work:
        if work is not None:
            async with database.enter_workspace(work.host.workspace_id) as tx:
                await review_soon(tx, work.repository, work.pull.number)
            await PullReview(database, client, job, work).run_commands()


@asynccontextmanager
async def holding(
    database: Database, job: Job, *, is_patient: bool = False
) -> AsyncIterator[HeldPull | None]:
    """Hold a pull request; None if there is nothing to review. A rate limit of the host is a wait.

    With `is_patient`, a commit that is still to be sent is waited for.
    """
    async with job_context(database, job.payload, READER) as ctx:
        work = await hold(ctx, job, is_patient=is_patient)
    if work is None:
        yield None
        return
    try:
        yield work
    except HostBusy as busy:
        raise Postponed(busy.wait) from busy
    except (HostRefused, Malformed, PlanInactive) as refusal:
        async with job_context(database, job.payload, READER) as ctx:
            await review_queries.set_review_error(ctx, work.repository.id, f"Reviews stopped: {refusal}")
    finally:
        async with job_context(database, job.payload, READER) as ctx:
            await review_queries.let_go(ctx, work.pull)


async def hold(ctx: Ctx, job: Job, *, is_patient: bool) -> HeldPull | None:
    repository = await queries.find_repository(ctx, job.payload["repository"])
    host = await queries.find_code_host(ctx.tx, repository.code_host_id) if repository else None
    if repository is None or host is None or repository.kind not in REVIEWS:
        return None
    change = await review_queries.find_latest_change(ctx, repository.id, job.payload["number"])
    # The job that sends a commit begins a review when it has ended.
    if change is None or (change.status == "waiting" and not is_patient):
        return None
    task = await task_of_change(ctx, change)
    if change.status == "waiting" or (task is not None and task.status not in ("completed", "failed")):
        raise Postponed(limits.PULL_REVIEW_DELAY)
    pull = await review_queries.hold_pull(ctx, change, secrets.token_hex(MARKER_BYTES))
    if pull is None:
        raise Postponed(limits.PULL_REVIEW_DELAY)
    readers = await queries.list_by_remote_id(ctx.tx, repository.code_host_id, repository.remote_id)
    slug = ctx.bot.slug if len(readers) > 1 else None
    return HeldPull(
        repository, host, Bot(str(ctx.bot.id), ctx.bot.name, ctx.bot.slug), change, task, pull, slug
    )


async def task_of_change(ctx: Ctx, change: RepositoryChange) -> Task | None:
    """The task of a commit; None if it has none, or if it is gone."""
    try:
        return await find_task(ctx, [ctx.bot], change.task_id) if change.task_id else None
    except NotFound:
        return None


class PullReview:
    """One look at a pull request."""

    def __init__(self, database: Database, client: OutboundClient, job: Job, work: HeldPull) -> None:
        self.database, self.client, self.payload, self.work = database, client, job.payload, work
        self.repository, self.pull = work.repository, work.pull
        self.host_name, self.form = FORMS[work.host.kind].name, REVIEWS[work.host.kind]
        self.entries: Sequence[ShownDraft] = work.pull.drafts

    async def look(self) -> None:
        api = await open_api(self.client, self.work.host, self.repository.installation_id)
        request = await FORMS[self.work.host.kind].find_pull_request(
            api, self.repository.name, self.pull.number
        )
        state = await restartable(self.read_state)
        obstacle = None
        approved = {
            item.detail.id: item.detail.draft.text_digest for item in state.drafts if item.is_approved_here
        }
        if request.is_merged and approved:
            if self.is_read(request):
                await restartable(lambda: self.go_live(approved))
                state = await restartable(self.read_state)
            else:
                obstacle = NOT_READ
        error = None
        try:
            await self.write_comment(api, state, obstacle)
            await self.write_status(api, request, state)
        except HostRefused as refusal:
            error = (
                f"{self.host_name} refuses a comment or a status (status {refusal.status}):"
                " the token or app lacks the permission to write it."
            )
        async with self.context(READER) as ctx:
            await review_queries.set_review_error(ctx, self.repository.id, error)

    def is_read(self, request: PullRequest) -> bool:
        """True if the drafts are those of the commit that was merged."""
        task, change = self.work.task, self.work.change
        return change.head == request.head and task is not None and task.status == "completed"

    def context(self, actor: Actor) -> AbstractAsyncContextManager[Ctx]:
        return job_context(self.database, self.payload, actor)

    @property
    def host_actor(self) -> Actor:
        return Actor("task", self.host_name, can_write=True, id=self.repository.id, channel="job")

    async def read_state(self) -> ReviewState:
        """The drafts under their numbers, which never change, and the new ones after them."""
        task = self.work.task
        async with self.context(READER) as ctx, ctx.tx.transaction():
            drafts = [await numbered(ctx, entry, self.pull.url) for entry in self.entries]
            known_ids = {item.entry.id for item in drafts if item}
            waiting = [row.id for row in await list_waiting_drafts(ctx, self.pull.url)]
            new_ids = [draft_id for draft_id in waiting if draft_id not in known_ids]
            for number, draft_id in enumerate(new_ids, len(drafts) + 1):
                if number <= limits.MAX_NUMBERED_DRAFTS:
                    drafts.append(await numbered(ctx, ShownDraft(number, draft_id), self.pull.url))
            places = await list_task_places(ctx, task.id) if task else []
        has_failed = self.work.change.status == "failed" or (task is not None and task.status == "failed")
        return ReviewState(
            [item for item in drafts if item],
            [place for place in places if place.status == "open"],
            error="the pull request could not be read" if has_failed else None,
            note=self.work.change.message,
        )

    async def go_live(self, approved: Mapping[str, str]) -> None:
        async with self.context(self.host_actor) as ctx, ctx.tx.transaction():
            await release_seen(ctx, self.pull.url, approved)

    async def write_comment(self, api: HostApi, state: ReviewState, obstacle: str | None) -> None:
        """Write the comment if it differs; commands that are later by the host's clock mean what it shows."""
        if not self.repository.comments:
            await self.store(entries_after(self.entries, state, None))
            return
        is_needed = bool(state.drafts or state.places)
        frame = await restartable(lambda: self.frame_of(state, obstacle))
        text = f"<!-- instep {self.pull.marker} -->\n{comment_of(frame, state)}"
        digest = digest_of(text, [(item.entry.id, item.seen_digest) for item in state.drafts])
        if digest == self.pull.comment_digest or not (is_needed or self.pull.comment_id):
            return
        written = await self.put_comment(api, text)
        self.pull = replace(self.pull, comment_id=written.id, comment_digest=digest)
        await self.store(entries_after(self.entries, state, written.written_at))

    async def put_comment(self, api: HostApi, text: str) -> WrittenComment:
        place = (api, self.repository.name, self.pull.number)
        comment_id = self.pull.comment_id
        if comment_id is None:
            comment_id = await self.form.find_comment(*place, f"<!-- instep {self.pull.marker} -->")
        if comment_id is not None:
            try:
                return await self.form.update_comment(*place, comment_id, text)
            except HostRefused as refusal:
                # Someone has deleted it.
                if refusal.status != 404:
                    raise
        return await self.form.create_comment(*place, text)

    async def frame_of(self, state: ReviewState, obstacle: str | None) -> CommentFrame:
        credentials = open_credentials(self.work.host)
        word = command_word(self.work.slug) if credentials and credentials.secret else None
        pending = [item.detail.id for item in state.drafts if item.standing in ("open", "approved")]
        preview_url = await self.find_preview(pending[0]) if pending else None
        return CommentFrame(settings().base_url, self.work.bot, self.host_name, preview_url, word, obstacle)

    async def find_preview(self, draft_id: str) -> str | None:
        """The address of a link that shows the drafts before they are live; None if there are too many."""
        async with self.context(self.host_actor) as ctx, ctx.tx.transaction():
            try:
                if not await list_own_previews(ctx, draft_id):
                    await create_preview(ctx, draft_id, shows_source=True)
            except InvalidState:
                return None
            preview_id = (await list_own_previews(ctx, draft_id))[0]
        return f"{settings().base_url}/preview/{preview_token(secret_key(settings()), preview_id)}"

    async def write_status(self, api: HostApi, request: PullRequest, state: ReviewState) -> None:
        """Give the head commit its status; one that blocks nothing is given only if it says something."""
        mode = self.repository.status_mode
        says_something = bool(state.drafts or state.places or state.error)
        if mode == "off" or request.is_abandoned or not (says_something or mode == "required"):
            return
        status = PullStatus(
            f"Instep ({self.work.bot.slug})",
            state.title,
            dashboard_page(settings().base_url, self.work.bot, "review"),
            is_decided=state.is_decided,
            is_required=mode == "required",
        )
        digest = digest_of(request.head, asdict(status))
        if digest != self.pull.status_digest:
            await self.form.put_status(api, self.repository.name, request.head, status)
            self.pull = replace(self.pull, status_digest=digest)
            await self.store(self.entries)

    async def store(self, entries: Sequence[ShownDraft]) -> None:
        self.entries = entries
        async with self.context(READER) as ctx:
            await review_queries.store_review(ctx, self.pull, entries)

    async def run_commands(self) -> None:
        """Run the commands of the comment that the job brings; refusals are answered by another comment."""
        payload = self.payload
        api = await open_api(self.client, self.work.host, self.repository.installation_id)
        sent_at = datetime.fromisoformat(payload["sent_at"])
        author = payload["author"]
        refusal = await self.refuse(api)
        if refusal is not None:
            log.info("pull_command_refused", repository=self.repository.id, author=author)
            answers = [refusal]
        else:
            actor = Actor("person", f"{author} at {self.host_name}", can_write=True, channel="job")
            answers = []
            for line in payload["lines"]:
                answers += [
                    f"`{without_ticks(line)}`: {answer}"
                    for answer in await self.run(read_command(line), actor, sent_at)
                ]
        if answers:
            await self.form.create_comment(api, self.repository.name, self.pull.number, "\n\n".join(answers))

    async def refuse(self, api: HostApi) -> str | None:
        """The reason that the author of the commands may not run them; None if they may."""
        try:
            may_write = await self.form.can_write(api, self.repository.name, self.payload["author_key"])
        except HostRefused:
            return NO_ANSWER.format(host=self.host_name)
        return None if may_write else NO_ACCESS

    async def run(self, command: PullCommand, actor: Actor, sent_at: datetime) -> list[str]:
        """Run one command; sentences about what was not done."""
        if command.verb in ("help", "unknown"):
            return [HELP.format(word=command_word(self.work.slug))]
        numbers = command.numbers or await self.open_numbers()
        act = self.approve if command.verb == "apply" else self.dismiss
        answers = [await self.attempt(act, command, number, actor, sent_at) for number in numbers]
        return [answer for answer in answers if answer]

    async def open_numbers(self) -> list[int]:
        state = await restartable(self.read_state)
        return [item.entry.number for item in state.drafts if item.standing == "open"]

    async def attempt(
        self, act: "Act", command: PullCommand, number: int, actor: Actor, sent_at: datetime
    ) -> str | None:
        entry = next((draft for draft in self.entries if draft.number == number), None)
        if entry is None:
            return NO_DRAFT.format(number=number)
        if entry.since and sent_at <= datetime.fromisoformat(entry.since):
            return CHANGED.format(number=number)

        async def once() -> ShownDraft:
            async with self.context(actor) as ctx, ctx.tx.transaction():
                return await act(ctx, entry, command)

        try:
            after = await restartable(once)
        except DraftNotPending:
            return DECIDED.format(number=number)
        except ProposalChanged:
            return CHANGED.format(number=number)
        except TooLong:
            return TOO_LONG.format(number=number)
        except AppError as refusal:
            return f"Draft {number}: {refusal.message}"
        self.entries = [after if draft.number == number else draft for draft in self.entries]
        return None

    async def approve(self, ctx: Ctx, entry: ShownDraft, command: PullCommand) -> ShownDraft:
        if not entry.digest:
            raise TooLong
        await apply_draft(ctx, entry.id, body_from(DraftApply, {"when": "release"}), seen=entry.digest)
        # An approval merges what has changed in the article since.
        approved = replace(entry, approved=(await find_draft(ctx, entry.id)).text_digest)
        await self.store_in(ctx, approved)
        return approved

    async def dismiss(self, ctx: Ctx, entry: ShownDraft, command: PullCommand) -> ShownDraft:
        await dismiss_draft(ctx, entry.id, body_from(DraftDismiss, command.reasons))
        return entry

    async def store_in(self, ctx: Ctx, after: ShownDraft) -> None:
        entries = [after if draft.number == after.number else draft for draft in self.entries]
        await review_queries.store_review(ctx, self.pull, entries)


class TooLong(Exception):
    """The comment does not show the whole proposal, so that nobody can approve it there."""


Act = Callable[[Ctx, ShownDraft, PullCommand], Awaitable[ShownDraft]]


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


async def list_own_previews(ctx: Ctx, draft_id: str) -> list[str]:
    """The ids of the links that a review has made for all drafts of the source."""
    previews = await list_previews(ctx, draft_id)
    return [row.id for row in previews if row.draft_id is None and row.author_name == ctx.actor.name]


def digest_of(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def without_ticks(line: str) -> str:
    """A line of a comment inside of backticks, where nothing else has a meaning."""
    return shorten(line.replace("`", "'"), limits.MAX_QUOTED_COMMAND_CHARACTERS)
