"""The words of a line of Markdown: without links, pictures, HTML and footnotes; code stays as it is."""

import re
from collections.abc import Iterator
from html import unescape

BACKTICKS = re.compile("`+")
TAG = re.compile(
    r"<(script|style)\b.*?(?:</\1[^<>]*>|$)|</?[A-Za-z][^<>]*>|<!--.*?-->|<[?!][^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
# An icon at the beginning of what is set in bold.
MARKED_TAG = re.compile(r"(\*\*|__)(?:<[^<>]*>)+\s+")
TARGET = r"(?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)|\[[^\[\]]*\])"
IMAGE = re.compile(rf"!\[[^\[\]]*\]{TARGET}?")
LINK = re.compile(rf"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]{TARGET}")
FOOTNOTE = re.compile(r"\[\^[^\]]+\]:?")
ADDRESS = re.compile(
    r"<?((?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\bmailto:)[^\s<>\"'`|*]*[^\s<>\"'`|*.,;:!?)\]]"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++)>?",
    re.IGNORECASE,
)
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
SENTENCE_END = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<=[.!?])([\"'\u201d\u2019)\]*_]{0,3})\s+"
    r"(?=[^\sa-z])|(?<=[\u3002\uff01\uff1f])()(?=\S)"
)
HELD = "\ue000{}\ue001"
IS_HELD = re.compile("\ue000(\\d+)\ue001")


def sentences_in(text: str) -> Iterator[str]:
    """The sentences of a paragraph; marks of emphasis that reach over several of them go."""
    held, spans = hold_code(text)
    start = 0
    for end in [*(found.end(found.lastindex or 0) for found in SENTENCE_END.finditer(held)), len(held)]:
        whole = IS_HELD.sub(lambda found: spans[int(found[1])], balanced(held[start:end].strip()))
        start = end
        if re.search(r"\w", whole):
            yield whole


def balanced(sentence: str) -> str:
    for mark in ("**", "__", "~~"):
        if sentence.count(mark) % 2:
            sentence = sentence.replace(mark, "")
    return sentence.replace("*", "") if sentence.replace("**", "").count("*") % 2 else sentence


def inline(text: str) -> str:
    """A line of text in which nothing leads anywhere: addresses are only shown, and no number is ours."""
    held, spans = hold_code(text)
    held = MARKED_TAG.sub(r"\1", held)
    for form in (IMAGE, TAG, FOOTNOTE):
        held = form.sub("", held)
    held = LINK.sub(lambda found: found[1], held)
    held = ADDRESS.sub(lambda found: f"`{found[1]}`", unescape(held))
    held = BRACKETS.sub(lambda found: f"\\[{found[1]}\\]", held).replace("<", "\\<")
    return " ".join(IS_HELD.sub(lambda found: spans[int(found[1])], held).split())


def hold_code(text: str) -> tuple[str, list[str]]:
    """The text with a mark in place of each piece of code."""
    spans: list[str] = []
    pieces: list[str] = []
    position = 0
    for start, end in code_spans(text):
        pieces += (text[position:start], HELD.format(len(spans)))
        spans.append(text[start:end])
        position = end
    return "".join((*pieces, text[position:])), spans


def code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where code begins and ends: at runs of equally many backticks (CommonMark 0.31.2, section 6.1)."""
    ends: dict[int, list[tuple[int, int]]] = {}
    runs = [run.span() for run in BACKTICKS.finditer(text)]
    for start, end in reversed(runs):
        ends.setdefault(end - start, []).append((start, end))
    position = 0
    for start, end in runs:
        closing = ends[end - start]
        while closing and closing[-1][0] <= start:
            closing.pop()
        if start >= position and closing:
            position = closing[-1][1]
            yield start, position
