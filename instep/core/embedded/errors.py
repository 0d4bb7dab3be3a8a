"""The one error of the embedded database, so that callers can tell it from a bug."""

from instep.core.errors import Unusable


class DatabaseUnavailable(Unusable):
    """The embedded PostgreSQL can't be used; the message says why and what to do."""
