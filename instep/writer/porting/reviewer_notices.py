"""What porting tells a reviewer: drafts of new pages, and verdicts on articles that need a person."""

from collections.abc import Mapping, Sequence

from instep.writer.porting.ported_text import NewPage
from instep.writer.shapes import Proposal, Verdict


def page_proposals(pages: Sequence[NewPage]) -> list[Proposal]:
    """A draft of a new article for each page that the change adds to the documentation."""
    return [
        Proposal(
            type="new_article",
            article_id=None,
            title=page.title,
            text=page.text,
            reason=f"The change adds the page `{page.evidence.file}`, which no article has.",
            evidence=(page.evidence,),
            warnings=page.warnings,
        )
        for page in pages
    ]


def with_notices(verdicts: Sequence[Verdict], notices: Mapping[str, str]) -> tuple[Verdict, ...]:
    """The verdicts, where an article that a person has to look at says why; drafts come first."""
    drafted = [verdict for verdict in verdicts if verdict.verdict == "edit"]
    drafted_ids = {verdict.article_id for verdict in drafted}
    others = [
        verdict for verdict in verdicts if verdict.verdict != "edit" and verdict.article_id not in notices
    ]
    return (
        *(
            Verdict(verdict.article_id, "edit", f"{verdict.reason} {notices[verdict.article_id]}")
            if verdict.article_id in notices
            else verdict
            for verdict in drafted
        ),
        *(
            Verdict(article_id, "no_edit", notice)
            for article_id, notice in notices.items()
            if article_id not in drafted_ids
        ),
        *others,
    )
