"""Text of the code as sentences for an article: what is no prose, or could bring markup in, is left out."""

import re

from instep.writer.words.safety import is_safe

_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?])\s+(?=[A-Z`\"'])")
_SPAN = re.compile(r"`[^`]*`")
_PARAGRAPH = re.compile(r"\n\s*\n")
_SECTION = re.compile(
    r"(?<=\n)[^\S\n]*+(?::\w+|@\w+|Args|Arguments|Parameters|Returns?|Raises|Yields|Examples?|Notes?|Usage)\b.*",
    re.DOTALL,
)
_NAME = re.compile(
    r"(?<![`\w/.-])(?:--[a-z][\w-]+|[A-Za-z](?=\w*_\w)\w++(?:\.\w++)*|[a-z][a-z0-9]*[A-Z]\w*)(?![\w`/])(?:\([\w\s,=]*\))?"
)
_CODE_SIGNS = re.compile(r"[;{}=]|\bselect\b.*\bfrom\b|\\n|%[sd(]|\$\{", re.IGNORECASE)
# Directives and reminders that developers write to tools and to each other, and queries.
_UNTOLD = re.compile(
    r"\W*(?:(?:TODO|FIXME|XXX|HACK|SELECT|INSERT|UPDATE|DELETE)\b|noqa|nosec|type: ?ignore"
    r"|(?:pragma|pylint|mypy|ruff|flake8|eslint|prettier|istanbul|biome)\b|@?ts-)"
)
_FEWEST = 3
_LONGEST = 800


def is_prose(text: str) -> bool:
    """A few words with blanks between, without the signs of code."""
    words = _WORD.findall(text)
    if len(words) < _FEWEST or " " not in text.strip() or _UNTOLD.match(text):
        return False
    return not _CODE_SIGNS.search(_SPAN.sub("", text))


def prose_of(text: str) -> str:
    """The first paragraphs as safe, flat sentences, names in code; empty where nothing is left."""
    opening = _SECTION.sub("", "\n" + text.replace("``", "`"))
    paragraphs = [" ".join(part.split()) for part in _PARAGRAPH.split(opening) if part.strip()]
    kept = " ".join(paragraphs[:2])[:_LONGEST]
    sentences = [
        sentence for sentence in _SENTENCE.split(kept) if is_safe("", sentence) and is_prose(sentence)
    ]
    return _finished(" ".join(_with_names(sentence) for sentence in sentences))


def _with_names(sentence: str) -> str:
    """Names in code, where they are not yet."""
    parts = re.split(r"(`[^`]*`)", sentence)
    return "".join(part if part.startswith("`") else _NAME.sub(r"`\g<0>`", part) for part in parts)


def _finished(text: str) -> str:
    """With a capital and a full stop."""
    if not text:
        return ""
    first = text if text.startswith("`") or not text[0].islower() else text[0].upper() + text[1:]
    return first if first[-1] in ".!?:`" and not first.endswith("`") else f"{first}."
