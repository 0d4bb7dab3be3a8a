"""Where a model is to write: gaps in new entries, and sections that a change concerns but has no text for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from patiencediff import PatienceSequenceMatcher

from instep.text.diff import split_lines
from instep.writer.articles.headings import heading_over, sections_of
from instep.writer.articles.passages import line_of
from instep.writer.inserting.skeleton import GAP
from instep.writer.shapes import Article, Evidence, Report

# Beyond these the prompt would speak of little else; the first places are those of the nearest articles.
_MAX_PLACES = 12
_MAX_LINES_BEHIND_GAP = 3


@dataclass(frozen=True, slots=True)
class WritingPlace:
    """A span of an article, as the certain edits leave it, for which a text is missing.

    `skeleton` is the line around a gap; it is empty at the end of a section, where the span is empty, too.
    `heading` is that of the section, empty before the first one. `evidence` has the lines of code behind it.
    """

    article_id: str
    heading: str
    start: int
    end: int
    skeleton: str
    evidence: tuple[Evidence, ...]

    @property
    def is_gap(self) -> bool:
        return bool(self.skeleton)


def find_writing_places(
    originals: Mapping[str, Article], candidates: Sequence[Article], report: Report
) -> tuple[WritingPlace, ...]:
    """The gaps in the entries that the writer has added, then the ends of the sections that are concerned."""
    places = [
        place for article in candidates for place in _gaps(originals[article.id].text, article, report)
    ] + [place for article in candidates for place in _concerned_sections(article, report)]
    return tuple(places[:_MAX_PLACES])


def _gaps(before: str, article: Article, report: Report) -> Iterator[WritingPlace]:
    if GAP not in article.text:
        return
    evidence = [
        place for draft in report.proposals if draft.article_id == article.id for place in draft.evidence
    ]
    for line_start, line in _added_lines(before, article.text):
        column = line.find(GAP)
        while column >= 0:
            start = line_start + column
            yield WritingPlace(
                article.id,
                heading_over(article.text, start),
                start,
                start + len(GAP),
                line.strip(),
                _nearest(evidence, line_of(article.text, start)),
            )
            column = line.find(GAP, column + len(GAP))


def _added_lines(before: str, after: str) -> Iterator[tuple[int, str]]:
    """The lines that `after` has on top of `before`, each with its offset."""
    old, new = split_lines(before), split_lines(after)
    for tag, _, _, first, last in PatienceSequenceMatcher(None, old, new).get_opcodes():
        if tag in ("insert", "replace"):
            offset = sum(map(len, new[:first]))
            for line in new[first:last]:
                yield offset, line
                offset += len(line)


def _nearest(evidence: Sequence[Evidence], line: int) -> tuple[Evidence, ...]:
    """The evidence of the entry that a line belongs to, which begins at this line or above it."""
    above = [place for place in evidence if place.article_line is not None and place.article_line <= line]
    last_line = max((place.article_line or 0 for place in above), default=0)
    return tuple(place for place in above if place.article_line == last_line)[:_MAX_LINES_BEHIND_GAP]


def _concerned_sections(article: Article, report: Report) -> Iterator[WritingPlace]:
    for verdict in report.reviewed:
        if verdict.article_id == article.id and verdict.verdict == "concerned":
            end = _end_of_section(article.text, verdict.heading)
            yield WritingPlace(article.id, verdict.heading or "", end, end, "", verdict.evidence)


def _end_of_section(text: str, heading: str | None) -> int:
    """Where the own text of a section ends; without a section the article's."""
    end = next((section.end for section in sections_of(text) if section.title == heading), len(text))
    return len(text[:end].rstrip())


def described(place: WritingPlace, number: int) -> str:
    """What the prompt says of a place."""
    where = f"article: {place.article_id}\nsection: {place.heading or 'the whole article'}\n"
    task = f"line: {place.skeleton}" if place.is_gap else "a text for the end of this section"
    lines = [f"{line.file}:{line.start_line}: {line.excerpt}" for line in place.evidence]
    return "\n".join([f"place {number}", f"{where}{task}", *lines])
