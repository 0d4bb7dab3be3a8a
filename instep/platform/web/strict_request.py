"""A request whose body is bounded and whose JSON is strict."""

import json
from typing import Any

from pydantic_core import from_json
from starlette.requests import Request
from starlette.types import Receive, Scope

from instep.platform.core.errors import InvalidRequest


class StrictRequest(Request):
    """A request whose body is bounded and whose JSON is strict: no NaN, no lone surrogates, not too deep."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        super().__init__(scope, receive)
        self.chunks = self.stream()
        self.received = bytearray()
        self.is_whole = False

    @property
    def announced_bytes(self) -> int:
        """The value of `Content-Length`; 0 for a chunked body."""
        length = self.headers.get("content-length", "")
        return int(length) if length.isascii() and length.isdigit() else 0

    async def read(self, limit: int) -> None:
        """Read the body up to a little more than `limit`; may be called again with a larger limit."""
        while not self.is_whole and len(self.received) <= limit:
            chunk = await anext(self.chunks, None)
            self.is_whole = chunk is None
            self.received += chunk or b""
        self._body = bytes(self.received)

    def refuse_too_large(self, limit: int) -> None:
        if len(self._body) > limit:
            raise InvalidRequest(f"The body is larger than {limit} bytes.")

    def refuse_other_than_json(self) -> None:
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if self._body and kind != "application/json":
            raise InvalidRequest("Send the body as JSON, with `Content-Type: application/json`.")
        if self._body and self.headers.get("content-encoding", "identity").lower() != "identity":
            raise InvalidRequest("Send the body uncompressed, without `Content-Encoding`.")

    async def json(self) -> Any:
        try:
            return from_json(self._body, allow_inf_nan=False)
        except ValueError as error:
            raise json.JSONDecodeError(str(error), "", 0) from None
