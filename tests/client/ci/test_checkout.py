"""The commits that delimit a change, and the title of the change."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from instep.client.ci.checkout import CodeChange, read_change
from instep.client.ci.environment import CiContext
from instep.client.ci.git import Git, GitFailed
from instep.platform.core import limits
from tests.support.limits import SetLimit
from tests.support.repositories import AFTER, BEFORE, TITLE, Contents, Repository, new_repository

NOTHING = CiContext()


def files(change: CodeChange) -> list[str]:
    return [line for line in change.selection.diff.splitlines() if line.startswith("diff --git")]


def test_without_a_ci_the_change_is_what_the_branch_has_beyond_the_default_branch(
    repository: Repository,
) -> None:
    change = read_change(repository.folder, NOTHING)

    assert (change.kind, change.title, change.url) == ("pr", TITLE, None)
    assert change.description == "Pictures are larger now."
    assert change.base == repository.git("merge-base", "main", "feature")
    assert change.head == repository.git("rev-parse", "feature")
    assert files(change) == ["diff --git a/app/config.py b/app/config.py"]


def test_change_is_the_same_in_any_folder_of_the_checkout(repository: Repository) -> None:
    assert files(read_change(repository.folder / "app", NOTHING)) == files(
        read_change(repository.folder, NOTHING)
    )


def test_uncommitted_files_are_no_part_of_the_change(repository: Repository) -> None:
    (repository.folder / "app" / "config.py").write_text("SECRET = 1\n")
    (repository.folder / "new.py").write_text("SECRET = 1\n")

    assert "SECRET" not in read_change(repository.folder, NOTHING).selection.diff


def test_a_checkout_of_a_merge_uses_the_commits_of_its_pull_request(repository: Repository) -> None:
    base, head = repository.git("rev-parse", "main"), repository.git("rev-parse", "feature")
    repository.git("checkout", "--quiet", "--detach", "main")
    repository.git("merge", "--quiet", "--no-ff", "feature")

    change = read_change(repository.folder, CiContext("pr", base, head, title="From the web"))

    assert (change.head, change.title, change.description) == (head, "From the web", None)
    assert files(change) == ["diff --git a/app/config.py b/app/config.py"]


def test_title_and_description_of_the_ci_override_the_commit(repository: Repository) -> None:
    context = CiContext(title="  A\n title ", url="https://git.test/7", description="Why.\n")

    change = read_change(repository.folder, context)

    assert (change.title, change.url, change.description) == ("A title", "https://git.test/7", "Why.")


@pytest.mark.parametrize("title", ["", "   \n", "\t"])
def test_an_empty_title_is_none(repository: Repository, title: str) -> None:
    assert read_change(repository.folder, CiContext(title=title)).title == TITLE


def test_titles_and_descriptions_are_as_long_as_a_task_takes(repository: Repository) -> None:
    context = CiContext(title="x" * 500, description="y" * 200_000)

    change = read_change(repository.folder, context)

    assert change.title == "x" * (limits.MAX_TITLE_CHARACTERS - 1) + "…"
    assert change.description == "y" * limits.MAX_CHANGE_BODY_CHARACTERS


def test_characters_invalid_in_json_or_postgresql_are_replaced(repository: Repository) -> None:
    change = read_change(repository.folder, CiContext(title="a\udcffb", description="a\0b\udcff"))

    assert (change.title, change.description) == ("a?b", "a\ufffdb?")


def test_a_commit_without_a_message_is_called_by_its_name(repository: Repository) -> None:
    repository.git("commit", "--quiet", "--amend", "--allow-empty-message", "--message", "")

    change = read_change(repository.folder, NOTHING)

    assert change.title == change.head[:12]


def test_a_message_in_another_encoding_is_read(repository: Repository) -> None:
    repository.git("config", "i18n.commitEncoding", "ISO-8859-1")
    message = repository.folder.parent / "message"
    message.write_bytes("Größe".encode("latin-1"))
    repository.git("commit", "--quiet", "--amend", "--file", str(message))

    assert read_change(repository.folder, NOTHING).title == "Größe"


@pytest.mark.parametrize("name", ["main", "v1", "origin-only", "main~0"])
def test_a_base_may_be_a_branch_a_tag_or_a_branch_at_origin(repository: Repository, name: str) -> None:
    repository.git("tag", "--annotate", "v1", "--message", "One", "main")
    repository.git("update-ref", "refs/remotes/origin/origin-only", "main")

    assert read_change(repository.folder, CiContext(base=name)).base == repository.git(
        "merge-base", "main", "feature"
    )


def test_the_default_branch_that_a_ci_names_goes_before_main(repository: Repository) -> None:
    repository.git("update-ref", "refs/remotes/origin/trunk", "feature")

    change = read_change(repository.folder, CiContext(default_branch="trunk"))

    assert change.selection.files == 0


def forced(repository: Repository) -> tuple[str, str]:
    """Replace a commit as a force push does; return the old one, which no longer exists, and the new one."""
    before = repository.git("rev-parse", "feature")
    repository.git("commit", "--quiet", "--amend", "--message", "Said otherwise")
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git("gc", "--quiet", "--prune=now")
    return before, repository.git("rev-parse", "feature")


def test_after_a_force_push_the_branch_is_compared_with_the_default_one(repository: Repository) -> None:
    before, head = forced(repository)

    change = read_change(repository.folder, CiContext("commit", before=before, head=head))

    assert change.base == repository.git("merge-base", "main", "feature")
    assert files(change) == ["diff --git a/app/config.py b/app/config.py"]
    assert change.note is not None
    assert before[:12] in change.note
    assert f"compared with main instead, starting at {change.base[:12]}." in change.note


def test_a_push_that_shares_no_history_with_what_it_replaces_is_compared_with_the_default_branch(
    repository: Repository,
) -> None:
    repository.git("checkout", "--quiet", "--orphan", "other")
    before = repository.commit("Another beginning", {"a.py": "A = 1\n"})
    repository.git("checkout", "--quiet", "--force", "feature")

    change = read_change(repository.folder, CiContext("commit", before=before))

    assert change.base == repository.git("merge-base", "main", "feature")
    assert change.note is not None


def test_an_ordinary_push_is_compared_with_the_commit_before_it(repository: Repository) -> None:
    before = repository.git("rev-parse", "feature")
    repository.commit("More", {"app/more.py": "MORE = 1\n"})

    change = read_change(repository.folder, CiContext("commit", before=before))

    assert (change.base, change.note) == (before, None)
    assert files(change) == ["diff --git a/app/more.py b/app/more.py"]


def test_a_shallow_checkout_of_a_push_asks_for_its_history(repository: Repository, tmp_path: Path) -> None:
    before = repository.git("rev-parse", "feature~1")
    shallow = repository.clone(tmp_path / "shallow", "--depth=1", "--branch=feature")

    with pytest.raises(GitFailed, match="the checkout is shallow"):
        read_change(shallow.folder, CiContext("commit", before=before))


MONOREPO: dict[str, Contents] = {
    "app/config.py": BEFORE,
    "web/src/page.ts": "export const title = 'Acme'\n",
    "web/dist/page.js": "x\n",
    "docs/web.md": "# Web\n",
}


@pytest.mark.parametrize(
    ("paths", "sent_paths"),
    [
        (["web"], ["web/src/page.ts"]),
        (["web/", "docs"], ["docs/web.md", "web/src/page.ts"]),
        (["*.md"], ["docs/web.md"]),
        ([":!web", ":!docs"], []),
        ([":(glob)**/*.ts"], ["web/src/page.ts"]),
        (["nowhere"], []),
        (["-p"], []),
    ],
)
def test_only_files_below_the_paths_are_sent(
    repository: Repository, paths: list[str], sent_paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    repository.commit("Web", MONOREPO)

    selection = read_change(repository.folder / "app", NOTHING, paths).selection

    assert [
        line.split(" b/")[1] for line in selection.diff.splitlines() if line.startswith("diff ")
    ] == sent_paths
    assert [file.file for file in selection.left_out] == (
        ["web/dist/page.js"] if paths[0][:3] == "web" else []
    )


@pytest.mark.parametrize("path", ["", "../elsewhere", ":(nonsense)web"])
def test_a_path_that_git_does_not_take_is_refused(repository: Repository, path: str) -> None:
    with pytest.raises(GitFailed, match="git failed"):
        read_change(repository.folder, NOTHING, [path])


def test_a_release_is_what_came_since_the_tag_before(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "main")
    repository.git("tag", "v1.0", "main~1")
    repository.git("tag", "v1.1")

    change = read_change(repository.folder, CiContext("release", title="v1.1"))

    assert (change.kind, change.base) == ("release", repository.git("rev-parse", "v1.0"))
    assert files(change) == ["diff --git a/app/other.py b/app/other.py"]


def test_a_shallow_checkout_without_the_base_says_how_to_fetch_it(
    repository: Repository, tmp_path: Path
) -> None:
    base, head = repository.git("rev-parse", "main"), repository.git("rev-parse", "feature")
    shallow = repository.clone(tmp_path / "shallow", "--depth=1", "--branch=feature")

    for context in (CiContext(base=base, head=head), CiContext(base="main")):
        with pytest.raises(GitFailed, match=r"shallow.*`fetch-depth: 0`.*`GIT_DEPTH: 0`.*--unshallow"):
            read_change(shallow.folder, context)


def test_a_shallow_checkout_of_both_says_that_history_is_missing(
    repository: Repository, tmp_path: Path
) -> None:
    shallow = repository.clone(tmp_path / "shallow", "--depth=1", "--no-single-branch", "--branch=feature")

    with pytest.raises(GitFailed, match="is shallow"):
        read_change(shallow.folder, CiContext(base="origin/main"))

    shallow.git("fetch", "--quiet", "--unshallow")
    assert read_change(shallow.folder, CiContext(base="origin/main")).selection.files == 1


def test_a_clone_without_files_of_old_commits_fetches_what_it_needs(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    partial = repository.clone(tmp_path / "partial", "--filter=blob:none", "--branch=feature")

    change = read_change(partial.folder, CiContext(base="main"))

    assert AFTER.splitlines()[1] in change.selection.diff


@pytest.mark.parametrize("name", ["f" * 40, "nowhere", "--output=x", "-p", "main..feature", "a b"])
def test_an_unknown_revision_is_named(repository: Repository, name: str) -> None:
    with pytest.raises(GitFailed, match="This checkout has no commit") as refusal:
        read_change(repository.folder, CiContext(base=name))

    assert name in refusal.value.message
    assert not (repository.folder / "x").exists()


def test_histories_without_a_common_commit_are_refused(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.commit("Another beginning", {"a.py": "A = 1\n"})

    with pytest.raises(GitFailed, match="with --base"):
        read_change(repository.folder, NOTHING)


def test_a_checkout_without_a_default_branch_asks_for_a_base(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "acme")
    repository.commit("Begin", {"a.py": "A = 1\n"})
    repository.git("branch", "--move", "work")

    with pytest.raises(GitFailed, match="--base"):
        read_change(repository.folder, NOTHING)


def test_outside_of_a_checkout_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    with pytest.raises(GitFailed, match="git checkout"):
        read_change(tmp_path, NOTHING)


def test_a_checkout_of_another_user_says_what_to_run(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    with pytest.raises(GitFailed, match=r"safe\.directory"):
        read_change(repository.folder, NOTHING)


def test_without_git_it_says_so(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository.folder))

    with pytest.raises(GitFailed, match="install it"):
        read_change(repository.folder, NOTHING)


Ask = Callable[[Git, str], object]


def whole(git: Git, command: str) -> object:
    return git.read(command)


def stream(git: Git, command: str) -> object:
    with git.reading(command) as output:
        return output.read()


@pytest.mark.parametrize("ask", [whole, stream])
def test_a_git_that_hangs_is_ended(
    repository: Repository, set_limit: SetLimit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ask: Ask
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    set_limit("GIT_SECONDS", 0.2)

    with pytest.raises(GitFailed, match=r"`git log` took longer than 0\.2 seconds"):
        ask(Git(repository.folder), "log")


@pytest.mark.parametrize("ask", [whole, stream])
def test_errors_of_git_are_passed_on(repository: Repository, ask: Ask) -> None:
    with pytest.raises(GitFailed, match=r"git failed: .*no-such-command"):
        ask(Git(repository.folder), "no-such-command")
