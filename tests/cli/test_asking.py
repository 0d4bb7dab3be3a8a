"""`instep ask` beside a running server: its links lead there, and its exit code says whether it answered."""

import json
import subprocess

from instep.cli.asking import NOT_ANSWERED
from tests.runtime.installation import COMMAND, Installation, installed
from tests.support.cast import Cast


def test_the_sources_of_an_answer_are_at_the_server_that_runs(database_url: str, cast: Cast) -> None:
    with installed(INSTEP_DATABASE_URL=database_url) as installation:
        del installation.environment["INSTEP_SITE_URL"]
        installation.serve("--no-jobs")
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


def publish_article(installation: Installation) -> None:
    text = "To export your invoices, open **Billing** and choose **Export invoices**.\n"
    api = installation.client()
    api.post("/v1/articles", json={"title": "Export invoices", "contentMarkdown": text}).raise_for_status()
    api.post("/v1/articles/export-invoices/publish").raise_for_status()


def ask(installation: Installation, question: str, *where: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "ask", question, *where, "--json"],
        env=installation.environment,
        cwd=installation.folder,
        capture_output=True,
        text=True,
        check=False,
    )
