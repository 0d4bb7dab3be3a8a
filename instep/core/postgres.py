"""Which PostgreSQL this process uses: the operator's, or the embedded one in the data folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from instep.core.config import Settings
from instep.core.embedded import EmbeddedPostgres


@dataclass(frozen=True, slots=True)
class Postgres:
    """The address of the database; `embedded` is None for one that the operator runs."""

    url: str
    embedded: EmbeddedPostgres | None


@contextmanager
def running_postgres(settings: Settings) -> Iterator[Postgres]:
    """Start or join the embedded server, and leave it at the end: the last process to leave stops it."""
    if settings.database_url:
        yield Postgres(settings.database_url, None)
        return
    with EmbeddedPostgres.attach(settings.data_dir) as embedded:
        yield Postgres(embedded.url, embedded)
