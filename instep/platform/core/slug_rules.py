"""The error for a slug that another resource uses."""

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg.errors import UniqueViolation

from instep.platform.core.errors import InvalidRequest


class SlugTaken(InvalidRequest):
    """This address is in use already: choose another one."""

    code = "slug_taken"
    field = "slug"

    def __init__(self) -> None:
        super().__init__(details=[(self.field, self.sentence())])


@contextmanager
def slug_must_be_free() -> Iterator[None]:
    """Raise `SlugTaken` if a unique index of slugs, whose name ends in `_slug`, refuses a row.

    The database decides, so two requests at the same time can't both get the slug.
    """
    try:
        yield
    except UniqueViolation as error:
        if (error.diag.constraint_name or "").endswith("_slug"):
            raise SlugTaken from None
        raise
