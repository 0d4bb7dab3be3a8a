"""`instep ask` and `instep import` while a server runs: their output and exit codes."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from instep.cli.asking import NOT_ANSWERED
from tests.support.cast import Cast
from tests.support.commands import Operator, run_command
from tests.support.installation import COMMAND, Installation, installed
from tests.support.wording import like


@pytest.fixture(scope="module")
def installation(database_url: str) -> Iterator[Installation]:
    """A server whose address the commands find by themselves."""
    with installed(INSTEP_DATABASE_URL=database_url) as served:
        del served.environment["INSTEP_SITE_URL"]
        served.serve("--no-jobs")
        yield served


def test_the_sources_of_an_answer_are_at_the_server_that_runs(installation: Installation, cast: Cast) -> None:
    installation.key = cast.acme.write_key
    publish_article(installation)
    where = ("--bot", cast.acme.slug, "--workspace", cast.acme.workspace_id)

    answer = ask(installation, "How do I export my invoices?", *where)
    declined = ask(installation, "Which hotels accept lamas?", *where)

    assert answer.returncode == 0, answer.stderr
    [source] = json.loads(answer.stdout)["sources"]
    assert source["url"].startswith(f"{installation.url}/help/{cast.acme.slug}/articles/export-invoices")
    assert declined.returncode == NOT_ANSWERED
    assert json.loads(declined.stdout)["answered"] is False


def test_the_address_of_an_import_is_at_the_server_that_runs(
    installation: Installation, cast: Cast, tmp_path: Path
) -> None:
    (tmp_path / "refunds.md").write_text("# Refunds\n\nYou get your money back within 14 days.\n")
    where = ("--bot", cast.acme.slug, "--workspace", cast.acme.workspace_id)

    imported = run(installation, "import", str(tmp_path), "--yes", *where)

    assert imported.returncode == 0, imported.stderr
    assert f"Imported: {installation.url}/help/{cast.acme.slug}/" in imported.stdout


@pytest.mark.parametrize(
    ("question", "refusal"),
    [("", "it is empty"), (" \n", "it is empty"), ("x" * 2_001, "…2000 characters")],
)
def test_a_question_that_visitors_may_not_ask_is_refused(question: str, refusal: str) -> None:
    assert run_command("ask", question).refusal == like(f"instep: `question`: {refusal}.")


async def test_without_a_bot_it_is_said_how_to_make_one(operator: Operator) -> None:
    workspace = await operator.json("workspace", "create", "Empty")

    refusal = await operator.refused("ask", "How do I export invoices?", "--workspace", workspace["id"])

    assert refusal == like("instep:…`instep bot create NAME`.")


@pytest.mark.parametrize(
    "arguments",
    [("ask", "How?"), ("import", ".", "--yes"), ("bot", "list"), ("migrate",), ("backup", "b.dump")],
)
def test_on_a_machine_without_an_installation_nothing_is_created_for_another_server(
    tmp_path: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INSTEP_DATABASE_URL", raising=False)
    folder = tmp_path / "data"
    environment = {"INSTEP_URL": "https://help.example", "INSTEP_DATA_DIR": str(folder)}
    refusal = run_command(*arguments, **environment).refusal

    assert refusal == like("instep:…on this machine…https://help.example, or unset INSTEP_URL…")
    assert not folder.exists()


def publish_article(installation: Installation) -> None:
    text = "To export your invoices, open **Billing** and choose **Export invoices**.\n"
    api = installation.client()
    api.post("/v1/articles", json={"title": "Export invoices", "contentMarkdown": text}).raise_for_status()
    api.post("/v1/articles/export-invoices/publish").raise_for_status()


def ask(installation: Installation, question: str, *where: str) -> subprocess.CompletedProcess[str]:
    return run(installation, "ask", question, *where, "--json")


def run(installation: Installation, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        env=installation.environment,
        cwd=installation.folder,
        capture_output=True,
        text=True,
        check=False,
    )
