"""All sets and their samples, asked in one database."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.retrieval.asking import Installation, Prediction
from eval.retrieval.kept_vectors import FILE, CachedEmbedder, KeptVectors
from eval.retrieval.question_sets import QuestionSet, documentation_sets, help_set, public_sets
from eval.retrieval.samples import samples_of
from eval.visitors.centers import TUNED, read_centers
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.settings import Settings
from instep.platform.llm.embedding import NO_EMBEDDERS, Embedders
from instep.platform.llm.factory import open_embedders
from instep.platform.migrations import migrate
from instep.search.semantic.query_embedder import query_embedder

HISTORIES = "docsync"


@dataclass(slots=True)
class Result:
    """The answers to the questions of a set: from the whole help center, and from samples by their size.

    The products of the histories are one set, because each has few questions.
    """

    whole: list[Prediction] = field(default_factory=list)
    samples: dict[int, list[Prediction]] = field(default_factory=dict)
    # The arguments of the scorer of a public set; `None` for a set of headings.
    data: Any = None
    is_of_visitors: bool = False

    @property
    def all(self) -> list[Prediction]:
        return [*self.whole, *(row for rows in self.samples.values() for row in rows)]


@asynccontextmanager
async def installation(*, is_multilingual: bool = False) -> AsyncIterator[Installation]:
    """An installation of its own; `is_multilingual`: it embeds English as it does other languages."""
    with tempfile.TemporaryDirectory(prefix="instep-eval-") as directory:
        Path(directory).chmod(0o711)
        with EmbeddedPostgres.attach(Path(directory), settings={"fsync": "off"}) as embedded:
            migrate(embedded.url)
            with closing(KeptVectors(FILE)) as kept:
                async with installation_in(
                    embedded.url, settings(), is_multilingual=is_multilingual, kept=kept
                ) as place:
                    yield place


@asynccontextmanager
async def installation_in(
    url: str, settings: Settings, *, is_multilingual: bool = False, kept: KeptVectors | None = None
) -> AsyncIterator[Installation]:
    """An installation whose database is set up; this process searches with its embedding models meanwhile.

    `kept`: the vectors of earlier runs, to which those of this one are added.
    """
    database = Database(url, size=1)
    await database.open()
    try:
        async with open_embedders(settings) as configured:
            models = (configured.others if is_multilingual else configured.english, configured.others)
            cached = Embedders(*(CachedEmbedder(model, kept) if model else None for model in models))
            query_embedder.use(cached)
            yield Installation(url, database, cached)
    finally:
        query_embedder.use(NO_EMBEDDERS)
        await database.close()


async def ask_everything(
    folder: Path, counts: dict[int, int], *, is_multilingual: bool = False
) -> dict[str, Result]:
    """The results by the name of the set; `counts`: the number of samples of each size."""
    results: dict[str, Result] = {}
    async with installation(is_multilingual=is_multilingual) as place:
        for questions, data in public_sets(folder):
            results[questions.name] = Result(data=data)
            await ask_set(place, results[questions.name], questions, counts)
        for questions in documentation_sets(folder.parent / HISTORIES):
            await ask_set(place, results.setdefault("documentation", Result()), questions, counts)
        for center in read_centers(TUNED).values():
            # The model of confidence is that of the English embedding model.
            if center.locale == "en":
                visitors = results.setdefault("visitors", Result(is_of_visitors=True))
                await ask_set(place, visitors, center.question_set, counts)
        await ask_set(place, results.setdefault("help", Result()), help_set(), counts)
    return results


async def ask_set(
    place: Installation, result: Result, questions: QuestionSet, counts: dict[int, int]
) -> None:
    result.whole += await place.ask(questions)
    for sample in samples_of(questions, counts):
        result.samples.setdefault(sample.size, []).extend(await place.ask(sample.center))
