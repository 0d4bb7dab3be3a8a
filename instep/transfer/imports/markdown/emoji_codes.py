"""Replaces codes of emoji and icons, such as `:smile:` and `:material-check:`."""

import re

import emoji

_CODE = re.compile(r"(?<![\w:]):([a-z0-9_+-]+):(?!\w)")
_ICON = re.compile(
    r":(?:material|octicons|fontawesome(?:-(?:solid|regular|brands))?|simple|fa[sbr]?)-([a-z0-9-]+):"
)
_LINKED_ICON = re.compile(rf"\[[ \t]*{_ICON.pattern}[ \t]*\](?=[(\[])")
_SIGNS = {"check": "✓", "check-circle": "✓", "check-all": "✓", "close": "✗", "close-circle": "✗"}


def replace_emoji_codes(text: str) -> str:
    """The text with emoji characters in place of their codes. Code in the text must be hidden."""
    return _CODE.sub(lambda code: emoji.emojize(code[0], language="alias"), text)


def replace_icons(text: str) -> str:
    """The text without the icons of MkDocs; an icon that is a link's only content becomes its name."""
    text = _LINKED_ICON.sub(lambda icon: f"[{icon[1].replace('-', ' ')}]", text)
    return re.sub(
        rf"{_ICON.pattern}([ \t]*)", lambda icon: _SIGNS[icon[1]] + icon[2] if icon[1] in _SIGNS else "", text
    )
