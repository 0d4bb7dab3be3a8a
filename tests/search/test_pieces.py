"""What the vectors of an article are made of."""

from itertools import pairwise

import pytest

from instep.core import limits
from instep.core.clock import utc_now
from instep.search.index.builder import ArticleChange, sections_of
from instep.search.semantic.chunks import Chunk, chunks_of


def cut(markdown: str, title: str = "Fleet", description: str | None = None) -> list[Chunk]:
    return chunks_of(
        [ArticleChange("a", True, "en", "english", True, None, title, description, markdown, utc_now())]
    )


def test_short_passages_share_a_piece_in_plain_words() -> None:
    care = "## Care\n\n**Wash** [it](https://example.com/soap).\n\n"
    text = f"Intro.\n\n{care}## Tools\n\n### Hose\n\n```sh\nhose --on\n```\n"
    [piece] = cut(text, description="All about cars.")

    assert piece.text == "Fleet\nAll about cars. Intro. Care: Wash it. Tools: Hose: hose --on"
    assert (piece.first, piece.last) == (0, 3)


def test_a_long_passage_has_several_pieces_of_whole_sentences() -> None:
    care, repair = "Wash the car with care. " * 100, "Ask us first. " * 20
    text = f"## Care\n\n{care}\n\n## Repair\n\n{repair}"
    pieces = cut(text)

    assert [piece.number for piece in pieces] == list(range(len(pieces)))
    assert all(piece.text.startswith("Fleet\n") and piece.text[-1] in ".:" for piece in pieces)
    assert all(len(piece.text.encode()) <= limits.CHUNK_BYTES * 1.1 for piece in pieces)
    assert " ".join(piece.text.removeprefix("Fleet\n") for piece in pieces).split() == (
        f"Care: {care} Repair: {repair}".split()
    )
    # Each names the passages that it is of, and together they are all that there are.
    assert pieces[0].first == 0
    assert pieces[-1].last == len(sections_of(None, text)) - 1
    assert all(one.last <= two.first <= one.last + 1 for one, two in pairwise(pieces))


@pytest.mark.parametrize(
    "text",
    ["x" * 5_000, "車を洗う" * 500, "車を洗う。" * 500, "| a | b |\n|---|---|\n" + "| one | two |\n" * 500],
)
def test_no_piece_is_longer_than_a_vector_tells(text: str) -> None:
    pieces = cut(text)

    assert len(pieces) > 3
    assert all(len(piece.text.encode()) < 2 * limits.CHUNK_BYTES for piece in pieces)


def test_an_article_without_a_text_is_its_title() -> None:
    assert [piece.text for piece in cut("")] == ["Fleet"]


def test_what_moves_to_another_passage_is_made_anew() -> None:
    [before], [after] = cut("## Care\n\nWash it."), cut("## Care\n\nWash it.", description="")
    assert before.hash == after.hash
    assert Chunk("a", 0, 0, 0, "Wash it.").hash != Chunk("a", 0, 1, 1, "Wash it.").hash
