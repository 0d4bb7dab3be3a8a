"""`instep doctor`: how an installation is set up, and what is wrong with it."""

from dataclasses import dataclass

from pydantic import BaseModel

from instep import __version__
from instep.core.config import SECRETS, Settings
from instep.core.database import Tx
from instep.migrations import head

JOB_LAG_SECONDS = 120


class Migrated(BaseModel):
    """What `instep migrate` ends with."""

    revision: str


class Report(BaseModel):
    """What `instep doctor` found; the settings are shown without secrets."""

    version: str
    settings: dict[str, str]
    database: str
    revision: str
    workspaces: int
    bots: int
    articles: int
    pending_drafts: int
    jobs_waiting: int
    jobs_dead: int
    oldest_job_seconds: int
    problems: list[str]


@dataclass(frozen=True, slots=True)
class Counts:
    """What one look at the database tells."""

    database: str
    revision: str
    workspaces: int
    bots: int
    articles: int
    pending_drafts: int
    jobs_waiting: int
    jobs_dead: int
    oldest_job_seconds: int
    role_owns_tables: bool


async def examine(tx: Tx, settings: Settings) -> Report:
    counts = await tx.one(
        Counts,
        """
        select 'PostgreSQL ' || current_setting('server_version') as database,
            (select version_num from alembic_version) as revision,
            (select count(*) from workspaces) as workspaces,
            (select count(*) from bots) as bots,
            (select count(*) from articles where deleted_at is null) as articles,
            (select count(*) from drafts where status = 'pending') as pending_drafts,
            (select count(*) from jobs where run_at is not null) as jobs_waiting,
            (select count(*) from jobs where run_at is null) as jobs_dead,
            (select coalesce(extract(epoch from now() - min(run_at)), 0)::integer from jobs
             where run_at < now()) as oldest_job_seconds,
            exists (select from pg_tables where tableowner = 'instep_app') as role_owns_tables
        """,
    )
    return Report(
        version=__version__,
        settings=shown_settings(settings),
        problems=problems_of(counts),
        **{name: getattr(counts, name) for name in set(Report.model_fields) & set(Counts.__slots__)},
    )


def shown_settings(settings: Settings) -> dict[str, str]:
    values = settings.model_dump()
    return {
        f"INSTEP_{name.upper()}": "(set)" if name in SECRETS and value is not None else str(value)
        for name, value in values.items()
    }


def problems_of(counts: Counts) -> list[str]:
    problems = []
    if counts.revision != head():
        problems.append("The schema is not current: run `instep migrate`.")
    if counts.jobs_dead:
        problems.append(f"{counts.jobs_dead} jobs were given up; the log says why.")
    if counts.oldest_job_seconds > JOB_LAG_SECONDS:
        problems.append(f"Jobs wait since {counts.oldest_job_seconds} seconds: is a worker running?")
    if counts.role_owns_tables:
        problems.append("The role instep_app owns tables, so row-level security does not hold it.")
    return problems


def as_text(report: Report) -> str:
    facts = report.model_dump(exclude={"settings", "problems"})
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in facts.items()]
    lines += [f"{name}: {value}" for name, value in report.settings.items()]
    lines += [f"PROBLEM: {problem}" for problem in report.problems] or ["No problems found."]
    return "\n".join(lines)
