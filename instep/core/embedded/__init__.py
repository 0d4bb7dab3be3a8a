"""PostgreSQL run by Instep itself, shared by all processes on one data folder."""

from instep.core.embedded.errors import DatabaseUnavailable
from instep.core.embedded.supervisor import EmbeddedPostgres

__all__ = ["DatabaseUnavailable", "EmbeddedPostgres"]
