"""Opening and saving each article of fourteen products changes no byte; a changed word changes one line."""

import gzip
import json
from pathlib import Path

import pytest

from instep.platform.text.diff import compare_now
from instep.platform.text.line_ends import with_line_ends_of
from tests.platform.text.test_line_ends import sent_by_browser

pytestmark = pytest.mark.corpora
LEAST_TEXTS = 200


@pytest.fixture(params=["\n", "\r\n"], ids=["lf", "crlf"])
def line_end(request: pytest.FixtureRequest) -> str:
    end: str = request.param
    return end


def test_open_and_save_changes_nothing_and_a_word_changes_one_line(corpora: Path, line_end: str) -> None:
    files = sorted(corpora.with_name("docsync").glob("*/blobs.jsonl.gz"))
    assert len(files) > 10
    for file in files:
        texts = read_texts(file)
        assert len(texts) > LEAST_TEXTS
        for text in texts:
            stored = text.replace("\n", line_end)
            sent = sent_by_browser(stored)
            assert with_line_ends_of(stored, sent) == stored
            word = next((word for word in text.split() if word.isalpha() and text.count(word) == 1), None)
            if word is None:
                continue
            saved = with_line_ends_of(stored, sent.replace(word, "changed"))
            diff = compare_now(stored, saved, ("opened", "saved"))
            assert (diff.additions, diff.deletions) == (1, 1)


def read_texts(file: Path) -> list[str]:
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        return [json.loads(line)["t"] for line in lines]
