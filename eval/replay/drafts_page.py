"""All that the writer said about each change, as Markdown for a person who reads it."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff

from eval.replay.history import ReplayedChange
from eval.replay.judgements import JudgedDraft
from instep.drafting.writer import Evidence, Proposal, Report

_ADDS = re.compile(r"Lists `.*which the change adds")
_DIGEST_CHARACTERS = 8


@dataclass(frozen=True, slots=True)
class Replay:
    """A change and what the writer said about it."""

    replayed: ReplayedChange
    report: Report

    @property
    def name(self) -> str:
        return f"{self.replayed.commit} {self.replayed.change.title}"

    def drafts(self) -> Iterator[tuple[JudgedDraft, Proposal]]:
        """A row of the table for each proposal."""
        for proposal in self.report.proposals:
            article = proposal.article_id or f"new: {proposal.title}"
            digest = hashlib.sha256("\0".join((self.replayed.commit, article, proposal.text)).encode())
            name = digest.hexdigest()[:_DIGEST_CHARACTERS]
            yield JudgedDraft(name, self.name, article, _kind_of(proposal)), proposal


def _kind_of(proposal: Proposal) -> str:
    """The kind of a draft: new entries are likely, all other edits are certain."""
    if proposal.type == "new_article":
        return "new article"
    return "likely" if _ADDS.search(proposal.reason) else "certain"


def page_of(replays: Iterable[Replay]) -> str:
    """A section for each change: its drafts, and the verdicts on the articles that were considered."""
    return "\n".join(line for replay in replays for line in _section(replay))


def _section(replay: Replay) -> Iterator[str]:
    yield f"# {replay.name}\n"
    yield f"Need {replay.report.need:.2f}. {replay.report.summary}\n"
    articles = {article.id: article.text for article in replay.replayed.articles}
    for row, proposal in replay.drafts():
        yield f"## {row.digest} · {row.article} · {row.kind}\n"
        yield f"{proposal.reason}\n"
        yield from (f"- Warning: {warning}\n" for warning in proposal.warnings)
        yield from _fenced(_diff(articles.get(proposal.article_id or "", ""), proposal.text))
        yield from _evidence(proposal.evidence)
    yield from _verdicts(replay.report)


def _verdicts(report: Report) -> Iterator[str]:
    for verdict in report.reviewed:
        if verdict.verdict != "edit":
            yield f"- {verdict.verdict}: {verdict.article_id}: {verdict.reason}"
    yield ""


def _evidence(evidence: Iterable[Evidence]) -> Iterator[str]:
    for item in evidence:
        yield f"`{item.file}:{item.start_line}` for line {item.article_line}:\n"
        yield from _fenced([item.excerpt])


def _diff(before: str, after: str) -> list[str]:
    return list(unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm=""))[2:]


def _fenced(lines: Iterable[str]) -> Iterator[str]:
    yield "````diff"
    yield from lines
    yield "````\n"
