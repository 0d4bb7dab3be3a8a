"""Judges what past commits have made wrong in articles: a replay of the history, checked by today's code.

The writer reads each commit as it reads a change that comes in. Its edit counts if the code of today agrees:
the old text is gone from it, and the new one stands there.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from instep.drafting.writer.articles.code_languages import fence_at
from instep.drafting.writer.articles.corpus import Corpus, corpus_of
from instep.drafting.writer.articles.other_products import is_variable_of_another
from instep.drafting.writer.articles.passages import is_in_code, is_in_url, line_of, sentence_around
from instep.drafting.writer.articles.records import is_record
from instep.drafting.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.drafting.writer.editing.apply import MIN_CERTAIN, best_source, find_edits
from instep.drafting.writer.editing.edits import Edit, add_edit
from instep.drafting.writer.facts.became import Became, find_became
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.facts.declarations import declarations_of
from instep.drafting.writer.facts.written_names import name_form_of, written_names_of
from instep.drafting.writer.fitted import FITTED
from instep.drafting.writer.shapes import Article, Change
from instep.platform.core.name_matching import is_distinct, mention
from instep.platform.text.patch_parser import parse_diff

DriftKind = Literal["gone", "renamed", "value"]
_SEPARATORS = re.compile(r"[\W_]+")
_MAX_STEPS = 10
# A sentence about what was: it stays true.
_OF_THE_PAST = re.compile(
    r"\b(?:deprecat\w+|formerly|previously|prior to|(?:was|were|been) removed|removed in|renamed|replaced by"
    r"|no longer|used to|older versions?)\b",
    re.IGNORECASE,
)
_VERSION = re.compile(r"v?\d[\w.+-]*")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
_MIN_VARIABLES = 3
_INDENTED = re.compile(r" {4}|\t")
# Paths and variables of the system, which it has whether the code names them or not.
_OF_THE_SYSTEM = re.compile(
    r"/(?:bin|dev|etc|home|mnt|opt|proc|root|srv|sys|tmp|Users|usr|var)/|(?:HTTPS?|NO)_PROXY$"
)
# A folder of examples: what they set is their own choice, and often that of another product.
_EXAMPLES = re.compile(r"(?:^|/)(?:examples?|samples?)/", re.IGNORECASE)
# The target of a link to another place of the documentation, whose names the code does not decide.
_LINK_TARGET = re.compile(r"\]\((?![a-z][a-z0-9+.-]*:)[^()\s]*")


@dataclass(frozen=True, slots=True)
class TodaysLine:
    """The current positions of a line that a commit added; it was `line` of `file` in the commit."""

    file: str
    line: int
    file_today: str
    line_today: int


@dataclass(frozen=True, slots=True)
class PastChange:
    """A commit, with those of its hunks that took names out of the code, and the names."""

    commit: str
    title: str
    date: str
    diff: str
    names: tuple[str, ...]
    standing: tuple[TodaysLine, ...]


@dataclass(frozen=True, slots=True)
class CodeToday:
    """The names that the code of today lacks: `gone_names` of articles, and `absent_keys` of other names."""

    gone_names: frozenset[str]
    absent_keys: frozenset[str]

    def lacks(self, text: str) -> bool:
        return (
            text in self.gone_names
            or f"--{text}" in self.gone_names
            or spelling_key(text) in self.absent_keys
        )


@dataclass(frozen=True, slots=True)
class Drift:
    """A statement of an article (offsets in characters) that a past change has made wrong."""

    kind: DriftKind
    article: Article
    start: int
    end: int
    change: PastChange
    source: SourceLine
    edit: Edit | None = None

    @property
    def name(self) -> str:
        return self.article.text[self.start : self.end]

    @property
    def line(self) -> int:
        return line_of(self.article.text, self.start)


def spelling_key(name: str) -> str:
    """The same key for all spellings of a name: `--max-size`, `max_size`, `MaxSize`."""
    return _SEPARATORS.sub("", name).lower()


def judge(articles: Sequence[Article], changes: Sequence[PastChange], today: CodeToday) -> list[Drift]:
    """The statements of articles that the changes, newest first, have made wrong, by article and place."""
    corpus = corpus_of(tuple(articles))
    facts = [(change, _facts_of(change, today)) for change in changes]
    outcomes = _Outcomes(facts)
    by_id = {article.id: article for article in articles}
    edits_by_id: dict[str, list[Edit]] = {}
    drifts: list[Drift] = []
    for change, pairs in facts:
        lasting = [last for pair in pairs if (last := outcomes.lasting(pair, change, today))]
        edits_by_article = find_edits(lasting, corpus, FITTED).likely
        for article_id, edits in edits_by_article.items():
            chosen = edits_by_id.setdefault(article_id, [])
            for edit in edits:
                if not _is_sure(edit) or _is_link_target(by_id[article_id].text, edit.start):
                    continue
                count = len(chosen)
                add_edit(chosen, edit)
                if len(chosen) > count and isinstance(edit.fact, Became):
                    kind: DriftKind = "value" if edit.fact.value else "renamed"
                    source = best_source(edit.fact)
                    drifts.append(Drift(kind, by_id[article_id], edit.start, edit.end, change, source, edit))
    drifts += _gone(changes, corpus, edits_by_id, today)
    return sorted(drifts, key=lambda drift: (drift.article.id, drift.start))


def _is_sure(edit: Edit) -> bool:
    """True for a name, which is gone besides, and for a value that its place surely states."""
    return not (isinstance(edit.fact, Became) and edit.fact.value) or edit.probability >= MIN_CERTAIN


def _is_link_target(text: str, offset: int) -> bool:
    line_start, line_end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    line = text[line_start : line_end if line_end >= 0 else None]
    at = offset - line_start
    return any(match.start() < at < match.end() for match in _LINK_TARGET.finditer(line))


def _product_code(change: PastChange) -> ChangeSet:
    """The files of a change that decide what the product does: tests, CI and examples prove nothing."""
    code = reviewed_files(parse_diff(change.diff)).code
    files = [
        file
        for file in code.files
        if file.kind not in {"test", "internal"} and not _EXAMPLES.search(file.patch.path)
    ]
    return replace(code, files=tuple(files))


def _facts_of(change: PastChange, today: CodeToday) -> list[Became]:
    pairs = find_became(Change(change.title, None, change.diff), _product_code(change))
    return [pair for pair in pairs if _may_be_stated(pair) and (pair.value or today.lacks(pair.old))]


def _may_be_stated(pair: Became) -> bool:
    """False for a version that no setting has: it is that of a dependency, and no name."""
    return not _is_reference(pair) and (bool(pair.value) or not _VERSION.fullmatch(pair.old))


def _is_reference(pair: Became) -> bool:
    """True if the lines only say where the code shows a text, as translation catalogues do (gettext)."""
    return all(source.text.startswith("#:") for source in pair.sources)


class _Outcomes:
    """The present form of each text: a name may have been renamed again since."""

    def __init__(self, facts: Sequence[tuple[PastChange, Sequence[Became]]]) -> None:
        # Newest first, so that for one text an earlier change comes last; index by what was there before.
        self._by_old: dict[tuple[str, str, tuple[str, ...]], list[tuple[int, PastChange, Became]]] = {}
        self._order = {id(change): index for index, (change, _) in enumerate(facts)}
        for index, (change, pairs) in enumerate(facts):
            for pair in pairs:
                self._by_old.setdefault((pair.kind, pair.old, pair.names[:1]), []).append(
                    (index, change, pair)
                )

    def lasting(self, pair: Became, change: PastChange, today: CodeToday) -> Became | None:
        """The pair with the text that replaces the old one now; None if it is unknown."""
        index, last = self._order[id(change)], pair
        for _ in range(_MAX_STEPS):
            sources = _todays_sources(last, change, today)
            if sources:
                is_back = last.new == pair.old
                return None if is_back else replace(pair, new=last.new, sources=sources)
            later = [
                row for row in self._by_old.get((last.kind, last.new, last.names[:1]), ()) if row[0] < index
            ]
            if not later:
                return None
            index, change, last = later[-1]
        return None


def _todays_sources(pair: Became, change: PastChange, today: CodeToday) -> tuple[SourceLine, ...]:
    """The lines that are evidence for a pair, if they or their new name are still in the code."""
    lines = {(row.file, row.line): row for row in change.standing}
    standing = tuple(
        replace(source, file=row.file_today, line=row.line_today)
        for source in pair.sources
        if (row := lines.get((source.file, source.line)))
    )
    if pair.value:
        # The same line elsewhere may be about another setting.
        standing = tuple(row for row in standing if row.file in {source.file for source in pair.sources})
    if standing or pair.value or not pair.new.replace("-", "_").isidentifier():
        return standing
    return () if today.lacks(pair.new) else pair.sources


def _gone(
    changes: Sequence[PastChange],
    corpus: Corpus,
    edits: Mapping[str, Sequence[Edit]],
    today: CodeToday,
) -> Iterator[Drift]:
    """The mentions of names that the code no longer has, and that nothing is known to have replaced."""
    seen, prefixes = set[tuple[str, str]](), _own_prefixes(corpus)
    for change in changes:
        definitions = _removed_definitions(change)
        for name in change.names:
            is_foreign = name_form_of(name) == "variable" and name.partition("_")[0] not in prefixes
            is_gone = name in today.gone_names and not is_foreign
            source = definitions.get(name.lstrip("-")) if is_gone else None
            for article in corpus.articles_with(name) if source else ():
                if source and (article.id, name) not in seen and not is_record(article):
                    seen.add((article.id, name))
                    place = _mention(name, article, edits.get(article.id, ()))
                    if place:
                        yield Drift("gone", article, *place, change, source)


def _own_prefixes(corpus: Corpus) -> frozenset[str]:
    """The first words of several variables in the articles: others belong to the system or to libraries."""
    variables = {name for article in corpus.articles for name in _VARIABLE.findall(article.text)}
    counts = Counter(name.partition("_")[0] for name in variables)
    return frozenset(prefix for prefix, count in counts.items() if count >= _MIN_VARIABLES)


def _removed_definitions(change: PastChange) -> dict[str, SourceLine]:
    """The lines that a change took out by the names that they define, or use as a variable, flag or route."""
    definitions: dict[str, SourceLine] = {}
    for file in _product_code(change).files:
        for hunk in file.patch.hunks:
            declared = [(row.name, row.line) for row in declarations_of(hunk, "-", file.patch.path)]
            written = [(row.name, row.line) for row in written_names_of(hunk) if _is_of_interface(row.name)]
            for name, line in (*declared, *written):
                if line.mark == "-":
                    source = SourceLine(file.patch.old_path, line.old, line.text, file.weight)
                    definitions.setdefault(name.lstrip("-"), source)
    return definitions


def _is_of_another(name: str) -> bool:
    return bool(_OF_THE_SYSTEM.match(name)) or is_variable_of_another(name)


def _is_of_interface(name: str) -> bool:
    return name_form_of(name) in {"variable", "flag", "route"}


def _mention(name: str, article: Article, edits: Sequence[Edit]) -> tuple[int, int] | None:
    """The first place of an article that states a name as one of the product; None if an edit covers it."""
    place = None
    if not (is_distinct(name) or _is_of_interface(name)) or _is_of_another(name):
        return None
    for match in mention(name).finditer(article.text):
        start, end = match.span()
        if any(edit.start < end and start < edit.end for edit in edits):
            return None
        if place is None and _is_stated(name, article.text, start, end):
            place = (start, end)
    return place


def _is_stated(name: str, text: str, start: int, end: int) -> bool:
    """True if a text says in code marks, and as of the present, that there is a thing with this name."""
    line_start = text.rfind("\n", 0, start) + 1
    # An example has names of its own, which only look like those of the code.
    is_example = fence_at(text, start) is not None or bool(_INDENTED.match(text, line_start))
    is_placeholder = text[start - 1 : start] == "<" and text[end : end + 1] == ">"
    if (is_example and not _is_of_interface(name)) or is_placeholder or is_in_url(text, start):
        return False
    return is_in_code(text, start) and not _OF_THE_PAST.search(text, *sentence_around(text, start, end))
