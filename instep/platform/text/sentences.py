"""Finds the ends of sentences, in plain text and inside a Markdown paragraph."""

import re

# Closing quotes, brackets and emphasis marks belong to the sentence that they end.
_CLOSERS = r"[\"'\u201d\u2019)\]*_]{0,3}"
_NOT_AFTER_ABBREVIATION = r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)"
# Chinese and Japanese put no space after the end of a sentence.
_FULL_WIDTH_END = r"(?<=[\u3002\uff01\uff1f])[^\S\n]*(?=\S)"


# After a closing quote a lower-case letter continues the sentence: `"Why?" is the title.`
_BOUNDARY = rf"{_NOT_AFTER_ABBREVIATION}(?<=[.!?])(?P<closers>{_CLOSERS})\s+(?=[^\sa-z])|{_FULL_WIDTH_END}"
_BOUNDARIES = {False: re.compile(_BOUNDARY), True: re.compile(rf"{_BOUNDARY}|\n+")}


def sentence_spans(text: str, *, at_line_breaks: bool = False) -> list[tuple[int, int]]:
    """The start and end of each sentence (end excluded), without the spaces between them.

    A sentence ends in `.`, `!` or `?` before a space, unless an ASCII lower-case letter follows. With
    `at_line_breaks` it also ends with its line.
    """
    spans, start = list[tuple[int, int]](), 0
    for boundary in _BOUNDARIES[at_line_breaks].finditer(text):
        # The group is the part of the match that belongs to the sentence before the boundary.
        end = boundary.end("closers") if boundary["closers"] is not None else boundary.start()
        spans.append((start, end))
        start = boundary.end()
    spans.append((start, len(text)))
    return [(start, end) for start, end in spans if text[start:end].strip()]


def split_sentences(text: str, *, at_line_breaks: bool = False) -> list[str]:
    """The sentences themselves, see `sentence_spans`."""
    return [text[start:end].strip() for start, end in sentence_spans(text, at_line_breaks=at_line_breaks)]
