"""The report with a model's edits: drafts with a sentence and the evidence for each edit."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from instep.drafting.writer.articles.headings import heading_over
from instep.drafting.writer.articles.passages import line_of
from instep.drafting.writer.diffs.change_set import ChangeSet
from instep.drafting.writer.llm.article_contents import Contents
from instep.drafting.writer.llm.checked_edits import ArticleEdits
from instep.drafting.writer.llm.edit_forms import ModelArticle, UnchangedArticle
from instep.drafting.writer.llm.located_edit import apply_edits
from instep.drafting.writer.llm.protection import Protection
from instep.drafting.writer.reporting.statements import (
    article_statement,
    place_statement,
    replacement_statement,
)
from instep.drafting.writer.shapes import Article, Change, Evidence, Place, Proposal, Report, Verdict
from instep.platform.text.characters import remove_hidden, shorten

_MAX_REASON_CHARACTERS, _MAX_REASONS = 300, 6
_MAX_EXCERPT_CHARACTERS = 300
_MIN_QUOTE_CHARACTERS = 4
# Sentences about an edit, which reviewers read next to its line.
_IT = re.compile(r"\Ait ")


@dataclass(frozen=True, slots=True)
class ModelResult:
    """The result of the questions to a model.

    `kept` are the edits that hold, `dropped` those of articles with a refused one. `read_ids` are the
    articles that it has read in part.
    """

    valid: tuple[ArticleEdits, ...]
    dropped: tuple[ArticleEdits, ...]
    articles: tuple[Proposal, ...]
    unchanged: tuple[UnchangedArticle, ...]
    read_ids: frozenset[str]


def report_with_result(
    report: Report, result: ModelResult, contents: Contents, quotes: "QuotedLines", model: str
) -> Report:
    """The report with the model's drafts, verdicts and places instead of its own for what the model read."""
    before = {proposal.article_id: proposal for proposal in report.proposals}
    edited = {
        contents.articles[group.index].id: _proposal(group, contents, before, quotes)
        for group in result.valid
    }
    proposals = [edited.get(row.article_id or "", row) for row in report.proposals]
    proposals += [row for article_id, row in edited.items() if article_id not in before]
    verdicts = {row.article_id: row for row in report.reviewed}
    verdicts |= {article_id: Verdict(article_id, "edit", row.reason) for article_id, row in edited.items()}
    verdicts |= {row.article_id: row for row in _unchanged(result, contents) if row.article_id not in before}
    places = [row for row in report.places if row.article_id not in result.read_ids]
    places += [place for group in result.dropped for place in _dropped_place(group, contents, quotes)]
    verdicts |= {
        row.article_id: Verdict(row.article_id, "concerned", row.reason, row.heading, row.evidence)
        for row in places
        if row.article_id not in before
    }
    return replace(
        report,
        proposals=(*proposals, *result.articles),
        reviewed=tuple(sorted(verdicts.values(), key=lambda row: row.verdict != "edit")),
        places=tuple(places),
        summary=f"{report.summary} {_summary(result, model)}".strip(),
    )


def report_without_need(report: Report, model: str) -> Report:
    """The report of a change of which the model says that no reader could notice it."""
    sentence = f"The model {model} found nothing in this change that a reader could notice."
    reviewed = tuple(row for row in report.reviewed if row.verdict != "concerned")
    return replace(report, places=(), reviewed=reviewed, summary=f"{report.summary} {sentence}".strip())


def report_without_model(report: Report, model: str, reason: str) -> Report:
    """The report as it was, and why the model has no part in it."""
    return replace(report, summary=f"{report.summary} The model {model} was left out. {reason}".strip())


def new_article_proposals(
    articles: Iterable[ModelArticle], contents: Contents, protection: Protection, quotes: "QuotedLines"
) -> Iterator[Proposal]:
    """The new articles that pass the hard checks; each joins the collection of the article near it."""
    for row in articles:
        title, text = " ".join(row.title.split()), row.text.strip("\n") + "\n"
        findings = protection.article_findings(title, text)
        if not title or not text.strip() or any(finding.refuses for finding in findings):
            continue
        neighbor = contents.find(row.neighbor)
        evidence = quotes.evidence(row.quote, row.reason, 1)
        yield Proposal(
            "new_article",
            None,
            title,
            text,
            sentence_of(row.reason),
            evidence,
            tuple(sentence_of(finding.sentence) for finding in findings),
            statements=(article_statement(title),),
            neighbor_id=contents.articles[neighbor.article].id if neighbor else None,
        )


def sentence_of(text: str) -> str:
    """A model's sentence as reviewers read it: one line without characters that nobody sees."""
    sentence = shorten(" ".join(remove_hidden(text).split()), _MAX_REASON_CHARACTERS)
    sentence = sentence[:1].upper() + sentence[1:]
    return sentence if not sentence or sentence[-1] in ".!?…" else f"{sentence}."


class QuotedLines:
    """The lines of a change, by which the quotes of a model are found again."""

    def __init__(self, change_set: ChangeSet, change: Change) -> None:
        self._lines = [
            (file.patch.path, line, _plain(line.text))
            for file in change_set.files
            for line in file.patch.lines()
            if line.text.strip()
        ]
        self._prose = _plain(f"{change.title}\n{change.body or ''}")

    def has(self, quote: str) -> bool:
        parts = [
            part
            for row in quote.split("\n")
            if len(part := _plain(_without_mark(row))) >= _MIN_QUOTE_CHARACTERS
        ]
        return bool(parts) and all(
            part in self._prose or any(part in text for _, _, text in self._lines) for part in parts
        )

    def evidence(self, quote: str, reason: str, article_line: int) -> tuple[Evidence, ...]:
        """The line of the code that a quote begins with; changed lines before others."""
        for row in quote.split("\n"):
            part = _plain(_without_mark(row))
            if len(part) < _MIN_QUOTE_CHARACTERS:
                continue
            matches = [(line.mark == " ", path, line) for path, line, text in self._lines if part in text]
            if matches:
                _, path, line = min(matches, key=lambda row: row[0])
                number = line.old if line.mark == "-" else line.new
                excerpt = line.text[:_MAX_EXCERPT_CHARACTERS]
                return (Evidence(path, number, number, excerpt, article_line, sentence_of(reason) or None),)
        return ()


def _without_mark(line: str) -> str:
    return line.lstrip()[1:] if line.lstrip()[:1] in ("+", "-") else line


def _plain(text: str) -> str:
    return " ".join(text.split())


def _proposal(
    group: ArticleEdits, contents: Contents, before: dict[str | None, Proposal], quotes: QuotedLines
) -> Proposal:
    """The draft of an article: what the change proves already, with the model's edits."""
    article = contents.articles[group.index]
    proposal = before.get(article.id) or Proposal("edit", article.id, article.title, article.text, "", (), ())
    text = apply_edits(group.spans, article.text)
    lines = _lines_after(group, article.text)
    evidence = [
        row
        for number, edit in enumerate(group.edits)
        for row in quotes.evidence(edit.quote, edit.reason, lines.get(number, 1))
    ]
    statements = [
        replacement_statement(article.text[span.start : span.end], span.new) for span in group.spans
    ]
    if group.title:
        statements.append(replacement_statement(article.title, group.title))
    reasons = list(dict.fromkeys(sentence_of(edit.reason) for edit in group.edits if edit.reason.strip()))
    return replace(
        proposal,
        title=group.title or proposal.title,
        text=text,
        reason=" ".join([proposal.reason, *reasons[:_MAX_REASONS]]).strip(),
        evidence=(*proposal.evidence, *evidence),
        warnings=(*proposal.warnings, *_warnings(group, lines, quotes)),
        is_certain=False,
        statements=tuple(dict.fromkeys((*proposal.statements, *statements))),
    )


def _lines_after(group: ArticleEdits, text: str) -> dict[int, int]:
    """The line of the new text, from 1, that each edit touches first."""
    lines, shift = dict[int, int](), 0
    for span, number in zip(group.spans, group.sources, strict=True):
        leading = len(span.new) - len(span.new.lstrip("\n"))
        lines.setdefault(number, line_of(text, span.start) + shift + leading)
        shift += span.new.count("\n") - text.count("\n", span.start, span.end)
    return lines


def _warnings(group: ArticleEdits, lines: dict[int, int], quotes: QuotedLines) -> Iterator[str]:
    rows = [*group.warnings]
    rows += [
        (number, "the change does not have the line that the model gives as proof")
        for number, edit in enumerate(group.edits)
        if not quotes.has(edit.quote)
    ]
    for number, sentence in sorted(set(rows)):
        yield sentence_of(f"Line {lines.get(number, 1)}: {_IT.sub('the new text ', sentence)}")


def _unchanged(result: ModelResult, contents: Contents) -> Iterator[Verdict]:
    """The articles that the model has read and found up to date, each with its sentence."""
    valid = {group.index for group in result.valid + result.dropped}
    for row in result.unchanged:
        reference = contents.find(row.article)
        if reference is None or reference.article in valid:
            continue
        article_id = contents.articles[reference.article].id
        if article_id in result.read_ids:
            yield Verdict(article_id, "no_edit", sentence_of(row.reason) or "Nothing in it is wrong.")


def _dropped_place(group: ArticleEdits, contents: Contents, quotes: QuotedLines) -> Iterator[Place]:
    """The place at which a person is to write what a model's refused edit was about."""
    article, refusal = contents.articles[group.index], group.refused[0]
    start = next(
        (
            span.start
            for span, number in zip(group.spans, group.sources, strict=True)
            if group.edits[number] is refusal.edit
        ),
        None,
    )
    line = line_of(article.text, start) if start is not None else max(1, refusal.edit.line)
    heading = _heading_at(article, line)
    evidence = quotes.evidence(refusal.edit.quote, refusal.edit.reason, line)
    reason = f"{sentence_of(refusal.edit.reason)} The model's edit was left out: {refusal.reason}."
    yield Place(article.id, heading, line, reason.strip(), evidence, place_statement(heading, evidence))


def _heading_at(article: Article, line: int) -> str | None:
    offset = sum(len(text) + 1 for text in article.text.split("\n")[: line - 1])
    return heading_over(article.text, offset) or None


def _summary(result: ModelResult, model: str) -> str:
    counts = [
        f"edited {_counted(len(result.valid), 'article')}",
        *([f"wrote {_counted(len(result.articles), 'new article')}"] if result.articles else []),
    ]
    sentences = [
        f"The model {model} read {_counted(len(result.read_ids), 'article')} and {' and '.join(counts)}."
    ]
    if result.dropped:
        sentences.append(
            f"Its edits of {_counted(len(result.dropped), 'article')} were left out by the checks."
        )
    return " ".join(sentences)


def _counted(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"
