"""The one error of the embedded database, so that callers tell it from a mistake in the program."""

from instep.core.errors import Unusable


class DatabaseUnavailable(Unusable):
    """The embedded PostgreSQL can't be used; the message says why and what to do."""
