"""Makes plain-text excerpts of texts: the part with most of the searched words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from itertools import islice

from instep.search.query.tokenizer import UNSEGMENTED_RUN

EXCERPT_CHARACTERS = 200
# Characters of an excerpt before the first match.
LEAD_CHARACTERS = 40
# A word with more occurrences than this does not indicate the best part of the text.
MAX_OCCURRENCES = 300
# In characters: a shorter prefix begins too many other words, so it must match a whole word.
MIN_PREFIX_LENGTH = 3
# Rendered attributes have no `<` and `>`; an unclosed tag is where the text was cut off.
TAG = re.compile(r"</?[^>]*(?:>|$)")
INLINE_TAG = re.compile(r"</?(?:a|code|del|em|kbd|strong|sub|sup)(?!\w)[^>]*(?:>|$)")
FOOTNOTE_MARK = re.compile(
    r'<sup class="footnote-ref"><a[^<>]*>[^<]*</a></sup>|<a [^<>]*\bclass="footnote-backref"[^<>]*>[^<]*</a>'
)
CODE = re.compile(r"<pre\b.*?(?:</pre>|$)", re.DOTALL)
CELL_END = re.compile(r"</t[dh]>(?=\s*<t[dh]\b)")
LINE_END = re.compile(r"</tr>|</?(?:pre|table)\b[^>]*(?:>|$)")
EMPTY_CELLS = re.compile(r"·(?: ·)+")
BLANK = re.compile(r"\s")
# The characters that are the same in every form of a text: no spaces, and nothing between cells.
LETTER = re.compile(r"[^\s·]")
# The position of a match in the text, and the prefix that matches there.
Occurrence = tuple[int, str]


def plain_text(html: str) -> str:
    """The text of rendered HTML on one line."""
    # Few texts have footnotes, and looking for them takes as long as everything else.
    text = FOOTNOTE_MARK.sub("", html) if "footnote" in html else html
    words = TAG.sub(" ", INLINE_TAG.sub("", text))
    return " ".join(unescape(words).split())


def readable_text(html: str) -> str:
    """The text of rendered HTML: table rows and lines of code are separate lines, with · between cells."""
    parted = CODE.sub(lambda code: code[0].replace("\n", "\0"), html) if "<pre" in html else html
    if "<table" in html:
        parted = CELL_END.sub(" · ", parted)
    return joined_lines(map(plain_text, LINE_END.sub("\0", parted).split("\0")))


def joined_lines(lines: Iterable[str]) -> str:
    """The lines with visible content, without separators for empty cells."""
    texts = (EMPTY_CELLS.sub("·", line).strip(" ·") for line in lines)
    return "\n".join(line for line in texts if line)


def letters_in(text: str) -> str:
    return "".join(LETTER.findall(text))


def place_after(text: str, count: int) -> int:
    """The offset at which a text continues after `count` letters."""
    following = next(islice(LETTER.finditer(text), count, None), None)
    return following.start() if following else len(text)


def best_excerpt(text: str, prefixes: Sequence[str]) -> str | None:
    """The excerpt with the most different prefixes, which are in lower case; `None` if the text has none."""
    lowercase = to_lowercase(text)
    matching = (prefix for prefix in prefixes if prefix in lowercase)
    matches = sorted(match for prefix in matching for match in occurrences(lowercase, prefix))
    return cut(text, densest_start(matches)) if matches else None


def cut(text: str, position: int = 0) -> str:
    """The excerpt around a position in a text, cut at word boundaries."""
    start = max(0, min(position - LEAD_CHARACTERS, len(text) - EXCERPT_CHARACTERS))
    if start > 0:
        blank = BLANK.search(text, start, position)
        start = blank.end() if blank else position
    end = start + EXCERPT_CHARACTERS
    if end < len(text):
        middle = start + EXCERPT_CHARACTERS // 2
        blank_start = max(text.rfind(blank, middle, end + 1) for blank in " \n")
        end = blank_start if blank_start > 0 else end
    return ("…" if start > 0 else "") + text[start:end].strip(" ·\n") + ("…" if end < len(text) else "")


def densest_start(matches: Sequence[Occurrence]) -> int:
    """The first match from which an excerpt has the most different prefixes; `matches` are sorted."""
    best, most_prefixes = matches[0][0], 0
    # The last match of each prefix in the window.
    last_in_window: dict[str, int] = {}
    end = 0
    for start, prefix in matches:
        while end < len(matches) and matches[end][0] < start + EXCERPT_CHARACTERS - LEAD_CHARACTERS:
            position, prefix_at_end = matches[end]
            last_in_window[prefix_at_end] = position
            end += 1
        if len(last_in_window) > most_prefixes:
            best, most_prefixes = start, len(last_in_window)
        if last_in_window[prefix] == start:
            del last_in_window[prefix]
    return best


def occurrences(text: str, prefix: str) -> Iterator[Occurrence]:
    """The first occurrences of a prefix at the beginnings of words; in scripts without spaces, anywhere."""
    is_unsegmented = UNSEGMENTED_RUN.match(prefix)
    is_word = len(prefix) < MIN_PREFIX_LENGTH
    count, position = 0, text.find(prefix)
    while position >= 0 and count < MAX_OCCURRENCES:
        end = position + len(prefix)
        is_inside_word = position > 0 and text[position - 1].isalnum()
        if is_unsegmented or not (is_inside_word or (is_word and text[end : end + 1].isalnum())):
            count += 1
            yield position, prefix
        position = text.find(prefix, end)


def to_lowercase(text: str) -> str:
    """The text in lower case with the same length: a few capitals have two lower-case letters."""
    lowercase = text.lower()
    return lowercase if len(lowercase) == len(text) else "".join(letter.lower()[0] for letter in text)
