"""The history of a checkout: commits that removed names and values, and the parts of them that are sent."""

from pathlib import Path

import pytest

from instep.client.ci.git import Git
from instep.client.drift.code_lines import is_code
from instep.client.drift.evidence import CheckoutEvidence, Stated, read_evidence
from tests.support.repositories import Repository, new_repository

OPTION = "add_option('--keep-days', default=30)\n"
RENAMED = OPTION.replace("keep", "retention")
RAISED = RENAMED.replace("30", "90")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = new_repository(tmp_path / "app")
    repository.git("config", "user.name", "Alice")
    repository.git("config", "user.email", "alice@acme.test")
    repository.commit("Begin", {"app/cli.py": OPTION, "docs/cli.md": "Pass `--keep-days`.\n"})
    return repository


def evidence_of(repository: Repository, *names: str, values: tuple[str, ...] = ()) -> CheckoutEvidence:
    return read_evidence(Git(repository.folder), "HEAD", "HEAD", Stated(names, values, ()), "")


def test_only_hunks_with_a_name_that_is_gone_are_sent(repository: Repository) -> None:
    commit = repository.commit("Rename it", {"app/cli.py": RENAMED, "app/secret.py": "TOKEN = 1\n"})

    evidence = evidence_of(repository, "--keep-days", "--retention-days", "--never-there")

    assert list(evidence.gone_names) == ["--keep-days", "--never-there"]
    [sent] = evidence.commits
    assert (sent.commit.commit, sent.commit.title) == (commit, "Rename it")
    assert sent.commit.names == {"--keep-days"}
    assert sent.commit.diff == (f"--- a/app/cli.py\n+++ b/app/cli.py\n@@ -1,1 +1,1 @@\n-{OPTION}+{RENAMED}")
    [place] = sent.standing
    assert (place.file, place.line, place.file_today, place.line_today) == ("app/cli.py", 1, "app/cli.py", 1)
    assert "keepdays" in evidence.absent_keys
    assert "retentiondays" not in evidence.absent_keys


def test_a_replaced_value_that_articles_state_is_sent(repository: Repository) -> None:
    repository.commit("Rename it", {"app/cli.py": RENAMED})
    repository.commit("Keep more", {"app/cli.py": RAISED})

    evidence = evidence_of(repository, "--retention-days", values=("30",))

    assert [sent.commit.title for sent in evidence.commits] == ["Keep more"]
    assert evidence_of(repository, "--retention-days", values=("31",)).commits == []


def test_a_name_in_another_spelling_or_place_still_stands(repository: Repository) -> None:
    repository.commit("Move it", {"app/cli.py": None, "lib/settings.py": "keep_days = 30\n"})

    evidence = evidence_of(repository, "--keep-days", "lib/settings.py")

    assert (list(evidence.gone_names), evidence.commits) == ([], [])


def test_a_variable_stands_if_a_prefix_is_all_that_the_code_lacks(repository: Repository) -> None:
    names = ("ACME_KEEP_DAYS", "ACME_KEEP_DAYS_FILE", "ACME_STORE_DAYS", "ACME_DAYS")

    assert list(evidence_of(repository, *names).gone_names) == ["ACME_STORE_DAYS", "ACME_DAYS"]


def test_a_linked_file_or_folder_has_its_path_of_today(repository: Repository) -> None:
    code = "".join(f"step_{number}()\n" for number in range(9))
    repository.commit("Add", {"a/one.py": code, "a/two.py": code + "more()\n", "old.py": "x = 1\n"})
    repository.commit(
        "Move", {"a/one.py": None, "a/two.py": None, "b/one.py": code, "b/two.py": code + "more()\n"}
    )
    commit = repository.commit("Drop", {"old.py": None, "b/one.py": None, "c/one.py": code})

    home = "github.com/acme/app"
    paths = [f"{home}/{path}" for path in ("a/one.py", "a", "old.py", "b/two.py", "never.py")]
    stated = Stated((), (), [*paths, "github.com/acme/other/old.py"])
    moves = read_evidence(Git(repository.folder), "HEAD", "HEAD", stated, home).moves

    assert [(move.old, move.new) for move in moves] == [
        ("a", "b"),
        ("a/one.py", "c/one.py"),
        ("old.py", None),
    ]
    assert (moves[-1].commit, moves[-1].title) == (commit, "Drop")


def test_a_commit_that_renames_a_name_everywhere_is_sent_in_part(repository: Repository) -> None:
    files = [f"app/page_{number}.html" for number in range(30)]
    repository.commit("Link", dict.fromkeys(files, "<a href='https://docs.acme.test/a'>\n"))
    repository.commit("Move", dict.fromkeys(files, "<a href='https://help.acme.test/a'>\n"))

    [sent] = evidence_of(repository, "docs.acme.test").commits

    assert (sent.commit.title, len(sent.commit.hunks)) == ("Move", 20)


def test_a_file_that_an_article_names_without_a_link_has_its_path_of_today(repository: Repository) -> None:
    repository.commit("Move", {"app/cli.py": None, "lib/cli.py": OPTION})

    evidence = read_evidence(Git(repository.folder), "HEAD", "HEAD", Stated((), (), ["app/cli.py"]), "")

    assert [(move.old, move.new) for move in evidence.moves] == [("app/cli.py", "lib/cli.py")]


def test_commits_whose_files_are_missing_are_left_out_and_counted(repository: Repository) -> None:
    repository.commit("Rename it", {"app/cli.py": RENAMED})
    blob = repository.git("rev-parse", "HEAD:app/cli.py").strip()
    repository.commit("Raise it", {"app/cli.py": RAISED})
    (repository.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()

    evidence = evidence_of(repository, "--keep-days", "app/cli.py", values=("30",))

    assert (evidence.commits, evidence.unread) == ([], 2)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("app/cli.py", True),
        ("locales/en.json", True),
        ("docs/conf.py", False),
        ("README.md", False),
        ("app/migrations/0002_rename.py", False),
        ("node_modules/left/index.js", False),
        ("poetry.lock", False),
    ],
)
def test_documentation_migrations_and_the_code_of_others_do_not_count(path: str, expected: bool) -> None:
    assert is_code(path) is expected
