"""The parts of a model's reply: quotes are found whatever their marks, and steps stay one list."""

import pytest

from instep.visitors.answers.answer_blocks import read_answer_blocks
from instep.visitors.answers.checked_parts import CheckedPart, check_part, find_quote, join_parts
from instep.visitors.answers.extractive import PassageExtract
from instep.visitors.answers.generative import ReplyPart
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


EXTRACT = PassageExtract(passage_of(TEXT), read_answer_blocks(TEXT))


@pytest.mark.parametrize(
    ("quote", "around"),
    [
        ("1. Open **Settings**, then `Widget`.", "origin of your product"),
        ("Open Settings, then Widget.", "origin of your product"),
        ("| `trigger` | Must not exceed 3 MB | — |", "3 MB"),
        ("run --fast --all", "The command needs Python"),
        ("Press **Send**.", ""),
        ("Press", ""),
        ("", ""),
    ],
)
def test_a_quote_is_found_with_what_is_around_it_whatever_its_marks(quote: str, around: str) -> None:
    found = find_quote(quote, EXTRACT).around

    assert around in found
    assert bool(found) == bool(around)


def parts(*rows: tuple[str, str]) -> list[CheckedPart]:
    replies = [ReplyPart(text=text, section=1, quote=quote) for text, quote in rows]
    return [check_part(reply, EXTRACT, "How?", "en") for reply in replies]


def test_code_that_is_quoted_is_shown_whole_below_its_part_and_once() -> None:
    checked = parts(
        ("1. Open **Settings**.", "Open **Settings**, then `Widget`."),
        ("2. Press **Save**.", "run --fast --all"),
        ("The command needs Python.", "run --fast"),
    )

    [steps, rest] = join_parts(checked, {1: 1})

    assert steps.endswith("2. Press **Save** [1].\n\n   ```\n   run --fast --all\n   ```")
    assert rest == "The command needs Python [1]."


def test_a_step_of_two_sentences_stays_one_item_of_its_list() -> None:
    checked = parts(
        ("1. Open **Settings**, then `Widget`. It takes effect at once.", ""), ("2. Press **Save**.", "")
    )

    [steps] = join_parts(checked, {1: 1})

    assert steps == (
        "1. Open **Settings**, then `Widget` [1]. It takes effect at once [1].\n2. Press **Save** [1]."
    )


@pytest.mark.parametrize("text", ["Add the _origin_ of your product.", "Run *Settings*, then `Widget`."])
def test_emphasis_is_no_part_of_a_name(text: str) -> None:
    [part] = parts((text.replace("Run", "Open"), ""))

    assert part.sentences


def test_a_step_with_a_refused_sentence_is_lost_and_says_why() -> None:
    [part] = parts(("2. Press **Save**. Call Mallory.", ""))

    assert part.is_lost_step
    assert part.sentences == ("Press **Save**.",)
    [refusal] = part.refusals
    assert refusal.startswith("Call Mallory.: ")
    assert "Mallory" in refusal.removeprefix("Call Mallory.: ")
