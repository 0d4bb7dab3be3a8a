"""`instep place …` against a stand-in server: it prints places, and each decision reaches the API."""

import json

import pytest

from tests.client.ci.test_places import PLACE
from tests.client.ci.test_report import COMMANDS
from tests.support.cast import Json
from tests.support.ci_servers import BOT, Reply, Stand, standing
from tests.support.commands import CommandResult, run_command

LISTED = "GET /v1/places?page_size=100"


def place_command(stand: Stand, *arguments: str) -> CommandResult:
    return run_command(
        "place", *arguments, INSTEP_URL=stand.url, INSTEP_API_KEY="isk_x", INSTEP_BOT=BOT["id"]
    )


def page(*places: Json, has_more: bool = False) -> Reply:
    return Reply(200, {"results": list(places), "has_more": has_more, "next_cursor": None})


def test_places_are_listed_with_article_section_line_reason_and_code() -> None:
    with standing() as stand:
        stand.replies[LISTED] = [page(PLACE | {"version": "2.x"}, has_more=True)]
        listed, raw = place_command(stand, "list"), place_command(stand, "list", "--json")

    assert listed.out.split("\n")[:4] == [
        "plc_1  “Exports”, under “Schedule exports”, line 5",
        "  version 2.x",
        "  why     The change adds a button that this section does not name.",
        "  code    app/export.html:2  <b>Pause</b>",
    ]
    assert "newest 1" in listed.err
    assert json.loads(raw.out)["results"] == [PLACE | {"version": "2.x"}]


def test_a_place_is_listed_with_the_versions_of_its_article() -> None:
    with standing() as stand:
        stand.replies[LISTED] = [page(PLACE | {"sinceVersion": "1.x", "untilVersion": "2.x"})]
        assert "\n  since   1.x\n  until   2.x\n  why " in place_command(stand, "list").out


def test_an_empty_list_says_so_and_an_article_narrows_it() -> None:
    with standing() as stand:
        stand.replies[f"{LISTED}&article_id=exports"] = [page()]
        assert place_command(stand, "list", "--article", "exports").out == "No places need writing.\n"


@pytest.mark.parametrize(
    ("arguments", "body"),
    [
        (["resolve"], None),
        (["reopen"], None),
        (["dismiss"], None),
        (
            ["dismiss", "--reason", "not_needed", "--comment", "No."],
            {"reason": "not_needed", "comment": "No."},
        ),
    ],
)
def test_each_decision_is_sent(arguments: list[str], body: Json | None) -> None:
    act, *options = arguments
    with standing() as stand:
        stand.replies[f"POST /v1/places/plc_1/{act}"] = [Reply(200, {"id": "plc_1", "status": "settled"})]
        result = place_command(stand, act, "plc_1", *options)
        sent = stand.requests[-1].body

    assert (result.code, result.out) == (0, "plc_1 is settled.\n")
    assert (json.loads(sent) if sent else None) == body


def test_a_refusal_is_one_sentence_with_exit_code_1() -> None:
    with standing() as stand:
        refusal = {"error": "The place has been resolved already.", "code": "invalid_state"}
        stand.replies["POST /v1/places/plc_1/resolve"] = [Reply(400, refusal)]
        result = place_command(stand, "resolve", "plc_1")

    assert result.code == 1
    assert "been resolved" in result.err


@pytest.mark.parametrize("words", COMMANDS)
def test_words_of_others_command_no_terminal(words: str) -> None:
    hostile = PLACE | dict.fromkeys(("id", "articleTitle", "heading", "reason"), words)
    with standing() as stand:
        stand.replies[LISTED] = [page(hostile)]
        shown = place_command(stand, "list").out

    assert "\x1b" not in shown
    assert "##[" not in shown
