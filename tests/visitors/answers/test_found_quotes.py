"""A quote of a model is found in its section whatever its marks, and shown as a visitor reads it."""

import pytest

from instep.visitors.answers.answer_blocks import read_answer_blocks
from instep.visitors.answers.extractive import PassageExtract
from instep.visitors.answers.generative import find_quote
from tests.visitors.answers.test_passages import passage_of

TEXT = """\
1. Open **Settings**, then `Widget`. Add the *origin* of your product. It takes effect at once.
2. Press **Save**.

| payload | limit | note |
|---|---|---|
| `trigger` | Must not exceed 3 MB | — |

```sh
run --fast --all
```

The command needs Python:
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
        ("The command needs Python:", "The command needs Python."),
        ("run --fast --all", ""),
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

    assert "Must not exceed 3 MB" in around
    assert "The command needs Python" in around
