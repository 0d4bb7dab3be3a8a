"""Plans the import of a source in a process that can be killed, because sources are untrusted data."""

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor
from instep.transfer.imports import queries
from instep.transfer.imports.plan.planning import plan
from instep.transfer.imports.schemas import BotState, Plan
from instep.transfer.imports.source.source_reading import TOO_COSTLY, ReadSource, Source, read_source
from instep.transfer.imports.tree.schemas import UnreadableSource


async def plan_source(
    database: Database,
    payload: dict[str, str],
    actor: Actor,
    source: Source,
    format: str | None,
    *,
    prunes: bool = False,
) -> Plan:
    """Read a source and plan its import into the bot in `payload`, in its current state."""
    read = await read_source(source, format)
    async with job_context(database, payload, actor) as ctx:
        state = await queries.find_state(ctx, read.source, read.keys)
    try:
        return await run_with_timeout(
            plan_now, source, read, state, prunes, seconds=limits.MAX_IMPORT_SECONDS
        )
    except TimeLimitExceeded:
        raise UnreadableSource(TOO_COSTLY) from None


def plan_now(source: Source, read: ReadSource, state: BotState, prunes: bool) -> Plan:
    return plan(read.tree, source.open(), state, read.source, site=source.site, prunes=prunes)
