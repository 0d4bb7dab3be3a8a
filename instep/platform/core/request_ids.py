"""The id of a request, which all its log lines and follow-up work carry."""

import re

from structlog.contextvars import get_contextvars

from instep.platform.core.ids import new_id

# The name of the field in log lines.
FIELD = "request_id"
# The form of another system's request id: no spaces or control characters, and short.
FOREIGN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")


def request_id_from(header: str | None) -> str:
    """The id that a proxy or caller sent in `X-Request-Id` if it is well-formed, else a new one."""
    return header if header and FOREIGN_ID.fullmatch(header) else new_id("req")


def present_request_id() -> str | None:
    """The id of the current request, or of the request that created the running job; None outside of both."""
    request_id: str | None = get_contextvars().get(FIELD)
    return request_id
