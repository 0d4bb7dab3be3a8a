"""Sentences that tell readers to use what a change removes, and lines of examples that do so."""

import re
from collections.abc import Iterator
from dataclasses import replace

from instep.core.name_matching import mention
from instep.writer.articles.headings import headings_of
from instep.writer.articles.passages import is_in_code_block, is_in_url
from instep.writer.editing.edits import Edit
from instep.writer.facts.removals import Removal
from instep.writer.shapes import Article

_UPGRADING = re.compile(r"\b(?:upgrad|migrat|deprecat|chang(?:es|elog)|release|what'?s new)", re.IGNORECASE)
# A sentence that tells what to do: "Set `x` to", "You can pass `x`", "by setting `x`", "Requires `x`".
_INSTRUCTION = re.compile(
    r"\A\W*(?:add|call|configure|define|enable|include|pass|provide|requires?|run|set|specify|turn on|use)\b"
    r"|\b(?:you|users|one|we)(?:'ll| will| would)?(?: also| then| first| just)?"
    r" (?:can|could|may|might|must|need|have|should|want|set|use|pass)\b"
    r"|\bby (?:adding|calling|configuring|defining|enabling|including|passing|setting|specifying|using)\b",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"\b(?:before|deprecated|earlier|former(?:ly)?|instead|legacy|longer|older|previous(?:ly)?|prior|removed"
    r"|replaced?|renamed|since|until|was|were)\b",
    re.IGNORECASE,
)
_START = re.compile(
    r"(?:(?<!e\.g)(?<!i\.e)[.!?:]\s+|\|\s*|\n[ \t]*\n\s*|\n[ \t]*(?:[-*+]|\d{1,3}[.)])\s+|>\s+)"
)
_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?](?=\s|\||<|\Z)|(?=\n[ \t]*(?:\n|[-*+]\s|\d{1,3}[.)]\s)|\||\Z)")
# Several things of which only one is gone.
_LISTED = re.compile(r"[`\"]\s*(?:,|and\b|or\b)|(?:,|\band|\bor)\s*[`\"]")
_GOES_ON = re.compile(r"[ \t\n](?:Doing so|Otherwise|That|This)\b")
# A line of an example that gives a removed setting a value.
_ASSIGNMENT = (
    r"^[ \t]*(?:export[ \t]+|-[ \t]+)?[\"']?(?:[\w-]+\.)*{}[\"']?[ \t]*[:=][ \t]*[^\n{{}}()\[\]]*"
    r"(?:(?:#|//)[^\n]*)?(?:\n|\Z)"
)
_COMMENT = re.compile(r"[ \t]*(?:#|//)")
# Other commands may have a flag of one word, too.
_SHORT_FLAG = re.compile(r"--[a-z]+")
_MAX_SENTENCE_CHARACTERS = 400


def removed_uses(removal: Removal, article: Article) -> Iterator[Edit]:
    """The edits that take out instructions to use a removed name, apart from those on how to do without."""
    text, fact, pattern = article.text, replace(removal, is_in_sentence=True), mention(removal.old)
    # Under a heading of its own all is about the name, so that a part of it says nothing by itself.
    has_heading = any(pattern.search(heading.title) for heading in headings_of(text))
    if has_heading or _UPGRADING.search(article.title) or _SHORT_FLAG.fullmatch(removal.old):
        return
    sentences = [
        span
        for match in pattern.finditer(text)
        if not is_in_code_block(text, match.start())
        and not is_in_url(text, match.start())
        and (span := _sentence(text, *match.span()))
    ]
    yield from (Edit(*span, "", fact) for span in sentences)
    for match in re.finditer(_ASSIGNMENT.format(re.escape(removal.old)), text, re.MULTILINE):
        if is_in_code_block(text, match.start()) and not _is_last_of_json(text, *match.span()):
            start = _comment_start(text, match.start(), pattern)
            # A line alone may give something else of that name a value.
            if sentences or start < match.start():
                yield Edit(start, match.end(), "", fact)


def _comment_start(text: str, start: int, pattern: re.Pattern[str]) -> int:
    """Where the comment right above a line begins, if it is about the name; else the line itself."""
    first = start
    for line in reversed(text[max(0, start - _MAX_SENTENCE_CHARACTERS) : start].splitlines(keepends=True)):
        if not _COMMENT.match(line):
            break
        first -= len(line)
    return first if pattern.search(text, first, start) else start


def _is_last_of_json(text: str, start: int, end: int) -> bool:
    """Whether the line before would keep a comma that nothing follows."""
    return '"' in text[start:end].split(":")[0] and not text[start:end].rstrip().endswith(",")


def _sentence(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The instruction around a name with a blank beside it, if other sentences stay around it."""
    low = max(0, start - _MAX_SENTENCE_CHARACTERS)
    first = max((match.end() for match in _START.finditer(text, low, start)), default=None)
    last = _END.search(text, end, end + _MAX_SENTENCE_CHARACTERS)
    if first is None or last is None or not last[0]:
        return None
    sentence = text[first : last.end()]
    if not _INSTRUCTION.search(sentence) or _HISTORY.search(sentence) or _LISTED.search(sentence):
        return None
    if goes_on := _GOES_ON.match(text, last.end()):
        following = _END.search(text, goes_on.end(), goes_on.end() + _MAX_SENTENCE_CHARACTERS)
        last = following if following and following[0] else last
    has_before = bool(re.search(r"[.!?][ \t\n]{1,2}\Z", text[low:first]))
    has_after = bool(re.match(r"[ \t]?\n?[ \t]*[`*\"']*[A-Z]", text[last.end() : last.end() + 8]))
    if has_before:
        return first - len(text[low:first]) + len(text[low:first].rstrip()), last.end()
    return (first, last.end() + 1) if has_after else None
