"""The report with a model's edits: drafts with a sentence and evidence for each edit."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from instep.drafting.writer.articles.headings import heading_over
from instep.drafting.writer.articles.passages import line_of
from instep.drafting.writer.diffs.change_set import ChangeSet
from instep.drafting.writer.editing.edits import apply as apply_edits
from instep.drafting.writer.llm.article_contents import ChangeReading, Contents, ShownArticle, numbered_text
from instep.drafting.writer.llm.checked_edits import ArticleEdits, check_edits
from instep.drafting.writer.llm.diff_text import count_of, noticed_files
from instep.drafting.writer.llm.doubts import UNRELATED
from instep.drafting.writer.llm.edit_forms import EditRefused, ModelEdit, ModelReply, TextLines
from instep.drafting.writer.llm.located_edit import Fault
from instep.drafting.writer.llm.protection import Protection
from instep.drafting.writer.reporting.statements import (
    article_statement,
    place_statement,
    replacement_statement,
)
from instep.drafting.writer.shapes import (
    Article,
    Change,
    Evidence,
    Place,
    Proposal,
    Report,
    Verdict,
    with_noun,
)
from instep.platform.core import limits
from instep.platform.text.characters import remove_hidden, shorten, with_single_spaces
from instep.platform.text.patch import Line

_MAX_REASON_CHARACTERS, _MAX_REASONS = 300, 6
_MAX_EXCERPT_CHARACTERS = 300
_MIN_QUOTE_CHARACTERS = 4
REMOVED_PROOF = "it is proven only by a line that a past change removed"
# Sentences about an edit, which reviewers read next to its line.
_IT = re.compile(r"\Ait ")


def check_reply(
    reading: ChangeReading, reply: ModelReply, excerpts: Sequence[ShownArticle]
) -> list[ArticleEdits]:
    groups = check_edits(reply.edits, reading.contents, excerpts, protection_for(reading, excerpts))
    quotes = QuotedLines(reading.change_set, reading.change, reading.diff)
    for group in groups if reading.is_code else ():
        # The code is about much more than an edit, which a line of it proves.
        group.faults = [
            replace(fault, sentence=fault.sentence.replace("the change", "the code"))
            for fault in group.faults
            if fault.sentence != UNRELATED
        ]
        group.faults += [
            Fault(REMOVED_PROOF, False, number)
            for number, edit in enumerate(group.edits)
            if edit.new.strip() and quotes.were_removed(edit.quote)
        ]
    return groups


def protection_for(reading: ChangeReading, excerpts: Sequence[ShownArticle]) -> Protection:
    texts = [numbered_text(reading.contents, row) for row in excerpts]
    return Protection(reading.change, texts, reading.contents.articles, reading.help_url)


def report_with_result(
    reading: ChangeReading,
    reply: ModelReply,
    excerpts: Sequence[ShownArticle],
    groups: Sequence[ArticleEdits],
    model: str,
) -> Report:
    """The report with the model's drafts, verdicts and places for the articles that the model read.

    If one edit of an article is refused, its edits become a place.
    """
    report, contents = reading.report, reading.contents
    quotes = QuotedLines(reading.change_set, reading.change, reading.diff)
    before = {row.article_id: row for row in report.proposals}
    read_ids = {contents.articles[row.index].id for row in excerpts}
    dropped = [group for group in groups if group.refused]
    edited: dict[str | None, Proposal] = {
        contents.articles[group.index].id: _draft(group, contents, before, quotes)
        for group in groups
        if not group.refused and (group.spans or group.title)
    }
    articles = list(_new_articles(reply, contents, protection_for(reading, excerpts), quotes))
    checks = [row for row in _checks(reply, contents, quotes) if row.article_id in read_ids]
    places = [row for row in report.places if row.article_id not in read_ids]
    places += [*checks, *(_dropped_place(group, contents, quotes) for group in dropped)]
    unread = [row for row in reading.doubtful if row.article_id not in read_ids]
    others = [
        *_unchanged(reply, contents, read_ids),
        *(Verdict(row.article_id, "concerned", row.reason, row.heading, row.evidence) for row in places),
    ]
    verdicts = {
        row.article_id: row
        for row in (
            *report.reviewed,
            *(row for row in others if row.article_id not in before),
            *(Verdict(row.article_id or "", "edit", row.reason) for row in (*unread, *edited.values())),
        )
    }
    part_ids = {article.id for article in contents.articles if article.is_part}
    wrote = f" and wrote {with_noun(len(articles), 'new article')}" if articles else ""
    note = (
        f"The model {model} read {_counted_texts(read_ids, part_ids)} and edited "
        f"{_counted_texts(edited, part_ids)}{wrote}."
    )
    if checks:
        note += f" It found {with_noun(len(checks), 'place')} for a person to write."
    if dropped:
        dropped_ids = [contents.articles[group.index].id for group in dropped]
        note += f" Its edits of {_counted_texts(dropped_ids, part_ids)} were left out by the checks."
    return replace(
        report.with_note(note),
        proposals=(
            *(edited.get(row.article_id, row) for row in (*report.proposals, *unread)),
            *(row for article_id, row in edited.items() if article_id not in before),
            *articles,
        ),
        reviewed=tuple(sorted(verdicts.values(), key=lambda row: row.verdict != "edit")),
        places=tuple(places),
    )


def report_without_need(report: Report, model: str) -> Report:
    """The report of a change that, according to the model, no reader could notice."""
    sentence = f"The model {model} found nothing in this change that affects readers."
    reviewed = tuple(row for row in report.reviewed if row.verdict != "concerned")
    return replace(report.with_note(sentence), places=(), reviewed=reviewed)


def report_without_model(report: Report, model: str, reason: str) -> Report:
    """The unchanged report, with the reason why the model has no part in it."""
    return report.with_note(f"The model {model} was left out. {reason}")


def _new_articles(
    reply: ModelReply, contents: Contents, protection: Protection, quotes: "QuotedLines"
) -> Iterator[Proposal]:
    """The new articles that pass the hard checks; each joins the collection of its neighbor article."""
    for row in reply.articles:
        title, text = " ".join(row.title.split()), row.text.strip("\n") + "\n"
        findings = protection.article_findings(title, text)
        if not title or not text.strip() or any(finding.refuses for finding in findings):
            continue
        neighbor = contents.find(row.neighbor)
        yield Proposal(
            "new_article",
            None,
            title,
            text,
            sentence_of(row.reason),
            quotes.evidence(row.quote, row.reason, 1),
            tuple(sentence_of(finding.sentence) for finding in findings),
            statements=(article_statement(title),),
            neighbor_id=contents.articles[neighbor.article].id if neighbor else None,
        )


def sentence_of(text: str) -> str:
    """A model's sentence as reviewers read it: one line without invisible characters."""
    sentence = shorten(" ".join(remove_hidden(text).split()), _MAX_REASON_CHARACTERS)
    sentence = sentence[:1].upper() + sentence[1:]
    return sentence if not sentence or sentence[-1] in ".!?…" else f"{sentence}."


class QuotedLines:
    """The lines of a change, to find a model's quotes in; `diff` is what the model has read of it."""

    def __init__(self, change_set: ChangeSet, change: Change, diff: str) -> None:
        self._lines = [
            (file.patch.path, line, with_single_spaces(line.text))
            for file in change_set.files
            for line in file.patch.lines()
            if line.text.strip()
        ]
        # The first changed line of each file; the model may have seen only the file's name and a count.
        self._counted = {
            count: (file.patch.path, line)
            for file in noticed_files(change_set)
            if (count := count_of(file)) in diff
            and (line := next((line for line in file.patch.lines() if line.mark != " "), None))
        }
        self._prose = with_single_spaces(f"{change.title}\n{change.body or ''}")

    def has(self, quote: str) -> bool:
        parts = list(_parts(quote))
        return bool(parts) and all(part in self._prose or self._matches(part) for part in parts)

    def were_removed(self, quote: str) -> bool:
        """True if the change removed each line that has a part of the quote."""
        lines = [line for part in _parts(quote) for _, line in self._matches(part)]
        return bool(lines) and all(line.mark == "-" for line in lines)

    def evidence(self, quote: str, reason: str, article_line: int) -> tuple[Evidence, ...]:
        """The line of code that a quote begins with; changed lines have priority."""
        for part in _parts(quote):
            if matches := self._matches(part):
                path, line = min(matches, key=lambda row: row[1].mark == " ")
                number = line.old if line.mark == "-" else line.new
                excerpt = line.text[:_MAX_EXCERPT_CHARACTERS]
                return (Evidence(path, number, number, excerpt, article_line, sentence_of(reason) or None),)
        return ()

    def _matches(self, part: str) -> list[tuple[str, Line]]:
        """The lines that contain a part of a quote, with the paths of their files."""
        if counted := self._counted.get(part):
            return [counted]
        return [(path, line) for path, line, text in self._lines if part in text]


def _parts(quote: str) -> Iterator[str]:
    """The lines of a quote without diff markers, except those too short to prove anything."""
    for row in map(str.lstrip, quote.split("\n")):
        part = with_single_spaces(row[1:] if row[:1] in ("+", "-") else row)
        if len(part) >= _MIN_QUOTE_CHARACTERS:
            yield part


def _draft(
    group: ArticleEdits, contents: Contents, before: Mapping[str | None, Proposal], quotes: QuotedLines
) -> Proposal:
    """The draft of an article: the edits that the change proves, and the model's edits."""
    article = contents.articles[group.index]
    proposal = before.get(article.id) or Proposal("edit", article.id, article.title, article.text, "", (), ())
    lines = _lines_after(group, article.text)
    evidence = [
        row
        for number, edit in enumerate(group.edits)
        for row in quotes.evidence(edit.quote, edit.reason, lines.get(number, 1))
    ]
    replaced = [(article.text[span.start : span.end], span.new) for span in group.spans]
    if group.title:
        replaced.append((article.title, group.title))
    statements = [replacement_statement(old, new) for old, new in replaced]
    reasons = list(dict.fromkeys(sentence_of(edit.reason) for edit in group.edits if edit.reason.strip()))
    return replace(
        proposal,
        title=group.title or proposal.title,
        text=apply_edits(group.spans, article.text),
        reason=" ".join([proposal.reason, *reasons[:_MAX_REASONS]]).strip(),
        evidence=(*proposal.evidence, *evidence),
        warnings=(*proposal.warnings, *_warnings(group, lines, quotes)),
        is_certain=False,
        statements=tuple(dict.fromkeys((*proposal.statements, *statements))),
    )


def _lines_after(group: ArticleEdits, text: str) -> dict[int, int]:
    """The first line of the new text, from 1, that each edit touches."""
    lines, shift = dict[int, int](), 0
    for span in group.spans:
        leading = len(span.new) - len(span.new.lstrip("\n"))
        lines.setdefault(span.source, line_of(text, span.start) + shift + leading)
        shift += span.new.count("\n") - text.count("\n", span.start, span.end)
    return lines


def _warnings(group: ArticleEdits, lines: Mapping[int, int], quotes: QuotedLines) -> Iterator[str]:
    rows = {(fault.edit, fault.sentence) for fault in group.faults}
    for number, edit in enumerate(group.edits):
        if not quotes.has(edit.quote):
            rows.add((number, "the change does not have the line that the model gives as proof"))
    for number, sentence in sorted(rows):
        yield sentence_of(f"Line {lines.get(number, 1)}: {_IT.sub('the new text ', sentence)}")


def _unchanged(reply: ModelReply, contents: Contents, ids: set[str]) -> Iterator[Verdict]:
    """The articles with these ids that the model found up to date, each with its sentence."""
    for row in reply.unchanged:
        reference = contents.find(row.article)
        if reference and (article_id := contents.articles[reference.article].id) in ids:
            yield Verdict(article_id, "no_edit", sentence_of(row.reason) or "Nothing in it is wrong.")


def _dropped_place(group: ArticleEdits, contents: Contents, quotes: QuotedLines) -> Place:
    """The place for a person to write what a model's refused edit was about."""
    text, refusal = contents.articles[group.index].text, group.refused[0]
    edit = group.edits[refusal.edit]
    starts = [span.start for span in group.spans if span.source == refusal.edit]
    line = line_of(text, starts[0]) if starts else max(1, edit.line)
    reason = f"{sentence_of(edit.reason)} The model's edit was left out: {refusal.sentence}.".strip()
    return _place_at(line, contents.articles[group.index], edit, reason, quotes)


def _checks(reply: ModelReply, contents: Contents, quotes: QuotedLines) -> Iterator[Place]:
    """The places that a model leaves to a person: one for each section, if a line of the change proves it."""
    places = set[tuple[int, str | None]]()
    for edit in reply.edits[: limits.MAX_MODEL_EDITS]:
        if edit.action == "check" and (reference := contents.find(edit.article)):
            article = contents.articles[reference.article]
            try:
                line = TextLines(article.text).find(edit.line, edit.old) + 1
            except EditRefused:
                continue
            place = _place_at(line, article, edit, sentence_of(edit.reason), quotes)
            key = reference.article, place.heading
            if quotes.has(edit.quote) and place.reason and key not in places:
                places.add(key)
                yield place


def _place_at(line: int, article: Article, edit: ModelEdit, reason: str, quotes: QuotedLines) -> Place:
    evidence = quotes.evidence(edit.quote, edit.reason, line)
    offset = sum(len(row) + 1 for row in article.text.split("\n")[: line - 1])
    heading = heading_over(article.text, offset) or None
    return Place(article.id, heading, line, reason, evidence, place_statement(heading, evidence))


def _counted_texts(ids: Collection[str | None], part_ids: Collection[str]) -> str:
    """The numbers of articles and of parts."""
    part_count = sum(id in part_ids for id in ids)
    articles = with_noun(len(ids) - part_count, "article")
    return f"{articles} and {with_noun(part_count, 'part')}" if part_count else articles
