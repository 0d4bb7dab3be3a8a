"""The error of the embedded database, which callers can distinguish from a bug."""

from instep.platform.core.errors import Unusable


class DatabaseUnavailable(Unusable):
    """The embedded PostgreSQL can't be used; the message says why and what to do."""
