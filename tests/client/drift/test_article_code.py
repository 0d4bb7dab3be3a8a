"""The code that is relevant to an article: lines around its rare names, and past changes, but no tests."""

from pathlib import Path

import pytest

from instep.client.ci.git import Git
from instep.client.drift.article_code import PartNames, code_of_articles
from instep.client.drift.evidence import Stated, read_evidence
from instep.platform.text.patch_parser import parse_diff
from tests.support.limits import SetLimit
from tests.support.repositories import new_repository

LINES = [f"value_{number} = {number}" for number in range(60)]
FILES: dict[str, str | bytes | None] = {
    "app/limits.py": "\n".join([*LINES, "MAX_FEATURES = 1000", *LINES]),
    "app/other.py": "\n".join(LINES),
    "app/odd.py": "x" * 9_000 + "\nMAX_FEATURES = 7\0\n",
    "tests/test_limits.py": "assert MAX_FEATURES == 1000\n",
    "t/limits.t": "MAX_FEATURES: 1000\n",
    ".github/workflows/ci.yml": "MAX_FEATURES: 1000\n",
}
NAMES = {
    "art_1": PartNames([], ["MAX_FEATURES", "absent_name"]),
    "art_2": PartNames([], ["absent_name"]),
    "art_3": PartNames([], ["value_7"]),
}


@pytest.fixture
def git(tmp_path: Path) -> Git:
    repository = new_repository(tmp_path / "app")
    repository.git("config", "user.name", "Alice")
    repository.git("config", "user.email", "alice@acme.test")
    repository.commit("Begin", FILES)
    return Git(repository.folder)


def test_an_article_gets_the_lines_around_its_names_as_a_diff_without_changes(git: Git) -> None:
    code = code_of_articles(git, "HEAD", NAMES, 5)

    assert code.keys() == {"art_1", "art_3"}
    [file] = parse_diff(code["art_1"]).files
    [hunk] = file.hunks
    assert (file.path, hunk.lines[0].new, len(hunk.lines)) == ("app/limits.py", 51, 21)
    assert {line.mark for line in hunk.lines} == {" "}
    assert (hunk.lines[10].new, hunk.lines[10].text) == (61, "MAX_FEATURES = 1000")
    assert {file.path for file in parse_diff(code["art_3"]).files} == {"app/limits.py", "app/other.py"}


def test_the_number_of_articles_and_the_files_are_bounded(git: Git, set_limit: SetLimit) -> None:
    def is_other(path: str) -> bool:
        return path == "app/other.py"

    assert code_of_articles(git, "HEAD", NAMES, 1).keys() == {"art_1"}
    assert code_of_articles(git, "HEAD", NAMES, 0) == {}
    assert code_of_articles(git, "HEAD", NAMES, 5, (), is_other).keys() == {"art_3"}
    set_limit("MAX_DRIFT_CHARACTERS", 1_000)
    assert code_of_articles(git, "HEAD", NAMES, 5).keys() == {"art_1"}


def test_a_file_that_is_named_as_the_article_comes_before_others(git: Git, set_limit: SetLimit) -> None:
    set_limit("MAX_ARTICLE_CODE_LINES", 21)

    for titles, path in (["Limits"], "app/limits.py"), (["About", "other"], "app/other.py"):
        code = code_of_articles(git, "HEAD", {"art_1": PartNames(titles, ["value_30"])}, 1)["art_1"]
        assert [file.path for file in parse_diff(code).files] == [path]


def test_an_article_gets_the_past_changes_that_removed_its_names(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "shop")
    repository.git("config", "user.name", "Alice")
    repository.git("config", "user.email", "alice@acme.test")
    old = "\n".join([*LINES, "add_option('--keep-days')", *LINES, ""])
    repository.commit("Begin", {"app/cli.py": old, "tests/test_cli.py": "run('--keep-days')\n"})
    new = old.replace("keep", "retention")
    repository.commit("Rename it", {"app/cli.py": new, "tests/test_cli.py": "run('--retention-days')\n"})
    git, names = (
        Git(repository.folder),
        {"art_1": PartNames([], ["--keep-days"]), "art_2": PartNames([], ["--never-there"])},
    )
    evidence = read_evidence(git, "HEAD", "HEAD", Stated(["--keep-days"], (), ()), "")

    code = code_of_articles(git, "HEAD", names, 5, [row.commit for row in evidence.commits])

    assert code.keys() == {"art_1"}
    [file] = parse_diff(code["art_1"]).files
    [hunk] = file.hunks
    assert (file.path, hunk.section[11:]) == ("app/cli.py", "Rename it")
    assert [line for line in hunk.lines if line.mark != " "] == [
        ("-", "add_option('--keep-days')", 61, 61),
        ("+", "add_option('--retention-days')", 62, 61),
    ]


def test_the_line_of_a_past_change_has_the_name_itself_and_not_a_longer_word(
    tmp_path: Path, set_limit: SetLimit
) -> None:
    set_limit("MAX_ARTICLE_PAST_LINES", 20)
    repository = new_repository(tmp_path / "shop")
    repository.git("config", "user.name", "Alice")
    repository.git("config", "user.email", "alice@acme.test")
    repository.commit("Begin", {"cli.py": "\n".join(["maximum = 3", *LINES, "add_option('--max')", ""])})
    repository.commit("Simplify it", {"cli.py": "main()\n"})
    git = Git(repository.folder)
    evidence = read_evidence(git, "HEAD", "HEAD", Stated(["--max"], (), ()), "")

    past = [row.commit for row in evidence.commits]
    code = code_of_articles(git, "HEAD", {"art_1": PartNames([], ["--max"])}, 5, past)

    assert "-add_option('--max')\n" in code["art_1"]
    assert "maximum" not in code["art_1"]
