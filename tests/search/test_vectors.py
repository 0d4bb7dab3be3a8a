"""Vectors that a process keeps, and the articles that are nearest to a question."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.embedding import l2_normalized
from instep.search.index.builder import SegmentBuilder
from instep.search.index.packed_arrays import Array
from instep.search.index.segment import Segment
from instep.search.schemas import ArticleChange
from instep.search.semantic.chunks import Chunk
from instep.search.semantic.vector_cache import VectorCache
from instep.search.semantic.vector_index import VectorIndex
from instep.search.semantic.vector_segment import quantized
from instep.search.semantic.vectors import EmbeddingState, embedding_state
from tests.support.cast import Api, Cast
from tests.support.embeddings import embed, embedding, knows, knows_more, vector_of
from tests.support.search import context, publish

DIMENSIONS = 384
AT = datetime(2026, 1, 1, tzinfo=UTC)
MAX_BYTES = 10_000_000
GENERATOR = np.random.default_rng(1)


def random_vectors(count: int) -> list[list[float]]:
    return [l2_normalized(vector) for vector in GENERATOR.normal(0.02, 1, (count, DIMENSIONS)).tolist()]


def chunks_of(article_id: str, vectors: list[list[float]]) -> Array:
    """One chunk per vector, of two passages each."""
    return np.concatenate(
        [
            quantized(Chunk(article_id, number, 2 * number, 2 * number + 1, ""), vector)
            for number, vector in enumerate(vectors)
        ]
    )


def vector_index_of(vectors: dict[str, list[list[float]]]) -> VectorIndex:
    empty = VectorIndex.empty(EmbeddingState("model", DIMENSIONS, AT, True))
    return empty.with_articles({id: chunks_of(id, rows) for id, rows in vectors.items()}, AT)


async def index_in(process: VectorCache, ctx: Ctx, model: str) -> VectorIndex | None:
    """The vectors that this process uses for a search."""
    return await process.index_of(ctx, model, await embedding_state(ctx))


def segment_of(*ids: str) -> Segment:
    builder = SegmentBuilder()
    # The texts are irrelevant here.
    builder.add([ArticleChange(id, True, "en", "simple", True, None, "Title", None, "", AT) for id in ids])
    return builder.build({"simple": {word: word for word in builder.words()["simple"]}})


def test_the_nearest_articles_are_those_of_the_exact_cosine() -> None:
    vectors = {f"art_{number:02}": random_vectors(1 + number % 7) for number in range(60)}
    segment = segment_of(*vectors)
    [question] = random_vectors(1)
    cosines = {id: np.array(rows) @ np.array(question) for id, rows in vectors.items()}
    best = {id: float(values.max()) for id, values in cosines.items()}
    mean = (sum(best.values()) + 0.6) / (len(best) + 3)
    variance = (float(np.var(list(best.values()))) * len(best) + 0.1) / (len(best) + 10)

    hits = vector_index_of(vectors).nearest(question, [(segment, np.ones(len(best), np.bool_))])

    assert len(hits) <= limits.MAX_SEMANTIC_HITS
    assert all(hit.z_score > 0 for hit in hits)
    for hit in hits:
        # If two chunks are almost equally near, either may be returned.
        assert cosines[hit.article_id][hit.first // 2] == pytest.approx(best[hit.article_id], abs=0.003)
        assert hit.similarity == pytest.approx(best[hit.article_id], abs=0.002)
        assert hit.similarities == pytest.approx(cosines[hit.article_id], abs=0.002)
        assert hit.excess == pytest.approx(best[hit.article_id] - mean, abs=0.002)
        assert hit.z_score == pytest.approx((best[hit.article_id] - mean) / variance**0.5, abs=0.05)
        assert hit.last == hit.first + 1
        assert hit.similarity_of(hit.last) == hit.similarity
    above = sorted((value for value in best.values() if value > mean), reverse=True)
    similarities = [hit.similarity for hit in hits]
    assert similarities == sorted(similarities, reverse=True)
    assert similarities[:20] == pytest.approx(above[:20], abs=0.002)


def test_articles_that_are_not_allowed_count_neither_as_hits_nor_for_the_mean() -> None:
    [question, *others] = random_vectors(9)
    vectors = {"art_near": [question]} | {f"art_{n}": [row] for n, row in enumerate(others)}
    segment = segment_of(*vectors, "art_without_vectors")
    is_allowed = np.array([article.id != "art_near" for article in segment.articles])

    hits = vector_index_of(vectors).nearest(question, [(segment, is_allowed)])

    del vectors["art_near"]
    segment = segment_of(*vectors)
    expected = vector_index_of(vectors).nearest(question, [(segment, np.ones(len(others), np.bool_))])
    assert [hit.article_id for hit in hits] == [hit.article_id for hit in expected]
    assert [hit.z_score for hit in hits] == pytest.approx([hit.z_score for hit in expected], abs=0.001)
    nothing = np.zeros(len(others), np.bool_)
    assert vector_index_of(vectors).nearest(question, [(segment, nothing)]) == ()
    assert vector_index_of({}).nearest(question, [(segment, ~nothing)]) == ()


def test_new_vectors_of_an_article_replace_all_that_it_had() -> None:
    [question, *others] = random_vectors(12)
    old = {f"art_{number}": others[2 * number : 2 * number + 3] for number in range(4)}
    new = {"art_1": [question], "art_9": [others[-1]]}
    whole = vector_index_of({id: rows for id, rows in old.items() if id not in new} | new)

    grown = vector_index_of(old).with_articles({id: chunks_of(id, rows) for id, rows in new.items()}, AT)

    allowed = [(segment_of(*grown.article_ids), np.ones(5, np.bool_))]
    assert sorted(grown.article_ids) == ["art_0", "art_1", "art_2", "art_3", "art_9"]
    hits, expected = grown.nearest(question, allowed), whole.nearest(question, allowed)
    assert hits[0].article_id == "art_1"
    assert [hit.article_id for hit in hits] == [hit.article_id for hit in expected]
    assert [hit.z_score for hit in hits] == pytest.approx([hit.z_score for hit in expected], abs=0.001)


async def test_a_process_sees_what_was_embedded_since_and_what_a_restored_database_lacks(
    api: Api, cast: Cast, ctx: Ctx, database: Database, owner: Tx
) -> None:
    process = VectorCache(MAX_BYTES, MAX_BYTES)
    first = await publish(api(cast.acme.write_key), "Automobile", "Wash it.")
    async with embedding(knows) as (embedder, _):
        assert await index_in(process, ctx, embedder.name) is None
        await embed(database, embedder, cast.acme)
        before = await index_in(process, ctx, embedder.name)
        assert before is not None
        assert before.article_ids == [first["id"]]
        assert await index_in(process, ctx, embedder.name) is before
        assert await index_in(process, ctx, "another model") is None

        second = await publish(api(cast.acme.write_key), "Bill", "Pay it.")
        await embed(database, embedder, cast.acme)
        after = await index_in(process, ctx, embedder.name)
        assert after is not None
        assert after.article_ids == [first["id"], second["id"]]

    await owner.execute("delete from article_vectors where article_id = %(id)s", id=second["id"])
    await owner.execute(
        "update bot_vectors set seen = %(seen)s where bot_id = %(bot)s", seen=before.seen, bot=ctx.bot.id
    )
    restored = await index_in(process, ctx, embedder.name)
    assert restored is not None
    assert restored.article_ids == [first["id"]]


async def test_vectors_of_another_length_are_read_anew(
    api: Api, cast: Cast, ctx: Ctx, database: Database
) -> None:
    process = VectorCache(MAX_BYTES, MAX_BYTES)
    article = await publish(api(cast.acme.write_key), "Automobile", "Wash it.")
    async with embedding(knows) as (embedder, endpoint):
        await embed(database, embedder, cast.acme)
        assert await index_in(process, ctx, embedder.name) is not None
        endpoint.moods[:] = [knows_more]
        await publish(api(cast.acme.write_key), "Bill", "Pay it.")
        await embed(database, embedder, cast.acme)
        index = await index_in(process, ctx, embedder.name)

    assert index is not None
    assert (index.dimensions, len(index.article_ids)) == (6, 2)
    segment = segment_of(*index.article_ids)
    question = l2_normalized(vector_of("car", 6))
    assert index.nearest(question, [(segment, np.ones(2, np.bool_))])[0].article_id == article["id"]


async def test_the_least_recently_used_vectors_make_room(
    api: Api, cast: Cast, ctx: Ctx, database: Database
) -> None:
    small = VectorCache(1, 1)
    for company in (cast.acme, cast.globex):
        await publish(api(company.write_key), "Automobile", "Wash it.")
    async with embedding(knows) as (embedder, _):
        await embed(database, embedder, cast.acme, cast.globex)
    # Vectors that exceed the cache are kept until others are needed.
    assert await index_in(small, ctx, embedder.name) is await index_in(small, ctx, embedder.name)
    async with database.enter_workspace(cast.globex.workspace_id) as tx:
        await index_in(small, context(tx, cast.globex), embedder.name)

    assert list(small.indexes) == [cast.globex.bot_id]


def test_a_vector_without_numbers_spoils_no_other_article() -> None:
    [question, other] = random_vectors(2)
    broken = [float("nan")] * DIMENSIONS
    vectors = {"art_broken": [broken], "art_empty": [[0.0] * DIMENSIONS], "art_near": [question, other]}
    segment = segment_of(*vectors)

    hits = vector_index_of(vectors).nearest(question, [(segment, np.ones(3, np.bool_))])

    assert [hit.article_id for hit in hits] == ["art_near"]


async def test_a_replica_that_is_behind_takes_nothing_from_a_process(
    api: Api, cast: Cast, ctx: Ctx, database: Database
) -> None:
    process = VectorCache(MAX_BYTES, MAX_BYTES)
    await publish(api(cast.acme.write_key), "Automobile", "Wash it.")
    async with embedding(knows) as (embedder, _):
        await embed(database, embedder, cast.acme)
        index = await index_in(process, ctx, embedder.name)
    state = await embedding_state(ctx)
    assert state is not None

    behind = replace(state, seen=state.seen - timedelta(seconds=1), is_replica=True)

    assert await process.refresh(ctx, behind) is index


async def test_vectors_that_are_being_made_anew_do_not_count(
    api: Api, cast: Cast, ctx: Ctx, database: Database, owner: Tx
) -> None:
    process = VectorCache(MAX_BYTES, MAX_BYTES)
    await publish(api(cast.acme.write_key), "Automobile", "Wash it.")
    async with embedding(knows) as (embedder, _):
        await embed(database, embedder, cast.acme)
        assert await index_in(process, ctx, embedder.name) is not None
    before = await embedding_state(ctx)
    assert before is not None
    sql = "update bot_vectors set is_complete = false, seen = %(seen)s where bot_id = %(bot)s"
    await owner.execute(sql, seen=before.seen - timedelta(days=1), bot=ctx.bot.id)

    assert await index_in(process, ctx, embedder.name) is None
    # A request may still have the earlier state.
    assert await process.refresh(ctx, replace(before, seen=before.seen - timedelta(seconds=1))) is None
