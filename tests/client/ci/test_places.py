"""A run lists the places where articles need words, and does not pass as if no article needed an edit."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from instep.client.ci.command import FAILED, WOULD_EDIT, send_change
from instep.client.ci.comment import comment_text, write_comment
from instep.client.ci.options import ChangeOptions
from instep.client.ci.report import Run, as_json, as_markdown, as_text
from instep.client.ci.shapes import Place, parse_shape
from instep.platform.core import limits
from tests.client.ci.test_comment import ACME, github, run
from tests.client.ci.test_report import COMMANDS, DRAFT, MARKDOWN
from tests.support.cast import Json
from tests.support.ci_servers import TASK, Reply, standing
from tests.support.repositories import Repository

PLACE: Json = {
    "id": "plc_1",
    "articleId": "art_1",
    "articleTitle": "Exports",
    "heading": "Schedule exports",
    "line": 5,
    "reason": "The change adds a button that this section does not name.",
    "evidence": [{"file": "app/export.html", "startLine": 2, "endLine": 2, "excerpt": " <b>Pause</b>"}],
    "status": "open",
}
LISTED: Json = {"id": "plc_1", "articleId": "art_1", "heading": "Schedule exports"}
LINES = f"GET /v1/places?task_id=task_1&page_size={limits.MAX_REPORTED_PLACES}"
ENVIRONMENT = {"INSTEP_API_KEY": "isk_x"}


def with_places(*places: Json, drafts: tuple[Json, ...] = ()) -> Run:
    ended = run(*drafts, outcome="drafts" if drafts else "places", places=[LISTED])
    return replace(ended, places=[parse_shape(Place, place) for place in places])


def test_a_log_names_article_section_line_and_why() -> None:
    assert as_text(with_places(PLACE)).split("\n")[3:] == [
        "Needs writing: “Exports”, under “Schedule exports”, line 5",
        "   why     The change adds a button that this section does not name.",
        "   code    app/export.html:2  <b>Pause</b>",
        "   write   https://help.test/app/acme-help/review/plc_1",
    ]
    assert "“Exports”, line 5" in as_text(with_places(PLACE | {"heading": None}))


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (with_places(PLACE), "1 place needs writing"),
        (with_places(PLACE, PLACE), "2 places need writing"),
        (with_places(PLACE, drafts=(DRAFT,)), "review, 1 place"),
        (with_places(), "all places are settled"),
    ],
)
def test_the_outcome_counts_places(ended: Run, words: str) -> None:
    for report in (as_text(ended), as_markdown(ended).replace("\\", ""), comment_text(ended, ACME)):
        assert words in report.split("\n")[0]
        assert "no article" not in report


def test_json_has_the_places_in_full() -> None:
    report = json.loads(as_json(with_places(PLACE)))

    assert (report["places"], report["placeDetails"]) == ([LISTED], [PLACE])


def test_the_comment_leads_to_the_place_and_counts_only_articles_without_an_edit() -> None:
    comment = comment_text(with_places(PLACE), ACME)

    link = "https://help.test/app/acme-help/review/plc_1"
    assert f"under “Schedule exports”, line 5]({link})** (needs writing)" in comment
    assert "does not name\\." in comment
    assert "change: 2" in comment


@pytest.mark.parametrize("words", [*MARKDOWN, *COMMANDS])
def test_words_of_others_do_nothing(words: str) -> None:
    hostile = with_places(PLACE | dict.fromkeys(("articleTitle", "heading", "reason"), words))

    assert not re.search(r"^\s*(::|##)|\x1b|##\w*\[", as_text(hostile), re.MULTILINE)
    assert "<b>" not in as_markdown(hostile)
    assert not re.search(r"[@#](?=\w)", comment_text(hostile, ACME))


def test_a_change_with_places_alone_gets_a_comment(tmp_path: Path) -> None:
    with github(tmp_path) as (host, environment):
        write_comment(with_places(PLACE), ACME, environment)

    assert "1 place needs writing" in host.comments[0]["body"]


@pytest.mark.parametrize(("places", "code"), [([PLACE], WOULD_EDIT), ([], 0)])
def test_a_check_fails_until_the_places_are_settled(
    repository: Repository, places: list[Json], code: int
) -> None:
    ended = TASK | {"status": "completed", "outcome": "places", "places": [LISTED]}
    with standing(poll=[Reply(200, ended)]) as stand:
        stand.replies[LINES] = [Reply(200, {"results": places})]
        environment = ENVIRONMENT | {"INSTEP_URL": stand.url}
        assert send_change(ChangeOptions(check=True), environment) == code
        assert send_change(ChangeOptions(wait=True), environment) == 0


def test_places_that_can_not_be_read_fail_the_run(repository: Repository) -> None:
    ended = TASK | {"status": "completed", "outcome": "places", "places": [LISTED]}
    with standing(poll=[Reply(200, ended)]) as stand:
        environment = ENVIRONMENT | {"INSTEP_URL": stand.url}
        assert send_change(ChangeOptions(check=True), environment) == FAILED
