"""Limits results to an agent's budget of about 4,000 tokens: as many rows or as much text as fits."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from instep.platform.core import limits
from instep.platform.core.paging import Order, Page, PageRequest, sign_cursor
from instep.platform.web.api import as_json
from instep.platform.web.shapes import ListOut

Row = TypeVar("Row")
Item = TypeVar("Item", bound=BaseModel)
PLACE_IN_TEXT = Order(("place",), descending=False)


async def list_within_budget(
    query: Callable[[PageRequest], Awaitable[Page[Row]]], shape: Callable[[Row], Item], request: PageRequest
) -> ListOut[Item]:
    """A page of a list, cut to the first rows that fit, with the cursor after them."""
    page = await query(request)
    rows = [shape(row) for row in page.rows]
    fitting_rows = rows_within_budget(rows)
    if 0 < len(fitting_rows) < len(rows):
        page = await query(PageRequest(request.key, len(fitting_rows), request.cursor))
        rows = [shape(row) for row in page.rows]
    return ListOut(results=rows, has_more=page.next_cursor is not None, next_cursor=page.next_cursor)


def rows_within_budget(rows: Sequence[Item], size: int = limits.MAX_TOOL_RESULT_BYTES) -> list[Item]:
    """The first rows that fit into `size` bytes together; at least one."""
    first_rows: list[Item] = []
    for row in rows:
        size -= len(as_json(row))
        if first_rows and size < 0:
            break
        first_rows.append(row)
    return first_rows


@dataclass(frozen=True, slots=True)
class TextPage:
    """A part of a text, and the cursor of the next one, if any."""

    text: str
    next_cursor: str | None

    @property
    def continues(self) -> dict[str, Any]:
        """The fields of the list envelope."""
        return {"has_more": self.next_cursor is not None, "next_cursor": self.next_cursor}


def text_page(text: str, request: PageRequest, *scope: object) -> TextPage:
    """The part of a text that fits, up to the end of a line; `scope` names the text and its version."""
    page = request.page(PLACE_IN_TEXT, "text", *scope)
    start: int = page.after[0] if page.after else 0
    rest = text[start:]
    part = rest.encode("utf-8", "replace")[: limits.MAX_TOOL_TEXT_BYTES].decode("utf-8", "ignore")
    if len(part) == len(rest):
        return TextPage(part, None)
    end_of_line = part.rfind("\n", len(part) // 2) + 1
    part = part[: end_of_line or len(part)]
    return TextPage(part, sign_cursor(page.scope, (start + len(part),), page.key))
