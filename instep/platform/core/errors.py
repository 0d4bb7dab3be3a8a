"""Errors that a caller can act on; each API renders them in its own format."""

from collections.abc import Mapping, Sequence
from typing import Self


class AppError(Exception):
    """An error response: HTTP status, code and one sentence that says what to do (contract section 3).

    `details` are `(field, message)` pairs of invalid values; `headers` are added to the response. The
    docstring of a subclass is its default sentence, and its description in the API reference.
    """

    status = 400
    code = "invalid_request"

    def __init__(
        self,
        message: str | None = None,
        *,
        details: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.message = message or self.sentence()
        self.details = tuple(details)
        self.headers = dict(headers or {})
        super().__init__(self.message)

    @classmethod
    def sentence(cls) -> str:
        """The default sentence: the docstring in one line."""
        return " ".join((cls.__doc__ or "").split())


class Unusable(Exception):
    """The installation can't run with its current setup; the message says why and what to do."""


class InvalidRequest(AppError):
    """The request is missing something, or a value is invalid."""


class InvalidValue(InvalidRequest):
    """The value of one field is invalid."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"`{field}`: {message}.", details=[(field, message)])


class InvalidState(AppError):
    """The current state does not allow this."""

    code = "invalid_state"


class Conflict(AppError):
    """The text has changed since it was read: read it again and repeat the change."""

    code = "conflict"


class Unauthorized(AppError):
    """No valid API key was sent: put `Authorization: Bearer <key>` on the request."""

    status = 401
    code = "unauthorized"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message, headers={"WWW-Authenticate": "Bearer"})


class PlanInactive(AppError):
    """The workspace is paused: reads still work, writes do not until it is resumed."""

    status = 402
    code = "plan_inactive"


class InsufficientScope(AppError):
    """The API key may only read, or does not cover the bot that the request names."""

    status = 403
    code = "insufficient_scope"


class NotFound(AppError):
    """There is nothing at this address."""

    status = 404
    code = "not_found"

    @classmethod
    def of(cls, noun: str) -> Self:
        """The error for a missing resource, named by its kind, such as `article`."""
        return cls(f"This {noun} does not exist.")


class RateLimited(AppError):
    """Too many requests: wait for as long as `Retry-After` says, then try again."""

    status = 429
    code = "rate_limited"


class Unavailable(AppError):
    """The database can't be reached: try again in a moment."""

    status = 503
    code = "unavailable"
    retry_seconds = 1

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": str(self.retry_seconds)})
