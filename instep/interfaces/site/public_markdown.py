"""Published texts as Markdown documents that contain nothing that their pages don't show."""

import re
from datetime import datetime

from html_to_markdown import ConversionOptions, convert

from instep.interfaces.site.schemas import WholeText
from instep.platform.core.clock import isoformat
from instep.platform.core.directives import plain_markdown
from instep.platform.text.characters import with_single_spaces

# Raw HTML and link definitions may contain text that no page shows, such as authors' comments.
MAY_HIDE_WORDS = re.compile(r"<(?!https?:|mailto:)[!?/A-Za-z]|\]:")
# A text about tags keeps them as words.
OPTIONS = ConversionOptions(extract_metadata=False, escape_misc=True, br_in_tables=True, compact_tables=True)
# Tags, and code with all its content.
TAG_OR_CODE = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>|<[^<>]*>)", re.DOTALL)
# Characters in and between words that mean nothing in Markdown there; the converter would escape them.
PLAIN_SIGN = re.compile(r"(?<=\w)[-.+=](?=\w)|(?<=[\w,;] )[-+=](?= )|(?<=[^\W\d])\.")
SIGNS = "-.+="
# Characters that no text has (Unicode, noncharacters) replace them.
STAND_INS = "\ufdd0\ufdd1\ufdd2\ufdd3"
HIDE, SHOW = str.maketrans(SIGNS, STAND_INS), str.maketrans(STAND_INS, SIGNS)


def shown_markdown(text: WholeText) -> str:
    """The author's Markdown; if it may contain hidden text, Markdown made from the page's HTML."""
    if MAY_HIDE_WORDS.search(text.markdown) is None:
        return plain_markdown(text.markdown).strip()
    parts = TAG_OR_CODE.split(text.html)
    parts[::2] = [PLAIN_SIGN.sub(lambda sign: sign[0].translate(HIDE), words) for words in parts[::2]]
    return (convert("".join(parts), OPTIONS).content or "").strip().translate(SHOW)


def write_markdown(text: WholeText, url: str, notice: str = "") -> str:
    """A document: title, notice, description, text, then its URL and date."""
    lines = filter(None, (notice, text.description))
    lead = "".join(f"\n> {with_single_spaces(line)}\n" for line in lines)
    end = f"---\n\n{origin(url, text.updated_at)}"
    return f"# {with_single_spaces(text.title)}\n{lead}\n{shown_markdown(text)}\n\n{end}"


def origin(url: str, updated_at: datetime) -> str:
    return f"Source: <{url}>\n\nLast changed: {isoformat(updated_at)}\n"
