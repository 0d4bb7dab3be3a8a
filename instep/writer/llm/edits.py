"""Edits by a model, on top of the certain ones: what is asked, and which of its edits hold."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from instep.core import limits
from instep.llm.protocol import Prompt, bytes_of, tokens_of
from instep.writer.articles.headings import front_matter
from instep.writer.articles.passages import line_of
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile, reviewed_files
from instep.writer.diffs.parser import parse_diff
from instep.writer.llm.certain_edits import CertainEdit, certain_edits, reverts
from instep.writer.llm.delimiters import delimited, excerpt, shortened, shown_diff
from instep.writer.llm.duplicates import DuplicateDetector
from instep.writer.llm.grounding import Grounding, Vocabulary, content_terms, is_fenced, pieces, sentences
from instep.writer.llm.markup import LinkPolicy, hosts_in, violation
from instep.writer.llm.prompts import EDIT_PROMPT, reason_with, summary_with, warnings_of
from instep.writer.llm.replies import Edit, Edits, edits_schema, read_reply
from instep.writer.shapes import Article, Change, Evidence, Proposal, Report, Verdict

# Below it most changes need no edit (docs/quality.md), and a question would be paid for nothing.
_NEED = 0.4
_DIFF_SHARE, _BODY_SHARE = 0.4, 0.1
_LONGEST_EDIT, _GROWTH = 6_000, 4
_REMOVED_SHARE, _REMOVED_FEW = 0.3, 600
_EXCERPT = 300
_FEWEST_ROOM = 2_000


@dataclass(frozen=True, slots=True)
class _LocatedEdit:
    """An edit at its place in the text."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The report with what a model added, or as it was, and why nothing of the reply could be used."""

    report: Report
    refused: str | None


def ask_for_edits(change: Change, articles: Sequence[Article], report: Report, tokens: int) -> Prompt | None:
    """The question about the likeliest articles; None where no article is likely to need an edit."""
    chosen = _chosen(articles, report)
    scope = reviewed_files(parse_diff(change.diff))
    if not chosen or not scope.files:
        return None
    most = min(limits.MAX_COMPLETION_TOKENS, tokens // 4)
    schema = edits_schema([article.id for article in chosen])
    room = bytes_of(tokens - most - tokens_of(EDIT_PROMPT, str(schema))) - 200 * (len(chosen) + 3)
    if room < _FEWEST_ROOM:
        return None
    return Prompt(EDIT_PROMPT, _asked(change, scope, chosen, room), schema, most)


def _asked(change: Change, scope: ChangeSet, chosen: Sequence[Article], room: int) -> str:
    title, body = change.title, shortened(change.body or "", int(_BODY_SHARE * room))
    diff = shown_diff(scope, int(_DIFF_SHARE * room))
    left = room - sum(len(text.encode("utf-8", "replace")) for text in (title, body, diff))
    wanted = content_terms(f"{title}\n{body}\n{diff}")
    parts = [("title of the change", title), ("description of the change", body), ("diff", diff)]
    for at, article in enumerate(chosen):
        text = excerpt(article.text, wanted, max(0, left // (len(chosen) - at)))
        left -= len(text.encode("utf-8", "replace"))
        parts.append((f"article {article.id}", text))
    return delimited(parts)


def _chosen(articles: Sequence[Article], report: Report) -> list[Article]:
    """The articles that come first, as the certain edits leave them."""
    if report.need < _NEED:
        return []
    edited = {proposal.article_id: proposal for proposal in report.proposals}
    known = {article.id: article for article in articles}
    first = [known[i] for i in report.ranking[: limits.MAX_MODEL_ARTICLES] if i in known]
    return [
        replace(article, title=edited[article.id].title, text=edited[article.id].text)
        if article.id in edited
        else article
        for article in first
    ]


def with_edits(
    change: Change, articles: Sequence[Article], report: Report, reply: str, model: str, own: str
) -> Outcome:
    """The report with the model's edits that hold; each of the others is left out, and the drafts say so."""
    read = read_reply(Edits, reply)
    if read is None:
        return Outcome(report, "Its reply has not the form that was asked for.")
    chosen = {article.id: article for article in _chosen(articles, report)}
    originals = {article.id: article for article in articles}
    bench = _EditValidator(change, articles, chosen, own)
    faults: dict[str, list[str]] = defaultdict(list)
    found: dict[str, list[_LocatedEdit]] = {}
    for article_id, edits in _by_article(read.edits).items():
        if article_id not in chosen:
            faults[""] += ["it names an article that was not asked about"] * len(edits)
            continue
        kept = certain_edits(originals[article_id].text, chosen[article_id].text)
        found[article_id] = bench.holding(chosen[article_id], kept, edits, faults[article_id])
    if len(read.edits) > limits.MAX_MODEL_EDITS:
        faults[""].append(f"it made more than {limits.MAX_MODEL_EDITS}")
    made = {article_id: edits for article_id, edits in found.items() if edits}
    return Outcome(_completed(report, chosen, made, faults, model, bench), None)


def _by_article(edits: Sequence[Edit]) -> dict[str, list[Edit]]:
    grouped: dict[str, list[Edit]] = defaultdict(list)
    for edit in edits[: limits.MAX_MODEL_EDITS]:
        grouped[edit.article].append(edit)
    return grouped


class _EditValidator:
    """Holds edits against what the change and the articles say."""

    def __init__(
        self, change: Change, articles: Sequence[Article], chosen: Mapping[str, Article], own: str
    ) -> None:
        self.scope = reviewed_files(parse_diff(change.diff))
        self.grounds = Grounding(change, self.scope, articles)
        told = "\n".join((change.title, change.body or "", self.grounds.added))
        texts = [article.text for article in chosen.values()]
        self.reach = LinkPolicy(own, told, hosts_in(texts))
        self.heard = DuplicateDetector(texts)

    def holding(
        self, article: Article, kept: Sequence[CertainEdit], edits: Sequence[Edit], faults: list[str]
    ) -> list[_LocatedEdit]:
        """The edits that hold, in the order of the text; what is wrong with the others goes to `faults`."""
        said, found = self.grounds.said_by(article), list[_LocatedEdit]()
        for edit in edits:
            start = article.text.find(edit.search)
            place = _LocatedEdit(start, start + len(edit.search), edit.replace)
            fault = (
                _fault_of_form(edit, article.text)
                or _fault_of_place(place, article.text, kept, found)
                or violation(article.text, _applied([place], article.text), self.reach)
                or self._fault_of_words(place, article.text, said)
            )
            if fault:
                faults.append(fault)
            else:
                found.append(place)
        found.sort(key=lambda place: place.start)
        fault = self._fault_of_all(found, article.text)
        if fault:
            faults += [fault] * len(found)
            return []
        return found

    def _fault_of_words(self, place: _LocatedEdit, text: str, said: Vocabulary) -> str | None:
        old, is_code = text[place.start : place.end], is_fenced(text, place.start)
        known = set(sentences(old, is_code))
        new = [sentence for sentence in sentences(place.new, is_code) if sentence not in known]
        if self.grounds.loses(old, place.new):
            return "it removes what the change leaves true"
        fact = said.unknown_fact(place.new, is_code)
        if fact is not None:
            return f"neither the change nor the article says `{fact[:60]}`"
        if not self.grounds.concerns(f"{old}\n{place.new}"):
            return "it does not concern what the change touches"
        if self.heard.is_repeated(old, place.new, new):
            return "it repeats what the articles say already"
        if not all(said.is_founded(sentence) for sentence in new):
            return "it says what neither the change nor the article says"
        return None

    def _fault_of_all(self, found: Sequence[_LocatedEdit], text: str) -> str | None:
        """What is wrong with the edits together, though each holds alone."""
        if not found:
            return None
        removed = sum(max(0, place.end - place.start - len(place.new)) for place in found)
        if removed > max(_REMOVED_FEW, _REMOVED_SHARE * len(text)):
            return "together they remove too much of the article"
        return violation(text, _applied(found, text), self.reach)

    def evidence(self, place: _LocatedEdit, line: int) -> Evidence | None:
        """The changed line that shares most with what was written."""
        wanted = set(content_terms(place.new))
        best, most = None, 0
        for scoped, number, text in _changed_lines(self.scope.files):
            shared = len(wanted.intersection(content_terms(text)))
            if shared > most:
                best, most = Evidence(scoped.patch.path, number, number, text[:_EXCERPT], line), shared
        return best


def _fault_of_form(edit: Edit, text: str) -> str | None:
    if not edit.search.strip() or text.count(edit.search) != 1:
        return "the text to replace does not stand in the article exactly once"
    if pieces(edit.search) == pieces(edit.replace) and edit.search.split() == edit.replace.split():
        return "it changes nothing"
    longest = min(_LONGEST_EDIT, _GROWTH * len(edit.search) + 2_000)
    if len(edit.search) > _LONGEST_EDIT or len(edit.replace) > longest:
        return "it is too long"
    if len(text) - len(edit.search) + len(edit.replace) > limits.MAX_CONTENT_CHARACTERS:
        return "the article would be too long"
    return None


def _fault_of_place(
    place: _LocatedEdit, text: str, kept: Sequence[CertainEdit], others: Sequence[_LocatedEdit]
) -> str | None:
    if place.start < len(front_matter(text)):
        return "it changes the front matter"
    if any(place.start < other.end and other.start < place.end for other in others):
        return "it overlaps with another one"
    if reverts(kept, text, place.start, place.end, place.new):
        return "it takes back what is certain"
    return None


def _applied(places: Sequence[_LocatedEdit], text: str) -> str:
    parts, at = list[str](), 0
    for place in places:
        parts += text[at : place.start], place.new
        at = place.end
    return "".join([*parts, text[at:]])


def _changed_lines(files: Sequence[ReviewedFile]) -> Iterator[tuple[ReviewedFile, int, str]]:
    for scoped in files:
        for line in scoped.patch.lines():
            if line.mark != " ":
                yield scoped, line.new if line.mark == "+" else line.old, line.text


def _completed(
    report: Report,
    chosen: Mapping[str, Article],
    made: Mapping[str, Sequence[_LocatedEdit]],
    faults: Mapping[str, Sequence[str]],
    model: str,
    bench: _EditValidator,
) -> Report:
    by_article = {proposal.article_id: proposal for proposal in report.proposals}
    proposals = [
        _completed_proposal(proposal, made.get(proposal.article_id or ""), faults, model, bench)
        for proposal in report.proposals
    ]
    for article_id, places in made.items():
        if article_id not in by_article:
            article = chosen[article_id]
            empty = Proposal("edit", article_id, article.title, article.text, "", (), ())
            proposals.append(_completed_proposal(empty, places, faults, model, bench))
    new = {proposal.article_id: proposal for proposal in proposals if proposal.article_id in made}
    return replace(
        report,
        proposals=tuple(proposals),
        reviewed=_reviewed(report.reviewed, {i: new[i].reason for i in made}),
        summary=summary_with(report.summary, model, len(made), sum(map(len, faults.values()))),
    )


def _completed_proposal(
    proposal: Proposal,
    places: Sequence[_LocatedEdit] | None,
    faults: Mapping[str, Sequence[str]],
    model: str,
    bench: _EditValidator,
) -> Proposal:
    warnings = (*proposal.warnings, *warnings_of(faults.get(proposal.article_id or "", ())))
    if not places:
        return replace(proposal, warnings=warnings)
    evidence, moved = list[Evidence](), 0
    for place in places:
        line = line_of(proposal.text, place.start) + moved
        moved += place.new.count("\n") - proposal.text.count("\n", place.start, place.end)
        evidence += filter(None, [bench.evidence(place, line)])
    return replace(
        proposal,
        text=_applied(places, proposal.text),
        reason=reason_with(proposal.reason, model, len(places)),
        evidence=(*proposal.evidence, *evidence),
        warnings=warnings,
    )


def _reviewed(before: Sequence[Verdict], reasons: Mapping[str, str]) -> tuple[Verdict, ...]:
    """The verdicts with those on the articles that now get a draft, which come first."""
    edits = [verdict for verdict in before if verdict.verdict == "edit" and verdict.article_id not in reasons]
    rest = [verdict for verdict in before if verdict.verdict != "edit" and verdict.article_id not in reasons]
    return (*edits, *(Verdict(i, "edit", reason) for i, reason in reasons.items()), *rest)
