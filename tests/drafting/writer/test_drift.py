"""Past changes, judged by the code of today: what has made an article wrong, and what has not."""

from dataclasses import replace

import pytest

from instep.drafting.writer import Article
from instep.drafting.writer.drift.judging import CodeToday, Drift, PastChange, TodaysLine, judge
from instep.drafting.writer.drift.stated_names import stated_names

PATH = "app/cli.py"


def flag(name: str) -> str:
    return f"parser.add_argument('--{name}', type=int, default=30)"


def change(
    old: str, new: str | None, *names: str, stands: bool = True, title: str = "Change it"
) -> PastChange:
    """A commit that replaces one line of the code; the new line stands today as line 7."""
    added = [] if new is None else [f"+{new}"]
    lines = ["import argparse", f"-{old}", *added, " parser.parse_args()"]
    lines[0] = f" {lines[0]}"
    diff = f"--- a/{PATH}\n+++ b/{PATH}\n@@ -1,3 +1,{len(lines) - 1} @@\n" + "\n".join(lines) + "\n"
    standing = (TodaysLine(PATH, 2, PATH, 7),) if stands and new is not None else ()
    return PastChange("a" * 40, title, "2026-11-03", diff, names, standing)


def drifts(text: str, *changes: PastChange, gone: tuple[str, ...] = (), absent: str = "") -> list[Drift]:
    """What the changes, newest first, have made wrong in an article with this text."""
    article = Article("art_1", "Clean up", text)
    return judge([article], changes, CodeToday(frozenset(gone), frozenset(absent.split())))


def outcomes(found: list[Drift]) -> list[tuple[str, str, str]]:
    return [(drift.kind, drift.name, drift.edit.fact.new if drift.edit else "") for drift in found]


RENAME = change(flag("keep-days"), flag("retention-days"), "--keep-days")
TEXT = "Pass `--keep-days` to keep what is newer."


def test_a_rename_that_stands_today_is_found_where_it_stands() -> None:
    [drift] = drifts(TEXT, RENAME, gone=("--keep-days",))

    assert outcomes([drift]) == [("renamed", "--keep-days", "--retention-days")]
    assert (drift.source.file, drift.source.line) == (PATH, 7)


def test_a_name_that_the_code_still_has_is_not_wrong() -> None:
    assert drifts(TEXT, RENAME) == []


def test_of_two_renames_the_article_gets_the_last_name() -> None:
    first = change(flag("keep-days"), flag("store-days"), "--keep-days", stands=False)
    second = change(flag("store-days"), flag("retention-days"))

    found = drifts(TEXT, second, first, gone=("--keep-days",), absent="storedays")

    assert outcomes(found) == [("renamed", "--keep-days", "--retention-days")]


def test_a_name_without_a_successor_is_gone() -> None:
    removal = change(flag("keep-days"), None, "--keep-days")

    assert outcomes(drifts(TEXT, removal, gone=("--keep-days",))) == [("gone", "--keep-days", "")]


def test_a_value_is_wrong_if_the_line_of_the_new_one_stands_today() -> None:
    text = "The setting `max_upload_mb` is 10 by default."
    raised = change("max_upload_mb: int = 10", "max_upload_mb: int = 25")
    moved = change("max_upload_mb: int = 10", "max_upload_mb: int = 25", stands=False)

    assert outcomes(drifts(text, raised)) == [("value", "10", "25")]
    assert drifts(text, moved) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The flag `--keep-days` was removed in 2.0.", "--keep-days"),
        ("See https://example.com/keep_days for more.", "keep_days"),
        ("```python\nkeep_days = 3\n```\n", "keep_days"),
        ("Set `GOOGLE_APPLICATION_CREDENTIALS`.", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("Look into `/etc/app/settings`.", "/etc/app/settings"),
        ("Run `ALTER TABLE <table_name>`.", "table_name"),
    ],
)
def test_what_was_and_what_is_not_of_the_product_is_left_alone(text: str, name: str) -> None:
    line = flag(name.removeprefix("--")) if name.startswith("--") else f"{name} = os.environ['{name}']"

    assert drifts(text, change(line, None, name), gone=(name,)) == []


def test_a_variable_is_of_the_product_if_the_articles_have_more_of_its_kind() -> None:
    removal = change("days = os.environ['ACME_DAYS']", None, "ACME_DAYS")
    alone, among = "Set `ACME_DAYS`.", "Set `ACME_DAYS`, `ACME_URL` and `ACME_KEY`."

    assert drifts(alone, removal, gone=("ACME_DAYS",)) == []
    assert outcomes(drifts(among, removal, gone=("ACME_DAYS",))) == [("gone", "ACME_DAYS", "")]


@pytest.mark.parametrize("path", ["examples/compose/app.py", ".github/cli.py", "tests/test_cli.py"])
def test_examples_tests_and_ci_prove_nothing(path: str) -> None:
    elsewhere = replace(
        RENAME, diff=RENAME.diff.replace(PATH, path), standing=(TodaysLine(path, 2, path, 7),)
    )

    assert drifts(TEXT, elsewhere, gone=("--keep-days",)) == []


def test_the_target_of_a_link_to_another_article_is_left_alone() -> None:
    moved = change("link: url('guide/keep_days')", "link: url('guide/retention_days')", "keep_days")
    text = "See [days](https://acme.test/guide/keep_days) for more."

    assert outcomes(drifts(text, moved, gone=("keep_days",))) == [("renamed", "keep_days", "retention_days")]
    assert drifts(text.replace("https://acme.test", ""), moved, gone=("keep_days",)) == []


def test_names_and_values_are_listed_once_as_code_writes_them() -> None:
    text = "Set `page_size` to 10,000, or choose **Settings > Page size**.\n\n    app run --keep-days 30\n"

    stated = stated_names([Article("1", "A", text), Article("2", "B", text)], 100)

    assert {"page_size", "Settings", "Page size", "--keep-days"} <= set(stated.names)
    assert set(stated.values) >= {"10000", "30"}
    assert len(set(stated.names)) == len(stated.names)


def test_a_changelog_states_nothing() -> None:
    assert stated_names([Article("1", "Release notes", TEXT)], 100).names == ()
