"""The paging links and filters of these pages' lists."""

from collections.abc import Iterable, Mapping
from typing import TypeVar
from urllib.parse import urlencode

from instep.interfaces.dashboard.bot_pages import BotPage

Name = TypeVar("Name", bound=str)
# The URL, the words and whether it is current: the arguments of the part `tabs`.
Tab = tuple[str, str, bool]


def address(page: BotPage, below: str, **query: str | None) -> str:
    """The URL of a page of this bot, with the non-empty fields."""
    return page.path(address_below(below, **query))


def address_below(below: str, **query: str | None) -> str:
    """The same, below the path of the bot."""
    fields = {name: value for name, value in query.items() if value}
    return below + (f"?{urlencode(fields)}" if fields else "")


def links_between(
    page: BotPage, below: str, next_cursor: str | None, **query: str | None
) -> dict[str, str | None]:
    """The URLs of the first page, if another one is shown, and of the next one."""
    return {
        "first": address(page, below, **query) if page.query.get("cursor") else None,
        "next": address(page, below, **query, cursor=next_cursor) if next_cursor else None,
    }


def filter_tabs(
    page: BotPage, below: str, names: Mapping[Name, str], current: str, **query: str | None
) -> list[Tab]:
    """One link for each filter; the first one is the default."""
    default = next(iter(names))
    return [
        (address(page, below, status=None if name == default else name, **query), words, name == current)
        for name, words in names.items()
    ]


def chosen(page: BotPage, field: str, values: Iterable[Name]) -> Name:
    """The value that the URL names; the first one if it names none of them."""
    known_values = list(values)
    return next((value for value in known_values if value == page.query.get(field)), known_values[0])
