"""A quote of a model is found in its section whatever its marks, and shown as a visitor reads it."""

import pytest

from instep.visitors.answers.answer_blocks import read_answer_blocks
from instep.visitors.answers.extractive import PassageExtract
from instep.visitors.answers.generative import ReplyPart, find_quote, join_blocks, supported_in_part
from tests.visitors.answers.test_passages import passage_of

TEXT = """\
1. Open **Settings**, then `Widget`. Add the *origin* of your product. It takes effect at once.
2. Press **Save**.

| payload | limit | note |
|---|---|---|
| `trigger` | Must not exceed 3 MB | — |
| `batch` | 5 MB | each |

```sh
run --fast --all
```

The command needs Python:

```sh
python3 --version
```
"""


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("1. Open **Settings**, then `Widget`.", "Open **Settings**, then `Widget`."),
        ("Open Settings, then Widget.", "Open **Settings**, then `Widget`."),
        ("the origin of your product", "Add the *origin* of your product."),
        (
            "then Widget. Add the origin",
            "Open **Settings**, then `Widget`. Add the *origin* of your product.",
        ),
        ("| `trigger` | Must not exceed 3 MB | — |", "`trigger`: Must not exceed 3 MB."),
        ("| `batch` | 5 MB | each |", "`batch` (limit: 5 MB; note: each)."),
        ("The command needs Python:", "The command needs Python."),
        ("run --fast --all", ""),
        ("python3 --version", "The command needs Python:"),
        ("Press **Send**.", ""),
        ("Press", ""),
        ("", ""),
    ],
)
def test_a_quote_is_shown_by_its_sentences_or_its_row(quote: str, shown: str) -> None:
    extract = PassageExtract(passage_of(TEXT), read_answer_blocks(TEXT))

    assert find_quote(quote, extract).text == shown


def test_what_is_around_a_quote_is_known_also_if_it_is_of_code() -> None:
    around = find_quote("run --fast --all", PassageExtract(passage_of(TEXT), read_answer_blocks(TEXT))).around

    assert "5 MB" in around
    assert "The command needs Python" in around


def test_code_that_is_quoted_is_shown_whole_below_its_sentence() -> None:
    extract = PassageExtract(passage_of(TEXT), read_answer_blocks(TEXT))
    parts = [
        ReplyPart(text="1. Open **Settings**.", section=1, quote="Open **Settings**, then `Widget`."),
        ReplyPart(text="2. Press **Save**, and run this:", section=1, quote="run --fast --all"),
        ReplyPart(text="The command needs Python:", section=1, quote="run --fast"),
    ]

    sentences = [each for part in parts for each in supported_in_part(part, extract, "How?", "en")]
    [steps, rest] = join_blocks(sentences, {1: 1})

    assert steps.endswith("2. Press **Save**, and run this [1]:\n\n   ```\n   run --fast --all\n   ```")
    assert "run --fast" not in rest
