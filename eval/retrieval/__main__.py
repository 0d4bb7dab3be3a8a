"""Scores the search on real questions: `python -m eval.retrieval FOLDER` prints the figures as JSON.

Each set becomes a help center in a database of its own; then every question goes through `retrieve`.
With `INSTEP_EMBEDDINGS`, as for a server, its articles have their vectors first.
"""

import asyncio
import importlib.util
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import psycopg

from eval.retrieval.center import create_help_center
from instep.core.clock import utc_now
from instep.core.config import settings
from instep.core.database import Database
from instep.core.embedded import EmbeddedPostgres
from instep.identity.schemas import Actor, Bot, Ctx
from instep.llm.factory import open_embedder
from instep.migrations import migrate
from instep.search.retrieve import retrieve
from instep.search.semantic.indexing import embed_bot
from instep.search.semantic.query_embedder import use_embedder

SCORER = "helpeval.py"
PASSAGES = 8


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path()
    if len(arguments) != 1 or not (folder / SCORER).is_file():
        print(f"The evaluation set is missing: no {SCORER} in `{folder}`. Name its folder.", file=sys.stderr)
        return 2
    scorer = read_scorer(folder)
    with tempfile.TemporaryDirectory(prefix="instep-eval-") as directory:
        Path(directory).chmod(0o711)
        with EmbeddedPostgres.attach(Path(directory)) as embedded:
            migrate(embedded.url)
            figures = {
                path.parent.name: asyncio.run(score(embedded.url, scorer, path.parent))
                for path in sorted(folder.glob("*/questions.jsonl"))
            }
    print(json.dumps(figures, indent=1))
    return 0


def read_scorer(folder: Path) -> Any:
    """The scorer is part of the data set, which is not part of this repository."""
    spec = importlib.util.spec_from_file_location("helpeval", folder / SCORER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def score(url: str, scorer: Any, folder: Path) -> dict[str, Any]:
    data = scorer.HelpSet(str(folder.resolve()))
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        bot, names = await create_help_center(connection, folder.name, list(data.articles.values()))
    database = Database(url, size=1)
    await database.open()
    try:
        async with open_embedder(settings()) as configured:
            if embedder := await use_embedder(configured, url):
                await embed_bot(database, embedder, bot)
            predictions = await predict(database, bot, names, data.asked())
    finally:
        await database.close()
    seconds = sorted(prediction.pop("seconds") for prediction in predictions[1:])
    figures: dict[str, Any] = scorer.score(data, predictions)
    figures["ms_median"] = round(1_000 * median(seconds), 1)
    figures["ms_p99"] = round(1_000 * seconds[int(len(seconds) * 0.99)], 1)
    return figures


async def predict(
    database: Database, bot: Bot, names: dict[str, str], questions: list[dict[str, str]]
) -> list[dict[str, Any]]:
    predictions = []
    async with database.enter_workspace(bot.workspace_id) as tx:
        ctx = Ctx(tx, bot, Actor("command", "eval", can_write=False), utc_now())
        for question in questions:
            started = time.perf_counter()
            retrieval = await retrieve(ctx, question["question"], limit=PASSAGES)
            predictions.append(
                {
                    "id": question["id"],
                    "ranking": [names[article_id] for article_id in retrieval.article_ids],
                    "score": retrieval.signals.confidence,
                    "seconds": time.perf_counter() - started,
                }
            )
    return predictions


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
