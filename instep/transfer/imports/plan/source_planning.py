"""Plans the import of a source in a process that can be killed: sources are foreign data."""

from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.transfer.imports.plan.planning import plan
from instep.transfer.imports.schemas import BotState, Plan
from instep.transfer.imports.source.source_reading import TOO_COSTLY, ReadSource, Source
from instep.transfer.imports.tree.schemas import UnreadableSource


async def plan_import(source: Source, read: ReadSource, state: BotState, *, prunes: bool = False) -> Plan:
    """The plan of importing a source that was read into a bot in this state."""
    try:
        return await run_with_timeout(
            plan_now, source, read, state, prunes, seconds=limits.MAX_IMPORT_SECONDS
        )
    except TimeLimitExceeded:
        raise UnreadableSource(TOO_COSTLY) from None


def plan_now(source: Source, read: ReadSource, state: BotState, prunes: bool = False) -> Plan:
    return plan(read.tree, source.open(), state, read.source, site=source.site, prunes=prunes)
