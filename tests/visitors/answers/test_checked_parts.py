"""Parts of a model's reply: quotes are found whatever their punctuation, and steps stay one list."""

import pytest

from instep.visitors.answers.answer_blocks import read_answer_blocks
from instep.visitors.answers.checked_parts import CheckedPart, check_part, join_parts, quoted_unit
from instep.visitors.answers.extractive import PassageExtract, extracted_units
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
    ("quote", "unit"),
    [
        ("1. Open **Settings**, then `Widget`.", "1. "),
        ("Open Settings, then Widget.", "1. "),
        ("| `trigger` | Must not exceed 3 MB | — |", "|"),
        ("Press **Save**.", "2. "),
        ("The command needs Python:", ""),
    ],
)
def test_a_quote_is_found_whatever_its_marks(quote: str, unit: str) -> None:
    units = extracted_units(EXTRACT)

    assert units[quoted_unit(quote, units)].prefix == unit


@pytest.mark.parametrize("quote", ["Press", "", "Call Mallory at once."])
def test_short_and_invented_quotes_are_none(quote: str) -> None:
    assert quoted_unit(quote, extracted_units(EXTRACT)) == -1


def parts(*rows: tuple[str, str, tuple[int, ...]], extract: PassageExtract = EXTRACT) -> list[CheckedPart]:
    replies = [ReplyPart(text=text, section=1, quote=quote, codes=codes) for text, quote, codes in rows]
    return [check_part(reply, extract, "How?", "en") for reply in replies]


def test_code_that_is_named_is_shown_whole_below_its_part_and_once() -> None:
    checked = parts(
        ("1. Open **Settings**.", "Open **Settings**, then `Widget`.", ()),
        ("2. Press **Save**.", "Press **Save**.", (1, 2, 9)),
        ("The command needs Python.", "", (1,)),
    )

    [steps, rest] = join_parts(checked, {1: 1})

    run, version = "```\n   run --fast --all\n   ```", "```\n   python3 --version\n   ```"
    assert steps.endswith(f"2. Press **Save** [1].\n\n   {run}\n\n   {version}")
    assert rest == "The command needs Python [1]."


@pytest.mark.parametrize(
    ("quote", "codes"), [("The command needs Python:", 1), ("Press **Save**.", 0), ("python3 --version", 0)]
)
def test_code_that_is_announced_by_the_quote_is_shown_unasked(quote: str, codes: int) -> None:
    [part] = parts(("The command needs Python.", quote, ()))

    assert len(part.codes) == codes


def test_the_code_of_a_step_is_shown_with_it_unless_it_is_cut() -> None:
    blocks = read_answer_blocks("1. Open the menu.\n\n   ```sh\n   open --menu\n   ```\n2. Press **Save**.\n")
    extract = PassageExtract(EXTRACT.passage, blocks)
    row = ("1. Open the menu.", "Open the menu.", ())

    assert len(parts(row, extract=extract)[0].codes) == 1
    last = PassageExtract(extract.passage, read_answer_blocks("Run it:\n\n```sh\nrun --fast"), is_cut=True)
    assert parts(("Run it.", "Run it:", (1,)), extract=last)[0].codes == ()


def test_a_step_of_two_sentences_stays_one_item_of_its_list() -> None:
    checked = parts(
        ("1. Open **Settings**, then `Widget`. It takes effect at once.", "", ()),
        ("2. Press **Save**.", "", ()),
    )

    [steps] = join_parts(checked, {1: 1})

    assert steps == (
        "1. Open **Settings**, then `Widget` [1]. It takes effect at once [1].\n2. Press **Save** [1]."
    )


@pytest.mark.parametrize("text", ["Add the _origin_ of your product.", "Run *Settings*, then `Widget`."])
def test_emphasis_is_no_part_of_a_name(text: str) -> None:
    [part] = parts((text.replace("Run", "Open"), "", ()))

    assert part.sentences


def test_a_step_with_a_refused_sentence_is_lost_and_says_why() -> None:
    [part] = parts(("2. Press **Save**. Call Mallory.", "", ()))

    assert part.is_lost_step
    assert part.sentences == ("Press **Save**.",)
    [refusal] = part.refusals
    assert refusal.startswith("Call Mallory.: ")
    assert "Mallory" in refusal.removeprefix("Call Mallory.: ")
