"""Server-sent events (HTML standard, section 9.2)."""

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from instep.platform.web.accepted import accepted_qualities
from instep.platform.web.errors import as_app_error
from instep.platform.web.visitors.errors import visitor_error_body

MEDIA_TYPE = "text/event-stream"
# A comment, which clients ignore.
PAUSE = b":\n\n"


def wants_events(request: Request) -> bool:
    """True if `Accept` asks for events at least as much as for JSON; `*/*` means JSON."""
    qualities = accepted_qualities(request)
    return 0 < qualities.get(MEDIA_TYPE, 0) >= qualities.get("application/json", 0)


def event_stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    # Proxies would otherwise buffer the response until it is complete.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type=MEDIA_TYPE, headers=headers)


def event(name: str, data: Any) -> bytes:
    # JSON contains no line break, so it is one line of data.
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def failure(error: Exception) -> bytes:
    """The event for an error after the status has been sent."""
    return event("error", visitor_error_body(as_app_error(error)))
