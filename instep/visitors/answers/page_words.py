"""Derives the topic of a product's page from its URL."""

import re
from urllib.parse import unquote, urlsplit

# Parts of URLs that come from routers and servers and describe no topic.
ROUTER_WORDS = frozenset(("app", "asp", "aspx", "htm", "html", "index", "jsp", "php", "web"))
# `teamSettings` are two words.
CAPITAL_INSIDE = re.compile(r"(?<=[a-z])(?=[A-Z])")
SEPARATOR = re.compile(r"[\W_]+")
# A segment with a digit is the id of something, and so is a long one without a break.
MAX_WORD_CHARACTERS = 24


def words_of_page(address: str) -> str:
    """The words of the path, and of the fragment if a script has put the path there (`#/team/members`)."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    route = parts.fragment.lstrip("!") if parts.fragment.lstrip("!").startswith("/") else ""
    words = [
        word.lower()
        for segment in SEPARATOR.split(unquote(f"{parts.path}/{route}"))
        if len(segment) <= MAX_WORD_CHARACTERS and not any(map(str.isdigit, segment))
        for word in CAPITAL_INSIDE.split(segment)
    ]
    return " ".join(dict.fromkeys(word for word in words if len(word) > 1 and word not in ROUTER_WORDS))
