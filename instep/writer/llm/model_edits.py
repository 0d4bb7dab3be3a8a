"""Edits by a model on top of the certain ones: the prompt for them, and which of them are valid."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from instep.core import limits
from instep.llm.guard import delimit, read_reply
from instep.llm.protocol import Prompt, bytes_of, estimate_tokens
from instep.text.patch_parser import parse_diff
from instep.writer.articles.passages import line_of
from instep.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.writer.facts.additions import additions_of
from instep.writer.llm.certain_edits import certain_edits
from instep.writer.llm.grounding import content_terms
from instep.writer.llm.located_edit import LocatedEdit, apply_edits
from instep.writer.llm.prompt_data import article_excerpt, cut_to_bytes, diff_excerpt, facts_excerpt
from instep.writer.llm.prompts import EDIT_PROMPT, NOT_IN_DIFF, fault_warnings, reason_with, summary_with
from instep.writer.llm.replies import ReplyEdits, edits_schema
from instep.writer.llm.validation import EditValidator, ProposedEdit, proposed_edit, proposed_text
from instep.writer.llm.writing_places import WritingPlace, described, find_writing_places
from instep.writer.reporting.statements import replacement_statement
from instep.writer.shapes import Article, Change, Evidence, Proposal, Report, Statement, Verdict

# Most changes with a lower need (0..1) need no edit (docs/quality.md), so a prompt would be paid for nothing.
_MIN_NEED = 0.4
# Shares of the prompt's data; the articles get the rest.
_DIFF_SHARE, _BODY_SHARE, _FACTS_SHARE, _PLACES_SHARE = 0.35, 0.1, 0.05, 0.1
_MIN_DATA_BYTES = 2_000
# The lines around each piece of data, and JSON's escapes of it.
_LABEL_BYTES = 200


@dataclass(frozen=True, slots=True)
class CheckedEdit:
    """A valid edit of an article, and the line of code behind it."""

    article_id: str
    located: LocatedEdit
    evidence: Evidence | None


@dataclass(frozen=True, slots=True)
class CheckedReply:
    """The valid edits, those of one article together in its order, and the faults of others by article."""

    candidates: Mapping[str, Article]
    edits: tuple[CheckedEdit, ...]
    faults: Mapping[str, Sequence[str]]

    def old_text(self, edit: CheckedEdit) -> str:
        """What an edit replaces; empty for a text at the end of a section."""
        return self.candidates[edit.article_id].text[edit.located.start : edit.located.end]


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
    data_bytes = bytes_of(data_tokens) - _LABEL_BYTES * (len(candidates) + 5)
    if data_bytes < _MIN_DATA_BYTES:
        return None
    places = find_writing_places(candidates, report)
    data = _data(change, change_set, candidates, places, data_bytes)
    return Prompt(EDIT_PROMPT, data, schema, max_output_tokens)


def _data(
    change: Change,
    change_set: ChangeSet,
    candidates: Sequence[Article],
    places: Sequence[WritingPlace],
    max_bytes: int,
) -> str:
    body = cut_to_bytes(change.body or "", int(_BODY_SHARE * max_bytes))
    diff = diff_excerpt(change_set, int(_DIFF_SHARE * max_bytes))
    parts = [("title of the change", change.title), ("description of the change", body), ("diff", diff)]
    if facts := facts_excerpt(additions_of(change_set), int(_FACTS_SHARE * max_bytes)):
        parts.append(("new names in the code", facts))
    if places:
        texts = "\n\n".join(described(place, number) for number, place in enumerate(places, 1))
        parts.append(("places", cut_to_bytes(texts, int(_PLACES_SHARE * max_bytes))))
    bytes_left = max_bytes - sum(len(text.encode("utf-8", "replace")) for _, text in parts)
    terms = content_terms("\n".join(text for _, text in parts))
    for index, article in enumerate(candidates):
        text = article_excerpt(article.text, terms, max(0, bytes_left // (len(candidates) - index)))
        bytes_left -= len(text.encode("utf-8", "replace"))
        parts.append((f"article {article.id}", text))
    return delimit(parts)


def _candidates(articles: Sequence[Article], report: Report) -> list[Article]:
    """Articles where a text is missing, then the best-ranked ones, as the certain edits leave them."""
    if report.need < _MIN_NEED:
        return []
    proposals = {proposal.article_id: proposal for proposal in report.proposals}
    concerned = {place.article_id for place in report.places}
    by_id = _by_id(articles)
    ranked = [by_id[article_id] for article_id in report.ranking if article_id in by_id]
    ranked.sort(key=lambda article: article.id not in concerned)
    return [
        replace(article, title=proposals[article.id].title, text=proposals[article.id].text)
        if article.id in proposals
        else article
        for article in ranked[: limits.MAX_MODEL_ARTICLES]
    ]


def _by_id(articles: Sequence[Article]) -> dict[str, Article]:
    return {article.id: article for article in articles}


def check_edits(
    change: Change, articles: Sequence[Article], report: Report, reply: str, help_url: str
) -> CheckedReply | None:
    """The valid edits of a reply, and the faults of the others; None for a reply of another form."""
    reply_edits = read_reply(ReplyEdits, reply)
    if reply_edits is None:
        return None
    originals = _by_id(articles)
    candidates = _by_id(_candidates(articles, report))
    places = find_writing_places(tuple(candidates.values()), report)
    validator = EditValidator(change, articles, candidates, help_url)
    faults: dict[str, list[str]] = defaultdict(list)
    checked = list[CheckedEdit]()
    for article_id, edits in _by_article(reply_edits, candidates, places, faults).items():
        article = candidates[article_id]
        certain = certain_edits(originals[article_id].text, article.text)
        checked += [
            CheckedEdit(article_id, located, validator.evidence(located))
            for located in validator.valid_edits(article, certain, edits, faults[article_id])
        ]
    return CheckedReply(candidates, tuple(checked), faults)


def _by_article(
    reply: ReplyEdits,
    candidates: Mapping[str, Article],
    places: Sequence[WritingPlace],
    faults: dict[str, list[str]],
) -> dict[str, list[ProposedEdit]]:
    """The edits of each article, and the texts for its places before them."""
    groups: dict[str, list[ProposedEdit]] = defaultdict(list)
    for text in reply.texts[: limits.MAX_MODEL_EDITS]:
        if 1 <= text.place <= len(places):
            place = places[text.place - 1]
            article_text = candidates[place.article_id].text
            groups[place.article_id].append(proposed_text(place, text.text, article_text))
        else:
            faults[""].append("it names a place that was not asked about")
    for edit in reply.edits[: limits.MAX_MODEL_EDITS]:
        if edit.article in candidates:
            groups[edit.article].append(proposed_edit(edit, candidates[edit.article].text))
        else:
            faults[""].append("it names an article that was not asked about")
    if max(len(reply.edits), len(reply.texts)) > limits.MAX_MODEL_EDITS:
        faults[""].append(f"it made more than {limits.MAX_MODEL_EDITS}")
    return groups


def report_with_edits(report: Report, checked: CheckedReply, rejected: Collection[int], model: str) -> Report:
    """The report with the checked edits but those whose index is rejected; drafts tell what was left out."""
    candidates = checked.candidates
    faults = {article_id: list(sentences) for article_id, sentences in checked.faults.items()}
    by_article: dict[str, list[CheckedEdit]] = defaultdict(list)
    for index, edit in enumerate(checked.edits):
        if index in rejected:
            faults.setdefault(edit.article_id, []).append(NOT_IN_DIFF)
        else:
            by_article[edit.article_id].append(edit)
    proposals = list(report.proposals)
    proposed_ids = {proposal.article_id for proposal in proposals}
    for article_id in by_article:
        if article_id not in proposed_ids:
            article = candidates[article_id]
            proposals.append(Proposal("edit", article_id, article.title, article.text, "", (), ()))
    proposals = [
        _edited(proposal, by_article.get(proposal.article_id or "", ()), faults, model)
        for proposal in proposals
    ]
    reasons = {proposal.article_id: proposal.reason for proposal in proposals}
    return replace(
        report,
        proposals=tuple(proposals),
        reviewed=_reviewed(report.reviewed, {i: reasons[i] for i in by_article}),
        places=tuple(place for place in report.places if place.article_id not in by_article),
        summary=summary_with(report.summary, model, len(by_article), sum(map(len, faults.values()))),
    )


def _edited(
    proposal: Proposal, edits: Sequence[CheckedEdit], faults: Mapping[str, Sequence[str]], model: str
) -> Proposal:
    """The proposal with the model's edits, their evidence, and warnings about the edits left out."""
    warnings = (*proposal.warnings, *fault_warnings(faults.get(proposal.article_id or "", ())))
    if not edits:
        return replace(proposal, warnings=warnings)
    evidence, line_shift = list[Evidence](), 0
    statements = list[Statement]()
    for edit in edits:
        located = edit.located
        statements.append(replacement_statement(proposal.text[located.start : located.end], located.new))
        line = line_of(proposal.text, located.start) + line_shift
        line += len(located.new) - len(located.new.lstrip("\n"))
        line_shift += located.new.count("\n") - proposal.text.count("\n", located.start, located.end)
        if edit.evidence:
            evidence.append(replace(edit.evidence, article_line=line))
    text = apply_edits([edit.located for edit in edits], proposal.text)
    return replace(
        proposal,
        text=text,
        reason=reason_with(proposal.reason, model, len(edits)),
        evidence=(*proposal.evidence, *evidence),
        warnings=warnings,
        is_certain=False,
        statements=tuple(dict.fromkeys((*proposal.statements, *statements))),
    )


def _reviewed(before: Sequence[Verdict], reasons: Mapping[str, str]) -> tuple[Verdict, ...]:
    """The verdicts, `edit` ones first, with those on the articles that the model has edited."""
    edits = [verdict for verdict in before if verdict.verdict == "edit" and verdict.article_id not in reasons]
    rest = [verdict for verdict in before if verdict.verdict != "edit" and verdict.article_id not in reasons]
    return (*edits, *(Verdict(i, "edit", reason) for i, reason in reasons.items()), *rest)
