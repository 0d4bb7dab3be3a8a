"""The jobs of reviews in pull requests: keep one comment and one status up to date, and take decisions."""

from collections.abc import Mapping

from instep.drafting.drafts.releasing import release_seen
from instep.platform.core.database import Database
from instep.platform.core.jobs import Job
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.restarts import restartable
from instep.transfer.repositories import review_queries
from instep.transfer.repositories.held_pulls import READER, HeldPull, holding, read_state
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostApi, HostRefused
from instep.transfer.repositories.intake import review_soon
from instep.transfer.repositories.pull_commits import commit_approved, report_left_edits
from instep.transfer.repositories.pull_deciding import answer_comment
from instep.transfer.repositories.pull_text import ReviewState
from instep.transfer.repositories.pull_writing import write_pull_comment, write_pull_status
from instep.transfer.repositories.schemas import PullRequest

NOT_READ = (
    "The merged commit was not read or needs no edit, so nothing that was approved here goes live by itself:"
    " decide in Instep."
)
NO_PERMISSION = (
    "{host} refuses a comment or a status (status {status}): the token or app lacks the permission to write"
    " it."
)


async def review_pull(database: Database, client: OutboundClient, job: Job) -> None:
    """Bring the comment and the status of a pull request up to date, and apply what its merge releases."""
    async with holding(database, job) as work:
        if work is not None:
            await look_at(work, await work.open_api(client))


async def run_pull_commands(database: Database, client: OutboundClient, job: Job) -> None:
    """Carry out what a comment decides, if its author has write access now, and answer it."""
    async with holding(database, job, is_patient=True) as work:
        if work is not None:
            async with database.enter_workspace(work.host.workspace_id) as tx:
                await review_soon(tx, work.repository, work.pull.number)
            await answer_comment(work, await work.open_api(client))


async def look_at(work: HeldPull, api: HostApi) -> None:
    request = await FORMS[work.host.kind].find_pull_request(api, work.repository.name, work.pull.number)
    state, obstacle = await restartable(lambda: read_state(work)), None
    approved = approved_digests(state)
    if request.is_merged and approved:
        if is_read(work, request):
            await restartable(lambda: go_live(work, approved))
            state = await restartable(lambda: read_state(work))
        else:
            obstacle = NOT_READ
    committed = await commit_approved(work, api, request, state)
    if committed is not None:
        request, state = committed, await restartable(lambda: read_state(work))
    if await restartable(lambda: report_left_edits(work, request, state)):
        state = await restartable(lambda: read_state(work))
    error = None
    try:
        await write_pull_comment(work, api, state, obstacle)
        await write_pull_status(work, api, request, state)
    except HostRefused as refusal:
        error = NO_PERMISSION.format(host=work.host_name, status=refusal.status)
    async with work.context(READER) as ctx:
        await review_queries.set_review_error(ctx, work.repository.id, error)


def approved_digests(state: ReviewState) -> dict[str, str]:
    """The proposals that were approved at the code host, by the ids of their drafts."""
    return {item.detail.id: item.detail.draft.text_digest for item in state.drafts if item.is_approved_here}


def is_read(work: HeldPull, request: PullRequest) -> bool:
    """True if the drafts are those of the commit that was merged."""
    task = work.task
    return work.change.head == request.head and task is not None and task.status == "completed"


async def go_live(work: HeldPull, approved: Mapping[str, str]) -> None:
    async with work.context(work.host_actor) as ctx, ctx.tx.transaction():
        await release_seen(ctx, work.pull.url, approved)
