"""A new article written out by a model from numbered sources, or the outline of it."""

import json

import pytest

from instep.writer import Change, Proposal, Report
from instep.writer.llm.article import (
    ContentBrief,
    brief_from_change,
    brief_from_task,
    prompt_for_article,
    with_article,
)
from instep.writer.new_articles.outline import ArticleRequest, write_article
from instep.writer.new_articles.outline_sources import SourcePassage

REQUEST = ArticleRequest(
    "Export your data", "Exports are made at night.\n\n1. Open the settings.\n2. Choose Export.\n"
)
SOURCES = [
    SourcePassage(
        "art_1", "Export formats", "Data exports hold one file, at most 20 MB of data.", "https://h.test/1"
    ),
    SourcePassage("art_2", "Pets", "Cats and dogs are welcome in all of our offices.", "https://h.test/2"),
]
RELATED = "## Related articles\n\n- [Export formats](https://h.test/1)\n"
GOOD = {"text": "Exports are made at night.", "sources": [0]}


def test_it_asks_with_the_request_and_the_passages_that_bear_on_it() -> None:
    question = prompt_for_article(brief_from_task(REQUEST, SOURCES), 40_000)

    assert question is not None
    assert "Exports are made at night." in question.user
    assert "at most 20 MB" in question.user
    assert "Cats and dogs" not in question.user
    assert "h.test" not in question.user
    assert question.max_total_tokens <= 40_000


def test_with_nothing_to_write_from_nothing_is_asked() -> None:
    assert prompt_for_article(brief_from_task(ArticleRequest("Export your data"), []), 40_000) is None


def test_it_is_written_out_and_links_to_its_sources() -> None:
    report, refused = written(
        GOOD,
        {"text": "## Data exports", "sources": [1]},
        {"text": "The file of an export holds at most 20 MB.", "sources": [0, 1]},
    )

    assert refused is None
    assert report.proposals[0].text == (
        "Exports are made at night.\n\n## Data exports\n\nThe file of an export holds at most 20 MB.\n\n"
        + RELATED
    )
    assert report.proposals[0].warnings == ()
    assert "The model scripted wrote it out" in report.proposals[0].reason


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        ({"text": "Exports are made.", "sources": []}, "it names no source"),
        ({"text": "Exports are made.", "sources": [9]}, "it names no source"),
        ({"text": "Exports are made.", "sources": [-1]}, "it names no source"),
        ({"text": "Exports hold 20 MB.", "sources": [0]}, "its sources don't say `20`"),
        ({"text": "Exports hold 30 MB.", "sources": [0, 1]}, "its sources don't say `30`"),
        ({"text": "Export with `acme export`.", "sources": [0]}, "its sources don't say `acme`"),
        (
            {"text": "Pots boil slowly on windy mountain evenings.", "sources": [0]},
            "it says what its sources",
        ),
        ({"text": "Export [here](https://h.test/1).", "sources": [0]}, "it brings in a link"),
        ({"text": "Export at www.evil.example.", "sources": [0]}, "it brings in a link"),
        ({"text": "Export ![x](https://evil.example/?q)", "sources": [0]}, "it brings in a picture"),
        ({"text": "Export <b>it</b>", "sources": [0]}, "it brings in markup"),
        ({"text": "[export]: /x", "sources": [0]}, "it brings in markup"),
        ({"text": "---\ntitle: Export\n---\n", "sources": [0]}, "it changes the front matter"),
        ({"text": "Ex\u200bports are made.", "sources": [0]}, "it brings in characters that nobody sees"),
    ],
)
def test_a_block_that_does_not_hold_is_left_out(block: dict[str, object], fault: str) -> None:
    report, refused = written(GOOD, block)

    assert refused is None
    assert report.proposals[0].text == f"{GOOD['text']}\n\n{RELATED}"
    [warning] = report.proposals[0].warnings
    assert warning.startswith(f"A part of the model was left out: {fault}")


def test_a_heading_whose_parts_fell_goes_with_them() -> None:
    report, _ = written(
        {"text": "## Data exports", "sources": [0, 1]},
        {"text": "It is 99 MB.", "sources": [1]},
        {"text": "## Export", "sources": [0]},
        GOOD,
    )

    assert report.proposals[0].text == f"## Export\n\n{GOOD['text']}\n\n{RELATED}"


@pytest.mark.parametrize(
    "blocks", [[], [{"text": "Made up.", "sources": [4]}], [{"text": " ", "sources": [0]}]]
)
def test_where_nothing_holds_it_is_the_outline(blocks: list[object]) -> None:
    outline = write_article(REQUEST, SOURCES)

    report, refused = written(*blocks)

    assert refused == "No part of its text holds."
    assert report.proposals[0].text == outline.proposals[0].text


def test_an_article_for_a_change_is_written_from_what_the_writer_gathered() -> None:
    gathered = Proposal("new_article", None, "Retry pause", "`RETRY_PAUSE` is 2 seconds.\n", "New.", (), ())
    report = Report((), 1.0, (gathered,), (), "One.")
    brief = brief_from_change(gathered, Change("Add RETRY_PAUSE", None, ""))
    assert brief == ContentBrief("Retry pause", "Add RETRY_PAUSE", (gathered.text,))
    reply = {"blocks": [{"text": "Set `RETRY_PAUSE` to seconds; it is 2.", "sources": [1]}]}

    outcome = with_article(brief, report, 0, json.dumps(reply), "scripted")

    assert outcome.report.proposals[0].text == "Set `RETRY_PAUSE` to seconds; it is 2.\n"


def written(*blocks: object) -> tuple[Report, str | None]:
    report = write_article(REQUEST, SOURCES)
    reply = json.dumps({"blocks": blocks})
    outcome = with_article(brief_from_task(REQUEST, SOURCES), report, 0, reply, "scripted")
    return outcome.report, outcome.refusal
