"""Verdicts: the reason that each article that was considered got a draft or a place, or got none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from instep.drafting.writer.editing.edits import EditsByArticle
from instep.drafting.writer.facts.removed_names import RemovedMentions
from instep.drafting.writer.porting.ported_text import ReviewerNotice
from instep.drafting.writer.relevance.ranking import ArticleRanking
from instep.drafting.writer.reporting.reasons import quoted, reason_for_edit
from instep.drafting.writer.shapes import Place, StaleMention, Verdict

_MAX_NEAREST = 5
_MAX_MENTIONS = 30


def stale_mentions(mentions: RemovedMentions, edits: EditsByArticle) -> tuple[StaleMention, ...]:
    """The removed names that articles mention and no edit replaces."""
    return tuple(
        StaleMention(article_id, row.name)
        for article_id, rows in mentions.items()
        for row in rows
        if all(edit.fact.old != row.name for edit in edits.get(article_id, ()))
    )


def review(
    ranking: ArticleRanking,
    edits: EditsByArticle,
    places: Iterable[Place],
    mentions: RemovedMentions,
) -> tuple[Verdict, ...]:
    """Verdicts on articles with a draft, then with a place, with a removed name, and the nearest."""
    drafted = [article_id for article_id in ranking.order if article_id in edits]
    concerned = [
        Verdict(place.article_id, "concerned", place.reason, place.heading, place.evidence)
        for place in places
    ]
    settled = {*drafted, *(verdict.article_id for verdict in concerned)}
    others = [article_id for article_id in ranking.order if article_id not in settled]
    mentioning = [article_id for article_id in others if article_id in mentions]
    nearest = [article_id for article_id in ranking.order[:_MAX_NEAREST] if article_id not in mentions]
    return (
        *(Verdict(article_id, "edit", reason_for_edit(edits[article_id])) for article_id in drafted),
        *concerned,
        *(
            Verdict(article_id, "no_edit", _reason_for_mention(mentions, article_id))
            for article_id in mentioning[:_MAX_MENTIONS]
        ),
        *(
            Verdict(article_id, "no_edit", "States nothing that the change makes untrue.")
            for article_id in nearest
            if article_id not in settled
        ),
    )


def _reason_for_mention(mentions: RemovedMentions, article_id: str) -> str:
    row = mentions[article_id][0]
    return f"Says {quoted(row.name)}, which the change stops using in one place ({row.source.location})."


def with_notices(verdicts: Sequence[Verdict], notices: Mapping[str, ReviewerNotice]) -> tuple[Verdict, ...]:
    """The verdicts, with the reasons of articles that a person has to check; drafts come first."""
    drafted = [verdict for verdict in verdicts if verdict.verdict == "edit"]
    drafted_ids = {verdict.article_id for verdict in drafted}
    others = [verdict for verdict in verdicts if verdict.article_id not in {*drafted_ids, *notices}]
    return (
        *(
            replace(row, reason=f"{row.reason} {notices[row.article_id].reason}")
            if row.article_id in notices
            else row
            for row in drafted
        ),
        # A text without a position concerns the article; a deleted page is only reported.
        *(
            Verdict(
                article_id,
                "concerned" if notice.evidence else "no_edit",
                notice.reason,
                evidence=notice.evidence,
            )
            for article_id, notice in notices.items()
            if article_id not in drafted_ids
        ),
        *others,
    )
