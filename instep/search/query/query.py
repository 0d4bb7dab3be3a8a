"""A question as what is looked for: its words as the bot's languages read them, each with its weight.

A plan holds all that a score depends on beside the article itself. While a client pages it stays the same, so
that an article that does not change keeps its score.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from math import log
from typing import Any

from instep.identity.schemas import Ctx
from instep.search.index.cache import Index
from instep.search.index.segment import TermDictionary
from instep.search.index.stems import LANGUAGE_CODES, Stems, index_term, stems_of
from instep.search.query import lexicon
from instep.search.query.fuzzy import fuzzy_matches
from instep.search.query.tokens import (
    CAMEL_CASE_BOUNDARY,
    MIN_PREFIX_CHARACTERS,
    UNSEGMENTED_RUN,
    parse_query,
    title_of,
)
from instep.search.semantic.vectors import SemanticHit

# What counts as much as the word itself would is 1.
SYNONYM_BOOST = 0.5
FUZZY_BOOST = 0.7
PREFIX_BOOST = 0.9
STOP_WORD_WEIGHT = 0.4
# Two words of a name in code that stand together in a text, beside each of them.
BIGRAM_WEIGHT = 0.3
MAX_PREFIX_EXPANSIONS = 30
MAX_CORRECTIONS = 5


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word that is looked for, or a pair of words of a name in code."""

    word: str
    weight: float
    is_bigram: bool
    # What is found for it, and how much that counts.
    keys: tuple[tuple[str, float], ...]
    # The languages that leave the word out.
    stopword_in: frozenset[str]
    is_stop_word: bool = False
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Query:
    """`phrases` are words that must stand together; `title` is the whole question, as titles are compared."""

    terms: tuple[QueryTerm, ...]
    phrases: tuple[str, ...]
    title: str
    match_all: bool
    # How long passages and articles of the bot are.
    lengths: tuple[int, int]
    # The articles that are near in meaning; where nothing tells that, none.
    semantic_hits: tuple[SemanticHit, ...] = ()

    @property
    def total_weight(self) -> float:
        return sum(term.weight for term in self.terms if not term.is_bigram) or 1.0

    @property
    def prefixes(self) -> list[str]:
        """How the words that were found begin whatever their endings are, for the excerpt."""
        stems = [key[1:] for term in self.terms if not term.is_bigram for key, _ in term.keys]
        shorter = [stem[:-1] if len(stem) > 4 and stem.endswith("i") else stem for stem in stems]
        return list(dict.fromkeys((*(term.word for term in self.terms if not term.is_bigram), *shorter)))


def to_cursor(plan: Query) -> list[Any]:
    """The plan as a cursor carries it."""
    terms = [
        [
            term.word,
            term.weight,
            term.is_bigram,
            term.is_stop_word,
            "".join(sorted(term.stopword_in)),
            term.keys,
        ]
        for term in plan.terms
    ]
    semantic_hits = [(one.article_id, one.first, one.last, one.likeness) for one in plan.semantic_hits]
    return [terms, plan.phrases, plan.title, plan.match_all, plan.lengths, semantic_hits]


def from_cursor(value: list[Any]) -> Query:
    terms, phrases, title, match_all, lengths, semantic_hits = value
    return Query(
        tuple(
            QueryTerm(
                word,
                weight,
                is_bigram,
                tuple((key, factor) for key, factor in keys),
                frozenset(letters),
                is_stop_word,
            )
            for word, weight, is_bigram, is_stop_word, letters, keys in terms
        ),
        tuple(phrases),
        title,
        match_all,
        tuple(lengths),
        tuple(SemanticHit(*one) for one in semantic_hits),
    )


class QueryBuilder:
    """One question to one index; its terms are words in small letters."""

    def __init__(
        self,
        question: str,
        terms: list[list[str]],
        index: Index,
        stems: dict[str, Stems],
        lexicon_stems: Stems,
    ) -> None:
        self.title = title_of(question)
        self.words = terms
        self.index = index
        self.stems = stems
        self.fillers = {lexicon_stems[word] for word in lexicon.STOP_WORDS}
        self.same: dict[str | None, set[str]] = {}
        for line in lexicon.SYNONYMS:
            read = {stem for word in line if (stem := lexicon_stems.get(word))}
            for stem in read:
                self.same.setdefault(stem, set()).update(read - {stem})

    @property
    def terms(self) -> tuple[QueryTerm, ...]:
        return tuple(self.query_terms()) or tuple(self.left_out())

    def query_terms(self) -> Iterator[QueryTerm]:
        seen: set[str] = set()
        for group in self.words:
            for word in group:
                if word not in seen and (term := self.query_term(word)):
                    seen.add(word)
                    yield term
            for first, second in pairwise(group):
                if f"{first} {second}" not in seen and (term := self.pair(first, second)):
                    seen.add(term.word)
                    yield term

    def left_out(self) -> Iterator[QueryTerm]:
        """A title may have nothing but words that its language leaves out, so a question for it has, too."""
        for word in dict.fromkeys(word for term in self.words for word in term):
            keys = [index_term(config, f"={word}") for config in self.stems]
            yield QueryTerm(word, self.idf(keys), False, tuple((key, 1.0) for key in keys), frozenset())

    def query_term(self, word: str) -> QueryTerm | None:
        read = {config: stems[word] for config, stems in self.stems.items()}
        keys = [index_term(config, stem) for config, stem in read.items() if stem]
        if not keys:
            return None
        left_out = frozenset(LANGUAGE_CODES.get(config, "A") for config, stem in read.items() if not stem)
        is_stop_word = read.get(lexicon.CONFIG) in self.fillers
        weight = round(self.idf(keys) * (STOP_WORD_WEIGHT if is_stop_word else 1), 4)
        is_known = any(self.document_frequency(key) for key in keys)
        return QueryTerm(
            word, weight, False, tuple((key, 1.0) for key in keys), left_out, is_stop_word, is_known
        )

    def pair(self, first: str, second: str) -> QueryTerm | None:
        keys = [
            index_term(config, f"{stems[first]} {stems[second]}")
            for config, stems in self.stems.items()
            if stems[first] and stems[second]
        ]
        if not any(self.document_frequency(key) for key in keys):
            return None
        weight = round(BIGRAM_WEIGHT * self.idf(keys), 4)
        return QueryTerm(f"{first} {second}", weight, True, tuple((key, 1.0) for key in keys), frozenset())

    def idf(self, keys: Iterable[str]) -> float:
        count, held = self.index.article_count, sum(map(self.document_frequency, keys))
        # Rounded as a cursor carries it.
        return round(log(1 + (max(count - held, 0) + 0.5) / (held + 0.5)), 4)

    def document_frequency(self, key: str) -> int:
        found = ((part.segment, part.segment.words.find(key)) for part in self.index.segments)
        return sum(int(segment.document_frequency[word]) for segment, word in found if word is not None)

    def expand(self, term: QueryTerm) -> QueryTerm:
        """With what means the same; a word that nobody wrote, with what it may have been meant to be."""
        if term.is_bigram:
            return term
        english = LANGUAGE_CODES[lexicon.CONFIG]
        stems = [key[1:] for key, _ in term.keys if key[0] == english]
        others = {
            english + other
            for stem in stems
            for other in self.same.get(stem, ())
            if self.document_frequency(english + other)
        }
        keys = dict.fromkeys(sorted(others), SYNONYM_BOOST)
        if not term.is_known:
            keys |= dict.fromkeys(self.corrections(term.word), FUZZY_BOOST)
            if corrected := [key for key, factor in keys.items() if factor == FUZZY_BOOST]:
                # As rare as what it was meant to be, not as what it is.
                term = replace(term, weight=min(term.weight, self.idf(corrected)))
        return replace(term, keys=(*term.keys, *keys.items()))

    def corrections(self, word: str) -> list[str]:
        found = {
            key: distance
            for forms, part in self.surface_forms()
            for form, distance in fuzzy_matches(word, forms)
            for key in (part.segment.words.raw(int(part.segment.term_of_form[form])).decode(),)
            if key[0] in {LANGUAGE_CODES.get(config, "A") for config in self.stems}
        }
        return sorted(found, key=lambda key: (found[key], -self.document_frequency(key), key))[
            :MAX_CORRECTIONS
        ]

    def expand_prefix(self, term: QueryTerm) -> QueryTerm:
        """The last word, which may still be in typing, with the words that it may become."""
        if term.is_bigram or (
            len(term.word) < MIN_PREFIX_CHARACTERS and not UNSEGMENTED_RUN.match(term.word)
        ):
            return term
        known = {key for key, _ in term.keys}
        found: set[str] = set()
        for forms, part in self.surface_forms():
            for form in forms.beginning_with(term.word):
                found.add(part.segment.words.raw(int(part.segment.term_of_form[form])).decode())
        best = sorted(found - known, key=lambda key: (-self.document_frequency(key), key))[
            :MAX_PREFIX_EXPANSIONS
        ]
        return replace(term, keys=(*term.keys, *((key, PREFIX_BOOST) for key in best)))

    def surface_forms(self) -> Iterator[tuple[TermDictionary, Any]]:
        return ((part.segment.surface_forms, part) for part in self.index.segments)


async def analyze_query(ctx: Ctx, index: Index, question: str, locale: str | None) -> QueryBuilder:
    terms = [CAMEL_CASE_BOUNDARY.sub(" ", term).lower().split() for term in parse_query(question).terms]
    words = {word for term in terms for word in term}
    stems = {config: await stems_of(ctx.tx, config, words) for config in sorted(configs_of(index, locale))}
    return QueryBuilder(question, terms, index, stems, await stems_of(ctx.tx, lexicon.CONFIG, lexicon.WORDS))


def all_terms_query(asked: QueryBuilder) -> Query:
    """What has every word, and what belongs together as it stands."""
    phrases = tuple(" ".join(term) for term in asked.words if len(term) > 1)
    return Query(asked.terms, phrases, asked.title, True, asked.index.average_lengths)


def any_terms_query(asked: QueryBuilder) -> Query:
    """What has some of the words, while the last of them may be in typing still."""
    plan = question_query(asked)
    words = [term for term in plan.terms if not term.is_bigram]
    last = asked.words[-1][-1] if asked.words else None
    return replace(
        plan,
        terms=tuple(
            asked.expand_prefix(term) if term.word == last and term is words[-1] else term
            for term in plan.terms
        ),
    )


def question_query(asked: QueryBuilder) -> Query:
    """What answers a question, in whatever words."""
    return Query(
        tuple(asked.expand(term) for term in asked.terms), (), asked.title, False, asked.index.average_lengths
    )


def configs_of(index: Index, locale: str | None) -> set[str]:
    def add(found: set[str], part: Any) -> set[str]:
        return found | {config for name, config in part.segment.languages if locale in (None, name)}

    return reduce(add, index.segments, set())
