"""Sections in which a model is to write: those that a change concerns but has no text for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.writer.articles.headings import sections_of
from instep.writer.shapes import Article, Evidence, Report

# Beyond these the prompt would speak of little else; the first places are those of the nearest articles.
_MAX_PLACES = 12


@dataclass(frozen=True, slots=True)
class WritingPlace:
    """The end of a section of an article, as the certain edits leave it, for which a text is missing.

    `heading` is empty for the whole article. `evidence` has the lines of code behind the place.
    """

    article_id: str
    heading: str
    at: int
    evidence: tuple[Evidence, ...]


def find_writing_places(candidates: Sequence[Article], report: Report) -> tuple[WritingPlace, ...]:
    """The ends of the sections that the change concerns."""
    places = [place for article in candidates for place in _concerned_sections(article, report)]
    return tuple(places[:_MAX_PLACES])


def _concerned_sections(article: Article, report: Report) -> Iterator[WritingPlace]:
    for place in report.places:
        if place.article_id == article.id:
            end = _end_of_section(article.text, place.heading)
            yield WritingPlace(article.id, place.heading or "", end, place.evidence)


def _end_of_section(text: str, heading: str | None) -> int:
    """The end of a section's own text; without a section, the end of the article."""
    end = next((section.end for section in sections_of(text) if section.title == heading), len(text))
    return len(text[:end].rstrip())


def described(place: WritingPlace, number: int) -> str:
    """What the prompt says of a place."""
    where = f"article: {place.article_id}\nsection: {place.heading or 'the whole article'}"
    lines = [f"{line.file}:{line.start_line}: {line.excerpt}" for line in place.evidence]
    return "\n".join([f"place {number}", where, "a text for the end of this section", *lines])
