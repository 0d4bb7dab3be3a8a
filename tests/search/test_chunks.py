"""The chunks of an article that are embedded."""

from itertools import pairwise

import pytest

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.search.index.builder import split_article
from instep.search.schemas import ArticleChange
from instep.search.semantic.chunks import Chunk, chunk_articles


def chunks_of(markdown: str, title: str = "Fleet", description: str | None = None) -> list[Chunk]:
    return chunk_articles(
        [ArticleChange("a", True, "en", "english", True, None, title, description, markdown, utc_now())]
    )


def test_short_passages_share_a_chunk_of_plain_text() -> None:
    care = "## Care\n\n**Wash** [it](https://example.com/soap).\n\n"
    text = f"Intro.\n\n{care}## Tools\n\n### Hose\n\n```sh\nhose --on\n```\n"
    chunk, *sections = chunks_of(text, description="All about cars.")

    assert chunk.text == "Fleet\nAll about cars. Intro. Care: Wash it. Tools: Hose: hose --on"
    assert (chunk.first, chunk.last, chunk.is_section) == (0, 3, False)
    # Embedded separately, they show which of them is near.
    assert [section.text.removeprefix("Fleet\n") for section in sections] == [
        *("All about cars.", "Intro.", "Care: Wash it.", "Tools: Hose: hose --on")
    ]
    assert [(section.first, section.last) for section in sections] == [(at, at) for at in range(4)]
    assert all(section.is_section for section in sections)


def test_a_long_passage_has_several_chunks_of_whole_sentences() -> None:
    care, repair = "Wash the car with care. " * 100, "Ask us first. " * 20
    text = f"## Care\n\n{care}\n\n## Repair\n\n{repair}"
    chunks = [chunk for chunk in chunks_of(text) if not chunk.is_section]

    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    assert all(chunk.text.startswith("Fleet\n") and chunk.text[-1] in ".:" for chunk in chunks)
    assert all(len(chunk.text.encode()) <= limits.CHUNK_BYTES * 1.1 for chunk in chunks)
    assert " ".join(chunk.text.removeprefix("Fleet\n") for chunk in chunks).split() == (
        f"Care: {care} Repair: {repair}".split()
    )
    # Together they cover all passages without gaps.
    assert chunks[0].first == 0
    assert chunks[-1].last == len(split_article(None, text)) - 1
    assert all(chunk.last <= following.first <= chunk.last + 1 for chunk, following in pairwise(chunks))


@pytest.mark.parametrize(
    "text",
    ["x" * 5_000, "車を洗う" * 500, "車を洗う。" * 500, "| a | b |\n|---|---|\n" + "| one | two |\n" * 500],
)
def test_no_chunk_is_too_long(text: str) -> None:
    chunks = chunks_of(text)

    assert len(chunks) > 3
    assert all(len(chunk.text.encode()) < 2 * limits.CHUNK_BYTES for chunk in chunks)


def test_an_article_without_a_text_is_embedded_by_its_title() -> None:
    assert [chunk.text for chunk in chunks_of("")] == ["Fleet"]


def test_a_chunk_that_moves_to_another_passage_has_another_hash() -> None:
    [before], [after] = chunks_of("## Care\n\nWash it."), chunks_of("## Care\n\nWash it.", description="")
    assert before.hash == after.hash
    assert Chunk("a", 0, 0, 0, "Wash it.").hash != Chunk("a", 0, 1, 1, "Wash it.").hash
