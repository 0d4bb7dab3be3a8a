"""Sixteen people save one article: every save counts once, and the newest 50 revisions are kept."""

import pytest

from tests.races.conftest import Call
from tests.races.revisions import read_revisions
from tests.support.http import at_once, create_article, ok

WRITERS = 16
KEPT = 50


@pytest.mark.parametrize("saves", [6, pytest.param(100, marks=pytest.mark.races)])
async def test_every_save_is_one_version_and_the_newest_50_replaced_texts_are_kept(
    caller: Call, saves: int
) -> None:
    writers = [await caller(number) for number in range(WRITERS)]
    article = await create_article(writers[0], contentMarkdown="The first text.")
    path = f"/v1/articles/{article['id']}"
    texts = {1: ("The first text.", "Caller 0")}

    async def write(number: int) -> None:
        for save in range(saves):
            text = f"Text {save} of {number}."
            article = ok(await writers[number].patch(path, json={"contentMarkdown": text}))
            assert article["contentMarkdown"] == text
            assert article["version"] not in texts, f"version {article['version']} was given out twice"
            texts[article["version"]] = (text, f"Caller {number}")

    await at_once(WRITERS, write)

    last = 1 + WRITERS * saves
    assert sorted(texts) == list(range(1, last + 1))
    now = ok(await writers[1].get(path))
    assert (now["version"], now["contentMarkdown"]) == (last, texts[last][0])
    revisions = await read_revisions(writers[2], path)
    assert [row["version"] for row in revisions] == list(range(last - 1, last - 1 - KEPT, -1))
    for row in revisions:
        assert (row["contentMarkdown"], row["author"]["name"]) == texts[row["version"]]
