"""What surrounds every request: its id and its log line."""

import time
from collections.abc import Awaitable, Callable

import structlog
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from instep.core.ids import new_id

OnError = Callable[[Request, Exception], Awaitable[Response]]

log = structlog.get_logger("instep.request")
# As proxies log it: the caller went away before the answer.
CLIENT_GONE = 499


class RequestLog:
    """Gives each request an id, which its answer carries and every log line about it names.

    It stands around everything, so that an unforeseen error is answered, and found again, under that id too.
    """

    def __init__(self, app: ASGIApp, on_error: OnError, *, is_silent: bool = False) -> None:
        self.app = app
        self.on_error = on_error
        # Where people read something else on the terminal: then only failures make lines.
        self.is_silent = is_silent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = new_id("req")
        began = time.perf_counter()
        status: int | None = None

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["Request-Id"] = request_id
            await send(message)

        with bound_contextvars(id=request_id):
            try:
                await self.app(scope, receive, send_with_id)
            except ClientDisconnect:
                # Nobody is left to answer.
                status = status or CLIENT_GONE
            except Exception as error:
                if status is not None:
                    raise
                response = await self.on_error(Request(scope, receive), error)
                await response(scope, receive, send_with_id)
            finally:
                if not self.is_silent:
                    milliseconds = round((time.perf_counter() - began) * 1000, 1)
                    log.info(
                        "request", method=scope["method"], path=scope["path"], status=status, ms=milliseconds
                    )
