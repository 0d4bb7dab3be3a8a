"""The parts of a long-running process: PostgreSQL, an up-to-date schema, the pool, jobs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import structlog

from instep.accounts.language_model.choosing import LanguageModels
from instep.accounts.people.forgotten import SEND_RESET_LINK, send_reset_link
from instep.accounts.workspaces.jobs import CHECK_DOMAINS, check_domains, schedule_domain_checks
from instep.content.articles.due import ANNOUNCE_DUE, announce_due, schedule_due_alerts
from instep.content.articles.following import FOLLOW_TRANSLATIONS
from instep.content.articles.jobs import RENDER_TEXTS, render_texts, schedule_rendering, show_part
from instep.content.files.actions import SWEEP_FILES
from instep.content.files.jobs import schedule_sweep, sweep_files
from instep.content.files.storage import open_storages
from instep.content.parts.actions import SHOW_PART
from instep.drafting.drafts.digest import SEND_REVIEW_DIGEST, send_review_digest
from instep.drafting.drafts.email_digest import SEND_DIGESTS, schedule_digests, send_digests
from instep.drafting.tasks.actions import RUN_TASK
from instep.drafting.tasks.jobs import give_up, run_task
from instep.drafting.translations.jobs import follow_translations
from instep.drafting.translations.missing_jobs import translate_article
from instep.drafting.translations.missing_translations import TRANSLATE_ARTICLE
from instep.notifications.alerts.actions import SEND_ALERT
from instep.notifications.alerts.jobs import AlertSender
from instep.notifications.webhooks.sender import Sender
from instep.operations.backups.jobs import BACK_UP, back_up, keep_erasures, schedule_backups
from instep.operations.ops.prune import PRUNE, prune, schedule_prune
from instep.operations.ops.traces import exporting_traces
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.crypto import key_ring
from instep.platform.core.database import Database
from instep.platform.core.embedded import DatabaseUnavailable, EmbeddedPostgres
from instep.platform.core.errors import Unavailable
from instep.platform.core.jobs import Handler, Worker
from instep.platform.core.memory import returning_freed_memory
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.outbound.dns_texts import find_texts
from instep.platform.core.postgres import application_url, replica_url, running_postgres
from instep.platform.core.replica import Replica
from instep.platform.core.secret_keys import secret_key
from instep.platform.core.settings import Settings
from instep.platform.email.outgoing import SEND_EMAIL, deliver_email
from instep.platform.llm.embedding import NO_EMBEDDERS, Embedders
from instep.platform.llm.factory import open_embedders, open_model
from instep.platform.llm.protocol import Model
from instep.platform.migrations import migrate
from instep.search.jobs import (
    EMBED_ARTICLES,
    STORE_INDEXES,
    embed_articles,
    schedule_embedding,
    schedule_indexes,
    store_indexes,
)
from instep.search.semantic.query_embedder import query_embedder
from instep.search.shared_indexes import share_indexes
from instep.transfer.api_references.actions import UPDATE_API_REFERENCE
from instep.transfer.api_references.jobs import update_api_reference
from instep.transfer.imports.actions import RUN_IMPORT
from instep.transfer.imports.jobs import give_up_import, run_import
from instep.transfer.repositories.drift_jobs import check_repository, give_up_check
from instep.transfer.repositories.jobs import (
    POLL_REPOSITORIES,
    POLL_REPOSITORY,
    give_up_change,
    poll_repositories,
    poll_repository,
    release_of_repository,
    schedule_polls,
    send_pull_request,
)
from instep.transfer.repositories.pull_reviews import review_pull, run_pull_commands
from instep.transfer.repositories.schemas import (
    CHECK_REPOSITORY,
    RELEASE_DRAFTS,
    REVIEW_PULL,
    RUN_PULL_COMMANDS,
    SEND_PULL_REQUEST,
)
from instep.visitors.insights.jobs import draft_gap
from instep.visitors.insights.schemas import DRAFT_GAP
from instep.visitors.privacy.visitor_data import KEEP_ERASURES
from instep.visitors.subscriptions.jobs import SEND_NEWS, schedule_news, send_news

log = structlog.get_logger()

WATCH_SECONDS = 0.5
SCHEDULE_RETRY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Runtime:
    """The resources of a process; `owner_url` is that of the database's owner, for backups."""

    settings: Settings
    database: Database
    cursor_key: bytes
    owner_url: str = ""
    model: Model | None = None
    outbound: OutboundClient | None = None
    embedders: Embedders = NO_EMBEDDERS
    replica: Replica | None = None


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Runtime]:
    """Open the resources of a process, and close them at the end."""
    postgres_context = running_postgres(settings)
    postgres = await asyncio.to_thread(postgres_context.__enter__)
    try:
        await asyncio.to_thread(migrate, postgres.url)
        url = await asyncio.to_thread(application_url, postgres)
        database = Database(url, settings.database_pool)
        await database.open()
        background = asyncio.gather(watch(postgres.embedded), returning_freed_memory())
        try:
            async with (
                exporting_traces(settings),
                open_model(settings) as model,
                aclosing(OutboundClient(settings.allow_list)) as outbound,
                open_embedders(settings) as embedders,
                open_replica(settings) as replica,
            ):
                share_indexes(settings)
                query_embedder.use(embedders)
                cursor_key = secret_key(settings)
                yield Runtime(
                    settings, database, cursor_key, postgres.url, model, outbound, embedders, replica
                )
        finally:
            background.cancel()
            # Unless it is awaited, each stop is in the log as an error.
            with suppress(asyncio.CancelledError):
                await background
            await database.close()
    finally:
        await asyncio.to_thread(postgres_context.__exit__, None, None, None)


@asynccontextmanager
async def open_replica(settings: Settings) -> AsyncIterator[Replica | None]:
    url = replica_url(settings)
    replica = Replica(url, settings.database_pool) if url else None
    if replica is not None:
        await replica.database.open()
    try:
        yield replica
    finally:
        if replica is not None:
            await replica.database.close()


async def watch(embedded: EmbeddedPostgres | None) -> None:
    """Restart the embedded server whenever it has crashed."""
    while embedded is not None:
        await asyncio.sleep(WATCH_SECONDS)
        try:
            await asyncio.to_thread(embedded.ensure_running)
        except DatabaseUnavailable:
            log.exception("the embedded database could not be restarted")


async def work(runtime: Runtime, stop: asyncio.Event) -> None:
    """Run jobs and send deliveries until `stop`."""
    assert runtime.outbound is not None, "a process that runs jobs has a client"
    sender = Sender(runtime.database, runtime.outbound, key_ring())
    worker = worker_of(
        runtime.database, runtime.outbound, runtime.model, runtime.embedders, runtime.owner_url
    )
    await asyncio.gather(worker.run(stop), sender.run(stop), schedule_jobs(runtime, stop))


async def schedule_jobs(runtime: Runtime, stop: asyncio.Event) -> None:
    """Schedule the recurring jobs, as soon as the database accepts them."""
    schedules: list[Callable[[Database], Awaitable[None]]]
    schedules = [schedule_prune, schedule_sweep, schedule_indexes, schedule_backups, schedule_rendering]
    schedules += [schedule_domain_checks, schedule_due_alerts, schedule_polls, schedule_digests]
    schedules += [schedule_news]
    if runtime.embedders.by_locales:
        schedules.append(partial(schedule_embedding, wait=timedelta()))
    for schedule in schedules:
        while not stop.is_set() and not await is_scheduled(runtime.database, schedule):
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), SCHEDULE_RETRY_SECONDS)


async def is_scheduled(database: Database, schedule: Callable[[Database], Awaitable[None]]) -> bool:
    try:
        await schedule(database)
    except Unavailable as outage:
        log.warning("a job waits to be scheduled", reason=outage.message)
        return False
    return True


def log_end(working: asyncio.Task[None]) -> None:
    """Log that jobs and deliveries have failed, because the server continues without them."""
    if not working.cancelled() and (error := working.exception()):
        log.error("jobs and deliveries have ended: restart this process", exc_info=error)


def worker_of(
    database: Database,
    outbound: OutboundClient,
    model: Model | None = None,
    embedders: Embedders = NO_EMBEDDERS,
    owner_url: str = "",
) -> Worker:
    models = LanguageModels(model, outbound)
    handlers: dict[str, Handler] = {
        RUN_TASK: partial(run_task, database, models=models),
        DRAFT_GAP: partial(draft_gap, database, models=models),
        TRANSLATE_ARTICLE: partial(translate_article, database, models=models),
        FOLLOW_TRANSLATIONS: partial(follow_translations, database, models=models),
        SEND_ALERT: AlertSender(database, outbound),
        SEND_EMAIL: partial(deliver_email, database),
        SEND_RESET_LINK: partial(send_reset_link, database),
        SEND_DIGESTS: partial(send_digests, database),
        SEND_NEWS: partial(send_news, database),
        SEND_REVIEW_DIGEST: partial(send_review_digest, database),
        PRUNE: partial(prune, database),
        RUN_IMPORT: partial(run_import, database, open_storages(settings(), database)),
        UPDATE_API_REFERENCE: partial(
            update_api_reference, database, open_storages(settings(), database), outbound
        ),
        SWEEP_FILES: partial(sweep_files, database, open_storages(settings(), database)),
        STORE_INDEXES: partial(store_indexes, database),
        EMBED_ARTICLES: partial(embed_articles, database, embedders),
        CHECK_DOMAINS: partial(check_domains, database, find_texts),
        RENDER_TEXTS: partial(render_texts, database),
        SHOW_PART: partial(show_part, database),
        ANNOUNCE_DUE: partial(announce_due, database),
        SEND_PULL_REQUEST: partial(send_pull_request, database, outbound, models=models),
        CHECK_REPOSITORY: partial(check_repository, database, outbound, models=models),
        RELEASE_DRAFTS: partial(release_of_repository, database, outbound),
        REVIEW_PULL: partial(review_pull, database, outbound),
        RUN_PULL_COMMANDS: partial(run_pull_commands, database, outbound),
        POLL_REPOSITORIES: partial(poll_repositories, database),
        POLL_REPOSITORY: partial(poll_repository, database, outbound),
        BACK_UP: partial(back_up, database, owner_url),
        KEEP_ERASURES: partial(keep_erasures, database),
    }
    on_dead: dict[str, Handler] = {
        RUN_TASK: partial(give_up, database),
        RUN_IMPORT: partial(give_up_import, database),
        SEND_PULL_REQUEST: partial(give_up_change, database),
        CHECK_REPOSITORY: partial(give_up_check, database),
    }
    max_attempts = {
        RUN_TASK: limits.MAX_TASK_ATTEMPTS,
        CHECK_REPOSITORY: limits.MAX_REPOSITORY_CHECK_ATTEMPTS,
        SEND_EMAIL: limits.MAX_EMAIL_ATTEMPTS,
    }
    return Worker(database.pool, handlers, on_dead=on_dead, max_attempts=max_attempts)
