"""The jobs of repositories: send a pull request as a task, and poll for changes without a delivery."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any

import structlog

from instep.accounts.language_model.choosing import NO_MODELS, LanguageModels
from instep.drafting.drafts.withdrawal import dismiss_abandoned
from instep.drafting.places.storing import dismiss_abandoned_places
from instep.drafting.tasks import actions as tasks
from instep.drafting.tasks.schemas import ReadTask, TaskCreate
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidRequest, RateLimited
from instep.platform.core.jobs import Job, Postponed, defer, schedule_next, schedule_recurring
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Ctx
from instep.platform.text.characters import in_one_line, replace_unstorable, shorten
from instep.platform.web.errors import body_from
from instep.transfer.repositories import queries, review_queries
from instep.transfer.repositories.host_access import open_api
from instep.transfer.repositories.host_people import find_member
from instep.transfer.repositories.hosts.host_json import Malformed
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostApi, HostBusy, HostFailed, HostRefused
from instep.transfer.repositories.intake import review_soon, take_in
from instep.transfer.repositories.pull_context import ContextReader
from instep.transfer.repositories.pull_filters import ABANDONED, ChosenDiff, choose_files, reason_to_ignore
from instep.transfer.repositories.releases import release_approved
from instep.transfer.repositories.schemas import (
    CHECK_REPOSITORY,
    REVIEW_PULL,
    ChangeStatus,
    CodeHost,
    PullRequest,
    Repository,
    RepositoryChange,
)

log = structlog.get_logger("instep.repositories")

POLL_REPOSITORIES = "poll_repositories"
POLL_REPOSITORY = "poll_repository"
POLL_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class NewTask:
    """The task of a change, and the part of its context that could not be read, in words."""

    read: ReadTask
    message: str | None


@dataclass(frozen=True, slots=True)
class NoTask:
    """The outcome of a change without a new task."""

    status: ChangeStatus
    message: str | None
    # The task that the change already has.
    task_id: str | None = None
    # True if its drafts must leave the review queue.
    is_abandoned: bool = False


@dataclass(frozen=True, slots=True)
class WaitingChange:
    """A waiting change, with its repository and code host."""

    change: RepositoryChange
    repository: Repository
    host: CodeHost


def sender_of(repository: Repository) -> Actor:
    """The sender of a repository's tasks, which are counted together, like those of an API key."""
    name = FORMS[repository.kind].name
    return Actor("task", name, can_write=False, id=repository.id, channel="job", can_propose=True)


POLLER = Actor("task", "Instep", can_write=False, channel="job", can_propose=True)


async def send_pull_request(
    database: Database, client: OutboundClient, job: Job, models: LanguageModels = NO_MODELS
) -> None:
    """Create a task for the current state of a pull request, or record why there is none.

    The task and its record are created in one transaction, so that a crash causes no duplicates.
    """
    async with job_context(database, job.payload, POLLER) as ctx:
        work = await find_work(ctx, job.payload["change"])
        has_model = await models.has_model(ctx, "drafts")
    if work is None:
        return
    try:
        outcome = await read_change(database, client, work, has_model)
    except HostBusy as busy:
        name = FORMS[work.host.kind].name
        until = f"{utc_now() + busy.wait:%H:%M}"
        await note(
            database, job, f"{name} is limiting requests: the pull request will be sent after {until} UTC."
        )
        raise Postponed(busy.wait) from busy
    except HostRefused as refusal:
        outcome = NoTask("failed", refusal.message)
    except HostFailed as failure:
        await note(database, job, f"{failure.message} It will be tried again.")
        raise
    except Malformed as error:
        outcome = NoTask(
            "failed", f"{FORMS[work.host.kind].name}'s description of the pull request lacks `{error}`."
        )
    await record_outcome(database, job, work.repository, outcome)


async def give_up_change(database: Database, job: Job) -> None:
    """Record that all attempts to read a change failed; the next poll or delivery tries again."""
    async with job_context(database, job.payload, POLLER) as ctx:
        message = "The code host did not respond in several attempts."
        await queries.settle_change(ctx, job.payload["change"], "failed", message)


async def find_work(ctx: Ctx, change_id: str) -> WaitingChange | None:
    change = await queries.lock_waiting(ctx, change_id)
    repository = await queries.find_repository(ctx, change.repository_id) if change else None
    host = await queries.find_code_host(ctx.tx, repository.code_host_id) if repository else None
    # A job that commits to the branch says afterwards that the commit is its own.
    if change and repository and repository.docs_folder and await review_queries.is_held(ctx, change):
        raise Postponed(limits.PULL_REVIEW_DELAY)
    return WaitingChange(change, repository, host) if change and repository and host else None


async def read_change(
    database: Database, client: OutboundClient, work: WaitingChange, has_model: bool
) -> NewTask | NoTask:
    """The task of a change, based on the host's current state and not on the delivery."""
    change, repository = work.change, work.repository
    api, form = await open_api(client, work.host, repository.installation_id), FORMS[work.host.kind]
    pull_request = await form.find_pull_request(api, repository.name, change.number)
    if pull_request.is_abandoned:
        return NoTask("ignored", ABANDONED, is_abandoned=True)
    if change.task_id is not None:
        # It was reopened before its drafts were withdrawn.
        return NoTask("sent", None, change.task_id)
    if pull_request.head != change.head:
        async with database.enter_workspace(work.host.workspace_id) as tx, tx.transaction():
            await take_in(tx, repository, pull_request, is_approval=False)
        return NoTask("ignored", "Newer commits replaced it.")
    reason = reason_to_ignore(repository, pull_request, change.is_approved)
    if reason is not None:
        return NoTask("ignored", reason)
    diff = await form.fetch_diff(api, repository.name, change.number)
    try:
        chosen = await run_with_timeout(
            choose_files, diff, repository.paths, seconds=limits.MAX_FILE_SELECTION_SECONDS
        )
        reader = ContextReader(api, form, repository.name, f"{work.host.url}/{repository.name}")
        context = await reader.read(pull_request, chosen.text) if has_model and chosen.files else {}
        author = await find_author(database, api, work, pull_request)
        return await task_of(pull_request, author, chosen, context, reader.failures)
    except TimeLimitExceeded:
        return NoTask("failed", "The diff takes too much time or memory to read.")
    except InvalidRequest as error:
        return NoTask("failed", error.message)


async def find_author(
    database: Database, api: HostApi, work: WaitingChange, pull_request: PullRequest
) -> str | None:
    """The email address of the member who opened it, or else of the last commit's author; None if unknown."""
    repository = work.repository
    payload = {"workspace": work.host.workspace_id, "bot": str(repository.bot_id)}
    async with job_context(database, payload, POLLER) as ctx:
        member = await find_member(ctx, work.host.id, pull_request.author or "")
    if member is not None:
        return member.email
    form = FORMS[work.host.kind]
    try:
        email = replace_unstorable(await form.find_author(api, repository.name, pull_request.head))
    except (HostRefused, Malformed):
        return None
    return email if len(email) <= limits.MAX_EMAIL_CHARACTERS else None


async def task_of(
    pull_request: PullRequest,
    author: str | None,
    chosen: ChosenDiff,
    context: Mapping[str, Any],
    failures: Sequence[str],
) -> NewTask | NoTask:
    if not chosen.files:
        is_outside = chosen.outside and not chosen.left_out
        return NoTask(
            "unaffected",
            "No changed file matches the paths of this repository."
            if is_outside
            else "It only changes files that articles don't describe, such as lock files.",
        )
    title = shorten(in_one_line(replace_unstorable(pull_request.title)), limits.MAX_TITLE_CHARACTERS)
    change = {
        "kind": "pr",
        "title": title or f"#{pull_request.number}",
        "url": pull_request.url,
        "diff": chosen.text,
        "body": replace_unstorable(pull_request.body or "")[: limits.MAX_CHANGE_BODY_CHARACTERS],
        "labels": labels_of(pull_request),
        "branch": pull_request.branch[: limits.MAX_BRANCH_CHARACTERS],
        **({"context": context} if context else {}),
        **({"author": author} if author else {}),
    }
    read = await tasks.read_task(body_from(TaskCreate, {"change": change}))
    missing = f"Sent without all that the model could read. {failures[0]}" if failures else None
    return NewTask(read, missing)


def labels_of(pull_request: PullRequest) -> list[str]:
    """The labels that a task can have."""
    labels = map(replace_unstorable, pull_request.labels)
    return [label for label in labels if 0 < len(label) <= limits.MAX_LABEL_CHARACTERS][: limits.MAX_LABELS]


async def record_outcome(
    database: Database, job: Job, repository: Repository, outcome: NewTask | NoTask
) -> None:
    try:
        is_abandoned = isinstance(outcome, NoTask) and outcome.is_abandoned
        sender = replace(sender_of(repository), can_write=is_abandoned)
        async with job_context(database, job.payload, sender) as ctx, ctx.tx.transaction():
            change = await queries.lock_waiting(ctx, job.payload["change"])
            if change is None:
                return
            if isinstance(outcome, NoTask):
                task_id = outcome.task_id
                await queries.settle_change(ctx, change.id, outcome.status, outcome.message, task_id)
            else:
                task = await tasks.create_task(ctx, outcome.read)
                await queries.settle_change(ctx, change.id, "sent", outcome.message, task.id)
            if is_abandoned:
                await dismiss_abandoned(ctx, change.url)
                await dismiss_abandoned_places(ctx, change.url)
            await review_soon(ctx.tx, repository, change.number)
    except RateLimited as limit:
        wait = timedelta(seconds=int(limit.headers["Retry-After"]))
        await note(
            database, job, "This hour's tasks are used up: the pull request will be sent in the next hour."
        )
        raise Postponed(wait) from limit


async def note(database: Database, job: Job, message: str) -> None:
    """Record what a change is waiting for."""
    async with job_context(database, job.payload, POLLER) as ctx:
        await queries.settle_change(ctx, job.payload["change"], "waiting", message)


async def schedule_polls(database: Database) -> None:
    """Schedule the next check for due polls in a minute, once for all processes."""
    await schedule_recurring(database, POLL_REPOSITORIES, POLL_EVERY)


async def poll_repositories(database: Database, job: Job) -> None:
    """Create a job for each repository whose poll or check is due, and for each changed review."""
    await schedule_next(partial(schedule_polls, database))
    async with database.enter_workspace("") as tx, tx.transaction():
        polls = [(POLL_REPOSITORY, due) for due in await queries.repositories_to_poll(tx)]
        checks = [(CHECK_REPOSITORY, due) for due in await queries.repositories_to_check(tx)]
        for kind, due in [*polls, *checks]:
            payload = {"workspace": due.workspace_id, "bot": str(due.bot_id), "repository": due.id}
            await defer(tx, kind, payload, dedupe=due.id)
        for pull in await review_queries.pulls_to_review(tx):
            ids = {"workspace": pull.workspace_id, "bot": str(pull.bot_id), "repository": pull.repository_id}
            dedupe = f"{pull.repository_id} {pull.number}"
            await defer(tx, REVIEW_PULL, {**ids, "number": pull.number}, dedupe=dedupe)


async def poll_repository(database: Database, client: OutboundClient, job: Job) -> None:
    """Store the pull requests that changed since the last poll; the repository's page shows errors."""
    began, error = utc_now(), None
    async with job_context(database, job.payload, POLLER) as ctx:
        repository = await queries.find_repository(ctx, job.payload["repository"])
        host = await queries.find_code_host(ctx.tx, repository.code_host_id) if repository else None
    if repository is None or host is None:
        return
    try:
        await catch_up(database, client, host, repository)
    except HostBusy:
        # The next poll covers this one's time range too.
        return
    except (HostRefused, HostFailed) as failure:
        error = failure.message
    except Malformed as malformed:
        error = f"{FORMS[host.kind].name}'s list of pull requests lacks `{malformed}`."
    async with job_context(database, job.payload, POLLER) as ctx:
        await queries.record_poll(ctx, repository.id, None if error else began, error)
        await queries.prune_changes(ctx, repository.id)
        await review_queries.prune_reviews(ctx, repository.id)


async def catch_up(
    database: Database, client: OutboundClient, host: CodeHost, repository: Repository
) -> None:
    api, form = await open_api(client, host, repository.installation_id), FORMS[host.kind]
    remote = await form.find_repository(api, repository.name)
    async with database.enter_workspace(host.workspace_id) as tx:
        await queries.set_remote(tx, host.id, remote)
    repository = replace(repository, name=remote.name, default_branch=remote.default_branch)
    since = (repository.polled_until or utc_now()) - limits.REPOSITORY_POLL_WINDOW
    await release_approved(database, api, host.workspace_id, repository, since)
    async for pull_request in form.list_updated(api, repository.name, since):
        is_approval = await asks_approval(api, repository, pull_request)
        async with database.enter_workspace(host.workspace_id) as tx, tx.transaction():
            await take_in(tx, repository, pull_request, is_approval)


async def release_of_repository(database: Database, client: OutboundClient, job: Job) -> None:
    """Apply the contents of a release that the host announced; the next poll covers what this misses."""
    async with job_context(database, job.payload, POLLER) as ctx:
        repository = await queries.find_repository(ctx, job.payload["repository"])
        host = await queries.find_code_host(ctx.tx, repository.code_host_id) if repository else None
    if repository is None or host is None:
        return
    since = (repository.polled_until or utc_now()) - limits.REPOSITORY_POLL_WINDOW
    try:
        api = await open_api(client, host, repository.installation_id)
        await release_approved(database, api, host.workspace_id, repository, since)
    except HostBusy as busy:
        raise Postponed(busy.wait) from busy
    except (HostRefused, Malformed) as error:
        log.info("release_not_read", repository=repository.id, reason=str(error))


async def asks_approval(api: HostApi, repository: Repository, pull_request: PullRequest) -> bool:
    """Request the reviews of an open pull request, if they decide whether it is sent."""
    if repository.moment != "approved" or not pull_request.is_open or pull_request.is_draft:
        return False
    return await FORMS[repository.kind].is_approved(api, repository.name, pull_request.number)
