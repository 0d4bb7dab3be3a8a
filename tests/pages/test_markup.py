"""The HTML of every page is valid as the server sends it.

One obsolete attribute is allowed: `align` in cells, because the policy forbids inline styles.
"""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.pages.catalogue import PAGES
from tests.pages.node import FOLDER, run_node
from tests.support.stage import Stage
from tests.support.visit import visiting

pytestmark = pytest.mark.people


async def test_every_page_is_valid_html(chromium: Browser, stage: Stage, tmp_path: Path) -> None:
    for page_state in PAGES:
        async with visiting(chromium, stage, page_state) as visit:
            (tmp_path / f"{page_state.slug}.html").write_text(visit.html)

    configuration = str(FOLDER / "html-validate.json")
    check = run_node(
        "html-validate/bin/html-validate.mjs", "--config", configuration, "--formatter=text", str(tmp_path)
    )
    assert check.returncode == 0, check.stdout + check.stderr
