"""`instep sync` in a real checkout against a real server."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.support.cast import Cast
from tests.support.ci_servers import BOT, Reply, standing
from tests.support.commands import CommandResult, run_command
from tests.support.file_samples import picture
from tests.support.repositories import Contents, Repository, new_repository
from tests.support.wording import like

A = "docs/help/a.md"
PAGE = "---\ntitle: A\n---\nOne\n\nTwo\n\nThree\n"


@dataclass(frozen=True, slots=True)
class Job:
    """A CI job with a checkout and a key."""

    repository: Repository
    api: httpx2.Client
    environment: dict[str, str]

    def sync(self, *options: str) -> CommandResult:
        return run_command("sync", "docs/help", *options, **self.environment)

    def sync_and_commit(self, *options: str) -> CommandResult:
        result = self.sync(*options)
        self.repository.commit("In step with the help center", {})
        return result

    def text_of(self, slug: str) -> str:
        return str(self.api.get(f"/v1/articles/{slug}").raise_for_status().json()["contentMarkdown"])

    def patch(self, slug: str, **fields: Any) -> None:
        self.api.patch(f"/v1/articles/{slug}", json=fields).raise_for_status()

    def file(self, path: str) -> str:
        return (self.repository.folder / path).read_bytes().decode()


@pytest.fixture
def job(server: str, cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Job]:
    repository = new_repository(tmp_path / "größe")
    repository.commit("Begin", {A: PAGE, "src/main.py": "pass\n", "docs/help/notes.txt": "Notes."})
    monkeypatch.chdir(repository.folder)
    environment = {"INSTEP_URL": server, "INSTEP_API_KEY": cast.acme.write_key}
    headers = {"Authorization": f"Bearer {cast.acme.write_key}"}
    with httpx2.Client(base_url=server, headers=headers, timeout=30) as api:
        yield Job(repository, api, environment)


def test_a_folder_and_the_help_center_follow_each_other(job: Job) -> None:
    first = job.sync()
    job.patch("a", contentMarkdown="One\n\nTwo\n\n3\n", title="A & B")
    dry = job.sync("--dry-run")
    told = job.sync_and_commit()
    job.repository.commit("Edit", {A: job.file(A).replace("One", "1")})
    job.patch("a", contentMarkdown="One\n\nTwo\n\n3\n\n4\n")
    merged = job.sync_and_commit()
    settled = job.sync()

    assert first.text == like("created   a.md  …\n")
    assert (dry.code, dry.out) == (
        3,
        like("written   a.md  …\n…dry run…\n"),
    )
    assert "written   a.md" in told.text
    assert "2 insertions(+), 2 deletions(-)\nCommit these changes.\n" in told.text
    assert merged.text.startswith("merged    a.md")
    assert job.file(A) == "---\ntitle: A & B\n---\n1\n\nTwo\n\n3\n\n4\n"
    assert job.text_of("a") == "1\n\nTwo\n\n3\n\n4\n"
    assert settled.text == like("…in sync.\n")


def test_pictures_names_of_all_scripts_and_renames_reach_the_help_center(job: Job) -> None:
    page = PAGE.replace("Two", "![Ein Bild](bilder/größe.png) [notes](notes.txt) ![no](x.svg)")
    files: dict[str, Contents] = {"docs/help/bilder/größe.png": picture(shade=9), "docs/help/x.svg": "<svg/>"}
    job.repository.commit("Pictures", {A: None, "docs/help/über.md": page, **files})

    created = job.sync("--json")
    job.repository.git("mv", "docs/help/über.md", "docs/help/01-größe.md")
    job.repository.commit("Rename and edit", {"docs/help/01-größe.md": page.replace("One", "1")})
    renamed = job.sync()

    assert [row["action"] for row in created.json["results"]] == ["created"]
    text = job.text_of("größe")
    assert text.count("/files/acme-") == 2
    assert text.startswith("1\n")
    assert "![no](x.svg)" in text
    assert renamed.text.startswith("renamed   01-größe.md  Renamed from über.md.\n")


def test_one_file_that_cant_be_synced_is_named_and_refuses_no_other(job: Job) -> None:
    folder = job.repository.folder / "docs/help"
    (folder / "link.md").symlink_to("a.md")
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'ab' * 32}\nsize 12345\n"
    files: dict[str, Contents] = {
        A: PAGE.replace("Two", "![p](p.png) [m](Guide.MD)"),
        "docs/help/Guide.MD": "\ufeff---\ntitle: Größe\n---\nText\n".encode("utf-16-le"),
        "docs/help/p.png": pointer,
    }
    job.repository.commit("Files", files)

    told = job.sync()

    assert "created   Guide.MD" in told.out
    assert "docs/help/link.md" in told.err
    assert "`git lfs pull`" in told.err
    assert job.text_of("guide") == "Text\n"


def test_files_that_git_lfs_has_fetched_are_synced_whole(job: Job) -> None:
    """The filter commits pointers instead of files, as Git LFS does."""
    pointer = f"version https://git-lfs.github.com/spec/v1\\noid sha256:{'ab' * 32}\\nsize 12345\\n"
    job.repository.git("config", "filter.lfs.clean", f"cat >/dev/null; printf '{pointer}'")
    files: dict[str, Contents] = {
        ".gitattributes": "*.png filter=lfs\n",
        A: PAGE.replace("Two", "![p](p.png)"),
        "docs/help/p.png": picture(shade=7),
    }
    job.repository.commit("Files", files)

    told = job.sync()

    assert told.err == ""
    assert "![p](/files/" in job.text_of("a")


def test_a_move_in_instep_is_a_rename_for_git(job: Job) -> None:
    one, two, three = (f"docs/help/0{number}-{name}.md" for number, name in ((1, "b"), (2, "c"), (3, "d")))
    linked = PAGE.replace("Two", "[C](02-c.md)")
    job.repository.commit("More", {A: None, one: linked, two: PAGE + "C\n", three: PAGE + "D\n"})
    job.sync()
    for slug, position in (("c", 3), ("d", 2)):
        job.patch(slug, position=position)

    dry = job.sync("--dry-run")
    told = job.sync_and_commit()
    changes = job.repository.git("diff", "--name-status", "-M", "HEAD~1", "HEAD")
    settled = job.sync()

    assert (dry.code, told.code) == (3, 0)
    assert "renamed   02-c.md  The file is now 03-c.md" in told.text
    assert changes.splitlines() == [
        f"M\t{one}",
        f"R100\t{three}\tdocs/help/02-d.md",
        f"R100\t{two}\tdocs/help/03-c.md",
    ]
    assert job.file(one) == linked.replace("02-c.md", "03-c.md")
    assert settled.text == like("…in sync.\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mkdocs.yml", "site_name: A\nnav:\n  - help/a.md\n"),
        ("zensical.toml", '[project]\nnav = ["help/a.md"]\n'),
        ("docs/docs.json", '{"navigation": {}}'),
        ("docs/help/SUMMARY.md", "* [A](a.md)\n"),
        ("sidebars.js", "module.exports = {}"),
    ],
)
def test_an_order_in_a_configuration_file_is_told_and_left(job: Job, name: str, text: str) -> None:
    job.repository.commit("More", {name: text, "docs/help/b.md": PAGE})
    job.sync()
    for slug, position in (("a", 9), ("b", 0)):
        job.patch(slug, position=position)

    told = job.sync()

    assert f"{name} sets the order" in told.text
    assert job.repository.git("status", "--porcelain") == ""
    assert job.sync().text == like("…in sync.\n")


def test_uncommitted_changes_and_folders_without_git_are_refused(job: Job, tmp_path: Path) -> None:
    (job.repository.folder / A).write_text("Changed.")
    unclean = job.sync()
    elsewhere = run_command("sync", str(tmp_path), **job.environment)
    nowhere = run_command("sync", "docs/none", **job.environment)

    assert "not committed" in unclean.refusal
    assert "git checkout" in elsewhere.refusal
    assert "docs/none is not a folder" in nowhere.refusal
    assert job.api.get("/v1/articles").json()["results"] == []


def test_a_forced_push_is_refused_and_a_restart_overwrites_nothing(job: Job) -> None:
    job.sync()
    job.repository.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "Another beginning")
    job.repository.commit("Edit", {A: PAGE.replace("Two", "2")})

    refused = job.sync()
    restarted = job.sync("--restart")

    assert "not an ancestor" in refused.refusal
    assert restarted.text.startswith("conflict  a.md")
    assert (job.text_of("a"), "\n2\n" in job.file(A)) == ("One\n\nTwo\n\nThree\n", True)


def test_a_shallow_clone_says_what_to_fetch(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job.sync()
    job.repository.commit("Edit", {A: PAGE.replace("Two", "2")})
    monkeypatch.chdir(job.repository.clone(tmp_path / "shallow", "--depth=1").folder)

    assert "`fetch-depth: 0`" in job.sync().refusal


def test_edits_beside_what_an_earlier_job_committed_are_merged(job: Job) -> None:
    job.sync()
    job.patch("a", contentMarkdown="One\nTwo\n\nThree\n")
    job.sync_and_commit()
    job.repository.commit("Edit", {A: job.file(A).replace("Two\n", "2\n")})

    assert job.sync().text.startswith("updated   a.md")
    assert job.text_of("a") == "One\n2\n\nThree\n"


@pytest.mark.parametrize(
    "path", ["../../outside.md", "/outside.md", ".GIT/hooks/x.md", "link/x.md", ".github/workflows/x.yml"]
)
def test_a_server_writes_nothing_but_pages_in_the_folder(job: Job, path: str) -> None:
    (job.repository.folder / "docs/help/link").symlink_to(job.repository.folder / "src")
    job.repository.commit("Link", {})
    answer = {"results": [], "missingAssets": [], "dryRun": False, "writes": [{"path": path, "content": "x"}]}
    replies = {
        "GET /v1/bots": [Reply(body={"results": [{**BOT, "isDefault": True}], "has_more": False})],
        "GET /v1/sync?folder=docs%2Fhelp": [Reply(body={"commit": None, "files": []})],
        "POST /v1/sync": [Reply(body=answer)],
    }
    with standing() as stand:
        stand.replies.update(replies)
        refused = run_command("sync", "docs/help", INSTEP_URL=stand.url, INSTEP_API_KEY="isk_x")

    assert (refused.code, refused.out) == (1, "")
    assert "not a page" in refused.err
    assert job.repository.git("status", "--porcelain") == ""
    sent = json.loads(stand.requests[-1].body)
    assert [row["path"] for row in sent["files"]] == ["a.md"]
