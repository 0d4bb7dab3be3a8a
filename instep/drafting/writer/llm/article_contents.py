"""Texts for a model: a change, the table of contents to choose from, and parts of articles."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from heapq import nlargest
from itertools import accumulate, pairwise
from math import log

from instep.drafting.writer.articles.corpus import corpus_of
from instep.drafting.writer.articles.headings import sections_of
from instep.drafting.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.drafting.writer.llm.diff_text import code_text, diff_text, noticed_files, size_of
from instep.drafting.writer.relevance.article_features import names_in
from instep.drafting.writer.shapes import Article, Change, DismissedEdit, Proposal, Report, WaitingEdit
from instep.platform.core.name_matching import is_distinct
from instep.platform.text.code_block_lines import CodeLines, text_start
from instep.platform.text.diff import compare_now
from instep.platform.text.patch_parser import parse_diff
from instep.platform.text.sections import without_padding

_NEAREST, _BY_RARE_NAMES, _BY_TITLE = 40, 10, 300
# A name in more articles is not distinctive.
_MAX_ARTICLES_OF_NAME = 8
_MAX_HITS, _MAX_HEADINGS, _MAX_LINE_CHARACTERS = 4, 30, 140
_MAX_OMITTED, _MAX_OMITTED_CHARACTERS = 6, 40
# The sections around one with a hit are listed too: they are siblings of what the change names.
_NEIGHBORS = range(-3, 4)
_REFERENCE = re.compile(r"\s*A(\d{1,5})(?:\.(\d{1,4}))?\s*")

# An article up to this size (bytes of UTF-8) is read whole.
_WHOLE_ARTICLE = 12_000
# A neighbor up to this size is read with a section, because it shows the form of its siblings.
_NEIGHBOR = 3_000
# A longer section is read at its beginning, at its end and around the lines with names of the change.
_LONG_SECTION, _EDGE_LINES, _AROUND_HIT = 20_000, 30, 25
_MAX_SECTIONS_WITH_HITS = 3
# The code around the hunks has at most this share (0 to 1) of the diff's room.
_CODE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class SectionReference:
    """A section of an article by its index; 0 is the text before the first heading, None the whole."""

    article: int
    section: int | None


@dataclass(frozen=True, slots=True)
class SectionSpan:
    """A section of a text: its number, its title, its level, and its first and last line, from 1."""

    number: int
    title: str
    level: int
    first: int
    last: int


@dataclass(frozen=True)
class Contents:
    """All articles, nearest first: `A1` names the first of them, and `A1.2` its second section.

    `rare_names` are names in changed lines that few articles contain, with their IDF.
    """

    articles: tuple[Article, ...]
    rare_names: dict[str, float]

    @cached_property
    def index_by_id(self) -> dict[str, int]:
        return {article.id: index for index, article in enumerate(self.articles)}

    @cached_property
    def listed(self) -> list[int]:
        """The indices of the nearest articles, and of others with most of the rare names."""
        weights: dict[int, float] = defaultdict(float)
        for name, weight in self.rare_names.items():
            for article in corpus_of(self.articles).articles_with(name):
                weights[self.index_by_id[article.id]] += weight
        others = [index for index in weights if index >= _NEAREST]
        by_rare_names = nlargest(_BY_RARE_NAMES, others, key=lambda index: weights[index])
        return [*range(min(_NEAREST, len(self.articles))), *by_rare_names]

    def find(self, reference: str) -> SectionReference | None:
        """The section with a short name; None if it names no article."""
        match = _REFERENCE.fullmatch(reference)
        index = int(match[1]) - 1 if match else -1
        if match is None or not 0 <= index < len(self.articles):
            return None
        section = int(match[2]) if match[2] else None
        is_known = section is not None and section < len(section_spans(self.articles[index].text))
        return SectionReference(index, section if is_known else None)

    def hit_lines(self, index: int) -> dict[int, float]:
        """The lines of an article, from 1, with rare names of the change, and the weight of these."""
        hits = {}
        for number, line in enumerate(self.articles[index].text.split("\n"), 1):
            if weight := sum(self.rare_names.get(name, 0.0) for name in set(names_in(line))):
                hits[number] = weight
        return hits

    def table(self, max_bytes: int) -> str:
        """The listed articles with their headings and hits, then the titles of others, up to a size."""
        lines, room, rest = list[str](), max_bytes, list[int]()
        for index in self.listed:
            entry = [] if rest else list(self._entry(index))
            if rest or size_of(entry) > room - max_bytes // 6:
                rest.append(index)
                continue
            lines += entry
            room -= size_of(entry)
        listed = frozenset(self.listed)
        others = [index for index in range(len(self.articles)) if index not in listed]
        for index in [*rest, *others[:_BY_TITLE]]:
            room -= size_of([self._title(index)])
            if room < 0:
                break
            lines.append(self._title(index))
        return "\n".join(lines)

    def _title(self, index: int) -> str:
        """The title of an article, with the end of its address if others have the same one."""
        article = self.articles[index]
        slug = article.url.rpartition("/")[2] or article.id
        more = f" ({slug[:_MAX_LINE_CHARACTERS]})" if self._title_counts[article.title] > 1 else ""
        return f"A{index + 1} {article.title[:_MAX_LINE_CHARACTERS]}{more}"

    @cached_property
    def _title_counts(self) -> Counter[str]:
        return Counter(article.title for article in self.articles)

    def _entry(self, index: int) -> Iterator[str]:
        """The title of an article, its headings, and the lines below each with most rare names."""
        text = self.articles[index].text
        lines, spans, hits = text.split("\n"), section_spans(text), self.hit_lines(index)
        best = sorted(nlargest(_MAX_HITS, hits, key=lambda number: hits[number]))
        inside = {span.number: [n for n in best if span.first <= n <= span.last] for span in spans}
        around = {number + step for number, matches in inside.items() if matches for step in _NEIGHBORS}
        by_level = sorted(spans, key=lambda span: (span.level, span.number))[:_MAX_HEADINGS]
        listed = [span for span in spans if span.number in around or span in by_level]
        yield self._title(index)
        for span in listed:
            if span.number or inside[0]:
                yield f"  A{index + 1}.{span.number} {span.title[:_MAX_LINE_CHARACTERS]}".rstrip()
            for number in inside[span.number]:
                yield f"    {number}| {lines[number - 1].strip()[:_MAX_LINE_CHARACTERS]}"
        if len(spans) > len(listed):
            yield f"  (and {len(spans) - len(listed)} more sections)"


@dataclass(frozen=True, slots=True)
class ChangeReading:
    """A change and the articles, as prompts need them; with `is_code`, the code of today and one article."""

    change: Change
    change_set: ChangeSet
    diff: str
    code: str
    contents: Contents
    report: Report
    help_url: str
    dismissed: Sequence[DismissedEdit]
    # The changed lines of edits that wait for review, with the ids of their articles.
    waiting: Sequence[tuple[str, str]] = ()
    # The writer's drafts that the change does not prove: the model judges them.
    doubtful: Sequence[Proposal] = ()
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class ShownArticle:
    """An article by its index, and the numbers of the lines, from 1, that the model sees."""

    index: int
    lines: frozenset[int]


def section_spans(text: str) -> list[SectionSpan]:
    """The sections of a text, each with only its own lines; number 0 is the text before the first."""
    sections = sections_of(text)
    starts = [0, *(section.start for section in sections)]
    # The count continues from one section to the next, because articles may have thousands.
    breaks = [text.count("\n", start, end) for start, end in pairwise(starts)]
    firsts = list(accumulate(breaks, initial=1))
    lasts = [*(first - 1 for first in firsts[1:]), text.count("\n") + 1]
    titles = [("", 0), *((section.title, section.level) for section in sections)]
    return [
        SectionSpan(number, title, level, first, last)
        for number, ((title, level), first, last) in enumerate(zip(titles, firsts, lasts, strict=True))
    ]


def begin_reading(
    change: Change,
    articles: Sequence[Article],
    report: Report,
    help_url: str,
    diff_bytes: int,
    dismissed: Sequence[DismissedEdit] = (),
    waiting: Sequence[WaitingEdit] = (),
) -> ChangeReading:
    """The articles as the writer's drafts leave them, without doubtful ones, and the diff for the model."""
    doubtful = [row for row in report.proposals if row.is_doubtful]
    report = _without_drafts(report, doubtful)
    drafts = {row.article_id: row for row in report.proposals}
    texts = [
        replace(article, title=draft.title, text=draft.text) if (draft := drafts.get(article.id)) else article
        for article in articles
    ]
    change_set = reviewed_files(parse_diff(change.diff), change.locales)
    contents = article_contents(texts, change_set, report)
    diff = diff_text(change_set, diff_bytes)
    code = code_text(change_set, change.context.code, int(_CODE_SHARE * diff_bytes))
    lines = [(row.article_id, changed_text(row.text, row.new_text)) for row in waiting]
    return ChangeReading(
        change, change_set, diff, code, contents, report, help_url, dismissed, lines, doubtful
    )


def _without_drafts(report: Report, drafts: Sequence[Proposal]) -> Report:
    if not drafts:
        return report
    ids = {row.article_id for row in drafts}
    return replace(
        report,
        proposals=tuple(row for row in report.proposals if row not in drafts),
        reviewed=tuple(row for row in report.reviewed if row.article_id not in ids),
        edit_sentence="",
    )


def changed_text(text: str, new_text: str) -> str:
    """The changed lines, each with `-` or `+`."""
    lines = compare_now(text, new_text, ("", "")).diff.split("\n")[2:]
    return "\n".join(line for line in lines if line[:1] in ("+", "-"))


def article_contents(articles: Sequence[Article], change_set: ChangeSet, report: Report) -> Contents:
    """The articles in the order of the report's ranking, those without a rank last."""
    order = {article_id: rank for rank, article_id in enumerate(report.ranking)}
    ranked = tuple(sorted(articles, key=lambda article: order.get(article.id, len(order))))
    corpus, names = corpus_of(ranked), dict[str, float]()
    for name in dict.fromkeys(_changed_names(change_set)):
        count = len(corpus.articles_with(name))
        if 0 < count <= _MAX_ARTICLES_OF_NAME:
            names[name] = log(1 + len(ranked) / count)
    return Contents(ranked, names)


def _changed_names(change_set: ChangeSet) -> Iterator[str]:
    for file in noticed_files(change_set):
        for line in file.patch.lines():
            if line.mark != " ":
                yield from (name for name in names_in(line.text) if is_distinct(name))


def shown_articles(
    contents: Contents, references: Sequence[SectionReference], max_bytes: int
) -> list[ShownArticle]:
    """The sections to read, by article in the order of the references, as many as fit."""
    chosen: dict[int, frozenset[int]] = {}
    room = max_bytes
    for reference in references:
        before = chosen.get(reference.article, frozenset())
        lines = before | _lines_of(contents, reference)
        size = line_bytes(contents, reference.article, lines - before)
        if size <= room:
            room -= size
            chosen[reference.article] = lines
    return [ShownArticle(index, lines) for index, lines in chosen.items() if lines]


def merged_articles(first: Sequence[ShownArticle], second: Sequence[ShownArticle]) -> list[ShownArticle]:
    """The lines that either prompt has shown, by article."""
    lines: dict[int, frozenset[int]] = {}
    for row in (*first, *second):
        lines[row.index] = lines.get(row.index, frozenset()) | row.lines
    return [ShownArticle(index, numbers) for index, numbers in lines.items()]


def numbered_text(contents: Contents, excerpts: ShownArticle) -> str:
    """The lines as `12|text`, with a mark for omitted lines and their sections."""
    lines, previous = list[str](), 0
    text = contents.articles[excerpts.index].text
    texts, spans = _shown_lines(text), section_spans(text)
    for number in [*sorted(excerpts.lines), len(texts) + 1]:
        if number != previous + 1:
            omitted = [span for span in spans if span.number and previous < span.first < number]
            names = ": " * bool(omitted) + "; ".join(
                f"A{excerpts.index + 1}.{span.number} {span.title[:_MAX_OMITTED_CHARACTERS]}"
                for span in omitted[:_MAX_OMITTED]
            )
            lines.append(f"[lines {previous + 1} to {number - 1} are not shown{names}]")
        if number <= len(texts):
            lines.append(f"{number}|{texts[number - 1]}")
        previous = number
    return "\n".join(lines)


@lru_cache(maxsize=64)
def _shown_lines(text: str) -> tuple[str, ...]:
    """The lines as a model reads them: padding of cells would take the room of other rows."""
    lines, code = list[str](), CodeLines()
    for line in text.split("\n"):
        lines.append(line if code.is_code(line, text_start(line)) else without_padding(line))
    return tuple(lines)


def _lines_of(contents: Contents, reference: SectionReference) -> frozenset[int]:
    text = contents.articles[reference.article].text
    spans = section_spans(text)
    if len(text.encode("utf-8", "replace")) <= _WHOLE_ARTICLE:
        return frozenset(range(1, spans[-1].last + 1))
    hits = contents.hit_lines(reference.article)
    with_hits = [span.number for span in spans if any(span.first <= number <= span.last for number in hits)]
    chosen = with_hits[:_MAX_SECTIONS_WITH_HITS] or [0, 1]
    lines = set(range(1, min(spans[0].last, _EDGE_LINES) + 1))
    for number in chosen if reference.section is None else [reference.section]:
        for span in spans[max(0, number - 1) : number + 2]:
            inside = range(span.first, span.last + 1)
            size = line_bytes(contents, reference.article, inside)
            if span.number == number and size > _LONG_SECTION:
                around = {at for hit in hits for at in range(hit - _AROUND_HIT, hit + _AROUND_HIT + 1)}
                lines |= {*inside[:_EDGE_LINES], *inside[-_EDGE_LINES:], *around.intersection(inside)}
            elif span.number == number or size <= _NEIGHBOR:
                lines.update(inside)
    return frozenset(lines)


def line_bytes(contents: Contents, article: int, lines: Iterable[int]) -> int:
    """The bytes (UTF-8) that these lines of an article take in a prompt, about."""
    texts = _shown_lines(contents.articles[article].text)
    return sum(len(texts[number - 1].encode("utf-8", "replace")) + 6 for number in lines)
