"""`docs/README.md` links to every page, each in one of the four kinds of documentation."""

import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
KINDS = ("Tutorials", "How-to guides", "Reference", "Explanation")
TEXT = (DOCS / "README.md").read_text()


def test_every_page_is_in_exactly_one_kind() -> None:
    pages = {file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*.md")}
    articles = {page for page in pages if not page.endswith(("README.md", "/_collection.md"))}
    links = Counter(re.findall(r"^- \[.+\]\((.+\.md)\)$", TEXT, re.MULTILINE))

    assert set(links) == articles
    assert [page for page, count in links.items() if count > 1] == []


def test_parts_of_the_map_are_the_four_kinds() -> None:
    assert [title.split(":")[0] for title in re.findall(r"^## (.+)$", TEXT, re.MULTILINE)] == [*KINDS]


def test_a_link_says_the_title_of_its_page() -> None:
    for title, path in re.findall(r"^- \[(.+)\]\((.+\.md)\)$", TEXT, re.MULTILINE):
        titles = re.findall(r"^(?:title: |# )(.+)$", (DOCS / path).read_text(), re.MULTILINE)
        assert title == titles[0], path
