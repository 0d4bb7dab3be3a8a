"""The links that page and filter the lists of these pages."""

from collections.abc import Iterable, Mapping
from typing import TypeVar
from urllib.parse import urlencode

from instep.interfaces.dashboard.bot_pages import BotPage

Name = TypeVar("Name", bound=str)
# The address, the words and whether it is shown: what the part `tabs` takes.
Tab = tuple[str, str, bool]


def address(page: BotPage, below: str, **query: str | None) -> str:
    """A page of this bot with those of the fields that say something."""
    return page.path(address_below(below, **query))


def address_below(below: str, **query: str | None) -> str:
    """The same below the path of the bot."""
    fields = {name: value for name, value in query.items() if value}
    return below + (f"?{urlencode(fields)}" if fields else "")


def links_between(
    page: BotPage, below: str, next_cursor: str | None, **query: str | None
) -> dict[str, str | None]:
    """The addresses of the first page, when another one is shown, and of the next one."""
    return {
        "first": address(page, below, **query) if page.query.get("cursor") else None,
        "next": address(page, below, **query, cursor=next_cursor) if next_cursor else None,
    }


def filter_tabs(
    page: BotPage, below: str, names: Mapping[Name, str], current: str, **query: str | None
) -> list[Tab]:
    """One link for each filter; the first one is what the bare address shows."""
    default = next(iter(names))
    return [
        (address(page, below, status=None if name == default else name, **query), words, name == current)
        for name, words in names.items()
    ]


def chosen(page: BotPage, field: str, values: Iterable[Name]) -> Name:
    """The value that the address names; the first one where it names none that there is."""
    known_values = list(values)
    return next((value for value in known_values if value == page.query.get(field)), known_values[0])
