"""The SQL of code hosts, repositories and their changes."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Ctx
from instep.transfer.repositories.schemas import (
    ApprovedPull,
    ChangeStatus,
    CheckStatus,
    CodeHost,
    RemoteRepository,
    Repository,
    RepositoryChange,
    RepositoryFields,
)

CODE_HOST = "id, workspace_id, kind, url, api_url, app_slug, sealed"
REPOSITORY = """
    r.id, r.bot_id, r.code_host_id, h.kind, r.remote_id, r.name, r.default_branch, r.branch, r.moment,
    r.paths, r.includes_bots, r.installation_id, r.polled_until, r.last_error, r.check_status,
    r.check_message, r.checked_commit, r.checked_at, r.wrong_statements, r.wrong_articles,
    r.comments, r.status_mode, r.docs_folder, r.review_error, r.hears_comments,
    array(select unnest(v.branches) from product_versions v
        where v.workspace_id = %(workspace)s and v.bot_id = r.bot_id) as version_branches
    from repositories r join code_hosts h on h.workspace_id = %(workspace)s and h.id = r.code_host_id
    where r.workspace_id = %(workspace)s
"""
CHANGE = """
    id, repository_id, number, head, title, url, is_approved, status, message, task_id, created_at, updated_at
"""


@dataclass(frozen=True, slots=True)
class DueRepository:
    """A repository whose poll or check is due."""

    workspace_id: str
    bot_id: UUID
    id: str


async def workspace_of_code_host(tx: Tx, host_id: str) -> str | None:
    return await tx.value("select workspace_of_code_host(%(id)s)", id=host_id)


async def repositories_to_poll(tx: Tx) -> list[DueRepository]:
    """The repositories whose poll is due; each will be due again after the interval."""
    return await tx.all(
        DueRepository,
        "select * from repositories_to_poll(%(wait)s, %(most)s)",
        wait=limits.REPOSITORY_POLL_DELAY,
        most=limits.MAX_REPOSITORIES_POLLED_AT_ONCE,
    )


async def repositories_to_check(tx: Tx) -> list[DueRepository]:
    """The repositories whose check is due, marked as waiting; each will be due again after the interval."""
    return await tx.all(
        DueRepository,
        "select * from repositories_to_check(%(wait)s, %(most)s)",
        wait=limits.REPOSITORY_CHECK_DELAY,
        most=limits.MAX_REPOSITORIES_POLLED_AT_ONCE,
    )


async def insert_code_host(ctx: Ctx, host: CodeHost) -> None:
    await ctx.tx.execute(
        """
        insert into code_hosts (id, workspace_id, kind, url, api_url, app_slug, sealed, created_at)
        values (%(id)s, %(workspace)s, %(kind)s, %(url)s, %(api_url)s, %(app_slug)s, %(sealed)s, %(now)s)
        """,
        **{name: value for name, value in asdict(host).items() if name != "workspace_id"},
        now=ctx.now,
    )


async def find_code_host(tx: Tx, host_id: str) -> CodeHost | None:
    return await tx.first(
        CodeHost,
        f"select {CODE_HOST} from code_hosts where workspace_id = %(workspace)s and id = %(id)s",
        id=host_id,
    )


async def find_code_host_of(ctx: Ctx, host: CodeHost, remote_id: str) -> CodeHost | None:
    """The code host at the same address through which the workspace already reads this repository."""
    return await ctx.tx.first(
        CodeHost,
        f"""
        select {CODE_HOST} from code_hosts h
        where h.workspace_id = %(workspace)s and h.kind = %(kind)s and h.api_url = %(api_url)s
          and exists (select from repositories r where r.workspace_id = %(workspace)s
            and r.code_host_id = h.id and r.remote_id = %(remote_id)s)
        order by h.created_at, h.id limit 1
        """,
        kind=host.kind,
        api_url=host.api_url,
        remote_id=remote_id,
    )


async def list_code_hosts(ctx: Ctx) -> list[CodeHost]:
    return await ctx.tx.all(
        CodeHost,
        f"select {CODE_HOST} from code_hosts where workspace_id = %(workspace)s order by created_at, id",
    )


async def set_sealed(ctx: Ctx, host_id: str, sealed: bytes) -> None:
    await ctx.tx.execute(
        "update code_hosts set sealed = %(sealed)s where workspace_id = %(workspace)s and id = %(id)s",
        id=host_id,
        sealed=sealed,
    )


async def delete_unused_code_host(ctx: Ctx, host_id: str) -> bool:
    """Delete a code host without repositories; return True if it was deleted."""
    return bool(
        await ctx.tx.execute(
            """
            delete from code_hosts h where h.workspace_id = %(workspace)s and h.id = %(id)s
              and not exists (select from repositories r
                where r.workspace_id = %(workspace)s and r.code_host_id = h.id)
            """,
            id=host_id,
        )
    )


async def insert_repository(
    ctx: Ctx,
    repository_id: str,
    host_id: str,
    remote: RemoteRepository,
    fields: RepositoryFields,
    installation_id: int | None,
) -> None:
    await ctx.tx.execute(
        """
        insert into repositories (id, workspace_id, bot_id, code_host_id, remote_id, name, default_branch,
            branch, moment, paths, includes_bots, comments, status_mode, docs_folder, installation_id,
            polled_until, poll_at, check_at, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(host)s, %(remote_id)s, %(name)s, %(default_branch)s,
            %(branch)s, %(moment)s, %(paths)s, %(includes_bots)s, %(comments)s, %(status_mode)s,
            %(docs_folder)s, %(installation)s, %(now)s, %(now)s, %(now)s + %(wait)s::interval, %(now)s)
        """,
        wait=limits.REPOSITORY_CHECK_DELAY,
        id=repository_id,
        bot=ctx.bot.id,
        host=host_id,
        installation=installation_id,
        now=ctx.now,
        **asdict(remote),
        **asdict(fields),
    )


async def list_repositories(ctx: Ctx) -> list[Repository]:
    return await ctx.tx.all(
        Repository,
        f"select {REPOSITORY} and r.bot_id = %(bot)s order by r.created_at, r.id",
        bot=ctx.bot.id,
    )


async def find_repository(ctx: Ctx, repository_id: str) -> Repository | None:
    return await ctx.tx.first(
        Repository,
        f"select {REPOSITORY} and r.bot_id = %(bot)s and r.id = %(id)s",
        bot=ctx.bot.id,
        id=repository_id,
    )


async def list_by_remote_id(tx: Tx, host_id: str, remote_id: str) -> list[Repository]:
    """The repositories of all bots to which a delivery applies."""
    return await tx.all(
        Repository,
        f"select {REPOSITORY} and r.code_host_id = %(host)s and r.remote_id = %(remote_id)s order by r.id",
        host=host_id,
        remote_id=remote_id,
    )


async def set_fields(ctx: Ctx, repository_id: str, fields: RepositoryFields) -> bool:
    return bool(
        await ctx.tx.execute(
            """
            update repositories set branch = %(branch)s, moment = %(moment)s, paths = %(paths)s,
                includes_bots = %(includes_bots)s, comments = %(comments)s, status_mode = %(status_mode)s,
                docs_folder = %(docs_folder)s
            where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s
            """,
            id=repository_id,
            bot=ctx.bot.id,
            **asdict(fields),
        )
    )


async def set_remote(tx: Tx, host_id: str, remote: RemoteRepository) -> None:
    """Store a changed name or default branch of a repository; an empty one is unknown."""
    await tx.execute(
        """
        update repositories set name = %(name)s,
            default_branch = coalesce(nullif(%(default_branch)s, ''), default_branch)
        where workspace_id = %(workspace)s and code_host_id = %(host)s and remote_id = %(remote_id)s
          and (name <> %(name)s or default_branch <> %(default_branch)s)
        """,
        host=host_id,
        **asdict(remote),
    )


async def delete_repository(ctx: Ctx, repository_id: str) -> str | None:
    """Delete a repository; return the id of its code host, or None if there is no such repository."""
    return await ctx.tx.value(
        """
        delete from repositories where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s
        returning code_host_id
        """,
        id=repository_id,
        bot=ctx.bot.id,
    )


async def record_poll(ctx: Ctx, repository_id: str, until: datetime | None, error: str | None) -> None:
    await ctx.tx.execute(
        """
        update repositories set last_error = %(error)s,
            polled_until = coalesce(%(until)s::timestamptz, polled_until)
        where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s
        """,
        id=repository_id,
        bot=ctx.bot.id,
        until=until,
        error=error,
    )


async def set_check_status(
    ctx: Ctx, repository_id: str, status: CheckStatus, message: str | None = None
) -> None:
    await ctx.tx.execute(
        """
        update repositories set check_status = %(status)s, check_message = %(message)s
        where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s
        """,
        id=repository_id,
        bot=ctx.bot.id,
        status=status,
        message=message,
    )


async def record_check(ctx: Ctx, repository_id: str, commit: str, statements: int, articles: int) -> None:
    await ctx.tx.execute(
        """
        update repositories set check_status = 'checked', check_message = null, checked_commit = %(commit)s,
            checked_at = %(now)s, wrong_statements = %(statements)s, wrong_articles = %(articles)s
        where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s
        """,
        id=repository_id,
        bot=ctx.bot.id,
        commit=commit,
        statements=statements,
        articles=articles,
        now=ctx.now,
    )


async def put_change(tx: Tx, bot_id: UUID, row: RepositoryChange) -> str | None:
    """Store a pull request at one commit; return the id of the row if this made it wait to be sent.

    An ignored or failed row waits again if it must be sent; any other row stays unchanged. Deliveries may
    arrive twice and in any order.
    """
    return await tx.value(
        f"""
        insert into repository_changes as c (workspace_id, bot_id, {CHANGE})
        values (%(workspace)s, %(bot)s, %(id)s, %(repository_id)s, %(number)s, %(head)s, %(title)s, %(url)s,
            %(is_approved)s, %(status)s, %(message)s, %(task_id)s, %(created_at)s, %(updated_at)s)
        on conflict (repository_id, number, head, workspace_id) do update
            set title = excluded.title, is_approved = c.is_approved or excluded.is_approved,
                status = excluded.status, message = excluded.message, updated_at = excluded.updated_at
            where c.status = 'ignored' and (excluded.status, excluded.message, excluded.is_approved)
                is distinct from (c.status, c.message, c.is_approved)
              or c.status = 'failed' and excluded.status = 'waiting'
        returning case when status = 'waiting' then id end
        """,
        bot=bot_id,
        **asdict(row),
    )


async def lock_waiting(ctx: Ctx, change_id: str) -> RepositoryChange | None:
    """A change that is waiting to be sent, locked if the caller is in a transaction."""
    return await ctx.tx.first(
        RepositoryChange,
        f"""
        select {CHANGE} from repository_changes
        where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s and status = 'waiting'
        for update
        """,
        id=change_id,
        bot=ctx.bot.id,
    )


async def is_approved(tx: Tx, repository_id: str, number: int) -> bool:
    """True if someone approved the pull request at any commit."""
    return await tx.value(
        """
        select exists (select from repository_changes where workspace_id = %(workspace)s
            and repository_id = %(repository)s and number = %(number)s and is_approved)
        """,
        repository=repository_id,
        number=number,
    )


async def settle_change(
    ctx: Ctx, change_id: str, status: ChangeStatus, message: str | None, task_id: str | None = None
) -> None:
    await ctx.tx.execute(
        """
        update repository_changes set status = %(status)s, message = %(message)s, task_id = %(task)s,
            updated_at = %(now)s
        where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s and status = 'waiting'
        """,
        id=change_id,
        bot=ctx.bot.id,
        status=status,
        message=message,
        task=task_id,
        now=ctx.now,
    )


async def retry_change(ctx: Ctx, change_id: str) -> bool:
    """Let a failed change wait again; return True if it had failed."""
    return bool(
        await ctx.tx.execute(
            """
            update repository_changes set status = 'waiting', message = null, updated_at = %(now)s
            where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s and status = 'failed'
            """,
            id=change_id,
            bot=ctx.bot.id,
            now=ctx.now,
        )
    )


async def list_changes(ctx: Ctx, repository_ids: Sequence[str]) -> list[RepositoryChange]:
    return await ctx.tx.all(
        RepositoryChange,
        f"""
        select {CHANGE} from repository_changes
        where workspace_id = %(workspace)s and bot_id = %(bot)s and repository_id = any(%(repositories)s)
        order by updated_at desc, id desc limit %(limit)s
        """,
        bot=ctx.bot.id,
        repositories=list(repository_ids),
        limit=limits.MAX_SHOWN_REPOSITORY_CHANGES,
    )


async def list_approved(ctx: Ctx, repository_id: str) -> list[ApprovedPull]:
    """The pull requests of a repository with pending drafts that are approved for a release."""
    return await ctx.tx.all(
        ApprovedPull,
        """
        select c.number, c.url, max(d.approved_at) as approved_at
        from repository_changes c
        join drafts d on d.workspace_id = %(workspace)s and d.bot_id = %(bot)s and d.source_url = c.url
        where c.workspace_id = %(workspace)s and c.bot_id = %(bot)s and c.repository_id = %(id)s
          and d.status = 'pending' and d.approved_at is not null
        group by c.number, c.url order by c.number limit %(limit)s
        """,
        id=repository_id,
        bot=ctx.bot.id,
        limit=limits.MAX_RELEASE_PULLS,
    )


async def await_withdrawal(tx: Tx, repository_id: str, number: int) -> str | None:
    """Let the newest sent commit of a closed pull request wait again; return its id."""
    return await tx.value(
        """
        update repository_changes set status = 'waiting'
        where workspace_id = %(workspace)s and id = (
            select id from repository_changes where workspace_id = %(workspace)s
              and repository_id = %(repository)s and number = %(number)s and status = 'sent'
            order by created_at desc, id desc limit 1)
        returning id
        """,
        repository=repository_id,
        number=number,
    )


async def prune_changes(ctx: Ctx, repository_id: str) -> None:
    """Delete old changes, except those with drafts that may be waiting for a release."""
    await ctx.tx.execute(
        """
        delete from repository_changes c where c.workspace_id = %(workspace)s and c.bot_id = %(bot)s
          and c.repository_id = %(id)s and c.updated_at < %(before)s
          and not exists (select from drafts d where d.workspace_id = %(workspace)s and d.bot_id = %(bot)s
            and d.source_url = c.url and d.status = 'pending')
        """,
        id=repository_id,
        bot=ctx.bot.id,
        before=ctx.now - limits.REPOSITORY_CHANGE_RETENTION,
    )
