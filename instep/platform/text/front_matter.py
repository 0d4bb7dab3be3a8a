"""The front matter of a Markdown file: settings between two lines `---`, or `+++` for TOML."""

import re
from typing import NamedTuple

_FRONT_MATTER = re.compile(
    r"\A\ufeff*(---|\+\+\+)[ \t]*\r?\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_FIRST_KEY = re.compile(r"[\w\"'#-]+[ \t]*[:=]|#")


class SplitText(NamedTuple):
    """A text in two parts, `head` with both of its marks; without front matter all of it is `body`."""

    head: str
    body: str
    # `---` for YAML, `+++` for TOML.
    mark: str = ""
    settings: str = ""

    @property
    def begins_with_key(self) -> bool:
        """True if it begins with a setting or a comment; otherwise it may be a text between two rules."""
        return _FIRST_KEY.match(self.settings) is not None


def split_front_matter(text: str) -> SplitText:
    match = _FRONT_MATTER.match(text)
    return SplitText(match[0], text[match.end() :], match[1], match[2]) if match else SplitText("", text)
