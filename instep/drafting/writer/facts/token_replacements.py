"""The exact differences between two versions of a line, with the words around them."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from instep.drafting.writer.facts.line_alignment import LinePair, shared_length
from instep.drafting.writer.words.identifiers import Token, tokens_of

_MAX_TOKENS = 300
_MAX_COMPARED_TOKENS = 100
# Indexes of tokens: start and end in the old line, start and end in the new line.
Span = tuple[int, int, int, int]
_DELIMITERS = frozenset("\"'`,;()[]{}<>=|")


@dataclass(frozen=True, slots=True)
class TokenReplacement:
    """`old` became `new` in a line of `file`; offsets in characters of both versions of the line."""

    file: str
    weight: float
    pair: LinePair
    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def old_span(self) -> tuple[int, int]:
        return self.old_start, self.old_end

    @property
    def new_span(self) -> tuple[int, int]:
        return self.new_start, self.new_end

    @property
    def old(self) -> str:
        return self.pair.old.text[self.old_start : self.old_end]

    @property
    def new(self) -> str:
        return self.pair.new.text[self.new_start : self.new_end]


def token_replacements(file: str, weight: float, pair: LinePair) -> Iterator[TokenReplacement]:
    """The differing spans of a pair, in whole tokens; one span per compound name."""
    old, new = pair.old.text, pair.new.text
    old_tokens, new_tokens = tokens_of(old), tokens_of(new)
    if len(old_tokens) > _MAX_TOKENS or len(new_tokens) > _MAX_TOKENS:
        return
    for a, b, c, d in _joined(_spans(old_tokens, new_tokens), old_tokens, old):
        yield TokenReplacement(
            file, weight, pair, *_bounds(old_tokens, a, b, old), *_bounds(new_tokens, c, d, new)
        )


def _spans(old: list[Token], new: list[Token]) -> list[Span]:
    before, after = [token.text for token in old], [token.text for token in new]
    first = shared_length(before, after)
    last = shared_length(before[first:][::-1], after[first:][::-1])
    before, after = before[first : len(before) - last], after[first : len(after) - last]
    if max(len(before), len(after)) > _MAX_COMPARED_TOKENS:
        return [(first, first + len(before), first, first + len(after))]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [
        (a + first, b + first, c + first, d + first)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _joined(spans: list[Span], tokens: list[Token], text: str) -> list[Span]:
    """Join spans without a delimiter between them, as in `a/docs.example.com` to `a/example.com/docs`."""
    joined: list[Span] = []
    for span in spans:
        if joined and _is_unbroken(tokens[joined[-1][1] : span[0]], text, joined[-1], span, tokens):
            last = joined.pop()
            span = (last[0], span[1], last[2], span[3])
        joined.append(span)
    return joined


def _is_unbroken(
    between: list[Token],
    text: str,
    left: Span,
    right: Span,
    tokens: list[Token],
) -> bool:
    if not between or len(between) > 4:
        return not between
    start = tokens[left[1] - 1].end if left[1] else 0
    end = tokens[right[0]].start if right[0] < len(tokens) else len(text)
    return not any(char.isspace() or char in _DELIMITERS for char in text[start:end])


def _bounds(tokens: list[Token], first: int, last: int, text: str) -> tuple[int, int]:
    if first < last:
        return tokens[first].start, tokens[last - 1].end
    place = tokens[first].start if first < len(tokens) else len(text.rstrip())
    return place, place
