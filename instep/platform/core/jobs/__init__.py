"""Durable jobs on the application's own PostgreSQL, run at least once (docs/decisions/0004-jobs.md)."""

from instep.platform.core.jobs.queue import (
    MAX_ATTEMPTS,
    Job,
    Postponed,
    defer,
    schedule_next,
    schedule_recurring,
)
from instep.platform.core.jobs.worker import Handler, Worker

__all__ = [
    "MAX_ATTEMPTS",
    "Handler",
    "Job",
    "Postponed",
    "Worker",
    "defer",
    "schedule_next",
    "schedule_recurring",
]
