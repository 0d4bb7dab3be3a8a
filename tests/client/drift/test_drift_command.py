"""`instep drift` in a checkout, against a real server: it finds renamed and removed parts of the code."""

import json
from pathlib import Path

import pytest

from tests.client.review.test_draft_commands import Reviewer, ann
from tests.support.cast import Json
from tests.support.commands import CommandResult, run_command
from tests.support.repositories import Repository, new_repository
from tests.support.wording import like

__all__ = ["ann"]
OPTIONS = "parser.add_argument('--keep-days', type=int, default=30)\n"
MODES = "parser.add_argument('--legacy-mode', action='store_true')\n"
CODE = f"import argparse\n\nparser = argparse.ArgumentParser()\n{OPTIONS}{MODES}"
TEXT = (
    "# Clean up\n\nPass `--keep-days` to keep what is newer. With `--legacy-mode` all stays on disk.\n"
    "\nPass `--example-only` to your own program.\n"
)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    repository = new_repository(tmp_path / "app")
    repository.git("config", "user.name", "Alice")
    repository.git("config", "user.email", "alice@acme.test")
    repository.commit("Begin", {"app/cli.py": CODE, "docs/clean.md": TEXT})
    repository.git("tag", "v1")
    renamed = CODE.replace("--keep-days", "--retention-days")
    repository.commit("Rename the flag of the retention", {"app/cli.py": renamed})
    repository.commit("Drop the old mode", {"app/cli.py": renamed.replace(MODES, "")})
    monkeypatch.chdir(repository.folder)
    return repository


def drift(reviewer: Reviewer, *arguments: str) -> CommandResult:
    return run_command("drift", *arguments, **reviewer.environment)


def findings(reviewer: Reviewer, *arguments: str) -> list[Json]:
    found: list[Json] = answered(drift(reviewer, *arguments, "--json"))["findings"]
    return found


def answered(result: CommandResult) -> Json:
    """The JSON of a run with findings."""
    assert result.code == 3, result.err
    answer: Json = json.loads(result.out)
    return answer


def article(reviewer: Reviewer) -> Json:
    return reviewer.post("articles", {"title": "Clean up", "contentMarkdown": TEXT})


def test_a_renamed_flag_becomes_a_draft_and_a_gone_one_a_place(ann: Reviewer, checkout: Repository) -> None:
    written = article(ann)

    result = drift(ann, "--json")

    answer = answered(result)
    renamed, gone = answer["findings"]
    assert (renamed["kind"], renamed["old"], renamed["new"]) == ("renamed", "--keep-days", "--retention-days")
    assert (renamed["articleId"], renamed["line"]) == (written["id"], 3)
    assert (renamed["now"]["file"], renamed["now"]["line"]) == ("app/cli.py", 4)
    assert renamed["changed"]["title"] == "Rename the flag of the retention"
    draft = ann.get(f"drafts/{renamed['draftId']}")
    assert draft["source"]["kind"] == "drift"
    assert "`--retention-days`" in draft["contentMarkdown"]
    assert (gone["kind"], gone["old"], gone["new"], gone["now"]) == ("gone", "--legacy-mode", None, None)
    assert gone["changed"]["title"] == "Drop the old mode"
    place = ann.get(f"places/{gone['placeId']}")
    assert (place["source"]["kind"], place["line"]) == ("drift", 3)
    assert answer["articles"] >= 1


def test_a_second_check_writes_nothing_and_finds_what_waits(ann: Reviewer, checkout: Repository) -> None:
    article(ann)
    first = findings(ann)
    drafts, places = ann.get("drafts")["results"], ann.get("places")["results"]

    second = drift(ann, "--json")

    assert answered(second)["findings"] == first
    assert ann.get("drafts")["results"] == drafts
    assert ann.get("places")["results"] == places


def test_dismissed_findings_are_not_found_again(ann: Reviewer, checkout: Repository) -> None:
    article(ann)
    for finding in findings(ann):
        kind, id = ("drafts", finding["draftId"]) if finding["draftId"] else ("places", finding["placeId"])
        ann.post(f"{kind}/{id}/dismiss", {"reason": "not_needed"})

    result = drift(ann)

    assert (result.code, result.text) == (0, like("Nothing of…\n"))


def test_since_leaves_earlier_changes_out(ann: Reviewer, checkout: Repository) -> None:
    article(ann)

    assert [row["kind"] for row in findings(ann, "--since", "HEAD~1")] == ["gone"]
    assert len(findings(ann, "--since", "v1", "--limit", "1")) == 1


def test_the_report_names_line_code_commit_and_draft(ann: Reviewer, checkout: Repository) -> None:
    article(ann)

    result = drift(ann)

    assert result.code == 3
    assert result.out == like(
        "Clean up (…)\n  line 3: “--keep-days” is “--retention-days” in the code.\n…Rename the flag…edit_…"
        "  line 3: “--legacy-mode” is gone from the code.\n…Drop the old mode…plc_…"
    )


def test_sarif_has_a_result_for_each_finding(ann: Reviewer, checkout: Repository) -> None:
    written = article(ann)

    document = answered(drift(ann, "--sarif"))

    assert document["version"] == "2.1.0"
    [run] = document["runs"]
    assert [row["ruleId"] for row in run["results"]] == ["renamed", "gone"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == f"articles/{written['id']}"
    assert place["region"]["startLine"] == 3


def test_an_article_in_step_with_the_code_exits_0(ann: Reviewer, checkout: Repository) -> None:
    fields = {"title": "Clean up", "contentMarkdown": "Pass `--retention-days` to keep more."}
    sound = f"articles/{ann.post('articles', fields)['id']}"
    ann.post(f"{sound}/publish", {})

    assert drift(ann, "--since", "v1").code == 0
    assert ann.get(sound)["freshness"] is None
    assert drift(ann).code == 0
    shown = ann.get(sound)["freshness"]
    assert (shown["state"], shown["verifiedBy"]) == ("verified", "drift")
    assert shown["verifiedCommit"] == checkout.git("rev-parse", "HEAD").strip()


def test_a_folder_without_git_fails_and_says_so(ann: Reviewer, tmp_path: Path) -> None:
    result = drift(ann, str(tmp_path))

    assert (result.code, "not in a git checkout" in result.refusal) == (1, True)


def test_wrong_statements_in_a_part_become_places_that_name_it(ann: Reviewer, checkout: Repository) -> None:
    ann.post("parts", {"name": "flags", "text": TEXT.partition("\n\n")[2]})
    pages = [ann.post("articles", {"title": title, "contentMarkdown": "{{part.flags}}\n"}) for title in "AB"]

    found = findings(ann)

    assert {row["old"] for row in found} == {"--keep-days", "--legacy-mode"}
    assert {row["articleId"] for row in found} == {pages[0]["id"]}
    assert all(row["placeId"] and not row["draftId"] for row in found)
    places = ann.get("places")["results"]
    assert len(places) == 2
    summary = ann.get(f"tasks/{places[0]['taskId']}")["summary"]
    assert summary == like("0 articles…0 names…2 statements in parts must change.")
    assert all("{{part.flags}}, which 2 texts contain" in place["reason"] for place in places)
    assert [row["placeId"] for row in findings(ann)] == [row["placeId"] for row in found]
    for page in pages:
        assert ann.get(f"articles/{page['id']}")["contentMarkdown"] == "{{part.flags}}\n"


def test_a_place_of_a_part_counts_for_each_article_that_shows_it(ann: Reviewer, checkout: Repository) -> None:
    ann.post("parts", {"name": "flags", "text": TEXT.partition("\n\n")[2]})
    first = ann.post("articles", {"title": "A", "contentMarkdown": "{{part.flags}}\n"})
    found = findings(ann)
    other = ann.post("articles", {"title": "B", "contentMarkdown": "{{part.flags}}\n"})
    # Among the articles that show the part, published ones come first.
    ann.post(f"articles/{other['id']}/publish", {})

    assert [row["placeId"] for row in findings(ann)] == [row["placeId"] for row in found]
    assert {row["articleId"] for row in findings(ann)} == {first["id"]}
    assert ann.get(f"articles/{other['id']}")["freshness"] is None

    for row in found:
        ann.post(f"places/{row['placeId']}/dismiss", {"reason": "not_needed"})
    assert drift(ann).code == 0
    assert ann.get("places")["results"] == []
    assert ann.get(f"articles/{other['id']}")["freshness"]["state"] == "verified"


def test_a_later_check_of_the_commit_keeps_the_places_of_a_part(ann: Reviewer, checkout: Repository) -> None:
    ann.post("parts", {"name": "flags", "text": TEXT.partition("\n\n")[2]})
    ann.post("articles", {"title": "A", "contentMarkdown": "{{part.flags}}\n"})
    [first] = findings(ann, "--limit", "1")

    both = findings(ann)
    assert len(both) == len(ann.get("places")["results"]) == 2
    assert ann.get(f"places/{first['placeId']}")["status"] == "open"

    ann.post(f"places/{first['placeId']}/dismiss", {})
    assert [row["placeId"] for row in findings(ann)] == [both[1]["placeId"]]
