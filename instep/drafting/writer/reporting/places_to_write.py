"""The place to write at in an article that a change concerns: line, reason, and the lines of code.

The strongest reason comes first: something in the article that the change replaces or removes, a list next
to something new, or else the section that shares most with the change.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from math import log

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.articles.entries import EntryList, entry_lists_of
from instep.drafting.writer.articles.headings import ArticleSection, heading_over, sections_of
from instep.drafting.writer.articles.passages import line_of
from instep.drafting.writer.diffs.change_set import ChangeSet
from instep.drafting.writer.editing.apply import best_source
from instep.drafting.writer.editing.edits import Edit
from instep.drafting.writer.facts.additions import Addition
from instep.drafting.writer.facts.became import Became
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.facts.removed_names import RemovedMentions, RemovedName
from instep.drafting.writer.facts.written_names import name_form_of
from instep.drafting.writer.reporting.reasons import reason_for_doubt
from instep.drafting.writer.reporting.statements import place_statement
from instep.drafting.writer.shapes import Article, Change, Evidence, Place, Suppressed, excerpt_of
from instep.drafting.writer.words.change_terms import change_terms, words_for
from instep.drafting.writer.words.identifiers import key_of
from instep.platform.core.name_matching import is_distinct, mention
from instep.platform.text.characters import in_one_line
from instep.platform.text.file_kinds import LONG_LINE

_CLOSING_SECTION = re.compile(
    r"(?:recap|summary|conclusion|see also|more info\w*|next steps?|further reading|what'?s next|references?"
    r"|technical details|feedback|troubleshooting|faq)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_NAME = re.compile(r"--?[a-zA-Z][\w-]+|[A-Za-z_]\w*(?:[.-]\w+)*")
_HASH = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{7,}")
# Lines that readers of an article don't care about: imports, and reminders to developers.
_SAYS_NOTHING = re.compile(
    r"\s*(?:import|from|export \*|use|using|require|package|#include)\b|\W*(?:TODO|FIXME|XXX)\b"
)
_MAX_LINES, _MAX_NAMED, _MIN_WORD = 3, 3, 4
_MAX_READ_LINES = 5_000
_MIN_SIBLINGS = 2
# A term of the title counts as much as one that occurs about twenty times in the change's lines.
_TITLE_WEIGHT = 3.0
# A section may have this many different terms before its length counts against it.
_LENGTH_NORM = 50


def places_for(
    articles: Sequence[Article],
    doubtful: Mapping[str, Sequence[Edit]],
    mentions: RemovedMentions,
    additions: Sequence[Addition],
    change: Change,
    change_set: ChangeSet,
    corpus: Corpus,
) -> Iterator[Place]:
    """The place of each article, if it has one; a possibly untrue text has priority."""
    for article in articles:
        doubts = (
            _place_at(article, edit.start, reason_for_doubt(edit.fact), best_source(edit.fact))
            for edit in doubtful.get(article.id, ())
            if isinstance(edit.fact, Became)
        )
        place = next(doubts, None) or _concerned_place(
            article, mentions.get(article.id, ()), additions, change, change_set, corpus
        )
        if place:
            yield place


def without_suppressed_places(places: Sequence[Place], suppressed: Suppressed) -> tuple[Place, ...]:
    """The places without those that a reviewer has dismissed for good."""
    return tuple(row for row in places if row.statement.key not in suppressed.get(row.article_id, ()))


def _concerned_place(
    article: Article,
    removals: Sequence[RemovedName],
    additions: Sequence[Addition],
    change: Change,
    change_set: ChangeSet,
    corpus: Corpus,
) -> Place | None:
    """The place to write at; None if no line of the change concerns users, or the article has it all."""
    lines = list(_user_facing_lines(change_set))
    if not lines or any(_is_listed(addition, article.text) for addition in additions):
        return None
    sure = (*_of_removals(article, removals), *_of_additions(article, additions))
    return next(iter(sure), None) or _of_section(article, change, change_set, lines, corpus)


def _place_at(article: Article, start: int, reason: str, source: SourceLine) -> Place:
    return _place_under(heading_over(article.text, start), article, start, reason, [source])


def _place_under(
    title: str, article: Article, start: int, reason: str, sources: Sequence[SourceLine]
) -> Place:
    heading, line = title or None, line_of(article.text, start)
    evidence = tuple(
        Evidence(source.file, source.line, source.line, excerpt_of(source.text), line) for source in sources
    )
    return Place(article.id, heading, line, in_one_line(reason), evidence, place_statement(heading, evidence))


def _of_removals(article: Article, removals: Sequence[RemovedName]) -> Iterator[Place]:
    for row in removals:
        match = mention(row.name).search(article.text)
        if match:
            reason = f"Says `{row.name}`, which the change removes ({row.source.location})."
            yield _place_at(article, match.start(), reason, row.source)


def listing_articles(additions: Sequence[Addition], corpus: Corpus) -> Iterator[str]:
    """The articles that list the siblings of a new variable or flag, but not the new one.

    Such a list is meant to be complete, whatever else the change is about.
    """
    for addition in additions:
        if name_form_of(addition.name) in {"variable", "flag"} and not corpus.articles_with(addition.name):
            siblings = [name for name in addition.siblings if is_distinct(name)]
            articles = {
                article.id: article for name in siblings[:2] for article in corpus.articles_with(name)
            }
            for article_id, article in articles.items():
                if not article.is_record and next(_of_additions(article, [addition]), None):
                    yield article_id


def _of_additions(article: Article, additions: Sequence[Addition]) -> Iterator[Place]:
    """Lists with the siblings of a new name; a single common word next to another is a coincidence."""
    for addition in additions:
        for entry_list in entry_lists_of(article.text):
            listed = _listed(addition.siblings, entry_list)
            is_telling = len(listed) >= _MIN_SIBLINGS or (
                is_distinct(addition.name) and any(is_distinct(name) for name in listed)
            )
            if is_telling:
                names = " and ".join(f"`{name}`" for name in listed[:2])
                where = addition.source.location
                reason = f"Lists {names}, but not `{addition.name}`, which the change adds ({where})."
                entry = entry_list.entry_of(listed[0])
                yield _place_at(article, entry.start if entry else 0, reason, addition.source)


def _is_listed(addition: Addition, text: str) -> bool:
    """True if an article already lists the addition among its siblings."""
    return any(
        entry_list.entry_of(addition.name) is not None and bool(_listed(addition.siblings, entry_list))
        for entry_list in entry_lists_of(text)
    )


def _listed(names: Sequence[str], entry_list: EntryList) -> list[str]:
    keys = {key_of(entry.label) for entry in entry_list.entries}
    return [name for name in names if key_of(name) in keys]


def _of_section(
    article: Article, change: Change, change_set: ChangeSet, lines: Sequence[SourceLine], corpus: Corpus
) -> Place:
    section = _best_section(sections_of(article.text), change, lines)
    text = section.text if section else article.text
    sources = _telling_lines(lines, text, _old_words(change_set), corpus)
    source, shared = _shared(sources, text, change, corpus)
    about = f"Is about {_enumerated(shared)}, which" if shared else "Most likely needs text about what"
    reason = f"{about} the change touches ({source.location})."
    title, start = (section.title, section.start) if section else ("", 0)
    return _place_under(title, article, start, reason, sources)


def _shared(
    sources: Sequence[SourceLine], text: str, change: Change, corpus: Corpus
) -> tuple[SourceLine, list[str]]:
    """A line of the code with the rarest names that the section shares; else words of the title."""
    names = {word for word in _NAME.findall(text) if is_distinct(word) and not _HASH.fullmatch(word)}
    for source in sources:
        shared = sorted(names & set(_NAME.findall(source.text)), key=lambda name: -corpus.total_idf(name))
        if shared:
            return source, [f"`{name}`" for name in shared[:_MAX_NAMED]]
    terms = change_terms(change.title).keys() & change_terms(text).keys()
    words = [word for word in words_for(sorted(terms), text) if word.isalpha() and len(word) >= _MIN_WORD]
    rarest = sorted(words, key=lambda word: -corpus.total_idf(word))[:_MAX_NAMED]
    # A single everyday word is no evidence.
    return sources[0], [f"“{word}”" for word in rarest] if len(rarest) > 1 else []


def _enumerated(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _user_facing_lines(change_set: ChangeSet) -> Iterator[SourceLine]:
    """The lines that the change adds to a file, or removes if it adds none, user-facing files first.

    Lines with only a new indent or alignment are skipped.
    """
    for file in change_set.files:
        if file.kind in {"test", "internal"}:
            continue
        lines = [
            line
            for line in file.patch.lines()
            if line.mark != " "
            and 0 < len(line.text.strip()) <= LONG_LINE
            and not _SAYS_NOTHING.match(line.text)
        ]
        removed_texts = {" ".join(line.text.split()) for line in lines if line.mark == "-"}
        added = [
            line for line in lines if line.mark == "+" and " ".join(line.text.split()) not in removed_texts
        ]
        for line in added or lines:
            number = line.new if line.mark == "+" else line.old
            yield SourceLine(file.patch.path, number, line.text, file.weight)


def _best_section(
    sections: Sequence[ArticleSection], change: Change, lines: Sequence[SourceLine]
) -> ArticleSection | None:
    """The section whose text and heading share most with the change, in terms that few sections have."""
    changed_text = "\n".join(line.text for line in lines[:_MAX_READ_LINES])
    weights: dict[str, float] = {term: log(1 + n) for term, n in change_terms(changed_text).items()}
    weights |= dict.fromkeys(change_terms(change.title), _TITLE_WEIGHT)
    terms = [change_terms(section.text) for section in sections]
    frequency = Counter(term for section_terms in terms for term in section_terms)
    idf = {term: log(1 + len(sections) / count) for term, count in frequency.items()}

    def score(index: int) -> float:
        shared = terms[index].keys() & weights.keys()
        in_heading = change_terms(sections[index].title).keys() & shared
        total = sum(weights[term] * idf[term] for term in shared) + sum(idf[term] for term in in_heading)
        return float(total / (_LENGTH_NORM + len(terms[index])) ** 0.5)

    candidates = [n for n, section in enumerate(sections) if not _CLOSING_SECTION.match(section.title)]
    best = max(candidates, key=score, default=None)
    return sections[best] if best is not None and score(best) else None


def _old_words(change_set: ChangeSet) -> set[str]:
    """The words of all removed and unchanged lines."""
    lines = islice((line for file in change_set.files for line in file.patch.lines()), _MAX_READ_LINES)
    return {word for line in lines if line.mark != "+" for word in _WORD.findall(line.text.lower())}


def _telling_lines(
    lines: Sequence[SourceLine], text: str, old_words: set[str], corpus: Corpus
) -> tuple[SourceLine, ...]:
    """The lines that share the rarest words with a text, those with a new word first; else the first line."""
    words = set(_WORD.findall(text.lower()))
    scores: dict[int, tuple[bool, float]] = {}
    for index, line in enumerate(lines[:_MAX_READ_LINES]):
        own_words = set(_WORD.findall(line.text.lower()))
        if own_words & words:
            weight = line.weight * corpus.total_idf(" ".join(own_words & words))
            scores[index] = (bool(own_words - old_words), weight)
    best = nlargest(_MAX_LINES, scores, key=lambda index: scores[index])
    return tuple(lines[index] for index in sorted(best)) or tuple(lines[:1])
