"""Lines of Markdown without links, pictures, HTML and footnotes; code stays as it is."""

import re
from collections.abc import Iterator
from html import unescape

from instep.platform.text.code_spans import code_spans
from instep.platform.text.sentences import split_sentences

# An import escapes a component that it does not know: `\<Note>`.
TAG = re.compile(
    r"<(script|style)\b.*?(?:</\1[^<>]*>|$)|\\?</?[A-Za-z][^<>]*>|<!--.*?-->|<[?!][^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
# An address in angle brackets, which is text and no tag (CommonMark 0.31.2, section 6.5).
AUTOLINK = re.compile(r"<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^{|}~-]+@[\w.-]+)>", re.IGNORECASE)
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# An icon at the beginning of bold text.
TAG_IN_BOLD = re.compile(r"(\*\*|__)(?:<[^<>]*>)+\s+")
TARGET = r"(?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)|\[[^\[\]]*\])"
IMAGE = re.compile(rf"!\[[^\[\]]*\]{TARGET}?")
LINK = re.compile(rf"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]{TARGET}")
# Signs that would begin a block of code, now that nothing is before them (CommonMark section 4.5).
OPENING_FENCE = re.compile(r"\A(?:`{3,}(?=[^`]*+\Z)|~{3,})")
FOOTNOTE = re.compile(r"\[\^[^\]]+\]:?")
# Round brackets are part of a URL in pairs only, so that the one after it in "(see https://…)" is not.
IN_BRACKETS = r"\([^\s<>\"'`|*()]*\)"
URL_OR_EMAIL = re.compile(
    r"<?((?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\bmailto:)"
    rf"(?:[^\s<>\"'`|*()]|{IN_BRACKETS})*(?:[^\s<>\"'`|*().,;:!?\]]|{IN_BRACKETS})"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++)>?",
    re.IGNORECASE,
)
ESCAPED = re.compile(r"\\([\[\]<])")
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
# Two private-use characters around the index of a code span.
PLACEHOLDER = "\ue000{}\ue001"
PLACEHOLDER_PATTERN = re.compile("\ue000(\\d+)\ue001")
# A role of MyST before its code span, {ref}`the label <target>`, and the target in that.
ROLE = re.compile(r"\{[a-z][\w:-]*\}" + PLACEHOLDER_PATTERN.pattern)
TARGET_OF_ROLE = re.compile(r"(?<!\s)\s*+<[^<>]*>$")


def sentences_in(text: str) -> Iterator[str]:
    """The sentences of a paragraph, without marks of emphasis that span several sentences."""
    text_without_code, spans = replace_code(text)
    for part in split_sentences(text_without_code):
        sentence = restore_code(without_open_emphasis(part), spans)
        if re.search(r"\w", sentence):
            yield sentence


def without_open_emphasis(sentence: str) -> str:
    for mark in ("**", "__", "~~"):
        if sentence.count(mark) % 2:
            sentence = sentence.replace(mark, "")
    return sentence.replace("*", "") if sentence.replace("**", "").count("*") % 2 else sentence


def without_tags(text: str) -> str:
    """The text without tags of HTML, and without comments up to their end or that of the text."""
    return TAG.sub("", COMMENT.sub("", text))


def inline_text(text: str) -> str:
    """A line with links and footnotes reduced to text.

    No URL in it is clickable, and no `[1]` of an article can pass for a citation.
    """
    line, spans = replace_code(text)
    line = ROLE.sub(lambda match: TARGET_OF_ROLE.sub("", spans[int(match[1])].strip("`")), line)
    line = AUTOLINK.sub(r"\1", line)
    line = TAG_IN_BOLD.sub(r"\1", line)
    for pattern in (IMAGE, TAG, FOOTNOTE):
        line = pattern.sub("", line)
    line = LINK.sub(lambda match: match[1], line)
    line = URL_OR_EMAIL.sub(lambda match: f"`{match[1]}`", unescape(line))
    line = ESCAPED.sub(r"\1", line)
    line = BRACKETS.sub(lambda match: f"\\[{match[1]}\\]", line).replace("<", "\\<")
    return OPENING_FENCE.sub("", " ".join(restore_code(line, spans).split()))


def replace_code(text: str) -> tuple[str, list[str]]:
    """The text with a placeholder for each code span, and the spans."""
    spans: list[str] = []
    parts: list[str] = []
    position = 0
    for start, end in code_spans(text):
        parts += (text[position:start], PLACEHOLDER.format(len(spans)))
        spans.append(text[start:end])
        position = end
    return "".join((*parts, text[position:])), spans


def restore_code(text: str, spans: list[str]) -> str:
    return PLACEHOLDER_PATTERN.sub(lambda match: spans[int(match[1])], text)
