"""The interface of fetchers: each knows its product's URLs, and saves the answers of its API."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from instep.transfer.imports.fetchers.product_api import Api, Headers


@dataclass(frozen=True, slots=True)
class Fetcher:
    """The API of a product; `name` is that of the reader of what it saves.

    `base` is the API's URL for a URL of the product that a person gives, or None when the URL isn't one of
    the product's. `headers` makes the credentials of a request out of the key; `key_hint` tells which key it
    takes. `fetch` saves everything through its `Api`.
    """

    name: str
    title: str
    key_hint: str
    base: Callable[[str], str | None]
    headers: Callable[[str], Headers]
    fetch: Callable[[Api], Awaitable[None]]
