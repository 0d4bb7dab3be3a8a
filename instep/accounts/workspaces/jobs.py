"""The job that looks up the DNS records for host names of help centers."""

import asyncio
from datetime import timedelta
from functools import partial

from instep.accounts.workspaces import queries
from instep.accounts.workspaces.domain_claims import check_domain
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.jobs import Job, schedule_next, schedule_recurring
from instep.platform.core.outbound.dns_texts import FindTexts
from instep.platform.identity.schemas import Actor

CHECK_DOMAINS = "check_domains"
EVERY = timedelta(minutes=5)
CHECKER = Actor("task", "Instep", can_write=True, channel="job")


async def schedule_domain_checks(database: Database) -> None:
    """Schedule one run in five minutes, however many processes call this."""
    await schedule_recurring(database, CHECK_DOMAINS, EVERY)


async def check_domains(database: Database, find_texts: FindTexts, job: Job) -> None:
    """Check the names whose last check is longest ago, as many as one run handles."""
    await schedule_next(partial(schedule_domain_checks, database))
    async with database.enter_workspace("") as tx:
        due = await queries.domains_to_check(tx, limits.MAX_DOMAINS_CHECKED_AT_ONCE)
    checks = [
        check_domain(database, row.workspace_id, row.bot_id, row.host, find_texts, CHECKER) for row in due
    ]
    await asyncio.gather(*checks)
