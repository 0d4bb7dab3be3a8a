"""Publishes drafts that were approved for a release when the code host publishes it."""

from datetime import datetime

from instep.drafting.drafts.release_schemas import ReleaseCreate
from instep.drafting.drafts.releasing import release_drafts
from instep.platform.core.database import Database
from instep.platform.core.restarts import restartable
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor
from instep.platform.web.errors import body_from
from instep.transfer.repositories import queries
from instep.transfer.repositories.hosts.host_form import HostForm
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostApi, HostRefused
from instep.transfer.repositories.schemas import ApprovedPull, HostRelease, Repository


async def release_approved(
    database: Database, api: HostApi, workspace_id: str, repository: Repository, since: datetime
) -> None:
    """Apply the approved drafts of pull requests that are contained in a release since a time.

    The host is asked about each merge commit, so neither the order of releases nor a missed one matters. A
    draft that was approved since that time also counts for earlier releases. Raises `HostRefused`, `HostBusy`
    and `HostFailed`.
    """
    payload = {"workspace": workspace_id, "bot": str(repository.bot_id)}
    form = FORMS[repository.kind]
    actor = Actor("task", form.name, can_write=True, id=repository.id, channel="job")
    async with job_context(database, payload, actor) as ctx:
        pulls = await queries.list_approved(ctx, repository.id)
    if not pulls:
        return
    releases = await form.list_releases(api, repository.name)
    look = Look(api, form, repository.name, since)
    urls = [pull.url for pull in pulls if await look.is_released(pull, releases)]
    if not urls:
        return

    async def release() -> None:
        async with job_context(database, payload, actor) as ctx, ctx.tx.transaction():
            await release_drafts(ctx, body_from(ReleaseCreate, {"sourceUrls": urls}))

    await restartable(release)


class Look:
    """A single check of the releases of a repository."""

    def __init__(self, api: HostApi, form: HostForm, name: str, since: datetime) -> None:
        self.api, self.form, self.name, self.since = api, form, name, since

    async def is_released(self, pull: ApprovedPull, releases: list[HostRelease]) -> bool:
        """True if a release contains the pull request; the host is asked once for each combination."""
        new_releases = [row for row in releases if max(row.published_at, pull.approved_at) >= self.since]
        if not new_releases:
            return False
        state = await self.form.find_pull_request(self.api, self.name, pull.number)
        if not state.is_merged or state.merge_commit is None:
            return False
        for release in new_releases:
            if await self.has_commit(release.tag, state.merge_commit):
                return True
        return False

    async def has_commit(self, tag: str, commit: str) -> bool:
        try:
            return await self.form.has_commit(self.api, self.name, tag, commit)
        except HostRefused as refusal:
            # The tag was deleted, or has no history in common with the commit.
            if refusal.status != 404:
                raise
        return False
