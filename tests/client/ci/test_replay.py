"""`eval.replay`: the drafts that the writer would have made for a repository's commits, judged by hand."""

import json
from pathlib import Path

import pytest

from eval.replay.__main__ import main
from eval.replay.judgements import COLUMNS, InvalidTable, read_table, shares_of
from tests.support.repositories import Repository, new_repository

PAGE = "---\ntitle: Settings\n---\n\nThe setting `{name}` is {value} by default.\n"
CODE = "class Settings:\n    {name}: int = {value}\n    title: str = 'acme'\n"


@pytest.fixture
def history(tmp_path: Path) -> Repository:
    """A history in which the documentation follows the code, except in the last change."""
    repository = new_repository(tmp_path / "acme")
    before, after = {"name": "max_upload_mb", "value": 10}, {"name": "max_upload_mb", "value": 25}
    renamed = {"name": "max_upload_megabytes", "value": 25}
    repository.commit("Begin", {"app/config.py": CODE.format(**before)})
    repository.commit("Document | it", {"docs/settings.md": PAGE.format(**before)})
    repository.commit(
        "Raise | the limit",
        {"app/config.py": CODE.format(**after), "docs/settings.md": PAGE.format(**after)},
    )
    repository.commit("Rename the limit", {"app/config.py": CODE.format(**renamed)})
    return repository


def replay(repository: Repository, folder: Path, *options: str) -> int:
    return main([str(repository.folder), "docs", "--output", str(folder), *options])


def test_each_change_of_code_is_drafted_from_the_documentation_before_it(
    history: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(history, tmp_path / "out") == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["changes"], figures["drafts"], figures["judged"]) == (2, 2, 0)
    page = (tmp_path / "out" / "drafts.md").read_text()
    assert "-The setting `max_upload_mb` is 10 by default." in page
    assert "+The setting `max_upload_mb` is 25 by default." in page
    assert "+The setting `max_upload_megabytes` is 25 by default." in page
    assert "`app/config.py:2` for line" in page
    assert "word for word" not in page
    drafts = read_table((tmp_path / "out" / "judgements.md").read_text())
    assert [draft.article for draft in drafts] == ["settings.md", "settings.md"]
    assert drafts[1].change.endswith("Raise | the limit")


def test_documentation_may_stay_in_the_diffs(history: Repository, tmp_path: Path) -> None:
    assert replay(history, tmp_path / "out", "--with-docs") == 0
    assert "word for word" in (tmp_path / "out" / "drafts.md").read_text()


def test_changes_are_chosen_by_path_and_by_number(
    history: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(history, tmp_path / "none", "--code", "frontend") == 0
    assert json.loads(capsys.readouterr().out)["changes"] == 0
    assert replay(history, tmp_path / "one", "--every", "2") == 0
    assert json.loads(capsys.readouterr().out)["changes"] == 1
    assert replay(history, tmp_path / "last", "--last", "1") == 0
    assert "Rename the limit" in (tmp_path / "last" / "drafts.md").read_text()


def test_a_filled_in_table_gives_the_shares_and_is_kept_by_the_next_run(
    history: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay(history, tmp_path / "out")
    table = tmp_path / "out" / "judgements.md"
    rows = table.read_text().splitlines()
    rows[2] = rows[2].removesuffix("|  |  |") + "| apply | says what the code says |"
    table.write_text("\n".join(rows))
    capsys.readouterr()
    assert main(["--shares", str(table)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["judged"], figures["apply"], figures["shares"]["apply"]) == (1, 1, 1.0)
    assert figures["by_kind"]["certain"]["drafts"] == 2
    replay(history, tmp_path / "out")
    assert "| apply | says what the code says |" in table.read_text()


def test_a_table_that_cannot_be_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = f"| {' | '.join(COLUMNS)} |\n"
    with pytest.raises(InvalidTable, match="Line 2 says `maybe`: write apply, correct or dismiss"):
        read_table(f"{head}| 1 | a | b | likely | maybe | |\n")
    with pytest.raises(InvalidTable, match="Line 2 has 2 cells instead of 6"):
        read_table(f"{head}| 1 | a |\n")
    assert shares_of(read_table(head))["shares"]["apply"] is None
    assert main(["--shares", str(tmp_path / "missing.md")]) == 2
    assert "missing.md" in capsys.readouterr().err
