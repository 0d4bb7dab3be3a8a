"""Edits by a model on top of the certain ones: the prompt for them, and which of them are valid."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from instep.core import limits
from instep.llm.guard import delimit, read_reply
from instep.llm.protocol import Prompt, bytes_of, estimate_tokens
from instep.text.patch_parser import parse_diff
from instep.writer.articles.passages import line_of
from instep.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.writer.llm.certain_edits import certain_edits
from instep.writer.llm.grounding import content_terms
from instep.writer.llm.prompt_data import article_excerpt, cut_to_bytes, diff_excerpt
from instep.writer.llm.prompts import EDIT_PROMPT, fault_warnings, reason_with, summary_with
from instep.writer.llm.replies import ReplyEdit, ReplyEdits, edits_schema
from instep.writer.llm.validation import EditValidator, LocatedEdit, apply_edits
from instep.writer.shapes import Article, Change, Evidence, Proposal, Report, Verdict

# Most changes with a lower need (0..1) need no edit (docs/quality.md), so a prompt would be paid for nothing.
_MIN_NEED = 0.4
# Shares of the prompt's data; the articles get the rest.
_DIFF_SHARE, _BODY_SHARE = 0.4, 0.1
_MIN_DATA_BYTES = 2_000
# The lines around each piece of data, and JSON's escapes of it.
_LABEL_BYTES = 200


@dataclass(frozen=True, slots=True)
class ReplyOutcome:
    """The report with what a model added, or as it was, and why nothing of the reply could be used."""

    report: Report
    refusal: str | None


def prompt_for_edits(
    change: Change, articles: Sequence[Article], report: Report, max_tokens: int
) -> Prompt | None:
    """A prompt about the likeliest articles; None where no article is likely to need an edit, or no room."""
    candidates = _candidates(articles, report)
    change_set = reviewed_files(parse_diff(change.diff))
    if not candidates or not change_set.files:
        return None
    max_output_tokens = min(limits.MAX_COMPLETION_TOKENS, max_tokens // 4)
    schema = edits_schema([article.id for article in candidates])
    data_tokens = max_tokens - max_output_tokens - estimate_tokens(EDIT_PROMPT, str(schema))
    data_bytes = bytes_of(data_tokens) - _LABEL_BYTES * (len(candidates) + 3)
    if data_bytes < _MIN_DATA_BYTES:
        return None
    return Prompt(EDIT_PROMPT, _data(change, change_set, candidates, data_bytes), schema, max_output_tokens)


def _data(change: Change, change_set: ChangeSet, candidates: Sequence[Article], max_bytes: int) -> str:
    title, body = change.title, cut_to_bytes(change.body or "", int(_BODY_SHARE * max_bytes))
    diff = diff_excerpt(change_set, int(_DIFF_SHARE * max_bytes))
    bytes_left = max_bytes - sum(len(text.encode("utf-8", "replace")) for text in (title, body, diff))
    terms = content_terms(f"{title}\n{body}\n{diff}")
    parts = [("title of the change", title), ("description of the change", body), ("diff", diff)]
    for index, article in enumerate(candidates):
        text = article_excerpt(article.text, terms, max(0, bytes_left // (len(candidates) - index)))
        bytes_left -= len(text.encode("utf-8", "replace"))
        parts.append((f"article {article.id}", text))
    return delimit(parts)


def _candidates(articles: Sequence[Article], report: Report) -> list[Article]:
    """The best-ranked articles, as the certain edits leave them."""
    if report.need < _MIN_NEED:
        return []
    proposals = {proposal.article_id: proposal for proposal in report.proposals}
    by_id = {article.id: article for article in articles}
    ranked = [by_id[i] for i in report.ranking[: limits.MAX_MODEL_ARTICLES] if i in by_id]
    return [
        replace(article, title=proposals[article.id].title, text=proposals[article.id].text)
        if article.id in proposals
        else article
        for article in ranked
    ]


def with_edits(
    change: Change, articles: Sequence[Article], report: Report, reply: str, model: str, help_url: str
) -> ReplyOutcome:
    """The report with the model's valid edits; the others are left out, and the drafts say so."""
    reply_edits = read_reply(ReplyEdits, reply)
    if reply_edits is None:
        return ReplyOutcome(report, "Its reply has not the form that was asked for.")
    candidates = {article.id: article for article in _candidates(articles, report)}
    originals = {article.id: article for article in articles}
    validator = EditValidator(change, articles, candidates, help_url)
    faults: dict[str, list[str]] = defaultdict(list)
    located: dict[str, list[LocatedEdit]] = {}
    for article_id, edits in _by_article(reply_edits.edits).items():
        if article_id not in candidates:
            faults[""] += ["it names an article that was not asked about"] * len(edits)
            continue
        certain = certain_edits(originals[article_id].text, candidates[article_id].text)
        valid = validator.valid_edits(candidates[article_id], certain, edits, faults[article_id])
        if valid:
            located[article_id] = valid
    if len(reply_edits.edits) > limits.MAX_MODEL_EDITS:
        faults[""].append(f"it made more than {limits.MAX_MODEL_EDITS}")
    return ReplyOutcome(_with_located(report, candidates, located, faults, model, validator), None)


def _by_article(edits: Sequence[ReplyEdit]) -> dict[str, list[ReplyEdit]]:
    groups: dict[str, list[ReplyEdit]] = defaultdict(list)
    for edit in edits[: limits.MAX_MODEL_EDITS]:
        groups[edit.article].append(edit)
    return groups


def _with_located(
    report: Report,
    candidates: Mapping[str, Article],
    located: Mapping[str, Sequence[LocatedEdit]],
    faults: Mapping[str, Sequence[str]],
    model: str,
    validator: EditValidator,
) -> Report:
    proposed_ids = {proposal.article_id for proposal in report.proposals}
    proposals = list(report.proposals)
    for article_id in located:
        if article_id not in proposed_ids:
            article = candidates[article_id]
            proposals.append(Proposal("edit", article_id, article.title, article.text, "", (), ()))
    proposals = [
        _edited(proposal, located.get(proposal.article_id or ""), faults, model, validator)
        for proposal in proposals
    ]
    reasons = {proposal.article_id: proposal.reason for proposal in proposals}
    return replace(
        report,
        proposals=tuple(proposals),
        reviewed=_reviewed(report.reviewed, {i: reasons[i] for i in located}),
        summary=summary_with(report.summary, model, len(located), sum(map(len, faults.values()))),
    )


def _edited(
    proposal: Proposal,
    edits: Sequence[LocatedEdit] | None,
    faults: Mapping[str, Sequence[str]],
    model: str,
    validator: EditValidator,
) -> Proposal:
    """The proposal with the model's edits, their evidence, and warnings about the edits left out."""
    warnings = (*proposal.warnings, *fault_warnings(faults.get(proposal.article_id or "", ())))
    if not edits:
        return replace(proposal, warnings=warnings)
    evidence, line_shift = list[Evidence](), 0
    for edit in edits:
        line = line_of(proposal.text, edit.start) + line_shift
        line_shift += edit.new.count("\n") - proposal.text.count("\n", edit.start, edit.end)
        evidence += filter(None, [validator.evidence(edit, line)])
    return replace(
        proposal,
        text=apply_edits(edits, proposal.text),
        reason=reason_with(proposal.reason, model, len(edits)),
        evidence=(*proposal.evidence, *evidence),
        warnings=warnings,
    )


def _reviewed(before: Sequence[Verdict], reasons: Mapping[str, str]) -> tuple[Verdict, ...]:
    """The verdicts, `edit` ones first, with those on the articles that the model has edited."""
    edits = [verdict for verdict in before if verdict.verdict == "edit" and verdict.article_id not in reasons]
    rest = [verdict for verdict in before if verdict.verdict != "edit" and verdict.article_id not in reasons]
    return (*edits, *(Verdict(i, "edit", reason) for i, reason in reasons.items()), *rest)
