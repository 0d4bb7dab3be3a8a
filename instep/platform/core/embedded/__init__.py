"""PostgreSQL run by Instep itself, shared by all processes on one data folder."""

from instep.platform.core.embedded.errors import DatabaseUnavailable
from instep.platform.core.embedded.supervisor import EmbeddedPostgres

__all__ = ["DatabaseUnavailable", "EmbeddedPostgres"]
