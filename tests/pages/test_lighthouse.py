"""Lighthouse on the public pages, as a telephone sees them: a budget for the median of several runs.

`budget.json` states the least scores, from 0 to 100, and the audits that a page is not held to: search
results are kept out of search engines on purpose.
"""

import json
import sys
from statistics import median

import pytest

from tests.browser.chromium import chromium_program
from tests.pages.catalogue import PAGES
from tests.pages.node import FOLDER, run_node
from tests.pages.stage import Stage

pytestmark = pytest.mark.lighthouse
BUDGET = json.loads((FOLDER / "budget.json").read_text())
CATEGORIES: dict[str, int] = BUDGET["leastScores"]


async def test_public_pages_keep_the_budget(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    site = await stage.site("filled")
    scores: dict[str, dict[str, float]] = {}
    for page_state in PAGES:
        if page_state.name in BUDGET["pages"]:
            skipped_audits = BUDGET["pages"][page_state.name]["skippedAudits"]
            scores[page_state.name] = median_scores(site.url + page_state.path, skipped_audits)

    with capsys.disabled():
        sys.stdout.write(table_of(scores))
    assert scores.keys() == BUDGET["pages"].keys()
    assert [
        f"{name}: {category} {score:.0f}, at least {CATEGORIES[category]}"
        for name, row in scores.items()
        for category, score in row.items()
        if score < CATEGORIES[category]
    ] == []


def median_scores(url: str, skipped_audits: list[str]) -> dict[str, float]:
    runs = [run_lighthouse(url, skipped_audits) for _ in range(BUDGET["runs"])]
    return {category: median(run[category] for run in runs) for category in CATEGORIES}


def run_lighthouse(url: str, skipped_audits: list[str]) -> dict[str, float]:
    """The score of each category, from 0 to 100."""
    options = ["--output=json", "--quiet", "--no-enable-error-reporting"]
    options += [f"--only-categories={','.join(CATEGORIES)}", "--chrome-flags=--headless=new --no-sandbox"]
    options += [f"--skip-audits={audit}" for audit in skipped_audits]
    run = run_node("lighthouse/cli/index.js", url, *options, CHROME_PATH=chromium_program())
    assert run.returncode == 0, run.stderr
    categories = json.loads(run.stdout)["categories"]
    return {category: 100 * categories[category]["score"] for category in CATEGORIES}


def table_of(scores: dict[str, dict[str, float]]) -> str:
    lines = [f"\n{'':<24}" + "".join(f"{category:>16}" for category in CATEGORIES)]
    lines += [
        f"{name:<24}" + "".join(f"{score:>16.0f}" for score in row.values()) for name, row in scores.items()
    ]
    return "\n".join(lines) + "\n"
