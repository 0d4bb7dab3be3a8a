"""`instep doctor` reports the state of an installation and its problems."""

import asyncio
import os
from collections.abc import Awaitable
from dataclasses import dataclass
from urllib.parse import urlsplit

from instep import __version__
from instep.accounts.workspaces.backup_state import find_backup_state
from instep.content.files.storage import check_bucket
from instep.operations.ops.health import STATE, State, problems_of, try_to_write
from instep.operations.ops.rotation import count_sealed
from instep.platform.core.config import environment_name
from instep.platform.core.crypto import key_ring
from instep.platform.core.database import OUTAGES, Tx
from instep.platform.core.disk import FreeSpace, free_space_at
from instep.platform.core.errors import Unusable
from instep.platform.core.outages import outage_of
from instep.platform.core.postgres import refuse_unusable, replica_url
from instep.platform.core.secret_keys import secret_key_file
from instep.platform.core.served_url import served_url
from instep.platform.core.settings import SECRETS, Settings
from instep.platform.llm.factory import check_local_model, describe_embeddings, describe_model
from instep.platform.web.shapes import Out
from instep.search.semantic.vectors import embedding_backlog

# Texts are stored as they were sent, so a full URL of a file keeps the host that it had then.
OUTDATED_LINKS = """
    select b.slug as bot, match[1] as origin, count(distinct t.id) as texts, min(t.title) as title
    from file_references r
    join bots b on b.workspace_id = r.workspace_id and b.id = r.bot_id
    join files f on f.workspace_id = r.workspace_id and f.bot_id = r.bot_id and f.sha256 = r.sha256
    join lateral (
        select a.id, a.title, a.content_markdown from articles a
        where r.source = 'article' and a.workspace_id = r.workspace_id and a.id = r.source_id
          and a.deleted_at is null
        union all
        select e.id, e.title, e.content_markdown from changelog_entries e
        where r.source = 'changelog_entry' and e.workspace_id = r.workspace_id and e.id = r.source_id
    ) t on true
    cross join lateral regexp_matches(
        t.content_markdown, '(https?://[^/\\s]+)/files/' || b.slug || '/' || r.sha256, 'g') match
    where lower(split_part(match[1], '/', 3)) not in (%(host)s, coalesce(b.domain, ''))
    group by b.slug, match[1] order by b.slug, match[1]
"""


class Migrated(Out):
    """The result of `instep migrate`."""

    revision: str


class Counts(Out):
    """Counts that one query reads from the database."""

    database: str
    workspaces: int
    bots: int
    bots_with_own_model: int
    articles: int
    pending_drafts: int
    jobs_waiting: int
    jobs_dead: int
    role_owns_tables: bool


class SecretCounts(Out):
    """Numbers of stored secrets that the current key, a previous key or no configured key can open."""

    current: int
    previous: int
    unreadable: int


class DoctorReport(Out):
    """The report of `instep doctor`; secret settings are masked."""

    version: str
    revision: str | None
    counts: Counts
    secrets: SecretCounts
    model: str
    embeddings: str
    data_folder: str
    proxies: str
    settings: dict[str, str]
    problems: list[str]


async def examine(tx: Tx, settings: Settings) -> DoctorReport:
    state = await tx.fetch_one(State, f"select {STATE}")
    counts = await tx.fetch_one(
        Counts,
        """
        select 'PostgreSQL ' || current_setting('server_version') as database,
            (select count(*) from workspaces) as workspaces,
            (select count(*) from bots) as bots,
            (select count(*) from language_models where provider is not null) as bots_with_own_model,
            (select count(*) from articles where deleted_at is null) as articles,
            (select count(*) from drafts where status = 'pending') as pending_drafts,
            (select count(*) from jobs where run_at <= now()) as jobs_waiting,
            (select count(*) from jobs where run_at is null) as jobs_dead,
            exists (select from pg_tables where tableowner = 'instep_app') as role_owns_tables
        """,
    )
    sealed = await count_sealed(tx, key_ring())
    embeddings, vectors = describe_embeddings(settings), await embedding_backlog(tx)
    space = free_space_at(settings.data_dir)
    return DoctorReport(
        version=__version__,
        revision=state.revision,
        counts=counts,
        secrets=SecretCounts(current=sealed.current, previous=sealed.previous, unreadable=sealed.unreadable),
        model=describe_model(settings),
        embeddings=embeddings if settings.embeddings == "off" else f"{embeddings}; {vectors.summary()}",
        data_folder=str(space),
        proxies=describe_proxies(settings),
        settings=describe_settings(settings),
        problems=[
            *problems_of(state),
            *count_problems(counts),
            *await writing_problems(tx),
            *await problem_of(check_replica(settings)),
            *space_problems(settings, space),
            *await problem_of(check_storage(settings)),
            *await outdated_link_problems(tx, served_url(settings, os.environ)),
            *await backup_problems(tx, settings),
            *await problem_of(asyncio.to_thread(check_local_model, settings)),
            *sealed.problems(),
            *(vectors.problems() if settings.embeddings != "off" else ()),
        ],
    )


def describe_settings(settings: Settings) -> dict[str, str]:
    values = {
        environment_name(name): masked_value(name, value) for name, value in settings.model_dump().items()
    }
    if "site_url" not in settings.model_fields_set:
        url = served_url(settings, os.environ)
        values[environment_name("site_url")] = f"not set: links begin with {url}"
    if settings.secret_key is None:
        file = secret_key_file(settings)
        values[environment_name("secret_key")] = (
            f"in {file}" if file.exists() else f"will be created in {file}"
        )
    return values


def masked_value(name: str, value: object) -> str:
    if value is None or value == "":
        return "not set"
    return "(set)" if name in SECRETS else str(value)


async def writing_problems(tx: Tx) -> list[str]:
    try:
        await try_to_write(tx)
    except OUTAGES as error:
        return [outage_of(error).message]
    return []


async def problem_of(check: Awaitable[object]) -> list[str]:
    """The sentence of a check that finds something unusable."""
    try:
        await check
    except Unusable as error:
        return [str(error)]
    return []


async def check_replica(settings: Settings) -> None:
    """Connect to the replica, if any; while it can't be used, everything is read from the database itself."""
    if url := replica_url(settings):
        await asyncio.to_thread(refuse_unusable, url, "INSTEP_DATABASE_READ_URL")


async def check_storage(settings: Settings) -> None:
    """Test the bucket or folder of files; the database is checked elsewhere."""
    if settings.files is not None:
        await check_bucket(settings.files)


async def backup_problems(tx: Tx, settings: Settings) -> list[str]:
    """Problems of the destination of scheduled backups, found by a test, and of an outdated last backup."""
    if settings.backups is None:
        return []
    unusable = await problem_of(check_bucket(settings.backups, "INSTEP_BACKUPS"))
    return unusable or (await find_backup_state(tx)).problems()


def space_problems(settings: Settings, space: FreeSpace) -> list[str]:
    """Report a nearly full disk, if the data folder has the embedded database."""
    if settings.database_url or not space.is_little:
        return []
    return [f"The disk of {settings.data_dir} is nearly full, {space}: free some space, or saving fails."]


def describe_proxies(settings: Settings) -> str:
    """The trusted proxies, or a hint if none are set though the installation is behind a proxy."""
    if settings.proxies:
        return ", ".join(map(str, settings.proxies))
    if settings.is_encrypted:
        return (
            "none: INSTEP_SITE_URL begins with https, so there is a proxy, and all visitors count as one"
            " address; name the proxy in INSTEP_TRUSTED_PROXIES"
        )
    return "none"


def count_problems(counts: Counts) -> list[str]:
    problems = []
    if counts.jobs_dead:
        problems.append(f"{counts.jobs_dead} jobs failed for good; the log has the reasons.")
    if counts.role_owns_tables:
        problems.append("The role instep_app owns tables, so row-level security does not restrict it.")
    return problems


def as_text(report: DoctorReport) -> str:
    facts = {
        "version": report.version,
        "revision": report.revision,
        **report.counts.model_dump(),
        **{f"secrets of {name} key": count for name, count in report.secrets.model_dump().items()},
        "model": report.model,
        "embeddings": report.embeddings,
        "data folder": report.data_folder,
        "trusted proxies": report.proxies,
    }
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in facts.items()]
    lines += [f"{name}: {value}" for name, value in report.settings.items()]
    lines += [f"PROBLEM: {problem}" for problem in report.problems] or ["No problems found."]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class OutdatedOrigin:
    """An origin in the texts of a bot, the number of these texts, and the title of one."""

    bot: str
    origin: str
    texts: int
    title: str


async def outdated_link_problems(tx: Tx, base_url: str) -> list[str]:
    origins = await tx.all(OutdatedOrigin, OUTDATED_LINKS, host=urlsplit(base_url).netloc.lower())
    return [
        f"Texts of {former.bot} ({former.texts}, such as “{former.title}”) show files at {former.origin},"
        f" which is not this installation's address: replace {former.origin}/files by /files in them."
        for former in origins
    ]
