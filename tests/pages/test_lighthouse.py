"""Lighthouse on the public pages, as a telephone sees them: a budget for the median of several runs.

`budget.json` states the least scores, from 0 to 100, and the audits that a page is not held to:
`robots-txt` because Lighthouse reads that file from within the page, whose policy allows no connection;
`is-crawlable` and `meta-description` because search engines are kept away from search results;
`link-text` because a collection may be called "Start".
"""

import json
import sys
from dataclasses import dataclass
from statistics import median

import pytest

from tests.browser.chromium import chromium_program
from tests.pages.catalogue import PAGES
from tests.pages.node import FOLDER, run_node
from tests.pages.stage import Stage
from tests.support.cast import Json

pytestmark = pytest.mark.lighthouse
BUDGET = json.loads((FOLDER / "budget.json").read_text())
# On a busy machine Lighthouse sometimes fails to record how a page loads.
MAX_ATTEMPTS = 3
CATEGORIES: dict[str, int] = BUDGET["leastScores"]


@dataclass(frozen=True, slots=True)
class Score:
    """What Lighthouse gives a page in one category."""

    page: str
    category: str
    # From 0 to 100: the median of the runs.
    score: float
    # The audits that cost it points in any run.
    failed_audits: list[str]

    @property
    def is_enough(self) -> bool:
        return self.score >= CATEGORIES[self.category]

    def __str__(self) -> str:
        return f"{self.page:<24}{self.category:<16}{self.score:>4.0f}  {' '.join(self.failed_audits)}"


async def test_public_pages_keep_the_budget(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    site = await stage.site("filled")
    page_states = [page_state for page_state in PAGES if page_state.name in BUDGET["pages"]]
    scores = [
        score
        for page_state in page_states
        for score in scores_of(page_state.name, site.url + page_state.path)
    ]

    with capsys.disabled():
        sys.stdout.write("\n".join(["", *map(str, scores), ""]))
    assert len(page_states) == len(BUDGET["pages"])
    assert [str(score) for score in scores if not score.is_enough] == []


def scores_of(name: str, url: str) -> list[Score]:
    skipped_audits = BUDGET["skippedAudits"] + BUDGET["pages"][name]["skippedAudits"]
    runs = [run_lighthouse(url, skipped_audits) for _ in range(BUDGET["runs"])]
    return [
        Score(
            page=name,
            category=category,
            score=median(100 * run["categories"][category]["score"] for run in runs),
            failed_audits=sorted({audit for run in runs for audit in failed_audits(run, category)}),
        )
        for category in CATEGORIES
    ]


def run_lighthouse(url: str, skipped_audits: list[str]) -> Json:
    options = ["--output=json", "--quiet", "--no-enable-error-reporting"]
    options += [f"--only-categories={','.join(CATEGORIES)}", "--chrome-flags=--headless=new --no-sandbox"]
    options += [f"--skip-audits={audit}" for audit in skipped_audits]
    for _ in range(MAX_ATTEMPTS):
        run = run_node("lighthouse/cli/index.js", url, *options, CHROME_PATH=chromium_program())
        if run.returncode == 0:
            report: Json = json.loads(run.stdout)
            return report
    pytest.fail(run.stderr)


def failed_audits(report: Json, category: str) -> list[str]:
    return [
        audit["id"]
        for audit in report["categories"][category]["auditRefs"]
        if audit["weight"]
        and (report["audits"][audit["id"]]["score"] or 0) < 0.9
        and report["audits"][audit["id"]]["scoreDisplayMode"] not in ("notApplicable", "manual")
    ]
