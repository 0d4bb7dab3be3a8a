"""The parts of articles that a model reads: sections with their neighbors, every line with its number."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from instep.drafting.writer.llm.article_contents import Contents, SectionReference, section_spans

# An article up to this size (bytes of UTF-8) is read whole.
_WHOLE_ARTICLE = 12_000
# A neighbor up to this size is read with a section: it shows the form of its siblings.
_NEIGHBOR = 3_000
# A longer section is read at its beginning, at its end and around the lines that the change names.
_LONG_SECTION, _EDGE_LINES, _AROUND_HIT = 20_000, 30, 25
_MAX_SECTIONS_WITH_HITS = 3


@dataclass(frozen=True, slots=True)
class ShownArticle:
    """An article by its index, and the numbers of its lines, from 1, that the model sees."""

    index: int
    lines: frozenset[int]


def shown_articles(
    contents: Contents, references: Sequence[SectionReference], max_bytes: int
) -> list[ShownArticle]:
    """The sections to read, by article in the order of the references, as many as there is room for."""
    chosen: dict[int, frozenset[int]] = {}
    room = max_bytes
    for reference in references:
        before = chosen.get(reference.article, frozenset())
        lines = before | _lines_of(contents, reference)
        size = _bytes_of(contents, reference.article, lines - before)
        if size <= room:
            room -= size
            chosen[reference.article] = lines
    return [ShownArticle(index, lines) for index, lines in chosen.items() if lines]


def merged_articles(first: Sequence[ShownArticle], second: Sequence[ShownArticle]) -> list[ShownArticle]:
    """The lines that either question has shown, by article."""
    lines: dict[int, frozenset[int]] = {}
    for row in (*first, *second):
        lines[row.index] = lines.get(row.index, frozenset()) | row.lines
    return [ShownArticle(index, numbers) for index, numbers in lines.items()]


def numbered_text(contents: Contents, excerpts: ShownArticle) -> str:
    """The lines as `12|text`, with a mark for those that are not shown."""
    lines, previous = list[str](), 0
    texts = contents.articles[excerpts.index].text.split("\n")
    for number in sorted(excerpts.lines):
        if number != previous + 1:
            lines.append(f"[lines {previous + 1} to {number - 1} are not shown]")
        lines.append(f"{number}|{texts[number - 1]}")
        previous = number
    if previous < len(texts):
        lines.append(f"[lines {previous + 1} to {len(texts)} are not shown]")
    return "\n".join(lines)


def _lines_of(contents: Contents, reference: SectionReference) -> frozenset[int]:
    text = contents.articles[reference.article].text
    spans = section_spans(text)
    if len(text.encode("utf-8", "replace")) <= _WHOLE_ARTICLE:
        return frozenset(range(1, spans[-1].last + 1))
    hits = contents.hit_lines(reference.article)
    with_hits = [span.number for span in spans if any(span.first <= number <= span.last for number in hits)]
    chosen = with_hits[:_MAX_SECTIONS_WITH_HITS] or [0, 1]
    lines = set(range(1, min(spans[0].last, _EDGE_LINES) + 1))
    for number in chosen if reference.section is None else [reference.section]:
        for span in spans[max(0, number - 1) : number + 2]:
            inside = range(span.first, span.last + 1)
            size = _bytes_of(contents, reference.article, inside)
            if span.number == number and size > _LONG_SECTION:
                around = {at for hit in hits for at in range(hit - _AROUND_HIT, hit + _AROUND_HIT + 1)}
                lines |= {*inside[:_EDGE_LINES], *inside[-_EDGE_LINES:], *around.intersection(inside)}
            elif span.number == number or size <= _NEIGHBOR:
                lines.update(inside)
    return frozenset(lines)


def _bytes_of(contents: Contents, article: int, lines: Iterable[int]) -> int:
    texts = contents.articles[article].text.split("\n")
    return sum(len(texts[number - 1].encode("utf-8", "replace")) + 6 for number in lines)
