"""Prose that may go into an article: safe sentences made from code, doc strings and titles of changes."""

import re
from functools import lru_cache

from instep.text.characters import has_hidden
from instep.text.sentences import split_sentences

_DIRECTIVE = re.compile(r"(?m)^\.\. [\w-]+::|^\.\. _|``\w")
_MARKDOWN = re.compile(r"(?m)^#{1,6} |^```|\]\(")
_SINGLE = re.compile(r"(?<!`)`([^`\n]+)`(?![`_])")
_MARKUP = ("://", "](", "![", "<", "javascript:", "data:", "|", "{{", "{%")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SPAN = re.compile(r"`[^`]*`")
_PARAGRAPH = re.compile(r"\n\s*\n")
_SECTION = re.compile(
    r"(?<=\n)[^\S\n]*+(?::\w+|@\w+|(?:Args|Arguments|Parameters|Returns?|Raises|Yields|Examples?|Notes?|Usage)"
    r"[^\S\n]*+(?::|\n|\Z)).*",
    re.DOTALL,
)
_NAME = re.compile(
    r"(?<![`\w/.-])(?:--[a-z][\w-]+|[A-Za-z](?=\w*_\w)\w++(?:\.\w++)*|[a-z][a-z0-9]*[A-Z]\w*)(?![\w`/])(?:\([\w\s,=]*\))?"
)
_CODE_SIGNS = re.compile(r"[{}=]|;(?! [a-z])|\bselect\b.*\bfrom\b|\\n|%[sd(]|\$\{", re.IGNORECASE)
# Alternatives and settings that a sentence names: `auto|always`, `MODE=fast`.
_CHOICE = re.compile(r"(?<=\w)\|(?=\w)")
_SETTING = re.compile(r"(?<![\w./:=-])[\w./:-]++=[\w./:-]++(?=[\s,;)]|\Z)")
# Directives to tools, reminders to developers, and queries.
_NOT_PROSE = re.compile(
    r"\W*(?:(?:TODO|FIXME|XXX|HACK|SELECT|INSERT|UPDATE|DELETE)\b|noqa|nosec|type: ?ignore"
    r"|(?:pragma|pylint|mypy|ruff|flake8|eslint|prettier|istanbul|biome)\b|@?ts-)"
)
_MIN_WORDS = 3
_MIN_WORDS_WITH_SETTING = 6
_MAX_PROSE_CHARACTERS = 800
_PREFIX = re.compile(r"^(?:[\w-]+(?:\([^)]*\))?!?|[\w/.-]+):\s+|^[^\w`\"'/.-]+|^\[[^\]]*\]\s*")
_SUFFIX = re.compile(
    r"(?<![\s,;(-])[\s,;(-]*+(?:(?:fix(?:es|ed)?|close[sd]?|refs?|see|resolves?|part of)\s+"
    r"(?:#\d++[,\s]*+(?:and\s++)?)+"
    r"|\(?#\d+\)?)\W*$",
    re.IGNORECASE,
)
_ARTICLE = r"\s+(?:the |an? )?(.+)"
_ADDED = re.compile(
    rf"(?:adds?|added|introduc(?:es?|ed)|implement(?:s|ed)?|create[sd]?|new){_ARTICLE}", re.IGNORECASE
)
_SUPPORTED = re.compile(rf"(?:supports?|allows?|enables?|exposes?){_ARTICLE}", re.IGNORECASE)
_SUPPORT = re.compile(r"^(?:api )?(?:support|ability|option)s? (?:for|to)\s+", re.IGNORECASE)
_CLAUSE = re.compile(r",\s| -- | - |: |; | \(| so that | to (?:support|allow|make|fix)\b")
_MAX_HEADING_CHARACTERS = 70


@lru_cache(maxsize=512)
def is_restructured(text: str) -> bool:
    return len(_DIRECTIVE.findall(text)) > len(_MARKDOWN.findall(text))


def in_markup_of(article: str, prose: str) -> str:
    return _SINGLE.sub(r"``\1``", prose) if is_restructured(article) else prose


def is_safe(old: str, new: str) -> bool:
    """Whether `new` has no more markup than the text that it replaces, and no hidden characters."""
    lowered = old.lower(), new.lower()
    if any(lowered[1].count(char) > lowered[0].count(char) for char in _MARKUP):
        return False
    return not has_hidden(new)


def is_prose(text: str) -> bool:
    """Whether a text is a few words with blanks between, without the punctuation of code."""
    words = _WORD.findall(text)
    if len(words) < _MIN_WORDS or " " not in text.strip() or _NOT_PROSE.match(text):
        return False
    prose = _SPAN.sub("", text)
    if len(words) >= _MIN_WORDS_WITH_SETTING:
        prose = _SETTING.sub("", prose)
    return not _CODE_SIGNS.search(prose)


def prose_of(text: str) -> str:
    """The first two paragraphs as safe sentences in one line, with names as code; empty if none is safe."""
    description = _SECTION.sub("", "\n" + text.replace("``", "`"))
    paragraphs = [" ".join(part.split()) for part in _PARAGRAPH.split(description) if part.strip()]
    opening_text = " ".join(paragraphs[:2])[:_MAX_PROSE_CHARACTERS]
    sentences = [
        sentence
        for sentence in split_sentences(opening_text)
        if is_safe("", _CHOICE.sub(" ", sentence)) and is_prose(sentence)
    ]
    return _finished(" ".join(_with_names(sentence) for sentence in sentences))


def _with_names(sentence: str) -> str:
    """The sentence with its names as code."""
    parts = re.split(r"(`[^`]*`)", sentence)
    return "".join(part if part.startswith("`") else _NAME.sub(r"`\g<0>`", part) for part in parts)


def _finished(text: str) -> str:
    """The text with a capital at its start and a full stop at its end."""
    if not text:
        return ""
    first = text if text.startswith("`") or not text[0].islower() else text[0].upper() + text[1:]
    return first if first[-1] in ".!?:`" and not first.endswith("`") else f"{first}."


def subject_of(title: str) -> str:
    """The title without the marks of commits: `feat(api): add x (#12)` says `add x`."""
    subject, before = title.strip(), ""
    while subject != before:
        before = subject
        subject = _SUFFIX.sub("", _PREFIX.sub("", subject, count=1)).strip()
    return subject


def is_new(subject: str) -> bool:
    """Whether a title says that the change adds something."""
    return bool(_ADDED.match(subject))


def heading_of(title: str) -> str:
    """What a title says is new, as a heading; empty for any other change."""
    added = _ADDED.match(subject_of(title)) or _SUPPORTED.match(subject_of(title))
    name = _CLAUSE.split(added[1], maxsplit=1)[0].strip(" .") if added else ""
    name = _SUPPORT.sub("", name)
    is_whole = 3 <= len(name) <= _MAX_HEADING_CHARACTERS and name.count("`") % 2 == 0
    return name[:1].upper() + name[1:] if is_whole and is_safe("", name) else ""
