"""PostgreSQL plans statements by the sizes of tables that it knows; bulk writes renew them."""

from instep.platform.core.database import Tx


async def renew_statistics(tx: Tx, rows: int) -> None:
    """Have PostgreSQL look at its tables again after so many rows were written at once.

    By itself it does so within two minutes, and until then it takes new tables for empty. Tables that are
    more than ten times as large, and those that something else maintains at the moment, are left out.
    """
    await tx.execute("select renew_statistics(%(rows)s)", rows=rows)
