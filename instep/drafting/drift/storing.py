"""The storage of what a check has found: only what does not wait already and was not dismissed for good."""

from collections.abc import Mapping, Sequence

from instep.content.articles.schemas import Article
from instep.drafting.drafts.actions import queue_edit
from instep.drafting.drafts.schemas import TitledText
from instep.drafting.drafts.suppression import suppressed_keys
from instep.drafting.drift import queries
from instep.drafting.drift.queries import KnownStatement
from instep.drafting.drift.reports import ArticleDrift, DriftFinding, place_of
from instep.drafting.drift.schemas import CodeLineOut, FindingOut, PastChangeOut
from instep.drafting.places.schemas import PlaceSource
from instep.drafting.places.storing import store_places
from instep.drafting.tasks.checks import end_check, start_check
from instep.drafting.tasks.queries import TaskInput
from instep.drafting.tasks.reports import edit_of, new_place
from instep.drafting.tasks.schemas import Outcome
from instep.platform.identity.schemas import Ctx

# What is known of a statement, by the id of its article and its key.
Known = Mapping[tuple[str, str], KnownStatement]


async def store_drift(
    ctx: Ctx, commit: str, drifts: Sequence[ArticleDrift], articles: Mapping[str, Article], limit: int
) -> list[FindingOut]:
    """Put the findings into the review queue that do not wait there, and say where each waits.

    What people have dismissed for good or resolved is left out, and so is all beyond `limit` findings.
    """
    # Of two checks at once the second finds what the first has stored.
    await ctx.tx.advisory_lock(f"drift {ctx.bot.id}")
    suppressed = await suppressed_keys(ctx)
    known = await _known(ctx, drifts)
    findings = [
        finding
        for drift in drifts
        for finding in drift.findings
        if finding.key.key not in suppressed.get(finding.article_id, ()) and not _is_resolved(finding, known)
    ][:limit]
    new_keys = {_key(finding) for finding in findings} - known.keys()
    if new_keys:
        await _queue(ctx, commit, drifts, articles, new_keys)
        known = await _known(ctx, drifts)
    return [_finding_out(finding, known[_key(finding)]) for finding in findings]


async def _known(ctx: Ctx, drifts: Sequence[ArticleDrift]) -> Known:
    rows = await queries.list_known(ctx, [drift.article.id for drift in drifts])
    # What waits says more than what a person has resolved.
    rows.sort(key=lambda row: bool(row.draft_id or row.place_id))
    return {(row.article_id, row.key): row for row in rows}


def _key(finding: DriftFinding) -> tuple[str, str]:
    return finding.article_id, finding.key.key


def _is_resolved(finding: DriftFinding, known: Known) -> bool:
    row = known.get(_key(finding))
    return row is not None and row.draft_id is None and row.place_id is None


async def _queue(
    ctx: Ctx,
    commit: str,
    drifts: Sequence[ArticleDrift],
    articles: Mapping[str, Article],
    keys: set[tuple[str, str]],
) -> None:
    """Make one draft of the new edits of each article, and a place of each name that is gone."""
    title = f"Check against {commit[:9]}"
    task_id = await start_check(ctx, title)
    places, draft_count = [], 0
    for drift in drifts:
        article = articles[drift.article.id]
        proposal = drift.proposal(frozenset(key for id, key in keys if id == article.id))
        if proposal:
            work = TaskInput(title, None, None, None, None)
            base = TitledText(article.title, article.content)
            edit = edit_of(proposal, base, article.version, work, task_id, None)
            await queue_edit(ctx, article.id, edit)
            draft_count += 1
        gone = {_key(row): row for row in drift.findings if row.new is None and _key(row) in keys}
        places += [new_place(place_of(drift.article, row)) for row in gone.values()]
    await store_places(ctx, task_id, PlaceSource("drift", title, None), places, ())
    outcome: Outcome = "drafts" if draft_count else "places"
    await end_check(ctx, task_id, outcome, _summary(draft_count, len(places)))


def _summary(draft_count: int, place_count: int) -> str:
    drafts = "1 article states" if draft_count == 1 else f"{draft_count} articles state"
    places = "1 name is" if place_count == 1 else f"{place_count} names are"
    return f"{drafts} what the code has replaced. {places} gone from the code."


def _finding_out(finding: DriftFinding, known: KnownStatement) -> FindingOut:
    is_gone = finding.new is None
    change = finding.change
    return FindingOut(
        article_id=finding.article_id,
        title=finding.article_title,
        line=finding.line,
        statement=finding.statement,
        kind=finding.kind,
        old=finding.old,
        new=finding.new,
        now=None if is_gone else CodeLineOut(file=finding.file, line=finding.code_line, text=finding.code),
        changed=PastChangeOut(commit=change.commit, title=change.title, date=change.date),
        draft_id=known.draft_id,
        place_id=known.place_id,
    )
