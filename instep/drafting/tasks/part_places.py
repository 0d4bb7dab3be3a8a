"""Parts and variables as the writer reads them: an edit of one becomes a place in an article with it.

The edit belongs in the part, so no draft of an article contains a part's text.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from instep.content.parts.schemas import UsedPart
from instep.drafting import writer
from instep.platform.text.characters import shorten

# The length of the proposed words in a place.
MAX_PROPOSED_CHARACTERS = 500


def texts_of_parts(parts: Sequence[UsedPart], articles: Container[str]) -> list[writer.Article]:
    return [
        writer.Article(part.id, part.reference, part.text, "", part.locale, is_part=True)
        for part in parts
        if article_with(part, articles) is not None
    ]


def with_part_places(
    report: writer.Report, parts: Sequence[UsedPart], articles: Container[str]
) -> writer.Report:
    """The report with a place for each edit of a part, and without the parts themselves."""
    by_id = {part.id: part for part in parts}
    return replace(
        report,
        ranking=tuple(id for id in report.ranking if id not in by_id),
        proposals=tuple(row for row in report.proposals if row.article_id not in by_id),
        reviewed=tuple(row for row in report.reviewed if row.article_id not in by_id),
        stale_mentions=tuple(row for row in report.stale_mentions if row.article_id not in by_id),
        places=(
            *(row for row in report.places if row.article_id not in by_id),
            *_places(report, by_id, articles),
        ),
    )


def _places(
    report: writer.Report, parts: dict[str, UsedPart], articles: Container[str]
) -> Iterator[writer.Place]:
    rows: list[writer.Proposal | writer.Place] = [*report.proposals, *report.places]
    for row in rows:
        part = parts.get(row.article_id or "")
        article_id = article_with(part, articles) if part else None
        if part is None or article_id is None:
            continue
        statements = (row.statement,) if isinstance(row, writer.Place) else row.statements
        # A model makes no statements.
        statement = statement_in(
            part, statements or (writer.Statement(shorten(row.reason, MAX_PROPOSED_CHARACTERS), row.reason),)
        )
        reason = " ".join(filter(None, (words_about(part), row.reason, _new_words(part, row))))
        yield writer.Place(article_id, None, 1, reason, row.evidence, statement)


def words_about(part: UsedPart) -> str:
    """The sentence that says which part a place is about."""
    count = "1 text contains" if part.uses == 1 else f"{part.uses} texts contain"
    return f"This text is in {{{{{part.reference}}}}}, which {count}: change it there."


def statement_in(part: UsedPart, statements: Sequence[writer.Statement]) -> writer.Statement:
    """The statements as one of the part, which is the same in whichever article it is shown."""
    key = f"{part.reference} {part.locale} " + " ".join(statement.key for statement in statements)
    return writer.Statement(key, f"{part.reference}: " + "; ".join(row.summary for row in statements))


def _new_words(part: UsedPart, row: writer.Proposal | writer.Place) -> str:
    """The lines that a draft would add."""
    if isinstance(row, writer.Place):
        return ""
    former_lines = set(part.text.splitlines())
    lines = [line.strip() for line in row.text.splitlines() if line not in former_lines and line.strip()]
    return f"Proposed: {shorten(' '.join(lines), MAX_PROPOSED_CHARACTERS)}" if lines else ""


def article_with(part: UsedPart, articles: Container[str]) -> str | None:
    """An article that the writer has read and that contains the part."""
    return next((id for id in part.article_ids if id in articles), None)
