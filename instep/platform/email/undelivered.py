"""Emails that the SMTP server did not accept, so that people see why nothing arrives."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from instep.platform.core import limits
from instep.platform.core.database import Database, Tx


@dataclass(frozen=True, slots=True)
class UndeliveredEmail:
    """The last email to an address, which was given up; `reason` is a sentence."""

    address: str
    reason: str
    failed_at: datetime


COLUMNS = "address, reason, failed_at"


async def note_delivery(database: Database, workspace_id: str, address: str, failure: str | None) -> None:
    """Keep why an email was given up until another one to the address is accepted."""
    values = {"workspace": workspace_id, "address": address.lower(), "reason": failure}
    async with database.enter_workspace(workspace_id) as tx:
        if failure is None:
            sql = (
                "delete from undelivered_emails where workspace_id = %(workspace)s and address = %(address)s"
            )
        else:
            sql = """
                insert into undelivered_emails (workspace_id, address, reason, failed_at)
                values (%(workspace)s, %(address)s, %(reason)s, now())
                on conflict (workspace_id, address) do update
                set reason = excluded.reason, failed_at = excluded.failed_at
            """
        await tx.execute(sql, **values)


async def list_undelivered(
    tx: Tx, workspace_id: str, addresses: Collection[str] | None = None
) -> list[UndeliveredEmail]:
    """The newest ones of a workspace; with `addresses` only those to them."""
    return await tx.all(
        UndeliveredEmail,
        f"""
        select {COLUMNS} from undelivered_emails
        where workspace_id = %(workspace)s and (%(addresses)s::text[] is null or address = any(%(addresses)s))
        order by failed_at desc, address limit %(most)s
        """,
        workspace=workspace_id,
        addresses=None if addresses is None else list(addresses),
        most=limits.MAX_LISTED_UNDELIVERED_EMAILS,
    )


async def find_undelivered(tx: Tx, workspace_id: str, address: str) -> UndeliveredEmail | None:
    return next(iter(await list_undelivered(tx, workspace_id, [address])), None)
