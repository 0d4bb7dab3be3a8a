"""Hostile inputs from many collections: nothing outside the allow-list gets through, anywhere in a text."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.markdown import render, render_bounded
from tests.platform.core.test_markdown import Reader

pytestmark = pytest.mark.corpora

PLACES = {
    "alone": "{}",
    "in a line": "a {} b",
    "in a list": "- {}",
    "in a quote": "> {}",
    "as a link": "[a]({})",
    "as a title": "[a](https://a.test '{}')",
    "as an image": "![{}]({})",
    "as a reference": "[a]: {}\n\n[a]",
    "as code": "```{}\n{}\n```",
    "in a table": "| a |\n|---|\n| {} |",
    "as a heading": "# {}",
    "in details": "<details><summary>{}</summary>{}</details>",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_nothing_outside_the_allow_list_comes_through(corpora: Path, place: str) -> None:
    faults = []
    for payload in payloads(corpora):
        html = render(place.replace("{}", payload))
        if faults_of_page := Reader(html).faults:
            faults.append((payload, html, faults_of_page))

    assert faults == []


def test_cleaned_html_is_stable(corpora: Path) -> None:
    """Cleaning twice changes nothing: no payload becomes active in a second parser."""
    unstable = [payload for payload in payloads(corpora) if "<script" in render(render(payload)).lower()]

    assert unstable == []


def test_every_example_of_commonmark_is_safe(corpora: Path) -> None:
    examples = json.loads((corpora / "markdown" / "commonmark-spec.json").read_text())

    assert [e["example"] for e in examples if Reader(render(e["markdown"])).faults] == []
    assert len(examples) > 600


async def test_pathological_texts_end_in_time_or_are_refused(corpora: Path) -> None:
    for case in json.loads((corpora / "markdown" / "pathological.json").read_text()):
        text = "".join(part * count for part, count in case["parts"])[: limits.MAX_CONTENT_CHARACTERS]
        began = time.process_time()
        with suppress(InvalidRequest):
            await render_bounded(text)
        assert time.process_time() - began < 1, case["name"]


def payloads(corpora: Path) -> Iterator[str]:
    for row in json.loads((corpora / "xss" / "payloads.json").read_text()):
        yield row["payload"]
    for row in json.loads((corpora / "markdown" / "markdown-it-xss.json").read_text()):
        yield row["md"]
    for file in sorted((corpora / "html5lib" / "tree-construction").rglob("*.dat")):
        text = file.read_text(errors="replace")
        yield from re.findall(r"#data\n(.*?)\n#errors", text, re.DOTALL)
    for file in sorted((corpora / "html_fuzz").glob("*.testcase")):
        yield file.read_text(errors="replace")
