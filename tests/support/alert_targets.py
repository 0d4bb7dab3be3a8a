"""Helpers for alert targets: create them, send alerts, and check the results."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from instep.notifications.alerts import actions
from instep.notifications.alerts.schemas import AlertKind, AlertTarget, AlertTargetOut, Tool
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from instep.runtime import worker_of
from tests.support.cast import Company

TOKENS: dict[Tool, str] = {
    "slack": "XXXXsecretXXXXtokenX4bcd",
    "discord": "secret-token_secret-token_secret-token_efgh",
    "teams": "secret-signature_secret-signature_ijkl",
    "mattermost": "secrettokensecrettokensmno",
}
ADDRESSES: dict[Tool, str] = {
    "slack": f"https://hooks.slack.com/services/T0AAAAAAA/B0BBBBBBB/{TOKENS['slack']}",
    "discord": f"https://discord.com/api/webhooks/123456789012345678/{TOKENS['discord']}",
    "teams": (
        "https://prod-12.westeurope.logic.azure.com:443/workflows/0123456789abcdef0123456789abcdef"
        "/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0"
        f"&sig={TOKENS['teams']}"
    ),
    "mattermost": f"https://chat.example.com/hooks/{TOKENS['mattermost']}",
}
POWER_PLATFORM = (
    "https://default0a1b.0c.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows"
    "/0123456789abcdef0123456789abcdef/triggers/manual/paths/invoke?api-version=1"
    f"&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig={TOKENS['teams']}"
)
WRITER = Actor("command", "tests", can_write=True)
VISITOR = Actor("visitor", "visitor", can_write=False)
BOTH = ("handoff", "lead")


@asynccontextmanager
async def acting(database: Database, company: Company, actor: Actor = WRITER) -> AsyncIterator[Ctx]:
    """The context of an actor on the company's bot, in one transaction."""
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        yield Ctx(tx, await find_bot(tx, company.bot_id), actor, utc_now())


async def add_target(
    database: Database, company: Company, address: str = ADDRESSES["slack"], kinds: Sequence[str] = BOTH
) -> AlertTarget:
    async with acting(database, company) as ctx:
        return await actions.add_alert_target(ctx, address, kinds)


async def tell(
    database: Database,
    company: Company,
    title: str = "A visitor asks for a person",
    lines: Sequence[str] = ("How do I export?",),
    url: str | None = "https://help.test/inbox/1",
    kind: AlertKind = "handoff",
) -> None:
    async with acting(database, company, VISITOR) as ctx:
        await actions.alert(ctx, kind, title, lines, url)


async def send_due(database: Database, caller: OutboundClient) -> int:
    """Run the jobs that are due and return the number of attempts."""
    return await worker_of(database, caller).run_due()


async def listed(database: Database, company: Company) -> list[AlertTargetOut]:
    async with acting(database, company) as ctx:
        return [
            AlertTargetOut.of(target) for target in await actions.list_alert_targets(ctx.tx, ctx.workspace_id)
        ]


async def only_target(database: Database, company: Company) -> AlertTargetOut:
    [target] = await listed(database, company)
    return target
