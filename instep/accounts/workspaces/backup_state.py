"""The state of the installation's scheduled backups, for operators and owners."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from instep.platform.core import limits
from instep.platform.core.clock import isoformat, utc_now
from instep.platform.core.database import Tx


@dataclass(frozen=True, slots=True)
class BackupState:
    """The last successful backup, and the error of the last run if it failed."""

    name: str | None
    began_at: datetime | None
    error: str | None

    def problems(self) -> list[str]:
        """Sentences about problems that an operator should know."""
        reason = f" The last attempt failed: {self.error}" if self.error else ""
        if self.began_at is None:
            return [f"No scheduled backup has been made yet: is a worker running?{reason}"]
        if utc_now() - self.began_at > timedelta(hours=limits.MAX_BACKUP_AGE_HOURS):
            return [f"The last backup is from {isoformat(self.began_at)}: is a worker running?{reason}"]
        return [f"The last attempt to make a backup failed: {self.error}"] if self.error else []


async def find_backup_state(tx: Tx) -> BackupState:
    """The state of scheduled backups, whether or not any are set up."""
    return await tx.fetch_one(
        BackupState,
        """
        select success.name, success.began_at, latest.error
        from (values (true)) as one (row)
        left join lateral (select name, began_at from backup_runs where name is not null
            order by began_at desc limit 1) as success on true
        left join lateral (select error from backup_runs order by began_at desc limit 1) as latest on true
        """,
    )
