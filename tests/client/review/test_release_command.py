"""`instep release` in a checkout, against a real server."""

from pathlib import Path

import pytest

from tests.client.review.test_draft_commands import Reviewer, ann
from tests.support.cast import Json
from tests.support.commands import run_command
from tests.support.drafts import AFTER, BEFORE
from tests.support.repositories import Repository, new_repository
from tests.support.wording import like

__all__ = ["ann"]
HOME = "https://git.test/acme/app"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    repository = new_repository(tmp_path / "app")
    repository.git("remote", "add", "origin", f"{HOME}.git")
    repository.commit("Begin", {"a": "1"})
    repository.git("tag", "v1")
    repository.commit("Rename the command (#7)", {"a": "2"})
    monkeypatch.chdir(repository.folder)
    return repository


def approved(reviewer: Reviewer, number: int, *, is_approved: bool = True) -> tuple[Json, Json]:
    """Create an article and approve an edit of it from a pull request."""
    body = {"title": f"Article {number}", "contentMarkdown": BEFORE}
    article = reviewer.post("articles", body)
    body = {"contentMarkdown": AFTER, "sourceUrl": f"{HOME}/pull/{number}"}
    draft = reviewer.post(f"articles/{article['id']}/drafts", body)
    if is_approved:
        assert reviewer.draft("apply", draft["id"], "--release").text == like(
            f"{draft['id']} was approved…{article['id']}.\n"
        )
        assert ", approved for" in reviewer.draft("show", draft["id"]).text
    return article, draft


def test_the_range_of_a_deployment_releases_its_pull_requests(ann: Reviewer, checkout: Repository) -> None:
    article, draft = approved(ann, 7)
    other_article, _ = approved(ann, 8)

    released = run_command("release", "--range", "v1..HEAD", **ann.environment)

    assert (released.code, released.text) == (
        0,
        like(f"{draft['id']} was applied…{article['id']}.\n"),
    )
    assert ann.text_of(article) == AFTER
    assert ann.text_of(other_article) == BEFORE
    again = run_command("release", "--range", "v1..HEAD", **ann.environment)
    assert (again.code, again.text) == (0, like("No draft…\n"))


def test_named_addresses_are_released_too(ann: Reviewer, checkout: Repository) -> None:
    first, second = approved(ann, 7), approved(ann, 8)
    clash, conflict = approved(ann, 9)
    waiting = approved(ann, 10, is_approved=False)[1]
    ann.patch(clash, BEFORE.replace("`install`", "`bootstrap`"))
    urls = [part for number in (8, 9, 10) for part in ("--url", f"{HOME}/pull/{number}")]

    released = run_command("release", "--range", "v1..", *urls, "--json", **ann.environment).json

    assert {name: [row["id"] for row in rows] for name, rows in released.items()} == {
        "applied": [first[1]["id"], second[1]["id"]],
        "conflicts": [conflict["id"]],
        "waiting": [waiting["id"]],
    }


def test_nothing_named_and_a_bad_range_are_refused(ann: Reviewer, checkout: Repository) -> None:
    assert "Specify the shipped changes" in run_command("release", **ann.environment).refusal
    assert "two revisions" in run_command("release", "--range", "v1", **ann.environment).refusal


def test_a_draft_is_applied_in_part_dismissed_with_a_reason_and_reopened(ann: Reviewer) -> None:
    text = "".join(f"Line {number}.\n" for number in range(30))
    article = ann.post("articles", {"title": "Lines", "contentMarkdown": text})
    changed = text.replace("Line 3.", "Third.").replace("Line 20.", "Twentieth.")
    draft = ann.post(f"articles/{article['id']}/drafts", {"contentMarkdown": changed})

    assert ann.draft("apply", draft["id"], "--hunks", "2").code == 0
    assert ann.text_of(article) == text.replace("Line 20.", "Twentieth.")
    assert ann.draft("reopen", draft["id"]).text == like(f"{draft['id']} is waiting…\n")
    assert ann.text_of(article) == text
    dismissed = ann.draft("dismiss", draft["id"], "--reason", "later", "--comment", "After the summer.")
    assert dismissed.text == f"{draft['id']} was dismissed.\n"
    assert ann.draft("reopen", draft["id"], "--json").json["status"] == "pending"
    assert ann.draft("apply", draft["id"], "--hunks", "two").code == 2
    assert ann.draft("dismiss", draft["id"], "--reason", "boredom").code == 2
