"""Vectors of texts that outlast a run: embedding the question sets takes an hour, and all else minutes."""

import hashlib
import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path

from instep.platform.core import limits
from instep.platform.llm.embedding import Embedder, Vector

# Created in the folder from which a score is started; may be deleted at any time.
FILE = Path(".eval-vectors.sqlite")
TABLE = "create table if not exists vectors (key blob primary key, vector blob not null) without rowid"
# One statement of SQLite takes no more parameters than some thousands.
BATCH = 500
# So long a run waits for another one that writes.
LOCK_SECONDS = 60


class KeptVectors:
    """The vectors of embedding models in a file, which several runs may share."""

    def __init__(self, file: Path) -> None:
        self.connection = sqlite3.connect(file, timeout=LOCK_SECONDS)
        self.connection.execute(TABLE)

    def of(self, model: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Those that are kept, by their texts."""
        text_of = {key_of(model, text): text for text in texts}
        keys, vectors = list(text_of), {}
        for start in range(0, len(keys), BATCH):
            batch = keys[start : start + BATCH]
            places = ", ".join("?" * len(batch))
            statement = f"select key, vector from vectors where key in ({places})"
            for key, vector in self.connection.execute(statement, batch):
                vectors[text_of[key]] = list(array("f", vector))
        return vectors

    def keep(self, model: str, vectors: dict[str, Vector]) -> None:
        rows = [(key_of(model, text), array("f", vector).tobytes()) for text, vector in vectors.items()]
        with self.connection:
            self.connection.executemany("insert or ignore into vectors values (?, ?)", rows)

    def close(self) -> None:
        self.connection.close()


def key_of(model: str, text: str) -> bytes:
    return hashlib.sha256(f"{model}\n{text}".encode()).digest()[:16]


class CachedEmbedder:
    """Samples share their articles, so that each text is embedded once; without `kept`, once in each run.

    A question may take its time: what is measured is what is found, also on a busy machine.
    """

    def __init__(self, embedder: Embedder, kept: KeptVectors | None) -> None:
        self.embedder = embedder
        self.kept = kept
        self.cache: dict[str, Vector] = {}

    @property
    def name(self) -> str:
        return self.embedder.name

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        missing = [text for text in dict.fromkeys(texts) if text not in self.cache]
        if self.kept:
            self.cache.update(self.kept.of(self.name, missing))
            missing = [text for text in missing if text not in self.cache]
        if missing:
            vectors = await self.embedder.vectors(missing, limits.EMBEDDING_SECONDS)
            embedded = dict(zip(missing, vectors, strict=True))
            self.cache.update(embedded)
            if self.kept:
                self.kept.keep(self.name, embedded)
        return [self.cache[text] for text in texts]
