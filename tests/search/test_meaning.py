"""Semantic search with embeddings, falling back to words if the model fails."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

import pytest

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.identity.schemas import Ctx
from instep.platform.llm import bundled_embedding
from instep.platform.llm.embedding import NO_EMBEDDERS, Embedders, HttpEmbedder, l2_normalized
from instep.platform.llm.protocol import CompletionError
from instep.search import jobs
from instep.search.retrieve import retrieve
from instep.search.schemas import Signals
from instep.search.semantic import indexing
from instep.search.semantic.query_embedder import QueryEmbedder, query_embedder
from instep.search.semantic.vector_segment import chunk_dtype
from instep.search.semantic.vectors import embedding_state
from tests.support.cast import Api, Cast
from tests.support.embeddings import (
    does_not_take_holidays,
    embed,
    embedding,
    is_not_a_number,
    is_nothing,
    is_uneven,
    knows,
    knows_more,
    sent_texts,
)
from tests.support.http import ok
from tests.support.model_endpoint import KEY, Endpoint, Mood, errs, http, is_cut, sends, stays_silent
from tests.support.search import publish, titles, titles_of

EmbedderAndEndpoint = tuple[HttpEmbedder, Endpoint]
JOB = Job(1, jobs.EMBED_ARTICLES, {}, 1)


@pytest.fixture
async def embedder() -> AsyncIterator[EmbedderAndEndpoint]:
    async with embedding(knows) as (embedder, behind):
        query_embedder.use(Embedders.for_all(embedder))
        yield embedder, behind
        query_embedder.use(NO_EMBEDDERS)


async def count_vectors(owner: Tx, article_id: str) -> int:
    sql = """
        select coalesce(sum(octet_length(chunks)), 0)::integer from article_vectors where article_id = %(id)s
    """
    return int(await owner.value(sql, id=article_id)) // chunk_dtype(4).itemsize


async def test_other_words_find_an_article_when_it_has_its_vectors(
    api: Api, cast: Cast, ctx: Ctx, database: Database, embedder: EmbedderAndEndpoint
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Automobile", "## Care\n\nWash it.\n\n## Repair\n\nThe automobile needs a bill.")
    await publish(client, "Holiday", "Tell us early.")
    assert await titles(client, "vehicle upkeep") == await titles_of(ctx, "vehicle upkeep") == []

    await embed(database, embedder[0], cast.acme)

    assert (await titles(client, "vehicle upkeep"))[0] == "Automobile"
    assert (await titles_of(ctx, "vehicle upkeep"))[0] == "Automobile"
    assert (await titles_of(ctx, "planning a vacation"))[0] == "Holiday"
    # One chunk covers both passages: the other words decide between them, or else the length.
    assert (await retrieve(ctx, "vehicle receipt")).passages[0].headings == ("Repair",)
    assert (await retrieve(ctx, "wash a vehicle")).passages[0].headings == ("Care",)
    assert {asked.head.split("\r\n")[0] for asked in embedder[1].asked} == {"POST /v1/embeddings HTTP/1.1"}
    assert all(f"Bearer {KEY}" in asked.head for asked in embedder[1].asked)


async def test_the_section_that_is_nearest_by_itself_comes_first_in_a_short_article(
    api: Api, cast: Cast, ctx: Ctx, database: Database, embedder: EmbedderAndEndpoint
) -> None:
    text = "## One\n\nAn automobile.\n\n## Two\n\nA bill of some length."
    await publish(api(cast.acme.write_key), "Fleet", text)
    await embed(database, embedder[0], cast.acme)

    for question, heading in (("vehicle", "One"), ("receipt", "Two")):
        assert (await retrieve(ctx, question, candidates=8)).passages[0].headings == (heading,)


async def test_a_word_that_no_article_has_and_that_leads_away_takes_sureness(
    api: Api, cast: Cast, ctx: Ctx, database: Database
) -> None:
    class English:
        name = bundled_embedding.ENGLISH_NAME

        async def vectors(self, texts: Sequence[str], seconds: float) -> list[list[float]]:
            # In this model a dump is a recycling center, and a logo differs from an invoice.
            meanings = (("invoice",), ("recycling", "dump"), ("logo",))
            counts = [[sum(word in text.lower() for word in words) for words in meanings] for text in texts]
            return [l2_normalized([float(count) for count in row] + [0.2]) for row in counts]

    embedder = English()
    client = api(cast.acme.write_key)
    await publish(client, "Change an invoice", "Open the invoice and change what is wrong.")
    await publish(client, "Recycling centre", "It is open on Sundays.")
    await embed(database, embedder, cast.acme)
    query_embedder.use(Embedders.for_all(embedder))

    async def signals_of(question: str) -> Signals:
        return (await retrieve(ctx, question)).signals

    without, with_logo = (
        await signals_of("change an invoice"),
        await signals_of("change the logo of an invoice"),
    )
    dump = await signals_of("Is the dump open on Sundays?")
    query_embedder.use(NO_EMBEDDERS)

    assert without.confidence > limits.ANSWER_THRESHOLD > with_logo.confidence
    assert with_logo.signs["off_topic"] > 0.1
    assert dump.signs["off_topic"] == 0
    assert dump.confidence > limits.ANSWER_THRESHOLD


async def test_a_model_for_english_does_not_judge_a_question_in_another_language(
    api: Api, cast: Cast, ctx: Ctx, database: Database
) -> None:
    class English:
        name = bundled_embedding.ENGLISH_NAME

        async def vectors(self, texts: Sequence[str], seconds: float) -> list[list[float]]:
            return [[1.0, 0.0] for _ in texts]

    client = api(cast.acme.write_key)
    original = await publish(client, "Send a fax", "Open the menu and send it.")
    german = {"locale": "de", "translationOf": original["id"]}
    await publish(client, "Fax senden", "Öffnen Sie das Menü und senden Sie es.", **german)
    await embed(database, English(), cast.acme)
    by_words = await retrieve(ctx, "Wie kann ich ein Fax senden?", "de")

    query_embedder.use(Embedders(english=English()))
    asked = await retrieve(ctx, "Wie kann ich ein Fax senden?", "de")
    query_embedder.use(NO_EMBEDDERS)

    assert asked.signals == by_words.signals
    assert asked.signals.confidence > limits.ANSWER_THRESHOLD


@pytest.mark.parametrize(
    ("typed", "compared"),
    [
        # Two letters swapped, one missing, one too many.
        ("Repiar my bill", "repair my bill"),
        ("Repar my bill", "repair my bill"),
        ("Reppair my bill", "repair my bill"),
        # Another letter makes it a different word, like "latex", and existing words are not errors.
        ("Repoir my bill", "Repoir my bill"),
        ("Formal my bill", "Formal my bill"),
        # Two words are possible.
        ("Fourms my bill", "Fourms my bill"),
    ],
)
async def test_a_question_is_compared_without_typing_errors(
    api: Api,
    cast: Cast,
    ctx: Ctx,
    database: Database,
    embedder: EmbedderAndEndpoint,
    typed: str,
    compared: str,
) -> None:
    await publish(api(cast.acme.write_key), "Repair", "Normal, not in forms, but in forums.")
    await embed(database, embedder[0], cast.acme)

    await retrieve(ctx, typed)

    assert sent_texts(embedder[1])[-1] == compared


async def test_only_the_nearest_articles_are_semantic_hits(
    api: Api,
    cast: Cast,
    ctx: Ctx,
    database: Database,
    embedder: EmbedderAndEndpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MAX_SEMANTIC_HITS", 1)
    client = api(cast.acme.write_key)
    await publish(client, "Automobile", "Wash it.")
    await publish(client, "Long", "## One\n\nAn automobile.\n\n## Two\n\nA bill.\n\n## Three\n\nA holiday.")
    await publish(client, "Holiday", "Tell us early.")
    await embed(database, embedder[0], cast.acme)

    assert await titles_of(ctx, "vehicle upkeep") == ["Automobile"]


async def test_vectors_follow_the_changes_of_an_article(
    api: Api,
    cast: Cast,
    ctx: Ctx,
    database: Database,
    owner: Tx,
    embedder: EmbedderAndEndpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "CHUNK_BYTES", 20)
    client = api(cast.acme.write_key)
    article = await publish(client, "Fleet", "## One\n\nAn automobile.\n\n## Two\n\nNothing else.")
    other = await publish(client, "Holiday", "Tell us early.")
    await embed(database, embedder[0], cast.acme)
    assert await count_vectors(owner, article["id"]) == 2
    embedder[1].asked.clear()

    path = f"/v1/articles/{article['id']}"
    ok(await client.patch(path, json={"contentMarkdown": "## One\n\nAn invoice."}))
    await embed(database, embedder[0], cast.acme)

    assert sent_texts(embedder[1]) == ["Fleet\nOne: An invoice."]
    assert await count_vectors(owner, article["id"]) == 1
    assert await titles_of(ctx, "vehicle upkeep") == []
    assert await titles_of(ctx, "his receipt") == ["Fleet"]
    ok(await client.delete(path))
    ok(await client.post(f"/v1/articles/{other['id']}/unpublish"))
    # The search ignores it at once, and the job deletes its vectors later.
    assert await titles_of(ctx, "his receipt") == await titles_of(ctx, "a vacation") == []
    await embed(database, embedder[0], cast.acme)
    assert await count_vectors(owner, article["id"]) == await count_vectors(owner, other["id"]) == 0


async def test_semantic_hits_are_filtered_like_others(
    api: Api, cast: Cast, ctx: Ctx, database: Database, embedder: EmbedderAndEndpoint
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Automobile", "Wash it.", visibility="authenticated")
    await publish(client, "Holiday", "Tell us early.")
    await publish(client, "Rechnung", "An invoice.", locale="de")
    await publish(api(cast.globex.write_key), "Globex car", "A car of others.")
    await embed(database, embedder[0], cast.acme, cast.globex)

    assert "Automobile" not in await titles_of(ctx, "vehicle upkeep")
    assert "Automobile" in await titles_of(ctx, "vehicle upkeep", audience="authenticated")
    assert "Globex car" not in await titles_of(ctx, "vehicle upkeep", audience="authenticated")
    assert await titles_of(ctx, "his receipt", "de") == ["Rechnung"]
    assert "Rechnung" not in await titles_of(ctx, "his receipt", "en")


async def test_a_client_that_pages_sees_each_article_once(
    api: Api, cast: Cast, database: Database, embedder: EmbedderAndEndpoint
) -> None:
    client = api(cast.acme.write_key)
    for number in range(5):
        await publish(client, f"No {number}", "An automobile. " + "Polish. " * number)
    await publish(client, "Holiday", "Tell us early.")
    await embed(database, embedder[0], cast.acme)
    path = "/v1/articles/search?q=vehicle%20upkeep&page_size=2"
    first = ok(await client.get(path))
    # The second page continues the first even if the question can no longer be embedded.
    query_embedder.use(NO_EMBEDDERS)

    second = ok(await client.get(f"{path}&start_cursor={first['next_cursor']}"))

    seen = [row["title"] for row in first["results"] + second["results"]]
    assert len(seen) == len(set(seen)) == 4
    assert all(title.startswith("No ") for title in seen)


BROKEN: dict[str, Mood] = {
    "down": errs(503),
    "busy": errs(429, Retry_After="0"),
    "refusing the key": errs(401),
    "refusing everything": errs(400),
    "silent": stays_silent,
    "no JSON": sends(http(200, b"<html>")),
    "another form": sends(http(200, b'{"data": 3}')),
    "cut": is_cut,
    "uneven": is_uneven,
    "no numbers": is_not_a_number,
    "nothing": is_nothing,
}


@pytest.mark.parametrize("mood", BROKEN.values(), ids=BROKEN)
async def test_a_failing_model_leaves_the_search_by_words(
    api: Api,
    cast: Cast,
    ctx: Ctx,
    database: Database,
    owner: Tx,
    monkeypatch: pytest.MonkeyPatch,
    mood: Mood,
) -> None:
    monkeypatch.setattr(limits, "EMBEDDING_SECONDS", 0.1)
    monkeypatch.setattr(limits, "QUERY_EMBEDDING_SECONDS", 0.1)
    article = await publish(api(cast.acme.write_key), "Automobile", "Wash it.")
    async with embedding(mood, mood) as (embedder, behind):
        query_embedder.use(Embedders.for_all(embedder))
        with pytest.raises(CompletionError):
            await embed(database, embedder, cast.acme)
        assert await count_vectors(owner, article["id"]) == 0

        assert await titles_of(ctx, "automobile") == ["Automobile"]
        request_count = len(behind.asked)
        assert await titles_of(ctx, "wash an automobile") == ["Automobile"]
        # After a failure, the next questions do not wait for the model again.
        assert len(behind.asked) == request_count
        behind.moods[:] = [knows]
        await embed(database, embedder, cast.acme)
        assert await count_vectors(owner, article["id"]) == 1
    query_embedder.use(NO_EMBEDDERS)


async def test_a_chunk_that_the_model_refuses_leaves_the_others(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CHUNK_BYTES", 20)
    text = "## One\n\nAn automobile.\n\n## Two\n\nA holiday.\n\n## Three\n\nA bill."
    article = await publish(api(cast.acme.write_key), "Perks", text)
    async with embedding(does_not_take_holidays) as (embedder, behind):
        await embed(database, embedder, cast.acme)
        request_count = len(behind.asked)
        assert await count_vectors(owner, article["id"]) == 3
        await embed(database, embedder, cast.acme)
        assert len(behind.asked) == request_count


async def test_vectors_of_another_model_are_replaced(
    api: Api, cast: Cast, ctx: Ctx, database: Database, owner: Tx
) -> None:
    article = await publish(api(cast.acme.write_key), "Automobile", "Wash it.")
    await publish(api(cast.acme.write_key), "Holiday", "Tell us early.")
    length = "select octet_length(chunks) from article_vectors where article_id = %(id)s"
    async with embedding(knows) as (embedder, behind):
        await embed(database, embedder, cast.acme)
        assert await owner.value(length, id=article["id"]) == chunk_dtype(4).itemsize
        # The name now leads to another model: nothing is compared until all vectors are new.
        behind.moods[:] = [knows_more]
        query_embedder.use(Embedders.for_all(embedder))
        assert await titles_of(ctx, "vehicle upkeep") == []
        await publish(api(cast.acme.write_key), "Bill", "Pay it.")
        await embed(database, embedder, cast.acme)
        assert await owner.value(length, id=article["id"]) == chunk_dtype(6).itemsize
        assert (await titles_of(ctx, "vehicle upkeep"))[0] == "Automobile"
    async with embedding(knows, model="another") as (embedder, _):
        await embed(database, embedder, cast.acme)
        assert await owner.value(length, id=article["id"]) == chunk_dtype(4).itemsize
    query_embedder.use(NO_EMBEDDERS)


async def test_a_question_is_embedded_once_and_not_tried_for_a_while_after_a_failure() -> None:
    now = 0.0
    async with embedding(knows, knows, errs(500), errs(500), errs(500), knows) as (embedder, behind):
        query_embedder = QueryEmbedder(Embedders.for_all(embedder), clock=lambda: now)
        assert (
            await query_embedder.vector_of(embedder, "car")
            == await query_embedder.vector_of(embedder, "car")
            is not None
        )
        await query_embedder.prepare("bill")
        assert await query_embedder.vector_of(embedder, "bill") is not None
        assert len(behind.asked) == 2
        assert await query_embedder.vector_of(embedder, "leave") is None
        assert await query_embedder.vector_of(embedder, "leave") is None
        assert len(behind.asked) == 5
        now += limits.EMBEDDING_BREAKER_SECONDS
        assert await query_embedder.vector_of(embedder, "leave") is not None


async def test_callers_with_the_same_question_share_it_and_one_may_leave() -> None:
    async with embedding(knows) as (embedder, behind):
        query_embedder = QueryEmbedder(Embedders.for_all(embedder))
        first = asyncio.create_task(query_embedder.vector_of(embedder, "car"))
        second = asyncio.create_task(query_embedder.vector_of(embedder, "car"))
        await asyncio.sleep(0)
        first.cancel()

        assert await second is not None
        assert first.cancelled()
        assert len(behind.asked) == 1


async def test_the_job_takes_the_oldest_changes_first_and_pauses_after_a_failure(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, company in enumerate((cast.globex, cast.acme)):
        article = await publish(api(company.write_key), "Automobile", "Wash it.")
        sql = "update articles set updated_at = %(at)s where id = %(id)s"
        await owner.execute(sql, id=article["id"], at=datetime(2000, 1, 1 + number, tzinfo=UTC))
    # Bots in other languages, left by other tests, have their own batch.
    monkeypatch.setattr(jobs, "EMBED_BATCH", 1)
    monkeypatch.setattr(jobs, "EMBED_SECONDS", 0)
    waits = "select run_at > now() + interval '50 seconds' from jobs where kind = %(kind)s"
    behind = "select array_agg(id) from vectors_behind(%(model)s, '', 1000000)"
    async with embedding(errs(401)) as (embedder, endpoint):
        assert cast.paused.bot_id not in await owner.value(behind, model=embedder.name)
        await jobs.embed_articles(database, Embedders(english=embedder), JOB)
        assert await owner.value(waits, kind=jobs.EMBED_ARTICLES)
        endpoint.asked.clear()
        endpoint.moods[:] = [knows]
        await jobs.embed_articles(database, Embedders(english=embedder), JOB)
        assert len(endpoint.asked) == 1
        bots = await owner.value(behind, model=embedder.name)
    assert cast.globex.bot_id not in bots
    assert bots[0] == cast.acme.bot_id


async def test_the_job_ends_where_embeddings_are_no_longer_set_up(database: Database, owner: Tx) -> None:
    await jobs.embed_articles(database, NO_EMBEDDERS, JOB)

    waiting = "select count(*)::integer from jobs where kind = %(kind)s and run_at > %(now)s"
    assert await owner.value(waiting, kind=jobs.EMBED_ARTICLES, now=utc_now()) == 0


async def test_the_model_that_comes_along_finds_and_is_sure_of_what_is_said_in_other_words(
    api: Api, cast: Cast, ctx: Ctx, database: Database
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Getting your money back", "We return the price within two weeks of the purchase.")
    await publish(client, "Adding colleagues", "Open the menu of members and enter an address.")
    await publish(client, "Dark colours", "Choose the moon at the top to rest your eyes.")
    held, absent = "Can I claim a refund?", "Which printers are supported?"
    far = "Who won the top league of football in 2014?"
    before = (await retrieve(ctx, held)).signals.confidence
    far_by_words = (await retrieve(ctx, far)).signals.confidence
    embedder = bundled_embedding.english()
    assert embedder is not None
    query_embedder.use(Embedders(english=embedder))
    # On a busy machine this may take longer than a search waits.
    await asyncio.to_thread(embedder.embed, [held, absent, far])
    await embed(database, embedder, cast.acme)

    found, other = await retrieve(ctx, held), await retrieve(ctx, absent)
    nothing_near = (await retrieve(ctx, far)).signals
    query_embedder.use(NO_EMBEDDERS)

    assert found.passages[0].title == "Getting your money back"
    assert found.signals.confidence > max(before, other.signals.confidence) + 0.1
    assert nothing_near.signs["similarity"] == 0
    assert nothing_near.confidence < far_by_words / 2


async def test_a_model_embeds_the_bots_of_its_languages_alone(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    english = await publish(api(cast.globex.write_key), "Automobile", "Wash it.")
    german = await publish(api(cast.acme.write_key), "Automobile", "Wash it.")
    await owner.execute("update bots set locale = 'de' where id = %(bot)s", bot=cast.acme.bot_id)
    # Both come first, so that leftovers of other tests are not embedded too.
    monkeypatch.setattr(jobs, "EMBED_BATCH", 1)
    monkeypatch.setattr(jobs, "EMBED_SECONDS", 0)
    ids = [english["id"], german["id"]]
    sql = "update articles set updated_at = %(at)s where id = any(%(ids)s)"
    await owner.execute(sql, ids=ids, at=datetime(1990, 1, 1, tzinfo=UTC))
    async with embedding(knows, knows) as (embedder, _):
        await jobs.embed_articles(database, Embedders(english=embedder), JOB)
        assert [await count_vectors(owner, article) for article in ids] == [1, 0]

        await jobs.embed_articles(database, Embedders(others=embedder), JOB)
        assert [await count_vectors(owner, article) for article in ids] == [1, 1]
    # No longer first, for other tests.
    await owner.execute(sql, ids=ids, at=utc_now())


async def test_many_articles_of_one_change_are_all_embedded(
    api: Api, cast: Cast, ctx: Ctx, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "BATCH_ARTICLES", 2)
    ids = [(await publish(api(cast.acme.write_key), f"Car {number}"))["id"] for number in range(7)]
    # One statement can change them all, such as the deletion of their collection.
    await owner.execute("alter table articles disable trigger articles_stamped")
    await owner.execute(
        "update articles set updated_at = (select max(updated_at) from articles) where bot_id = %(bot)s",
        bot=ctx.bot.id,
    )
    await owner.execute("alter table articles enable trigger articles_stamped")

    async with asyncio.timeout(20), embedding(knows) as (embedder, _):
        await embed(database, embedder, cast.acme)

    state = await embedding_state(ctx)
    assert state is not None
    assert state.is_complete
    assert all([await count_vectors(owner, article_id) for article_id in ids])
