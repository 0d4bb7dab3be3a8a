"""Past changes, judged against today's code: which of them made an article wrong."""

from dataclasses import replace

import pytest

from instep.drafting.writer import Article
from instep.drafting.writer.drift.judging import judge
from instep.drafting.writer.drift.past_changes import CodeToday, Drift, MovedFile, PastChange, TodaysLine
from instep.drafting.writer.drift.stated_names import stated_names

PATH = "app/cli.py"


def flag(name: str) -> str:
    return f"parser.add_argument('--{name}', type=int, default=30)"


def change(
    old: str, new: str | None, *names: str, stands: bool = True, title: str = "Change it"
) -> PastChange:
    """A commit that replaces one line of code; the new line is line 7 today."""
    added = [] if new is None else [f"+{new}"]
    lines = ["import argparse", f"-{old}", *added, " parser.parse_args()"]
    lines[0] = f" {lines[0]}"
    diff = f"--- a/{PATH}\n+++ b/{PATH}\n@@ -1,3 +1,{len(lines) - 1} @@\n" + "\n".join(lines) + "\n"
    standing = (TodaysLine(PATH, 2, PATH, 7),) if stands and new is not None else ()
    return PastChange("a" * 40, title, "2026-11-03", diff, names, standing)


def drifts(text: str, *changes: PastChange, gone: tuple[str, ...] = (), absent: str = "") -> list[Drift]:
    """The drift of an article with this text through these changes, newest first."""
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


def test_the_article_gets_the_last_of_two_renames() -> None:
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
def test_names_of_the_past_and_of_other_products_are_left_alone(text: str, name: str) -> None:
    line = flag(name.removeprefix("--")) if name.startswith("--") else f"{name} = os.environ['{name}']"

    assert drifts(text, change(line, None, name), gone=(name,)) == []


def test_an_argument_of_a_call_is_no_name_of_the_product() -> None:
    removal = change('    package_data={"acme": ["*.html"]},', None, "package_data")

    assert drifts("Use `package_data` in your `setup.py`.", removal, gone=("package_data",)) == []


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


def test_a_link_to_a_file_of_the_repository_follows_the_file() -> None:
    home = "https://github.com/Acme/App"
    text = f"See [one]({home}/blob/main/app/cli.py#L3), {home}/tree/main/old and {home}/blob/v1.2/app/cli.py."
    moves = (MovedFile("app/cli.py", "src/cli.py", RENAME), MovedFile("old", None, RENAME))
    today = CodeToday(frozenset(), frozenset(), moves, "github.com/acme/app")
    article = Article("art_1", "Clean up", text)

    assert outcomes(judge([article], [], today)) == [
        ("renamed", "app/cli.py", "src/cli.py"),
        ("gone", "old", ""),
    ]
    assert judge([article], [], replace(today, home="github.com/acme/other")) == []
    assert stated_names([article], 9).paths == ("github.com/acme/app/app/cli.py", "github.com/acme/app/old")


def test_a_name_that_the_change_only_uses_or_writes_again_is_not_gone() -> None:
    used = change("keep_days = load()", None, "keep_days")
    again = change(flag("keep-days"), flag("keep-days") + "  # days", "--keep-days")

    assert drifts("Set `keep_days`.", used, gone=("keep_days",)) == []
    assert drifts(TEXT, again, gone=("--keep-days",)) == []


def test_a_function_is_gone_only_with_another_name_from_around_it() -> None:
    removal = change("def load_yaml(path):", None, "load_yaml")
    text = "Call `load_yaml` to read it."

    assert drifts(text, removal, gone=("load_yaml",)) == []
    assert outcomes(drifts(f"{text} Or use `parse_args`.", removal, gone=("load_yaml",))) == [
        ("gone", "load_yaml", "")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## 2.1\n\nPass `--keep-days`.",
        "## Version 3.x\n\n### Flags\n\nPass `--keep-days`.",
        "## 2024-05-01\n\nPass `--keep-days`.",
    ],
)
def test_a_section_about_a_version_stays_true(text: str) -> None:
    assert drifts(text, RENAME, gone=("--keep-days",)) == []


@pytest.mark.parametrize(
    "text",
    [
        "`max_age` is 3600 (1 hour) by default.",
        "The default `age` is 3600.",
        "```yaml\nmax_age: 3600\n```\n",
    ],
)
def test_a_value_that_is_restated_or_of_a_common_word_is_left_alone(text: str) -> None:
    name = "max_age" if "max_age" in text else "age"

    assert drifts(text, change(f"{name}: int = 3600", f"{name}: int = 60")) == []


def test_names_and_values_are_listed_once_as_code_writes_them() -> None:
    text = "Set `page_size` to 10,000, or choose **Settings > Page size**.\n\n    app run --keep-days 30\n"

    stated = stated_names([Article("1", "A", text), Article("2", "B", text)], 100)

    assert {"page_size", "Settings", "Page size", "--keep-days"} <= set(stated.names)
    assert set(stated.values) >= {"10000", "30"}
    assert len(set(stated.names)) == len(stated.names)


def test_a_changelog_states_nothing() -> None:
    assert stated_names([Article("1", "Release notes", TEXT)], 100).names == ()
