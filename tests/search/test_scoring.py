"""The search's BM25 scores, on small indexes in memory."""

from dataclasses import replace
from math import log

import pytest

from instep.platform.core.clock import utc_now
from instep.search.index.builder import SegmentBuilder
from instep.search.index.cache import Index
from instep.search.index.stems import Stems
from instep.search.query import lexicon
from instep.search.query.analysis import QueryBuilder, QueryTerm, WeightedQuery, question_query
from instep.search.query.scoring import ArticleFilter, Ranking, rank_index, ranked_hits
from instep.search.schemas import ArticleChange

EVERYTHING = ArticleFilter(None, "authenticated", frozenset())
AVERAGE_LENGTH = 10


def index_of(*articles: tuple[str, str]) -> Index:
    """An index of articles with these titles and texts; ids are numbers, and words are their own stems."""
    builder = SegmentBuilder()
    builder.add(
        [
            ArticleChange(str(number), True, "en", "simple", True, None, title, None, markdown, utc_now())
            for number, (title, markdown) in enumerate(articles)
        ]
    )
    stems: dict[str, Stems] = {"simple": {word: word for word in builder.words()["simple"]}}
    return Index().with_segment(builder.build(stems))


def query_of(index: Index, *words: str) -> WeightedQuery:
    """A query for these words, with `AVERAGE_LENGTH` as the average length of texts."""
    builder = QueryBuilder(
        " ".join(words),
        [[word] for word in words],
        index,
        {"simple": {word: word for word in words}},
        {word: word for word in lexicon.STOP_WORDS},
    )
    return replace(question_query(builder), average_lengths=(AVERAGE_LENGTH, AVERAGE_LENGTH))


def rank_one(title: str, markdown: str, query: WeightedQuery | None = None) -> Ranking:
    index = index_of((title, markdown))
    [ranking] = rank_index(index, query or query_of(index, "kiwi"), EVERYTHING)
    return ranking


def text_of(kiwis: int, length: int = AVERAGE_LENGTH) -> str:
    return "kiwi " * kiwis + "melon " * (length - kiwis)


@pytest.mark.parametrize(
    ("articles", "with_word"),
    [(1, 1), (10, 1), (10, 5), (10, 10)],
)
def test_idf_falls_with_the_share_of_articles_that_have_the_word(articles: int, with_word: int) -> None:
    index = index_of(*[("Title", "kiwi" if number < with_word else "melon") for number in range(articles)])

    [term] = query_of(index, "kiwi").terms

    assert term.weight == pytest.approx(log(1 + (articles - with_word + 0.5) / (with_word + 0.5)), abs=1e-4)


@pytest.mark.parametrize(
    ("title", "markdown", "term_frequency"),
    [
        ("Title", text_of(1), 1),
        ("Title", text_of(3), 3),
        # Body frequencies are divided by 1 - B + B * length / average; headings and titles are not.
        ("Title", text_of(1, length=20), 1 / (1 - 0.1 + 0.1 * 2)),
        ("Title", text_of(1, length=5), 1 / (1 - 0.1 + 0.1 * 0.5)),
        ("Title", f"## Kiwi kiwi\n\n{text_of(0, length=20)}", 1),
        ("Title", f"## Kiwi\n\n{text_of(2)}", 3),
        ("Kiwi", text_of(0), 1),
        ("Kiwi", f"## Kiwi\n\n{text_of(1)}", 3),
    ],
)
def test_a_passage_scores_its_saturated_term_frequency(
    title: str, markdown: str, term_frequency: float
) -> None:
    ranking = rank_one(title, markdown)

    # tf / (tf + K1) with K1 = 1; the weight of the only term is the weight of the query.
    assert ranking.passage_score.tolist() == pytest.approx([term_frequency / (term_frequency + 1)])


@pytest.mark.parametrize(
    ("title", "markdown", "score"),
    [
        # Best passage + whole text + 0.7 for a term of the title + 0.7 * similarity of title and query.
        ("Title", text_of(1), 1 / 2 + 1 / 2),
        ("Title", f"{text_of(1)}\n\n## Other\n\n{text_of(0)}", 1 / 2 + 1 / (1 + 0.6 + 0.4 * 2)),
        ("Kiwi", text_of(0), 1 / 2 + 1 / 2 + 0.7 + 0.7),
        ("Kiwi tree", text_of(0), 1 / 2 + 1 / 2 + 0.7 + 0.7 / 2),
        ("Title", text_of(0), 0),
    ],
)
def test_an_article_scores_the_sum_of_its_parts(title: str, markdown: str, score: float) -> None:
    assert rank_one(title, markdown).score.tolist() == pytest.approx([score])


@pytest.mark.parametrize(("boost", "passage_score"), [(1.0, 3 / 4), (0.5, 1.5 / 2.5)])
def test_an_expansion_counts_by_its_boost(boost: float, passage_score: float) -> None:
    term = QueryTerm("apteryx", 1.0, False, (("Aapteryx", 1.0), ("Akiwi", boost)), frozenset())
    query = WeightedQuery((term,), (), "apteryx", False, (AVERAGE_LENGTH, AVERAGE_LENGTH))

    ranking = rank_one("Title", text_of(3), query)

    assert ranking.passage_score.tolist() == pytest.approx([passage_score])


def test_a_rare_word_outweighs_several_common_ones() -> None:
    index = index_of(
        ("One", "kiwi"), ("Two", "melon apple"), *[("More", "melon apple") for _ in range(10)], ("Last", "")
    )
    query = query_of(index, "kiwi", "melon", "apple")

    best, second, *_ = ranked_hits(rank_index(index, query, EVERYTHING), query, None)

    assert best[0] == "0"
    assert best[1] > second[1]


def test_words_of_a_language_without_the_english_stop_words_count_in_full() -> None:
    index = index_of(("Rechnung bezahlen", "Text."))
    words = ["rechnung", "bezahlen"]
    # PostgreSQL has no stem for some words of the list, which are English stop words there too.
    lexicon_stems = dict.fromkeys(lexicon.STOP_WORDS, "stem") | {next(iter(lexicon.STOP_WORDS)): None}
    builder = QueryBuilder(
        " ".join(words),
        [[word] for word in words],
        index,
        {"simple": {word: word for word in words}},
        lexicon_stems,
    )

    [ranking] = rank_index(index, question_query(builder), EVERYTHING)

    assert ranking.title_similarity.tolist() == [1.0]


def test_a_query_computes_its_mask_of_a_segment_once() -> None:
    [live] = index_of(("Kiwi", "It is green."), ("Plum", "It is blue.")).segments
    scope = ArticleFilter("de", "public", frozenset(), frozenset({"1"}))
    assert scope.mask(live) is scope.mask(live)
