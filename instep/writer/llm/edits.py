"""Edits by a model on top of the certain ones: the prompt for them, and which of them are valid."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from instep.core import limits
from instep.llm.guard import LinkPolicy, delimit, hosts_in, read_reply
from instep.llm.protocol import Prompt, bytes_of, tokens_of
from instep.writer.articles.headings import front_matter
from instep.writer.articles.passages import line_of
from instep.writer.diffs.change_set import ChangeSet, ReadFile, reviewed_files
from instep.writer.diffs.reading import read_diff
from instep.writer.llm.certain_edits import CertainEdit, certain_edits, reverts
from instep.writer.llm.duplicates import DuplicateDetector
from instep.writer.llm.grounding import (
    Grounding,
    Vocabulary,
    content_terms,
    is_fenced,
    sentences_of_markdown,
    sentences_of_prose,
)
from instep.writer.llm.markup import violation
from instep.writer.llm.prompt_data import article_excerpt, cut_to_bytes, diff_excerpt
from instep.writer.llm.prompts import EDIT_PROMPT, reason_with, summary_with, warnings_of
from instep.writer.llm.replies import ReplyEdit, ReplyEdits, edits_schema
from instep.writer.shapes import Article, Change, Evidence, Proposal, Report, Verdict

# Most changes with a lower need (0..1) need no edit (docs/quality.md), so a prompt would be paid for nothing.
_MIN_NEED = 0.4
# Shares of the prompt's data; the articles get the rest.
_DIFF_SHARE, _BODY_SHARE = 0.4, 0.1
_MIN_DATA_BYTES = 2_000
# The lines around each piece of data, and JSON's escapes of it.
_LABEL_BYTES = 200
_MAX_EDIT_CHARACTERS, _MAX_GROWTH_FACTOR = 6_000, 4
_MAX_GROWTH_CHARACTERS = 2_000
_MAX_REMOVED_SHARE, _MAX_REMOVED_CHARACTERS = 0.3, 600
_EVIDENCE_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class _LocatedEdit:
    """The span of the article that an edit replaces, and its new text."""

    start: int
    end: int
    new: str


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
    change_set = reviewed_files(read_diff(change.diff))
    if not candidates or not change_set.files:
        return None
    max_output_tokens = min(limits.MAX_COMPLETION_TOKENS, max_tokens // 4)
    schema = edits_schema([article.id for article in candidates])
    data_tokens = max_tokens - max_output_tokens - tokens_of(EDIT_PROMPT, str(schema))
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
    validator = _EditValidator(change, articles, candidates, help_url)
    faults: dict[str, list[str]] = defaultdict(list)
    located: dict[str, list[_LocatedEdit]] = {}
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


class _EditValidator:
    """Checks edits against the change and the articles."""

    def __init__(
        self, change: Change, articles: Sequence[Article], candidates: Mapping[str, Article], help_url: str
    ) -> None:
        self.change_set = reviewed_files(read_diff(change.diff))
        self.grounding = Grounding(change, self.change_set, articles)
        source_text = "\n".join((change.title, change.body or "", self.grounding.new_text))
        texts = [article.text for article in candidates.values()]
        self.link_policy = LinkPolicy(help_url, source_text, hosts_in(texts))
        self.duplicates = DuplicateDetector(texts)

    def valid_edits(
        self,
        article: Article,
        certain: Sequence[CertainEdit],
        edits: Sequence[ReplyEdit],
        faults: list[str],
    ) -> list[_LocatedEdit]:
        """The valid edits in the order of the text; the faults of the others are appended to `faults`."""
        vocabulary, valid = self.grounding.vocabulary_of(article), list[_LocatedEdit]()
        for edit in edits:
            start = article.text.find(edit.search)
            located = _LocatedEdit(start, start + len(edit.search), edit.replace)
            fault = (
                _form_fault(edit, article.text)
                or _position_fault(located, article.text, certain, valid)
                or violation(article.text, _applied([located], article.text), self.link_policy)
                or self._content_fault(located, article.text, vocabulary)
            )
            if fault:
                faults.append(fault)
            else:
                valid.append(located)
        valid.sort(key=lambda located: located.start)
        fault = self._combined_fault(valid, article.text)
        if fault:
            faults += [fault] * len(valid)
            return []
        return valid

    def _content_fault(self, edit: _LocatedEdit, text: str, vocabulary: Vocabulary) -> str | None:
        old, is_code = text[edit.start : edit.end], is_fenced(text, edit.start)
        old_sentences = set(sentences_of_markdown(old, is_code))
        added = [
            sentence for sentence in sentences_of_markdown(edit.new, is_code) if sentence not in old_sentences
        ]
        if self.grounding.loses_content(old, edit.new):
            return "it removes what the change leaves true"
        fact = vocabulary.unknown_fact(edit.new, is_code)
        if fact is not None:
            return f"neither the change nor the article says `{fact[:60]}`"
        if not self.grounding.concerns(f"{old}\n{edit.new}"):
            return "it does not concern what the change touches"
        if self.duplicates.is_repeated(old, edit.new, added):
            return "it repeats what the articles say already"
        if not all(vocabulary.is_grounded(sentence) for sentence in added):
            return "it says what neither the change nor the article says"
        return None

    def _combined_fault(self, edits: Sequence[_LocatedEdit], text: str) -> str | None:
        """What is wrong with the edits together, though each is valid alone."""
        if not edits:
            return None
        removed = sum(max(0, edit.end - edit.start - len(edit.new)) for edit in edits)
        if removed > max(_MAX_REMOVED_CHARACTERS, _MAX_REMOVED_SHARE * len(text)):
            return "together they remove too much of the article"
        return violation(text, _applied(edits, text), self.link_policy)

    def evidence(self, edit: _LocatedEdit, line: int) -> Evidence | None:
        """The changed line that shares most terms with the new text."""
        terms = set(content_terms(edit.new))
        best, most_shared = None, 0
        for read_file, number, text in _changed_lines(self.change_set.files):
            shared = len(terms.intersection(content_terms(text)))
            if shared > most_shared:
                best = Evidence(read_file.file.path, number, number, text[:_EVIDENCE_CHARACTERS], line)
                most_shared = shared
        return best


def _form_fault(edit: ReplyEdit, text: str) -> str | None:
    if not edit.search.strip() or text.count(edit.search) != 1:
        return "the text to replace does not stand in the article exactly once"
    if (
        sentences_of_prose(edit.search) == sentences_of_prose(edit.replace)
        and edit.search.split() == edit.replace.split()
    ):
        return "it changes nothing"
    longest = min(_MAX_EDIT_CHARACTERS, _MAX_GROWTH_FACTOR * len(edit.search) + _MAX_GROWTH_CHARACTERS)
    if len(edit.search) > _MAX_EDIT_CHARACTERS or len(edit.replace) > longest:
        return "it is too long"
    if len(text) - len(edit.search) + len(edit.replace) > limits.MAX_CONTENT_CHARACTERS:
        return "the article would be too long"
    return None


def _position_fault(
    edit: _LocatedEdit, text: str, certain: Sequence[CertainEdit], others: Sequence[_LocatedEdit]
) -> str | None:
    if edit.start < len(front_matter(text)):
        return "it changes the front matter"
    if any(edit.start < other.end and other.start < edit.end for other in others):
        return "it overlaps with another one"
    if reverts(certain, text, edit.start, edit.end, edit.new):
        return "it takes back what is certain"
    return None


def _applied(edits: Sequence[_LocatedEdit], text: str) -> str:
    """The text with the edits, which are in its order."""
    parts, end = list[str](), 0
    for edit in edits:
        parts += text[end : edit.start], edit.new
        end = edit.end
    return "".join([*parts, text[end:]])


def _changed_lines(files: Sequence[ReadFile]) -> Iterator[tuple[ReadFile, int, str]]:
    for read_file in files:
        for line in read_file.file.lines():
            if line.mark != " ":
                yield read_file, line.new if line.mark == "+" else line.old, line.text


def _with_located(
    report: Report,
    candidates: Mapping[str, Article],
    located: Mapping[str, Sequence[_LocatedEdit]],
    faults: Mapping[str, Sequence[str]],
    model: str,
    validator: _EditValidator,
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
    edits: Sequence[_LocatedEdit] | None,
    faults: Mapping[str, Sequence[str]],
    model: str,
    validator: _EditValidator,
) -> Proposal:
    """The proposal with the model's edits, their evidence, and warnings about the edits left out."""
    warnings = (*proposal.warnings, *warnings_of(faults.get(proposal.article_id or "", ())))
    if not edits:
        return replace(proposal, warnings=warnings)
    evidence, line_shift = list[Evidence](), 0
    for edit in edits:
        line = line_of(proposal.text, edit.start) + line_shift
        line_shift += edit.new.count("\n") - proposal.text.count("\n", edit.start, edit.end)
        evidence += filter(None, [validator.evidence(edit, line)])
    return replace(
        proposal,
        text=_applied(edits, proposal.text),
        reason=reason_with(proposal.reason, model, len(edits)),
        evidence=(*proposal.evidence, *evidence),
        warnings=warnings,
    )


def _reviewed(before: Sequence[Verdict], reasons: Mapping[str, str]) -> tuple[Verdict, ...]:
    """The verdicts, `edit` ones first, with those on the articles that the model has edited."""
    edits = [verdict for verdict in before if verdict.verdict == "edit" and verdict.article_id not in reasons]
    rest = [verdict for verdict in before if verdict.verdict != "edit" and verdict.article_id not in reasons]
    return (*edits, *(Verdict(i, "edit", reason) for i, reason in reasons.items()), *rest)
