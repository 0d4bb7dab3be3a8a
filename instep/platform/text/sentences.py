"""Finds the ends of sentences, in plain text and inside a Markdown paragraph."""

import re
from functools import cache

# Closing quotes, brackets and emphasis marks belong to the sentence that they end.
_CLOSERS = r"[\"'\u201d\u2019)\]*_]{0,3}"
_NOT_AFTER_ABBREVIATION = r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)"
# Chinese and Japanese put no space after the end of a sentence.
_FULL_WIDTH_END = r"(?<=[\u3002\uff01\uff1f])[^\S\n]*(?=\S)"


def sentence_spans(
    text: str, *, ends: str = ".!?", at_line_breaks: bool = False, before_any: bool = False
) -> list[tuple[int, int]]:
    """The start and end of each sentence (end excluded), without the spaces between them.

    A sentence ends in one of `ends` before a space, unless an ASCII lower-case letter follows (`before_any`:
    even then, but not after closing quotes). With `at_line_breaks` it also ends with its line.
    """
    spans, start = list[tuple[int, int]](), 0
    for boundary in _boundaries(ends, at_line_breaks, before_any).finditer(text):
        # The group is the part of the match that belongs to the sentence before the boundary.
        end = boundary.end("closers") if boundary["closers"] is not None else boundary.start()
        spans.append((start, end))
        start = boundary.end()
    spans.append((start, len(text)))
    return [(start, end) for start, end in spans if text[start:end].strip()]


def split_sentences(
    text: str, *, ends: str = ".!?", at_line_breaks: bool = False, before_any: bool = False
) -> list[str]:
    """The sentences themselves, see `sentence_spans`."""
    spans = sentence_spans(text, ends=ends, at_line_breaks=at_line_breaks, before_any=before_any)
    return [text[start:end].strip() for start, end in spans]


@cache
def _boundaries(ends: str, at_line_breaks: bool, before_any: bool) -> re.Pattern[str]:
    # After a closing quote a lower-case letter continues the sentence: `"Why?" is the title.`
    closers, following = ("", r"(?=\S)") if before_any else (_CLOSERS, r"(?=[^\sa-z])")
    boundary = rf"{_NOT_AFTER_ABBREVIATION}(?<=[{re.escape(ends)}])(?P<closers>{closers})\s+{following}"
    return re.compile(f"{boundary}|{_FULL_WIDTH_END}" + (r"|\n+" if at_line_breaks else ""))
