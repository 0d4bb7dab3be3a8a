"""Compares a change with the articles as pending drafts would leave them, in addition to the live ones."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from instep.drafting import writer
from instep.drafting.drafts.schemas import TitledText
from instep.drafting.drafts.waiting import WaitingText, changed_lines_of, people_wrote_any
from instep.platform.core import limits
from instep.platform.core.sandbox import run_with_timeout

STILL_SAYS = (
    "The later change “{title}” removes `{name}`, which this draft still contains: compare it with the code."
)


@dataclass(frozen=True, slots=True)
class LaterEdit:
    """The change's edit of a pending text; contested if it changes lines that a person wrote."""

    waiting: WaitingText
    proposal: writer.Proposal
    is_contested: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """The effect of a change on pending drafts: edits, verdicts and titles by article; warnings by draft."""

    edits: dict[str, list[LaterEdit]] = field(default_factory=dict)
    verdicts: dict[str, writer.Verdict] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)


async def look_ahead(
    change: writer.Change,
    texts: Sequence[writer.Article],
    waiting: Sequence[WaitingText],
    suppressed: writer.Suppressed,
    live: writer.Report,
) -> Outlook:
    """Read the change against the articles with their pending drafts; `live` is the report without them.

    Only findings about lines that a draft wrote count: `live` covers the rest.
    """
    if not waiting or not change.diff:
        return Outlook()
    drafted = {item.draft.article_id for item in waiting}
    ahead = [text for text in texts if text.id not in drafted]
    urls = {text.id: text.url for text in texts}
    ahead += [
        writer.Article(item.draft.id, item.text.title, item.text.content, urls.get(item.draft.article_id, ""))
        for item in waiting
    ]
    held_back = {item.draft.id: suppressed.get(item.draft.article_id, ()) for item in waiting}
    report = await run_with_timeout(
        writer.write, change, ahead, {**suppressed, **held_back}, seconds=limits.MAX_WRITER_SECONDS
    )
    edits: dict[str, list[LaterEdit]] = defaultdict(list)
    verdicts = {verdict.article_id: verdict for verdict in report.reviewed}
    proposals = {row.article_id: row for row in report.proposals if row.article_id is not None}
    concerned: dict[str, writer.Verdict] = {}
    for item in waiting:
        article_id = item.draft.article_id
        edit = await later_edit(item, proposals.get(item.draft.id))
        if edit is not None:
            edits[article_id].append(edit)
            concerned[article_id] = replace(verdicts[item.draft.id], article_id=article_id)
    titles = {item.draft.article_id: item.draft.article_title for item in waiting}
    return Outlook(edits, concerned, titles, doubts(change, waiting, report, live))


async def later_edit(waiting: WaitingText, proposal: writer.Proposal | None) -> LaterEdit | None:
    """The edit of a pending text, if it changes lines that its draft wrote."""
    if proposal is None:
        return None
    later = TitledText(proposal.title, proposal.text)
    lines = await changed_lines_of(waiting, later)
    retitles = waiting.text.title not in (waiting.base.title, later.title)
    if not lines and not retitles:
        return None
    is_own_title = retitles and waiting.draft.title != waiting.draft.written.title
    return LaterEdit(waiting, proposal, is_own_title or await people_wrote_any(waiting, lines))


def doubts(
    change: writer.Change, waiting: Sequence[WaitingText], report: writer.Report, live: writer.Report
) -> dict[str, str]:
    """Warnings for drafts with a name that the change removes and that their live articles lack."""
    said_live = {(row.article_id, row.name) for row in live.stale_mentions}
    articles = {item.draft.id: item.draft.article_id for item in waiting}
    return {
        row.article_id: STILL_SAYS.format(title=change.title, name=row.name)
        for row in report.stale_mentions
        if row.article_id in articles and (articles[row.article_id], row.name) not in said_live
    }
