"""The generated reference pages are committed as `make reference` writes them."""

from collections import Counter
from pathlib import Path

import pytest

from scripts.reference.limits import names_of, source
from scripts.reference.pages import PAGES, ROOT


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_a_page_is_what_the_code_says(path: Path) -> None:
    assert (ROOT / path).read_text() == PAGES[path](), "Run `make reference` and commit what it writes."


def test_no_limit_is_set_twice() -> None:
    counts = Counter(names_of(source()))

    assert [name for name, count in counts.items() if count > 1] == []
