"""The prompts of unfinished work, with their completions and usage.

Work that restarts after a crash reuses the completions that it has paid for.
"""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from instep.platform.identity.schemas import Ctx
from instep.platform.llm.protocol import Completion

# Completions of abandoned work are deleted after this.
RETENTION = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class WorkUse:
    """The model that finished work has used, and its usage."""

    name: str
    input_tokens: int
    output_tokens: int
    calls: int


async def find_completion(ctx: Ctx, work_id: str, digest: bytes) -> Completion | None:
    return await ctx.first(
        Completion,
        """
        select completion as text, input_tokens, output_tokens from model_prompts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and work_id = %(work)s
          and digest = %(digest)s and completion is not null
        """,
        work=work_id,
        digest=digest,
    )


async def cost_of(ctx: Ctx, work_id: str) -> Decimal:
    return await ctx.value(
        """
        select coalesce(sum(cost), 0) from model_prompts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and work_id = %(work)s
        """,
        work=work_id,
    )


async def add(ctx: Ctx, work_id: str, row: dict[str, Any]) -> None:
    """Store the result of a prompt; a failed one may be repeated, and both are counted."""
    await ctx.execute(
        """
        insert into model_prompts as p (workspace_id, bot_id, work_id, digest, model, completion, calls,
            input_tokens, output_tokens, cost, created_at)
        values (%(workspace)s, %(bot)s, %(work)s, %(digest)s, %(model)s, %(completion)s, 1,
            %(input)s, %(output)s, %(cost)s, %(now)s)
        on conflict (bot_id, work_id, digest, workspace_id) do update set
            completion = excluded.completion, calls = p.calls + 1,
            input_tokens = p.input_tokens + excluded.input_tokens,
            output_tokens = p.output_tokens + excluded.output_tokens, cost = p.cost + excluded.cost
        """,
        workspace=ctx.bot.workspace_id,
        work=work_id,
        **row,
    )
    await ctx.execute(
        """
        delete from model_prompts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and created_at < %(before)s
        """,
        before=ctx.now - RETENTION,
    )


async def end_work(ctx: Ctx, work_id: str) -> WorkUse | None:
    """Return the model usage of finished work, and forget its prompts; None without any."""
    return await ctx.first(
        WorkUse,
        """
        with gone as (
            delete from model_prompts
            where bot_id = %(bot)s and workspace_id = %(workspace)s and work_id = %(work)s returning *)
        select string_agg(distinct model, ', ') as name, sum(input_tokens)::bigint as input_tokens,
            sum(output_tokens)::bigint as output_tokens, sum(calls)::integer as calls
        from gone having count(*) > 0
        """,
        work=work_id,
    )
