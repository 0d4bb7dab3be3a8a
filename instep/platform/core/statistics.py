"""Renews PostgreSQL's table statistics, which its planner uses, after bulk writes."""

from instep.platform.core.database import Tx


async def renew_statistics(tx: Tx, rows: int) -> None:
    """Have PostgreSQL analyze its tables after this many rows were written at once.

    By itself it does so within two minutes, and until then it assumes that new tables are empty. Tables that
    are more than ten times as large, and those that are being maintained, are skipped.
    """
    await tx.execute("select renew_statistics(%(rows)s)", rows=rows)
