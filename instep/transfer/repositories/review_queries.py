"""SQL of pull requests that Instep writes to, and of the commands of people there."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from psycopg.types.json import Jsonb

from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Ctx
from instep.transfer.repositories.queries import CHANGE
from instep.transfer.repositories.schemas import (
    PullComment,
    Repository,
    RepositoryChange,
    ReviewedPull,
    ShownDraft,
)

REVIEWED = "repository_id, number, url, marker, comment_id, comment_digest, status_digest, entries"
OF_PULL = "bot_id = %(bot)s and repository_id = %(repository)s and number = %(number)s"


@dataclass(frozen=True, slots=True)
class DuePull:
    """A pull request whose drafts or places have changed since the last look."""

    workspace_id: str
    bot_id: UUID
    repository_id: str
    number: int


async def pulls_to_review(tx: Tx) -> list[DuePull]:
    return await tx.all(
        DuePull,
        "select * from pulls_to_review(%(overlap)s, %(most)s)",
        overlap=limits.PULL_REVIEW_WINDOW,
        most=limits.MAX_PULLS_REVIEWED_AT_ONCE,
    )


async def find_latest_change(ctx: Ctx, repository_id: str, number: int) -> RepositoryChange | None:
    """The newest commit of a pull request that has come from its repository."""
    return await ctx.first(
        RepositoryChange,
        f"""
        select {CHANGE} from repository_changes where workspace_id = %(workspace)s and {OF_PULL}
        order by created_at desc, id desc limit 1
        """,
        repository=repository_id,
        number=number,
    )


async def hold_pull(ctx: Ctx, change: RepositoryChange, marker: str) -> ReviewedPull | None:
    """The row of a pull request, for this job alone; None if another job holds it."""
    return await ctx.first(
        ReviewedPull,
        f"""
        insert into repository_pulls as p (workspace_id, bot_id, repository_id, number, url, marker,
            looked_at, busy_until)
        values (%(workspace)s, %(bot)s, %(repository)s, %(number)s, %(url)s, %(marker)s, now(),
            now() + %(lease)s::interval)
        on conflict (repository_id, number, workspace_id) do update
            set looked_at = now(), busy_until = excluded.busy_until, url = excluded.url
            where p.busy_until <= now()
        returning {REVIEWED}
        """,
        repository=change.repository_id,
        number=change.number,
        url=change.url,
        marker=marker,
        lease=limits.PULL_REVIEW_TTL,
    )


async def is_held(ctx: Ctx, change: RepositoryChange) -> bool:
    """True if a job works on the pull request of a change."""
    return bool(
        await ctx.value(
            f"""
            select exists (select from repository_pulls
                where workspace_id = %(workspace)s and {OF_PULL} and busy_until > now())
            """,
            repository=change.repository_id,
            number=change.number,
        )
    )


async def follow_own_commit(ctx: Ctx, change: RepositoryChange, commit: str) -> None:
    """Let a commit by Instep on top of a change have its task, also if it was reported already."""
    await ctx.execute(
        f"""
        insert into repository_changes as c (workspace_id, bot_id, {CHANGE})
        select workspace_id, bot_id, %(id)s, repository_id, number, %(commit)s, title, url, is_approved,
            status, message, task_id, now(), now()
        from repository_changes where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(change)s
        on conflict (repository_id, number, head, workspace_id) do update
            set status = excluded.status, message = excluded.message, task_id = excluded.task_id,
                updated_at = excluded.updated_at
            where c.status in ('waiting', 'ignored')
        """,
        id=new_id("pull"),
        commit=commit,
        change=change.id,
    )


async def let_go(ctx: Ctx, pull: ReviewedPull) -> None:
    await ctx.execute(
        f"update repository_pulls set busy_until = now() where workspace_id = %(workspace)s and {OF_PULL}",
        repository=pull.repository_id,
        number=pull.number,
    )


async def store_review(ctx: Ctx, pull: ReviewedPull, entries: Sequence[ShownDraft]) -> None:
    """Note what was written to a pull request."""
    await ctx.execute(
        f"""
        update repository_pulls set comment_id = %(comment_id)s, comment_digest = %(comment_digest)s,
            status_digest = %(status_digest)s, entries = %(entries)s
        where workspace_id = %(workspace)s and {OF_PULL}
        """,
        repository=pull.repository_id,
        number=pull.number,
        comment_id=pull.comment_id,
        comment_digest=pull.comment_digest,
        status_digest=pull.status_digest,
        entries=Jsonb([asdict(entry) for entry in entries]),
    )


async def set_hears_comments(tx: Tx, repository_id: str) -> None:
    await tx.execute(
        "update repositories set hears_comments = true where workspace_id = %(workspace)s and id = %(id)s",
        id=repository_id,
    )


async def is_own_comment(tx: Tx, repository: Repository, comment: PullComment) -> bool:
    """True if Instep has written this comment."""
    return (
        await tx.value(
            f"select true from repository_pulls where workspace_id = %(workspace)s and {OF_PULL}"
            " and comment_id = %(comment)s",
            bot=repository.bot_id,
            repository=repository.id,
            number=comment.number,
            comment=comment.id,
        )
        is True
    )


async def put_command(tx: Tx, repository: Repository, comment: PullComment) -> bool:
    """True if a comment that decides something is new, and the pull request has not had too many of them."""
    return bool(
        await tx.execute(
            """
            insert into pull_commands (workspace_id, bot_id, repository_id, number, comment_id, created_at)
            select %(workspace)s, %(bot)s, %(repository)s, %(number)s, %(comment)s, now()
            where (select count(*) from pull_commands where workspace_id = %(workspace)s
                and repository_id = %(repository)s and number = %(number)s) < %(most)s
            on conflict do nothing
            """,
            bot=repository.bot_id,
            repository=repository.id,
            number=comment.number,
            comment=comment.id if comment.before is None else f"{comment.id} {comment.sent_at.isoformat()}",
            most=limits.MAX_COMMANDED_COMMENTS,
        )
    )


async def slug_of(tx: Tx, bot_id: UUID | None) -> str:
    return await tx.value(
        "select slug from bots where workspace_id = %(workspace)s and id = %(bot)s", bot=bot_id
    )


async def set_review_error(ctx: Ctx, repository_id: str, error: str | None) -> None:
    await ctx.execute(
        """
        update repositories set review_error = %(error)s
        where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s
          and review_error is distinct from %(error)s
        """,
        id=repository_id,
        error=error,
    )


async def prune_reviews(ctx: Ctx, repository_id: str) -> None:
    """Delete pull requests that have not been looked at for long, and their commands."""
    for statement in (
        "delete from repository_pulls where workspace_id = %(workspace)s and bot_id = %(bot)s"
        " and repository_id = %(id)s and looked_at < %(before)s",
        "delete from pull_commands where workspace_id = %(workspace)s and bot_id = %(bot)s"
        " and repository_id = %(id)s and created_at < %(before)s",
    ):
        before = ctx.now - limits.REPOSITORY_CHANGE_RETENTION
        await ctx.execute(statement, id=repository_id, before=before)
