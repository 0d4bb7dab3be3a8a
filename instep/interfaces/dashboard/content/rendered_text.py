"""Texts as readers see them, adapted to the dashboard, which loads nothing from other servers."""

import re
from html import escape, unescape

from markupsafe import Markup

from instep.platform.web.pages import sanitised

# The renderer writes attributes in double quotes, with quotes and angle brackets in them escaped.
FOREIGN_PICTURE = re.compile(r'<img src="(?:https?:)?//([^"/]*)[^"]*"[^>]*>')
ALT = re.compile(r' alt="([^"]*)"')


def text_of_page(html: str) -> Markup:
    """Rendered Markdown, with each image from another server replaced by a word."""
    return sanitised(FOREIGN_PICTURE.sub(describe_picture, html))


def describe_picture(picture: re.Match[str]) -> str:
    alt = ALT.search(picture[0])
    words = unescape(alt[1]) if alt else ""
    name = f"Image on {unescape(picture[1])}" + (f": {words}" if words else "")
    return f'<span class="picture-elsewhere">{escape(name)}</span>'
