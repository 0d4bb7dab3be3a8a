"""Scoring embeds the texts of a question set once, and reuses the vectors in later runs."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from eval.retrieval.kept_vectors import CachedEmbedder, KeptVectors


class Lengths:
    """An embedder that records every text it is given."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.texts: list[str] = []

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[list[float]]:
        self.texts += texts
        return [[float(len(text)), 0.5] for text in texts]


async def run(file: Path, embedder: Lengths, texts: Sequence[str]) -> list[list[float]]:
    with closing(KeptVectors(file)) as kept:
        return await CachedEmbedder(embedder, kept).vectors(texts, 1.0)


async def test_a_later_run_embeds_only_what_is_new_to_the_model(tmp_path: Path) -> None:
    file, small, large = tmp_path / "vectors", Lengths("small"), Lengths("large")

    first = await run(file, small, ["a", "bb", "a"])
    second = await run(file, small, ["bb", "ccc"])
    await run(file, large, ["bb"])

    assert first == [[1.0, 0.5], [2.0, 0.5], [1.0, 0.5]]
    assert second == [[2.0, 0.5], [3.0, 0.5]]
    assert small.texts == ["a", "bb", "ccc"]
    assert large.texts == ["bb"]
