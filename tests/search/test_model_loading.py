"""Loading the models of a server, and the results of questions until then."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest
from fastapi import FastAPI
from psycopg.types.json import Jsonb

from instep import app as server
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.identity.schemas import Ctx
from instep.platform.llm import bundled_embedding
from instep.platform.llm.bundled_embedding import BundledEmbedder
from instep.platform.llm.embedding import NO_EMBEDDERS, Embedders, Vector
from instep.platform.llm.local_embedding import ModelMissing
from instep.search.retrieve import retrieve
from instep.search.semantic.query_embedder import QueryEmbedder, query_embedder
from tests.support.cast import Api, Cast
from tests.support.commands import Operator
from tests.support.embeddings import embed, embedding, knows, vector_of
from tests.support.limits import SetSetting
from tests.support.model_endpoint import errs
from tests.support.search import publish


@dataclass
class Synonyms:
    """A model whose vectors know a few synonyms. Loading waits for `may_load`, as for a slow disk."""

    may_load: threading.Event = field(default_factory=threading.Event)
    loads: int = 0

    def load(self) -> Callable[[Sequence[str]], list[Vector]]:
        self.loads += 1
        if not self.may_load.wait(30):
            raise ModelMissing("The disk did not answer.")
        return self.embed

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [vector_of(text) for text in texts]


@pytest.fixture
async def slow() -> AsyncIterator[Synonyms]:
    """A model that the test allows to load; its thread is released at the end."""
    model = Synonyms()
    yield model
    model.may_load.set()
    query_embedder.use(NO_EMBEDDERS)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.sleep(0)


async def test_the_question_that_loads_a_model_is_answered_by_words_and_the_next_one_by_meaning(
    api: Api, cast: Cast, ctx: Ctx, database: Database, slow: Synonyms
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Automobile", "Wash it.")
    embedder = BundledEmbedder("slow", slow.load)
    async with embedding(knows, model="slow") as (other, _):
        # Another process has embedded the articles.
        await embed(database, BundledEmbedder("slow", quick().load), cast.acme)
        query_embedder.use(Embedders(english=embedder, others=other))

        before = await retrieve(ctx, "vehicle upkeep", None)
        again = await retrieve(ctx, "car upkeep", None)
        slow.may_load.set()
        await until(lambda: not query_embedder.loads)
        after = await retrieve(ctx, "vehicle upkeep", None)

    assert not before.passages
    assert not again.passages
    assert [passage.title for passage in after.passages] == ["Automobile"]
    assert slow.loads == 1


def quick() -> Synonyms:
    model = Synonyms()
    model.may_load.set()
    return model


async def test_questions_do_not_wait_for_a_model_that_is_being_loaded(slow: Synonyms) -> None:
    embedder = BundledEmbedder("slow", slow.load)
    query_embedder = QueryEmbedder(Embedders(english=embedder))

    async with asyncio.timeout(limits.QUERY_EMBEDDING_SECONDS):
        assert await query_embedder.vector_of(embedder, "car") is None

    slow.may_load.set()
    await until(lambda: not query_embedder.loads)
    assert await query_embedder.vector_of(embedder, "car") is not None


async def test_a_model_that_a_job_has_loaded_answers_the_first_question() -> None:
    embedder = BundledEmbedder("quick", quick().load)
    await embedder.vectors(["An article."], limits.EMBEDDING_SECONDS)

    assert await QueryEmbedder(Embedders(english=embedder)).vector_of(embedder, "car") is not None


async def test_the_command_that_asks_finds_what_visitors_find(
    api: Api, cast: Cast, database: Database, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(api(cast.acme.write_key), "Automobile", "Wash it with soap.")
    embedder = BundledEmbedder(bundled_embedding.ENGLISH_NAME, quick().load)
    await embed(database, embedder, cast.acme)
    monkeypatch.setattr(bundled_embedding, "english", lambda: embedder)
    where = ("--bot", cast.acme.slug, "--workspace", cast.acme.workspace_id, "--json")

    asked = await operator.run("ask", "vehicle upkeep", *where, INSTEP_EMBEDDINGS="")
    query_embedder.use(NO_EMBEDDERS)

    assert [source["title"] for source in json.loads(asked.out)["sources"]] == ["Automobile"]


async def test_a_model_that_can_not_be_loaded_is_tried_again_after_a_while() -> None:
    now, failures = 0.0, [ModelMissing("Its weights are damaged."), OSError("The disk is gone.")]

    def load() -> Callable[[Sequence[str]], list[Vector]]:
        if failures:
            raise failures.pop()
        return quick().embed

    embedder = BundledEmbedder("damaged", load)
    query_embedder = QueryEmbedder(Embedders(english=embedder), clock=lambda: now)
    for left in (1, 0):
        assert await query_embedder.vector_of(embedder, "car") is None
        assert await query_embedder.vector_of(embedder, "bill") is None
        assert len(failures) == left
        now += limits.EMBEDDING_BREAKER_SECONDS
    assert await query_embedder.vector_of(embedder, "car") is not None


async def test_a_model_that_fails_leaves_the_other_one_its_questions() -> None:
    async with (
        embedding(errs(500), errs(500), errs(500), model="others") as (others, _),
        embedding(knows, model="english") as (english, _),
    ):
        query_embedder = QueryEmbedder(Embedders(english, others))

        assert await query_embedder.vector_of(others, "car") is None
        assert await query_embedder.vector_of(english, "car") is not None


@pytest.fixture
async def set_locale(owner: Tx) -> AsyncIterator[Callable[[str], Awaitable[None]]]:
    """Give all bots one language during a test, because a server looks at all of them."""
    locales: dict[str, str] = await owner.value("select jsonb_object_agg(id, locale) from bots")

    async def set_for_this_test(locale: str) -> None:
        await owner.execute("update bots set locale = %(locale)s", locale=locale)

    yield set_for_this_test
    await owner.execute(
        "update bots set locale = coalesce(%(locales)s ->> id::text, 'en')", locales=Jsonb(locales)
    )


@pytest.mark.parametrize(
    ("locale", "loads"), [("en-GB", (1, 0)), ("de", (0, 1))], ids=["only English", "only German"]
)
async def test_a_server_loads_the_models_that_its_bots_need_and_is_ready_before(
    api: Api,
    cast: Cast,
    database_url: str,
    set_locale: Callable[[str], Awaitable[None]],
    set_setting: SetSetting,
    monkeypatch: pytest.MonkeyPatch,
    slow: Synonyms,
    locale: str,
    loads: tuple[int, int],
) -> None:
    await publish(api(cast.acme.write_key), "Automobile", "Wash it.")
    await set_locale(locale)
    english, others = (slow, quick()) if loads[0] else (quick(), slow)
    monkeypatch.setattr(bundled_embedding, "english", lambda: BundledEmbedder("english", english.load))
    monkeypatch.setattr(bundled_embedding, "multilingual", lambda: BundledEmbedder("others", others.load))
    set_setting("INSTEP_DATABASE_URL", database_url)
    set_setting("INSTEP_JOBS", "false")
    set_setting("INSTEP_EMBEDDINGS", "")

    async with server.lifespan(FastAPI()):
        # The server is ready although the model is not loaded yet.
        await until(lambda: slow.loads == 1)
        slow.may_load.set()
        await until(lambda: bool(query_embedder.loaded))

    assert (english.loads, others.loads) == loads
