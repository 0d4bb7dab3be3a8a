"""Today's code without a past change, and the search for changes in the history."""

from pathlib import Path

import pytest

from instep.client.ci.code_of_today import open_code
from instep.client.ci.diff import select
from instep.client.ci.git import Git, GitFailed
from instep.client.ci.merged_changes import HistoryRange, address_of, list_merged, merged_change
from instep.platform.core.errors import InvalidRequest
from instep.platform.text.patch_parser import parse_diff
from tests.support.limits import SetLimit
from tests.support.repositories import Contents, Repository, new_repository

HOME = "git.example.com/acme/app"
LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = new_repository(tmp_path / "acme")
    repository.commit("Begin", {"a.py": LINES, "b.py": "b = 1\n" + LINES})
    return repository


def lines_of_today(repository: Repository, commit: str) -> list[str]:
    """The added and removed lines of a commit that remain at the head, each with its file."""
    git, head = Git(repository.folder), repository.git("rev-parse", "HEAD")
    with open_code(git, head) as code:
        selection = select(code.git, code.without(f"{commit}^", commit), head)
    return [
        f"{file.path} {line.mark}{line.text}"
        for file in parse_diff(selection.diff).files
        for line in file.lines()
        if line.mark != " "
    ]


def with_line(number: int, text: str) -> str:
    return LINES.replace(f"line {number}\n", f"{text}\n")


@pytest.mark.parametrize(
    ("change", "later", "lines"),
    [
        ({"a.py": with_line(7, "x")}, {}, ["a.py -line 7", "a.py +x"]),
        ({"a.py": with_line(7, "x")}, {"a.py": with_line(7, "y")}, ["a.py -line 7", "a.py +y"]),
        ({"a.py": with_line(7, "x")}, {"a.py": LINES}, []),
        (
            {"a.py": with_line(7, "x")},
            {"a.py": with_line(7, "x").replace("line 30\n", "z\n")},
            ["a.py -line 7", "a.py +x"],
        ),
        ({"a.py": with_line(7, "x")}, {"a.py": None}, []),
        (
            {"a.py": with_line(7, "x")},
            {"a.py": None, "c.py": with_line(7, "x")},
            ["c.py -line 7", "c.py +x"],
        ),
        ({"new.py": "n = 1\n"}, {"new.py": "n = 2\n"}, ["new.py +n = 2"]),
        ({"new.py": "n = 1\n"}, {"new.py": None}, []),
        ({"a.py": None}, {}, [f"a.py -line {number}" for number in range(40)]),
        ({"a.py": None}, {"a.py": "again\n"}, []),
        (
            {"a.py": None, "c.py": with_line(7, "x")},
            {},
            ["c.py -line 7", "c.py +x"],
        ),
        ({"a.py": with_line(7, "x")}, {"a.py": b"\0" + LINES.encode()}, []),
    ],
    ids=[
        "unchanged since",
        "changed again",
        "taken back",
        "changed elsewhere in the file",
        "deleted with its file",
        "moved with its file",
        "a new file, changed since",
        "a new file, deleted since",
        "a deleted file",
        "a deleted file that is back",
        "a renamed file",
        "a file that has become binary",
    ],
)
def test_a_change_is_what_stands_of_it_today(
    repository: Repository, change: dict[str, Contents], later: dict[str, Contents], lines: list[str]
) -> None:
    commit = repository.commit("Change", change)
    repository.commit("Later", {"other.py": "o = 1\n", **later})

    assert lines_of_today(repository, commit) == lines


def test_the_checkout_stays_as_it_is(repository: Repository) -> None:
    commit = repository.commit("Change", {"a.py": with_line(7, "x")})
    repository.commit("Later", {"a.py": with_line(7, "y")})
    objects = repository.git("count-objects")

    lines_of_today(repository, commit)

    assert repository.git("count-objects") == objects
    assert repository.git("status", "--porcelain") == ""


def test_a_file_that_is_too_large_to_merge_is_left_out(repository: Repository, set_limit: SetLimit) -> None:
    set_limit("MAX_MERGED_FILE_BYTES", 100)
    commit = repository.commit("Change", {"a.py": with_line(7, "x")})
    repository.commit("Later", {"a.py": with_line(7, "y")})

    assert lines_of_today(repository, commit) == []


@pytest.mark.parametrize(
    ("message", "kind", "title", "number"),
    [
        ("Raise the limit (#7)\n\nWhy.", "pr", "Raise the limit", "7"),
        ("Merge pull request #7 from acme/limits\n\nRaise the limit", "pr", "Raise the limit", "7"),
        ("Merge branch 'x' into 'main'\n\nRaise the limit\n\nSee merge request acme/app!7", "pr", None, "7"),
        ("Merged in limits (pull request #7)\n\nRaise the limit", "pr", "Raise the limit", "7"),
        ("Merged PR 7: Raise the limit", "pr", "Raise the limit", "7"),
        ('Revert "Raise the limit (#7)" (#8)', "pr", 'Revert "Raise the limit (#7)"', "8"),
        ("Raise the limit", "commit", "Raise the limit", None),
        ("Merge branch 'main' of git.example.com", "commit", "Merge branch 'main' of git.example.com", None),
        ("", "commit", "c" * 12, None),
    ],
)
def test_a_change_has_the_title_and_the_number_of_its_pull_request(
    message: str, kind: str, title: str | None, number: str | None
) -> None:
    change = merged_change("c" * 40, "b" * 40, message, HOME)

    assert (change.kind, change.title) == (kind, title or "Raise the limit")
    assert change.url is not None
    assert change.url.endswith(f"/{number}" if number else f"/{'c' * 40}")
    assert "See merge request" not in (change.description or "")


@pytest.mark.parametrize(
    ("home", "pull_request", "commit"),
    [
        ("github.com/acme/app", "/pull/7", "/commit/c"),
        ("gitlab.example.com/acme/app", "/-/merge_requests/7", "/-/commit/c"),
        ("bitbucket.org/acme/app", "/pull-requests/7", "/commits/c"),
        ("codeberg.org/acme/app", "/pulls/7", "/commit/c"),
    ],
)
def test_addresses_are_those_of_the_host(home: str, pull_request: str, commit: str) -> None:
    assert address_of(home, "c", "7", "") == f"https://{home}{pull_request}"
    assert address_of(home, "c", None, "") == f"https://{home}{commit}"


def titles(repository: Repository, history: HistoryRange) -> list[str]:
    head = repository.git("rev-parse", "HEAD")
    return [change.title for change in list_merged(Git(repository.folder), history, head, None)]


def test_the_history_is_that_of_the_first_parents_oldest_first(
    repository: Repository, set_limit: SetLimit
) -> None:
    repository.git("tag", "v1")
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit("Work", {"a.py": "a\n"})
    repository.commit("More work", {"a.py": "b\n"})
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "-m", "Merge pull request #1 from x/y\n\nOne", "feature")
    repository.commit("Two (#2)", {"b.py": "b\n"})

    assert titles(repository, HistoryRange(last=50)) == ["One", "Two"]
    assert titles(repository, HistoryRange(last=1)) == ["Two"]
    assert titles(repository, HistoryRange(since="2w")) == ["One", "Two"]
    assert titles(repository, HistoryRange(since="2020-01-31")) == ["One", "Two"]
    assert titles(repository, HistoryRange(revisions="v1..")) == ["One", "Two"]
    assert titles(repository, HistoryRange(revisions="HEAD~1..HEAD")) == ["Two"]
    set_limit("MAX_BACKFILL_CHANGES", 1)
    with pytest.raises(InvalidRequest, match="choose 1 at most"):
        titles(repository, HistoryRange(last=50))


def test_a_range_is_called_as_people_call_it() -> None:
    commit = "0123456789ab" + "c" * 28
    assert HistoryRange(since="2w").words == "the last 2 weeks"
    assert HistoryRange(since="2026-10-31").words == "all since 2026-10-31"
    assert HistoryRange(last=50).words == "the last 50 changes"
    assert HistoryRange(revisions=f"{commit}..v2").words == "0123456789ab..v2"


@pytest.mark.parametrize(
    "history",
    [
        HistoryRange(since="soon"),
        HistoryRange(since="30"),
        HistoryRange(revisions="v1"),
        HistoryRange(revisions="a...b"),
    ],
)
def test_a_range_that_is_none_is_refused(repository: Repository, history: HistoryRange) -> None:
    with pytest.raises(InvalidRequest, match="must be"):
        titles(repository, history)


def test_a_shallow_checkout_is_refused(repository: Repository, tmp_path: Path) -> None:
    repository.commit("Two", {"b.py": "b\n"})
    shallow = repository.clone(tmp_path / "shallow", "--depth=1")

    with pytest.raises(GitFailed, match="fetch-depth: 0"):
        titles(shallow, HistoryRange(last=1))
