"""Keyset paging with opaque signed cursors; a query reads one row more to know whether a next page exists."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError
from instep.platform.core.secret_keys import previous_secret_keys

Row = TypeVar("Row")
SIGNATURE_BYTES = 12


class InvalidCursor(AppError):
    """The cursor was altered, or belongs to another list, filter or text: begin again without it."""

    code = "invalid_cursor"


class Statements(Protocol):
    """Reads rows: a transaction, or the context of an action."""

    def all(self, kind: type[Row], sql: str, /, **params: Any) -> Awaitable[list[Row]]: ...


@dataclass(frozen=True, slots=True)
class Order:
    """The total order of a list: its columns, and whether it descends."""

    columns: tuple[str, ...]
    descending: bool

    @property
    def sql(self) -> str:
        direction = " desc" if self.descending else ""
        return ", ".join(column + direction for column in self.columns)


@dataclass(frozen=True, slots=True)
class Keyset:
    """The position and size of a page; `scope` names its list and filters, which bind the cursor."""

    order: Order
    scope: str
    size: int
    after: tuple[Any, ...] | None
    key: bytes

    @property
    def condition(self) -> str:
        """The SQL condition for rows after the cursor."""
        if self.after is None:
            return "true"
        sign = "<" if self.order.descending else ">"
        marks = ", ".join(f"%(after_{number})s" for number in range(len(self.after)))
        return f"({', '.join(self.order.columns)}) {sign} ({marks})"

    @property
    def tail(self) -> str:
        return f"order by {self.order.sql} limit {self.size + 1}"

    @property
    def params(self) -> dict[str, Any]:
        return {f"after_{number}": value for number, value in enumerate(self.after or ())}

    async def read(self, ctx: Statements, kind: type[Row], sql: str, /, **params: Any) -> "Page[Row]":
        """The page that `sql` selects by `condition` and `tail`; its rows have the columns of the order."""
        rows = await ctx.all(kind, sql, **params, **self.params)
        names = [column.rpartition(".")[2] for column in self.order.columns]
        return self.page_of(rows, lambda row: tuple(getattr(row, name) for name in names))

    def page_of(self, rows: Sequence[Row], place: Callable[[Row], tuple[Any, ...]]) -> "Page[Row]":
        """The rows of this page and the cursor of the next one; `place` returns a row's sort key."""
        page_rows = list(rows[: self.size])
        has_next = len(rows) > self.size
        return Page(page_rows, sign_cursor(self.scope, place(page_rows[-1]), self.key) if has_next else None)


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """A page of rows."""

    rows: list[Row]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The page that a caller requests: its size in rows, and the cursor that it follows."""

    key: bytes
    size: int = limits.DEFAULT_PAGE_SIZE
    cursor: str | None = None

    def page(self, order: Order, *scope: object) -> Keyset:
        name = json.dumps([str(part) for part in scope])
        # A client that pages while the secret key is rotated can still use its cursor.
        keys = (self.key, *previous_secret_keys(settings()))
        after = verify_cursor(name, self.cursor, *keys) if self.cursor is not None else None
        return Keyset(order, name, self.size, after, self.key)


def sign_cursor(scope: str, values: tuple[Any, ...], key: bytes) -> str:
    body = json.dumps([pack(value) for value in values]).encode()
    return encode(sign(scope, body, key) + body)


def verify_cursor(scope: str, cursor: str, *keys: bytes) -> tuple[Any, ...]:
    try:
        data = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except ValueError:
        raise InvalidCursor from None
    signature, body = data[:SIGNATURE_BYTES], data[SIGNATURE_BYTES:]
    # Several encodings decode to the same bytes; only the canonical one is valid.
    is_signed = any(hmac.compare_digest(signature, sign(scope, body, key)) for key in keys)
    if encode(data) != cursor or not is_signed:
        raise InvalidCursor
    return tuple(unpack(value) for value in json.loads(body))


def encode(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def sign(scope: str, body: bytes, key: bytes) -> bytes:
    return hmac.digest(key, scope.encode() + b"\0" + body, hashlib.sha256)[:SIGNATURE_BYTES]


def pack(value: Any) -> Any:
    return {"at": value.isoformat()} if isinstance(value, datetime) else value


def unpack(value: Any) -> Any:
    return datetime.fromisoformat(value["at"]) if isinstance(value, dict) else value
