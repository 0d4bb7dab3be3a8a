"""`eval.model.editor`: writes the editor's prompts for people and checks their answers."""

import json
from pathlib import Path

from eval.model.editor import COLUMNS, Sample, score, with_mistakes
from instep.drafting.writer.llm.rewording import Request

TEXT = "Exports are finished overnight | because `exporting` needs several minutes of processing.\n"


def samples() -> list[Sample]:
    text, misspelled = with_mistakes(TEXT)
    return [
        Sample("acme-1", Request("fix", "Exports", "", text, ""), misspelled),
        Sample("acme-2", Request("shorten", "Exports", "Intro.\n\n", TEXT, ""), {}),
    ]


async def test_answers_are_checked_in_the_next_run(tmp_path: Path) -> None:
    first = await score(samples(), tmp_path)
    (tmp_path / "001.answer.txt").write_text(json.dumps({"text": TEXT, "note": "Fixed."}))
    (tmp_path / "002.answer.txt").write_text(json.dumps({"text": "See https://evil.ru/.", "note": ""}))
    second = await score(samples(), tmp_path)

    assert first["by_intent"] == {
        "fix": {"prompts": 1, "refused": 1},
        "shorten": {"prompts": 1, "refused": 1},
    }
    assert second["by_intent"] == {
        "fix": {"prompts": 1, "proposed": 1},
        "shorten": {"prompts": 1, "refused": 1},
    }
    assert second["misspelled_words"] == {"right": 1}
    _, _, *rows = (tmp_path / "proposals.md").read_text().splitlines()
    assert [row.count("|") for row in rows] == [len(COLUMNS) + 1]


def test_names_and_code_are_not_misspelled() -> None:
    text, misspelled = with_mistakes("See `finished`, finished.html and [overnight](minutes).\n" * 9)

    assert (text.count("finished"), misspelled) == (18, {})
