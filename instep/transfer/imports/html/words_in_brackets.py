"""Escapes text in angle brackets that a parser would read as a tag, as in “if a<b and c>d”."""

import re

# A lowercase tag with only words after its name.
_BARE_TAG = re.compile(r"(?<!\\)<([a-z][a-z0-9-]*)((?:[ \t\n]+[^\s<>=\"'/{}`]+)+)[ \t\n]*>")
# Attributes without a value in HTML and in site generators.
_BARE_ATTRIBUTES = frozenset(
    (
        *("allowfullscreen", "async", "autofocus", "autoplay", "checked", "compact", "controls", "default"),
        *("defer", "disabled", "download", "formnovalidate", "hidden", "inert", "ismap", "itemscope", "loop"),
        *("markdown", "multiple", "muted", "nomodule", "noshade", "novalidate", "nowrap", "open", "readonly"),
        *("playsinline", "required", "reversed", "scoped", "seamless", "selected", "setup"),
        *("webkitallowfullscreen", "alt", "title", "class", "id", "value", "name", "inline", "block"),
        "border",
    )
)


def shown_comparisons(text: str, bracket: str) -> str:
    """The text with such brackets replaced by `bracket`."""

    def escape(tag: re.Match[str]) -> str:
        is_tag = all(is_attribute(word) for word in tag[2].split())
        return tag[0] if is_tag else bracket + tag[0][1:]

    return _BARE_TAG.sub(escape, text)


def is_attribute(word: str) -> bool:
    return word.lower() in _BARE_ATTRIBUTES or "-" in word or word.startswith((":", "@", "#", "*", "["))
