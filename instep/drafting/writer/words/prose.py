"""Prose that may go into an article: safe sentences made from code, docstrings and titles of changes."""

import re
from functools import lru_cache

from instep.platform.text.characters import has_hidden

_DIRECTIVE = re.compile(r"(?m)^\.\. [\w-]+::|^\.\. _|``\w")
_MARKDOWN = re.compile(r"(?m)^#{1,6} |^```|\]\(")
# Texts that pages turn into links by themselves.
_HOST_OR_MAIL = re.compile(r"\bwww\.|[\w.+-]@[\w-]{1,63}\.\w", re.IGNORECASE)
_MARKUP = ("://", "](", "][", "![", "<", "**", "`", "&lt", "&#", "javascript:", "data:", "|", "{{", "{%")


@lru_cache(maxsize=512)
def is_restructured(text: str) -> bool:
    return len(_DIRECTIVE.findall(text)) > len(_MARKDOWN.findall(text))


def is_safe(old: str, new: str) -> bool:
    """True if `new` has no more markup than the text that it replaces, and no hidden characters."""
    if has_hidden(new) or (_HOST_OR_MAIL.search(new) and not _HOST_OR_MAIL.search(old)):
        return False
    lowered = old.lower(), new.lower()
    return all(lowered[1].count(char) <= lowered[0].count(char) for char in _MARKUP)
