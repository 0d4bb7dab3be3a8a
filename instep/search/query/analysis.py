"""Turns a question into a weighted query: index terms of the bot's languages, each with its weight.

A query contains everything that a score depends on except the article itself. A cursor carries it from page
to page, so that an unchanged article keeps its score.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from math import log
from typing import Any

from instep.platform.identity.schemas import Ctx
from instep.search.index.cache import Index
from instep.search.index.segment import Segment
from instep.search.index.stems import SITE_LANGUAGES, Stems, index_term, language_code, stems_of
from instep.search.query import lexicon
from instep.search.query.compounds import COMPOUND_CONFIGS, Compounds
from instep.search.query.frequencies import share_of_articles
from instep.search.query.fuzzy import fuzzy_matches
from instep.search.query.synonyms import Synonyms, synonyms_of
from instep.search.query.tokenizer import (
    CAMEL_CASE_BOUNDARY,
    UNSEGMENTED_RUN,
    camel_case_words,
    normalize_title,
    parse_query,
)
from instep.search.search_state import SearchState
from instep.search.semantic.vector_index import SemanticHit

CONFIGS_BY_LANGUAGE = {language: config for config, language in SITE_LANGUAGES.items()}
# The weight of a match of an expansion, relative to a match of the word itself.
FUZZY_BOOST = 0.7
PREFIX_BOOST = 0.9
COMPOUND_BOOST = 0.5
# The weight of a stop word relative to its idf.
STOP_WORD_WEIGHT = 0.4
# Extra weight of a pair of adjacent words in a name in code, on top of the two words; relative to its idf.
BIGRAM_WEIGHT = 0.3
MIN_PREFIX_CHARACTERS = 3
# The word frequencies of a language count as much as the frequencies in this many articles of a bot.
USUAL_ARTICLES = 300
MAX_PREFIX_EXPANSIONS = 30
MAX_CORRECTIONS = 5
# A term of the index and its boost.
Expansion = tuple[str, float]


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word of the query, or a pair of adjacent words of a name in code (`is_bigram`)."""

    word: str
    # Its idf, lowered for stop words and bigrams; above 0.
    weight: float
    is_bigram: bool
    # The index terms that match it: its own with boost 1, others below 1.
    expansions: tuple[Expansion, ...]
    # Codes of the languages in which the word is a stop word, so that their articles lack it.
    stopword_in: frozenset[str]
    is_stop_word: bool = False
    is_known: bool = True
    # Its idf among the bot's articles and typical ones of its languages, lowered for stop words. It is only
    # used for the confidence, so cursors do not contain it.
    rarity: float = 0.0


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """An analyzed question. `match_all`: an article must have every term; otherwise some of them."""

    terms: tuple[QueryTerm, ...]
    # Phrases that an article must contain.
    phrases: tuple[str, ...]
    # The whole question, normalized like titles.
    title: str
    match_all: bool
    # The average lengths of a passage and of an article of the bot, in words.
    average_lengths: tuple[int, int]
    # The articles nearest in meaning.
    semantic_hits: tuple[SemanticHit, ...] = ()
    # Whether the question was compared with the articles in meaning.
    is_compared: bool = False

    @property
    def words(self) -> list[QueryTerm]:
        """The terms without the bigrams."""
        return [term for term in self.terms if not term.is_bigram]

    @property
    def total_weight(self) -> float:
        return sum(term.weight for term in self.words) or 1.0

    @property
    def total_rarity(self) -> float:
        return sum(term.rarity for term in self.words) or 1.0

    @property
    def prefixes(self) -> list[str]:
        """The beginnings of matching words without endings, for excerpts."""
        stems = [expansion[1:] for term in self.words for expansion, _ in term.expansions]
        # A stem may replace a final "y" with "i".
        stems = [stem[:-1] if len(stem) > 4 and stem.endswith("i") else stem for stem in stems]
        return list(dict.fromkeys((*(term.word for term in self.words), *stems)))


def to_cursor(query: WeightedQuery) -> list[Any]:
    """The query as JSON values in the layout that cursors carry."""
    terms = [
        [
            term.word,
            term.weight,
            term.is_bigram,
            term.is_stop_word,
            "".join(sorted(term.stopword_in)),
            term.expansions,
        ]
        for term in query.terms
    ]
    semantic_hits = [(hit.article_id, hit.first, hit.last, hit.z_score) for hit in query.semantic_hits]
    return [terms, query.phrases, query.title, query.match_all, query.average_lengths, semantic_hits]


def from_cursor(value: list[Any]) -> WeightedQuery:
    terms, phrases, title, match_all, average_lengths, semantic_hits = value
    return WeightedQuery(
        tuple(
            QueryTerm(
                word,
                weight,
                is_bigram,
                tuple((expansion, boost) for expansion, boost in expansions),
                frozenset(language_codes),
                is_stop_word,
            )
            for word, weight, is_bigram, is_stop_word, language_codes, expansions in terms
        ),
        tuple(phrases),
        title,
        match_all,
        tuple(average_lengths),
        tuple(SemanticHit(*hit) for hit in semantic_hits),
    )


@dataclass
class QueryBuilder:
    """Builds the queries for one question to one index.

    `word_groups` are the words of each term in lower case; `stems` are by language configuration.
    `name_words` are those of the help center's own name, which fits all its articles; `stop_words` are words
    of the question that its language ignores.
    """

    question: str
    word_groups: list[list[str]]
    index: Index
    stems: dict[str, Stems]
    lexicon_stems: Stems
    known_synonyms: Synonyms = field(default_factory=lambda: Synonyms({}))
    joined_words: Mapping[str, str] = field(default_factory=dict)
    name_words: Collection[str] = ()
    stop_words: frozenset[str] = frozenset()
    # The lookup results by index term, and those for typing errors by word.
    document_frequencies: dict[str, int] = field(default_factory=dict)
    forms_by_word: dict[str, list[tuple[Segment, int, int]]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return normalize_title(self.question)

    @cached_property
    def stop_word_stems(self) -> set[str | None]:
        return {self.lexicon_stems[word] for word in lexicon.STOP_WORDS} - {None}

    @cached_property
    def compounds(self) -> Compounds:
        return Compounds(self.segments, COMPOUND_CONFIGS & self.stems.keys())

    @cached_property
    def synonyms(self) -> dict[str, dict[str, float]]:
        """By index term: the index terms of its synonyms, with their boosts."""
        words = [word for group in self.word_groups for word in group]
        return {
            index_term(config, stem): {index_term(config, other): boost for other, boost in boosts.items()}
            for config, stems in self.stems.items()
            for stem, boosts in self.known_synonyms.of_words(words, config, stems).items()
        }

    @cached_property
    def terms(self) -> tuple[QueryTerm, ...]:
        return tuple(self.query_terms()) or tuple(self.stop_word_terms())

    def query_terms(self) -> Iterator[QueryTerm]:
        seen: set[str] = set()
        for group in self.word_groups:
            for word in group:
                for word_term in self.terms_of_word(word):
                    if word_term.word not in seen:
                        seen.add(word_term.word)
                        yield word_term
            for first, second in pairwise(group):
                if f"{first} {second}" not in seen and (term := self.bigram_term(first, second)):
                    seen.add(term.word)
                    yield term

    def stop_word_terms(self) -> Iterator[QueryTerm]:
        """Terms of a question with only stop words, because titles are indexed by their stop words, too."""
        for word in dict.fromkeys(word for group in self.word_groups for word in group):
            index_terms = [index_term(config, f"={word}") for config in self.stems]
            yield QueryTerm(word, self.idf(index_terms), False, unboosted(index_terms), frozenset())

    def terms_of_word(self, word: str) -> Iterator[QueryTerm]:
        """The word's term, or the terms of its parts if no article contains the compound."""
        term = self.word_term(word)
        if term is None:
            return
        parts = () if term.is_known else self.compounds.parts_of(word)
        if not parts:
            yield term
        elif all(index_terms for _, index_terms in parts):
            for part, index_terms in parts:
                yield replace(
                    term,
                    word=part,
                    weight=self.idf(index_terms),
                    expansions=unboosted(index_terms),
                    is_known=True,
                    rarity=self.rarity(part, index_terms),
                )
        else:
            # A part that no article has changes the other part's meaning: a night rate is not a usual rate.
            heads = ((head, COMPOUND_BOOST) for _, index_terms in parts for head in index_terms)
            yield replace(term, expansions=(*term.expansions, *heads))

    def word_term(self, word: str) -> QueryTerm | None:
        stem_by_config = {config: stems[word] for config, stems in self.stems.items()}
        index_terms = [index_term(config, stem) for config, stem in stem_by_config.items() if stem]
        if not index_terms:
            return None
        is_stop_word = stem_by_config.get(lexicon.CONFIG) in self.stop_word_stems
        joined_terms = self.joined_terms(word)
        if joined_terms and not any(map(self.document_frequency, index_terms)):
            index_terms = joined_terms
        return QueryTerm(
            word,
            round(self.idf(index_terms) * (STOP_WORD_WEIGHT if is_stop_word else 1), 4),
            is_bigram=False,
            expansions=unboosted(dict.fromkeys((*index_terms, *joined_terms))),
            stopword_in=frozenset(
                language_code(config) for config, stem in stem_by_config.items() if not stem
            ),
            is_stop_word=is_stop_word,
            is_known=any(self.document_frequency(term) for term in index_terms),
            rarity=self.rarity(word, index_terms)
            * (STOP_WORD_WEIGHT if is_stop_word or word in self.name_words else 1),
        )

    def joined_terms(self, word: str) -> list[str]:
        """The index terms of the joined word that a query word is a part of, if articles have it."""
        joined = self.joined_words.get(word)
        if joined is None:
            return []
        stems = [(config, config_stems[joined]) for config, config_stems in self.stems.items()]
        terms = [index_term(config, stem) for config, stem in stems if stem]
        return [term for term in terms if self.document_frequency(term)]

    def bigram_term(self, first: str, second: str) -> QueryTerm | None:
        index_terms = [
            index_term(config, f"{stems[first]} {stems[second]}")
            for config, stems in self.stems.items()
            if stems[first] and stems[second]
        ]
        if not any(self.document_frequency(term) for term in index_terms):
            return None
        weight = round(BIGRAM_WEIGHT * self.idf(index_terms), 4)
        return QueryTerm(f"{first} {second}", weight, True, unboosted(index_terms), frozenset())

    def idf(self, index_terms: Iterable[str]) -> float:
        """The inverse document frequency of a word: `ln(1 + (N - n + 0.5) / (n + 0.5))`, as in Lucene.

        `N` is the number of articles, `n` that of the articles with the word in any language.
        """
        article_count = self.index.article_count
        frequency = sum(map(self.document_frequency, index_terms))
        # Rounded, so that a query from a cursor scores like the first page's query.
        return round(log(1 + (max(article_count - frequency, 0) + 0.5) / (frequency + 0.5)), 4)

    def rarity(self, word: str, index_terms: Iterable[str]) -> float:
        """The idf of a word among the bot's articles and `USUAL_ARTICLES` ones of its languages."""
        frequency = sum(map(self.document_frequency, index_terms))
        count = max(self.index.article_count, frequency) + USUAL_ARTICLES
        frequency_in_all = frequency + USUAL_ARTICLES * share_of_articles(word, self.stems)
        return log(1 + (count - frequency_in_all + 0.5) / (frequency_in_all + 0.5))

    def document_frequency(self, index_term: str) -> int:
        if index_term not in self.document_frequencies:
            numbers = ((segment, segment.terms.find(index_term)) for segment in self.segments)
            self.document_frequencies[index_term] = sum(
                int(segment.document_frequency[term]) for segment, term in numbers if term is not None
            )
        return self.document_frequencies[index_term]

    def expand(self, term: QueryTerm) -> QueryTerm:
        """The term with its synonyms and compounds and, if no article has it, with spelling corrections."""
        if term.is_bigram:
            return term
        boosts = {other: boost for other, boost in self.others(term) if other not in dict(term.expansions)}
        if boosts and not term.is_known:
            # A word that no article has is as rare as the words that replace it.
            term = replace(term, weight=min(term.weight, self.idf(boosts)))
        if not term.is_known and (corrections := self.corrections(term.word)):
            boosts |= dict.fromkeys(corrections, FUZZY_BOOST)
            # A misspelled word is as rare as the words that it may be.
            term = replace(
                term,
                weight=min(term.weight, self.idf(corrections)),
                rarity=min(term.rarity, self.rarity(term.word, corrections)),
            )
        return replace(term, expansions=(*term.expansions, *boosts.items()))

    def others(self, term: QueryTerm) -> list[Expansion]:
        """The index terms of the word's compounds and synonyms, those with the highest boost last."""
        words = [] if term.is_stop_word else self.compounds.with_part(term.word)
        synonyms = (
            (synonym, boost)
            for expansion, _ in term.expansions
            for synonym, boost in sorted(self.synonyms.get(expansion, {}).items())
            if self.document_frequency(synonym)
        )
        return sorted((*((word, COMPOUND_BOOST) for word in words), *synonyms), key=lambda other: other[1])

    def corrections(self, word: str) -> list[str]:
        """Index terms of the words that were probably meant, those with the fewest edits first."""
        language_codes = {language_code(config) for config in self.stems}
        distances = {
            correction: distance
            for segment, form, distance in self.similar_forms(word)
            if (correction := segment.term_of_surface_form(form))[0] in language_codes
        }
        return sorted(distances, key=lambda term: (distances[term], -self.document_frequency(term), term))[
            :MAX_CORRECTIONS
        ]

    def similar_forms(self, word: str) -> list[tuple[Segment, int, int]]:
        """The surface forms within a few edits of a word: segment, number in it, and edits."""
        if word not in self.forms_by_word:
            self.forms_by_word[word] = [
                (segment, form, edits)
                for segment in self.segments
                for form, edits in fuzzy_matches(word, segment.surface_forms)
            ]
        return self.forms_by_word[word]

    def expand_prefix(self, term: QueryTerm) -> QueryTerm:
        """The last word, which may be incomplete, with its possible completions."""
        if term.is_bigram or (
            len(term.word) < MIN_PREFIX_CHARACTERS and not UNSEGMENTED_RUN.match(term.word)
        ):
            return term
        continuations = {
            segment.term_of_surface_form(form)
            for segment in self.segments
            for form in segment.surface_forms.with_prefix(term.word)
        } - {expansion for expansion, _ in term.expansions}
        most_frequent = sorted(continuations, key=lambda term: (-self.document_frequency(term), term))
        expansions = ((expansion, PREFIX_BOOST) for expansion in most_frequent[:MAX_PREFIX_EXPANSIONS])
        return replace(term, expansions=(*term.expansions, *expansions))

    @property
    def segments(self) -> list[Segment]:
        return [live.segment for live in self.index.segments]


def unboosted(index_terms: Iterable[str]) -> tuple[Expansion, ...]:
    return tuple((term, 1.0) for term in index_terms)


async def analyze_query(ctx: Ctx, state: SearchState, question: str, locale: str | None) -> QueryBuilder:
    terms = parse_query(question)
    groups = words_by_term(terms)
    joined_words = joined_words_of(terms)
    words = {word for group in (*groups, joined_words.values()) for word in group}
    locales = locale and ({locale, ctx.bot.locale} if state.untranslated else {locale})
    stems = {
        config: await stems_of(ctx.tx, config, words) for config in sorted(configs_of(state.index, locales))
    }
    lexicon_stems = await stems_of(ctx.tx, lexicon.CONFIG, lexicon.STOP_WORDS)
    synonyms = await synonyms_of(ctx.tx, stems, state.synonyms)
    name_words = frozenset(chain.from_iterable(words_by_term(parse_query(ctx.bot.name))))
    stop_words = await stop_words_of(ctx, words, stems)
    return QueryBuilder(
        question, groups, state.index, stems, lexicon_stems, synonyms, joined_words, name_words, stop_words
    )


async def stop_words_of(ctx: Ctx, words: Collection[str], stems: Mapping[str, Stems]) -> frozenset[str]:
    """The words that the bot's own language ignores, or all searched languages.

    Visitors ask in the bot's language even if its articles are in another one, or were imported as such.
    English has its own list (`instep.platform.text.terms`).
    """
    config = CONFIGS_BY_LANGUAGE.get(ctx.bot.locale.split("-")[0], lexicon.CONFIG)
    own_stems = await stems_of(ctx.tx, config, words) if config != lexicon.CONFIG else {}
    searched = [] if lexicon.CONFIG in stems else list(stems.values())
    return frozenset(
        word
        for word in words
        if own_stems.get(word, word) is None or (searched and not any(some[word] for some in searched))
    )


def words_by_term(terms: Iterable[str]) -> list[list[str]]:
    """The words of each term in lower case."""
    return [CAMEL_CASE_BOUNDARY.sub(" ", term).lower().split() for term in terms]


def joined_words_of(terms: Iterable[str]) -> dict[str, str]:
    """The joined word, in lower case, for each part of a word such as `GitHub`, because many write it so."""
    return {
        part: word.lower()
        for term in terms
        for word in camel_case_words(term)
        for part in CAMEL_CASE_BOUNDARY.sub(" ", word).lower().split()
    }


def all_terms_query(builder: QueryBuilder) -> WeightedQuery:
    """A query for the articles with every word, and every phrase and name in code as typed."""
    phrases = tuple(" ".join(group) for group in builder.word_groups if len(group) > 1)
    return WeightedQuery(builder.terms, phrases, builder.title, True, builder.index.average_lengths)


def any_terms_query(builder: QueryBuilder) -> WeightedQuery:
    """A query for the articles with some of the words; the last word may be incomplete."""
    query = question_query(builder)
    last_word = builder.word_groups[-1][-1] if builder.word_groups else None
    return replace(
        query,
        terms=tuple(
            builder.expand_prefix(term) if term.word == last_word and term is query.words[-1] else term
            for term in query.terms
        ),
    )


def question_query(builder: QueryBuilder) -> WeightedQuery:
    """A query for the articles that answer a question, in the same words or in others."""
    terms = tuple(builder.expand(term) for term in builder.terms)
    return WeightedQuery(terms, (), builder.title, False, builder.index.average_lengths)


def configs_of(index: Index, locales: Collection[str] | None) -> set[str]:
    """The language configurations of the articles in these locales; `None`: of all articles."""
    return {
        config
        for live in index.segments
        for segment_locale, config in live.segment.languages
        if locales is None or segment_locale in locales
    }
