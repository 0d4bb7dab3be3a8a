"""The job that checks a bot's articles against the code and history of a connected repository."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from instep.accounts.language_model.choosing import NO_MODELS, LanguageModels
from instep.client.ci.git import GitFailed
from instep.client.drift.article_code import PartNames
from instep.client.drift.evidence import Stated
from instep.drafting.drift import actions as drift
from instep.drafting.drift.schemas import CheckedDrift, DriftCheck, StatementsOut
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError, InvalidState, RateLimited, Unavailable
from instep.platform.core.jobs import Job, Postponed
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.restarts import restartable
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.access import refuse_paused
from instep.platform.identity.job_context import job_context
from instep.platform.web.errors import body_from
from instep.transfer.repositories import queries
from instep.transfer.repositories.clones import BRANCH, INSTEAD, Origin, cloned
from instep.transfer.repositories.code_reading import ClonedBranch, read_clone
from instep.transfer.repositories.host_access import find_token
from instep.transfer.repositories.host_credentials import api_with_token
from instep.transfer.repositories.hosts.host_json import Malformed, quoted_name
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostBusy, HostFailed, HostRefused
from instep.transfer.repositories.jobs import POLLER, sender_of
from instep.transfer.repositories.schemas import CheckStatus, CodeHost, Repository

NO_ARTICLES = "There are no articles yet: write or import some, then check again."
TOO_EXPENSIVE = f"The repository's history takes too much time or memory to read. {INSTEAD}"
# Cloning needs disk space and reading needs CPU time, so a process runs one check at a time.
turn = asyncio.Lock()


async def check_repository(
    database: Database, client: OutboundClient, job: Job, models: LanguageModels = NO_MODELS
) -> None:
    """Check the articles against the newest commit of a repository, whose page shows the result.

    The contradictions are stored in the last transaction, so that the job runs again after a crash.
    """
    if turn.locked():
        raise Postponed(limits.CHECK_TURN_DELAY)
    async with turn:
        async with job_context(database, job.payload, POLLER) as ctx:
            repository = await queries.find_repository(ctx, job.payload["repository"])
            host = await queries.find_code_host(ctx.tx, repository.code_host_id) if repository else None
        if repository is not None and host is not None:
            await RepositoryCheck(database, client, job.payload, repository, host, models).run()


async def give_up_check(database: Database, job: Job) -> None:
    """Record that no attempt at a check finished; the next scheduled check starts over."""
    async with job_context(database, job.payload, POLLER) as ctx:
        repository = await queries.find_repository(ctx, job.payload["repository"])
        if repository is not None:
            reason = (repository.check_message or "").removesuffix(AGAIN)
            await queries.set_check_status(ctx, repository.id, "failed", reason or NOT_ENDED)


AGAIN = " It will be tried again."
NOT_ENDED = "The check did not finish in several attempts."


class RepositoryCheck:
    """One attempt at a check."""

    def __init__(
        self,
        database: Database,
        client: OutboundClient,
        payload: Mapping[str, str],
        repository: Repository,
        host: CodeHost,
        models: LanguageModels,
    ) -> None:
        self.models = models
        self.database, self.client, self.payload = database, client, payload
        self.repository, self.host, self.host_name = repository, host, FORMS[host.kind].name

    async def run(self) -> None:
        """Run the check, or record why there is no result."""
        try:
            await self.check()
        except HostBusy as busy:
            await self.note("waiting", f"{self.host_name} is limiting requests: the check starts later.")
            raise Postponed(busy.wait) from busy
        except HostFailed as failure:
            await self.note("waiting", f"{failure.message}{AGAIN}")
            raise
        except RateLimited as limit:
            raise Postponed(timedelta(seconds=int(limit.headers["Retry-After"]))) from limit
        except Unavailable:
            raise
        except TimeLimitExceeded:
            await self.note("failed", TOO_EXPENSIVE)
        except Malformed as error:
            await self.note("failed", f"{self.host_name}'s description of the repository lacks `{error}`.")
        except (HostRefused, AppError) as refusal:
            await self.note("failed", refusal.message)

    async def check(self) -> None:
        stated = await restartable(self.list_statements)
        if not stated.articles:
            raise InvalidState(NO_ARTICLES)
        origin = await self.find_origin()
        await self.note("running", f"Fetching the history of {origin.branch}.")
        async with cloned(self.client, origin) as git:
            searched = "1 article" if stated.articles == 1 else f"{stated.articles:,} articles"
            await self.note("running", f"Searching it for the statements of {searched}.")
            clone = ClonedBranch(git, origin.url, BRANCH, self.repository.paths)
            try:
                statements = Stated(stated.names, stated.values, stated.paths)
                sought = {
                    (row.article_id, row.first_line): PartNames(row.titles, row.names) for row in stated.reads
                }
                body = await run_with_timeout(
                    read_clone, clone, statements, sought, seconds=limits.MAX_CLONE_READING_SECONDS
                )
            except GitFailed as failure:
                raise HostRefused(f"The repository's history can't be read. {failure.message}") from None
        evidence = body_from(DriftCheck, json.loads(body))
        await restartable(lambda: self.store(evidence))

    async def list_statements(self) -> StatementsOut:
        """The statements of the articles; raises for a paused workspace, before anything is fetched."""
        async with job_context(self.database, self.payload, POLLER) as ctx, ctx.tx.transaction():
            await refuse_paused(ctx)
            return await drift.list_statements(ctx, self.models)

    async def find_origin(self) -> Origin:
        """The branch to clone, with the current names of the repository and its default branch."""
        form, repository = FORMS[self.host.kind], self.repository
        token = await find_token(self.client, self.host, repository.installation_id)
        api = api_with_token(self.client, self.host, token)
        remote = await form.find_repository(api, repository.name)
        async with self.database.enter_workspace(self.host.workspace_id) as tx:
            await queries.set_remote(tx, self.host.id, remote)
        branch = replace(repository, default_branch=remote.default_branch).read_branch
        url = f"{self.host.url}/{quoted_name(remote.name)}.git"
        return Origin(self.host_name, url, branch, form.git_credentials(token))

    async def store(self, evidence: DriftCheck) -> None:
        sender = sender_of(self.repository)
        async with job_context(self.database, self.payload, sender) as ctx, ctx.tx.transaction():
            checked = await drift.check_drift(ctx, evidence, self.models)
            await queries.record_check(ctx, self.repository.id, checked.id, *counts_of(checked))

    async def note(self, status: CheckStatus, message: str) -> None:
        async with job_context(self.database, self.payload, POLLER) as ctx:
            await queries.set_check_status(ctx, self.repository.id, status, message)


def counts_of(checked: CheckedDrift) -> tuple[int, int]:
    """The numbers of wrong statements and of articles that contain them."""
    return len(checked.findings), len({finding.article_id for finding in checked.findings})
