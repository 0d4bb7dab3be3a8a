"""What a diff may not bring into an article: new links, pictures, markup or hidden characters."""

import unicodedata

_MARKUP = ("://", "](", "![", "<", "javascript:", "data:", "|", "{{", "{%")
_HIDDEN = frozenset(("Cc", "Cf", "Co", "Cs"))


def is_safe(old: str, new: str) -> bool:
    """Whether `new` holds no more of any markup than the text it replaces, and nothing that can't be seen."""
    lowered = old.lower(), new.lower()
    if any(lowered[1].count(sign) > lowered[0].count(sign) for sign in _MARKUP):
        return False
    return not has_hidden(new)


def has_hidden(text: str) -> bool:
    """Whether a text holds characters that nobody sees."""
    return any(unicodedata.category(sign) in _HIDDEN for sign in text)
