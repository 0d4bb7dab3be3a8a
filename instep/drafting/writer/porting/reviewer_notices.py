"""Verdicts on articles that need a person, because of the documentation in the change."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from instep.drafting.writer.porting.ported_text import ReviewerNotice
from instep.drafting.writer.shapes import Verdict


def with_notices(verdicts: Sequence[Verdict], notices: Mapping[str, ReviewerNotice]) -> tuple[Verdict, ...]:
    """The verdicts, with the reasons of articles that a person has to check; drafts come first."""
    drafted = [verdict for verdict in verdicts if verdict.verdict == "edit"]
    drafted_ids = {verdict.article_id for verdict in drafted}
    others = [verdict for verdict in verdicts if verdict.article_id not in {*drafted_ids, *notices}]
    return (
        *(_with_reason(verdict, notices.get(verdict.article_id)) for verdict in drafted),
        *(
            _verdict_of(article_id, notice)
            for article_id, notice in notices.items()
            if article_id not in drafted_ids
        ),
        *others,
    )


def _with_reason(verdict: Verdict, notice: ReviewerNotice | None) -> Verdict:
    return replace(verdict, reason=f"{verdict.reason} {notice.reason}") if notice else verdict


def _verdict_of(article_id: str, notice: ReviewerNotice) -> Verdict:
    """The verdict of a notice: `concerned` for text without a position; a deleted page is only reported."""
    verdict: Literal["concerned", "no_edit"] = "concerned" if notice.evidence else "no_edit"
    return Verdict(article_id, verdict, notice.reason, evidence=notice.evidence)
