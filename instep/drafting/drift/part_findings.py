"""Wrong statements in parts: each is a place in an article with the part, because no draft changes a part."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from instep.content.parts.schemas import UsedPart
from instep.drafting.tasks.part_places import article_with, statement_in, words_about
from instep.drafting.writer.drift.drift_reports import ArticleDrift


def with_part_findings(
    drifts: Sequence[ArticleDrift], parts: Sequence[UsedPart], articles: Container[str]
) -> Iterator[ArticleDrift]:
    """The findings, those in a part as findings in an article that contains it."""
    by_id = {part.id: part for part in parts}
    for drift in drifts:
        part = by_id.get(drift.article.id)
        article_id = article_with(part, articles) if part else None
        if part is None or article_id is None:
            yield drift
            continue
        findings = (
            replace(
                finding,
                article_id=article_id,
                line=1,
                heading=None,
                key=statement_in(part, (finding.key,)),
                elsewhere=words_about(part),
                shown_in=tuple(part.article_ids),
            )
            for finding in drift.findings
        )
        yield replace(drift, findings=tuple(findings))
