"""The family of errors that a caller can act on; every face renders them in its own words."""

from collections.abc import Mapping, Sequence


class AppError(Exception):
    """A refusal: its HTTP status, its code and one sentence that says what to do (contract section 3).

    `details` names the fields at fault as `(field, message)` pairs; `headers` go out with the answer.
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
        self.message = message or " ".join((self.__doc__ or "").split())
        self.details = tuple(details)
        self.headers = dict(headers or {})
        super().__init__(self.message)


class Unusable(Exception):
    """The installation can't be used as it is set up; the message says why and what to do."""


class InvalidRequest(AppError):
    """The request is missing something, or a value is bad."""


class InvalidValue(InvalidRequest):
    """The value of one field is bad."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"`{field}`: {message}.", details=[(field, message)])


class InvalidState(AppError):
    """This can't be done in the present state."""

    code = "invalid_state"


class Conflict(AppError):
    """The text has changed since it was read: get it again and repeat the change."""

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
    """The API key may not do this."""

    status = 403
    code = "insufficient_scope"


class NotFound(AppError):
    """There is nothing at this address."""

    status = 404
    code = "not_found"


class RateLimited(AppError):
    """Too many requests: wait for as long as `Retry-After` says, then go on."""

    status = 429
    code = "rate_limited"


class Unavailable(AppError):
    """The database can't be reached just now: try again in a moment."""

    status = 503
    code = "unavailable"
    retry_seconds = 1

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": str(self.retry_seconds)})
