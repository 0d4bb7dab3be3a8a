"""Asks a help center all questions of a set, and keeps what the search said to each."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from eval.retrieval.center import create_help_center
from eval.retrieval.question_sets import Question, QuestionSet
from eval.retrieval.rare_words import RareWordCoverage
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.platform.llm.embedding import Embedders
from instep.search.retrieve import retrieve
from instep.search.schemas import Signals
from instep.search.semantic.indexing import embed_bot
from instep.search.semantic.query_embedder import query_embedder

PASSAGES = 8


@dataclass(frozen=True, slots=True)
class Prediction:
    """The search's answer to one question; `is_held`: whether the help center holds the answer."""

    set_name: str
    size: int
    question: Question
    is_held: bool
    ranking: list[str]
    signals: Signals
    is_answered: bool
    coverage: float
    seconds: float

    @property
    def is_first_right(self) -> bool:
        return bool(self.ranking) and self.ranking[0] in self.question.relevant


@dataclass(frozen=True, slots=True)
class Installation:
    """A database for help centers, and the embedding models if there are some."""

    url: str
    database: Database
    embedders: Embedders

    async def create(
        self, name: str, articles: list[dict[str, Any]], locale: str = "en"
    ) -> tuple[Bot, dict[str, str]]:
        """A help center with its vectors, and the ids in the set by the id of each article."""
        async with await psycopg.AsyncConnection.connect(self.url, autocommit=True) as connection:
            bot, names = await create_help_center(connection, name, articles, locale)
        if embedder := self.embedders.of(locale):
            await embed_bot(self.database, embedder, bot)
        return bot, names

    @asynccontextmanager
    async def enter(self, bot: Bot) -> AsyncIterator[Ctx]:
        async with self.database.enter_workspace(bot.workspace_id) as tx:
            yield Ctx(tx, bot, Actor("command", "eval", can_write=False), utc_now())

    async def ask(self, center: QuestionSet) -> list[Prediction]:
        """The predictions of all questions of a help center that is created for them."""
        articles = list(center.articles.values())
        bot, names = await self.create(center.name, articles)
        rare_words = RareWordCoverage(articles)
        predictions = []
        async with self.enter(bot) as ctx:
            for question in (*center.questions, *center.unanswerable):
                started = time.perf_counter()
                await query_embedder.begin(ctx, question.text)
                retrieval = await retrieve(ctx, question.text, limit=PASSAGES)
                seconds = time.perf_counter() - started
                predictions.append(
                    Prediction(
                        center.name,
                        len(articles),
                        question,
                        bool(question.relevant),
                        [names[article_id] for article_id in retrieval.article_ids],
                        retrieval.signals,
                        retrieval.signals.confidence >= limits.ANSWER_THRESHOLD,
                        rare_words.coverage(question.text),
                        seconds,
                    )
                )
        return predictions


def prediction_row(prediction: Prediction) -> dict[str, Any]:
    """A prediction as the scorer of the public sets takes it."""
    return {
        "id": prediction.question.id,
        "ranking": prediction.ranking,
        "score": prediction.signals.confidence,
        "answered": prediction.is_answered,
    }
