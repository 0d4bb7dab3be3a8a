"""The id and the log line of every request."""

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
# The status that nginx logs when the client closes the connection before the response.
CLIENT_GONE = 499


class RequestLog:
    """Gives each request an id, which its response and every log line about it carry.

    It is the outermost middleware but one, so that unexpected errors are answered and logged with the id too.
    """

    def __init__(self, app: ASGIApp, on_error: OnError, *, is_silent: bool = False) -> None:
        self.app = app
        self.on_error = on_error
        # For commands that print something else on the terminal: then only errors are logged.
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
                # The client is gone, so there is no response.
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
