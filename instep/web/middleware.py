"""What surrounds every request: its id and its log line."""

import time
from typing import Any

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from instep.core.ids import new_id

log = structlog.get_logger("instep.request")


class RequestLog:
    """Gives each request an id, which its answer carries and its log line names."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = new_id("req")
        began = time.perf_counter()
        status: Any = None

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["Request-Id"] = request_id
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            milliseconds = round((time.perf_counter() - began) * 1000, 1)
            log.info(
                "request",
                id=request_id,
                method=scope["method"],
                path=scope["path"],
                status=status,
                ms=milliseconds,
            )
