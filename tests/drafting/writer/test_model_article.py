"""A new article is written by a model from instructions and passages, or stays an outline."""

import pytest

from instep.drafting.writer import Report
from instep.drafting.writer.llm.article import prompt_for_article
from instep.drafting.writer.llm.model_step import ModelStep
from instep.drafting.writer.new_articles.outline import ArticleRequest, write_article
from instep.drafting.writer.new_articles.outline_sources import SourcePassage
from tests.support.model_replies import ScriptedModel

REQUEST = ArticleRequest(
    "Export your data", "Exports are made at night.\n\n1. Open the settings.\n2. Choose Export.\n"
)
SOURCES = [
    SourcePassage(
        "art_1", "Export formats", "Data exports hold one file, at most 20 MB of data.", "https://h.test/1"
    )
]
RELATED = "## Related articles\n\n- [Export formats](https://h.test/1)\n"
TEXT = "Exports are made at night and hold at most 20 MB.\n\n1. Open the settings.\n2. Choose **Export**."


async def written(*replies: object, max_tokens: int = 40_000) -> tuple[Report, ScriptedModel]:
    model = ScriptedModel(*replies)
    step = ModelStep(model, max_tokens)
    return await step.write(REQUEST, SOURCES, write_article(REQUEST, SOURCES)), model


async def test_article_is_written_from_the_request_and_links_to_the_passages() -> None:
    report, model = await written({"text": TEXT, "missing": ["How long is an export kept?"]})

    [draft] = report.proposals
    assert draft.text == f"{TEXT}\n\n{RELATED}"
    assert "Missing: How long is an export kept?" in draft.warnings
    assert "scripted" in draft.reason
    [prompt] = model.prompts
    assert "at most 20 MB" in prompt.user
    assert "h.test" not in prompt.user


@pytest.mark.parametrize(
    "reply",
    [
        "no JSON",
        {"blocks": []},
        {"text": " ", "missing": []},
        {"text": f"{TEXT}\n\nSee [more](https://evil.example/a).", "missing": []},
        {"text": f"{TEXT}\n\n<script>alert(1)</script>", "missing": []},
        {"text": f"{TEXT} Pass `--keep-forever`.", "missing": []},
    ],
)
async def test_if_it_does_not_hold_the_outline_stays(reply: object) -> None:
    report, _ = await written(reply)

    assert report.proposals == write_article(REQUEST, SOURCES).proposals
    assert "scripted was left out." in report.summary


@pytest.mark.parametrize(
    ("request_", "sources", "max_tokens"),
    [(ArticleRequest("Export your data"), [], 40_000), (REQUEST, SOURCES, 1_500)],
)
def test_nothing_is_asked_if_there_is_nothing_to_write_from_or_no_room(
    request_: ArticleRequest, sources: list[SourcePassage], max_tokens: int
) -> None:
    assert prompt_for_article(request_, sources, max_tokens) is None
