"""Stores the findings of a check, except those that wait already or were dismissed for good."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from instep.content.articles.schemas import Article
from instep.content.parts.schemas import UsedPart
from instep.content.product_versions.schemas import ProductVersion
from instep.drafting.drafts.suppression import suppressed_keys
from instep.drafting.drift import queries
from instep.drafting.drift.queries import KnownStatement
from instep.drafting.drift.schemas import CodeLineOut, DriftFindingOut, PastChangeOut
from instep.drafting.tasks.checks import record_check
from instep.drafting.tasks.part_places import article_with, statement_in, words_about
from instep.drafting.writer import Place, Proposal
from instep.drafting.writer.drift.drift_reports import ArticleDrift, WrongStatement, place_of_finding
from instep.platform.identity.schemas import Ctx

# The drafts and places of statements, by the id of the article and the key of the statement.
Known = Mapping[tuple[str, str], KnownStatement]


async def store_drift(
    ctx: Ctx,
    commit: str,
    drifts: Sequence[ArticleDrift],
    articles: Mapping[str, Article],
    limit: int,
    version: ProductVersion | None,
) -> list[tuple[WrongStatement, KnownStatement | None]]:
    """Put the findings into the review queue that do not wait there; return them with where each waits.

    The drafts and places are for a version of the product, or with None for all.
    Findings that people have dismissed for good or resolved are left out, and so are those beyond `limit`.
    """
    # The second of two checks at once finds what the first has stored.
    await ctx.tx.advisory_lock(f"drift {ctx.bot.id}")
    suppressed = await suppressed_keys(ctx)
    waiting = await _known(ctx, drifts)
    findings = [
        finding
        for drift in drifts
        for finding in drift.findings
        if not any(finding.key.key in suppressed.get(id, ()) for id in finding.wrong_articles)
        and not _is_resolved(_known_as(finding, waiting))
    ][:limit]
    new_keys = {_key(finding) for finding in findings if _known_as(finding, waiting) is None}
    if new_keys:
        await _queue(ctx, commit, drifts, articles, new_keys, version)
        waiting = await _known(ctx, drifts)
    return [(finding, _known_as(finding, waiting)) for finding in findings]


async def _known(ctx: Ctx, drifts: Sequence[ArticleDrift]) -> Known:
    ids = {id for drift in drifts for finding in drift.findings for id in finding.wrong_articles}
    rows = await queries.list_known(ctx, sorted(ids))
    # A waiting draft or place replaces one that a person has resolved.
    rows.sort(key=lambda row: bool(row.draft_id or row.place_id))
    return {(row.article_id, row.key): row for row in rows}


def _key(finding: WrongStatement) -> tuple[str, str]:
    return finding.article_id, finding.key.key


def _known_as(finding: WrongStatement, waiting: Known) -> KnownStatement | None:
    """The draft or place of a finding in any article that shows the text; one that waits comes first."""
    rows = [row for id in finding.wrong_articles if (row := waiting.get((id, finding.key.key)))]
    return min(rows, key=_is_resolved, default=None)


def _is_resolved(row: KnownStatement | None) -> bool:
    return row is not None and row.draft_id is None and row.place_id is None


async def _queue(
    ctx: Ctx,
    commit: str,
    drifts: Sequence[ArticleDrift],
    articles: Mapping[str, Article],
    keys: set[tuple[str, str]],
    version: ProductVersion | None,
) -> None:
    """Make one draft of the new edits of each article, and a place of each other finding."""
    proposals, places, part_count = list[Proposal](), list[Place](), 0
    for drift in drifts:
        proposal = drift.proposal(frozenset(key for id, key in keys if id == drift.article.id))
        proposals += [proposal] if proposal else []
        rows = {_key(row): row for row in drift.findings if not row.is_edit and _key(row) in keys}
        places += [place_of_finding(row) for row in rows.values()]
        part_count += sum(bool(row.elsewhere) for row in rows.values())
    await record_check(ctx, commit, articles, proposals, places, part_count, version)


def finding_out(finding: WrongStatement, waiting: KnownStatement) -> DriftFindingOut:
    is_gone = finding.new is None
    change = finding.change
    return DriftFindingOut(
        article_id=waiting.article_id,
        title=finding.article_title,
        line=finding.line,
        statement=finding.statement,
        kind=finding.kind,
        old=finding.old,
        new=finding.new,
        now=None if is_gone else CodeLineOut(file=finding.file, line=finding.code_line, text=finding.code),
        changed=PastChangeOut(commit=change.commit, title=change.title, date=change.date),
        draft_id=waiting.draft_id,
        place_id=waiting.place_id,
    )


def with_part_findings(
    drifts: Sequence[ArticleDrift], parts: Sequence[UsedPart], articles: Container[str]
) -> Iterator[ArticleDrift]:
    """The findings, those in a part as findings in an article that contains it: no draft changes a part."""
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
