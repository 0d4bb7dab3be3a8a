"""Real exports and API responses of other products, and articles that are converted to HTML and back."""

import gzip
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from selectolax.lexbor import LexborHTMLParser

from instep.platform.core.markdown import render
from instep.transfer.imports.html.convert import to_markdown
from instep.transfer.imports.readers.intercom import READER as INTERCOM
from instep.transfer.imports.readers.wordpress import READER as WORDPRESS
from instep.transfer.imports.readers.zendesk import READER as ZENDESK
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.corpora.conftest import DATA
from tests.support.import_sources import Files, files_below, read_tree

pytestmark = pytest.mark.corpora
IMPORTS = DATA / "imports"
PRODUCTS = ("fastapi", "healthchecks", "polar", "procrastinate")
HELP = Path(__file__).parents[2] / "docs" / "help"
ARTICLES_PER_PRODUCT = 75
MIN_CHARACTERS, MAX_CHARACTERS = 400, 40_000
# The share of words that a conversion may lose, and the share of articles that must keep their structure.
MAX_LOST_WORDS = 0.0005
MIN_SAME_STRUCTURE = 0.98
COUNTED = (
    *(
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "blockquote",
        "pre",
        "hr",
        "table",
        "tr",
        "th",
        "td",
    ),
    *("details", "summary", "em", "strong", "del", "a", "img", "code", "sup", "sub", "kbd", "input"),
    *("div.markdown-alert", "th[align]", "td[align]"),
)
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def tree_of(name: str) -> Mapping[str, bytes]:
    return files_below(IMPORTS / name / "tree").contents


def expected(name: str) -> Any:
    return json.loads((IMPORTS / name / "expected.json").read_bytes())


def test_the_answers_of_zendesk_are_read_with_ids_parents_and_locales() -> None:
    tree, figures = read_tree(ZENDESK, tree_of("zendesk-json")), expected("zendesk-json")
    assert [(each.key, each.title, each.parent) for each in tree.collections] == [
        *((f"category-{row['id']}", row["name"], None) for row in figures["categories"]),
        *((f"section-{row['id']}", row["name"], f"category-{row['parent']}") for row in figures["sections"]),
    ]
    assert [(page.key, page.title, page.collection, page.locale) for page in tree.pages] == [
        (str(row["id"]), row["name"], f"section-{row['parent']}", "en-US") for row in figures["articles"]
    ]
    assert [f"{tree.sites[0]}{page.address}" for page in tree.pages] == [
        row["html_url"] for row in figures["articles"]
    ]
    assert tree.pages[0].markdown == "### title\n\nbody\n"


def test_the_vendors_examples_of_intercom_are_read() -> None:
    examples = json.loads(tree_of("intercom-api")["examples.json"])
    lists = ("GET /articles", "GET /help_center/collections")
    answers = {f"{n}.json": next(iter(examples[name].values())) for n, name in enumerate(lists)}
    single = examples["GET /articles/{article_id}"]["200 Article found"]
    redirects = examples["GET /help_center/help_centers/{help_center_id}/redirects"]["200 Successful"]
    tree = read_tree(INTERCOM, {**answers, "2.json": single, "3.json": redirects})
    articles = [*answers["0.json"]["data"], single]
    assert {page.key: page.title for page in tree.pages} == {row["id"]: row["title"] for row in articles}
    assert [(each.key, each.title, each.parent) for each in tree.collections] == [
        ("159", "English collection title", None),
        ("160", "English section title", "159"),
    ]


@pytest.mark.parametrize("name", sorted(expected("wordpress-wxr")) if IMPORTS.is_dir() else [])
def test_exports_of_wordpress_are_read_whole_or_refused_with_the_line(name: str) -> None:
    figures = expected("wordpress-wxr")[name]
    files = {name: tree_of("wordpress-wxr")[name]}
    if "not_well_formed" in figures:
        line = re.search(r"line \d+", figures["not_well_formed"])
        assert line is not None
        with pytest.raises(UnreadableSource, match=rf"not well-formed XML \({line[0]},"):
            WORDPRESS.read(Files(files))
        return
    pages = {page.title: page for page in read_tree(WORDPRESS, files).pages}
    rows = [
        row for row in figures["list"] if row["type"] != "attachment" and not row["type"].startswith("wp_")
    ]
    assert set(pages) == {row["title"] for row in rows}
    for row in rows:
        page = pages[row["title"]]
        assert (page.slug, page.status) == (row["slug"], "draft" if row["status"] == "draft" else "published")
        assert row["link"].strip().rstrip("/").endswith(page.address or "")
        categories = [f"category/{slug}" for slug in row["categories"] if slug != "uncategorized"]
        assert page.collection in categories or page.collection is None
    assert sum(page.markdown.count("![") for page in pages.values()) == figures["images"]


def articles() -> Iterator[tuple[str, str]]:
    """The same articles in each run: samples from each product, and Instep's own."""
    chooser = random.Random(7)
    for product in PRODUCTS:
        with gzip.open(DATA / "docsync" / product / "blobs.jsonl.gz", "rt") as lines:
            texts = [json.loads(line)["t"] for line in lines]
        suitable = [text for text in texts if MIN_CHARACTERS <= len(text) <= MAX_CHARACTERS]
        yield from ((product, text) for text in chooser.sample(suitable, ARTICLES_PER_PRODUCT))
    for path in sorted(HELP.rglob("*.md")):
        yield path.name, path.read_text(encoding="utf-8")


def figures_of(html: str) -> tuple[dict[str, object], Counter[str]]:
    """Counts of elements, link targets, and words; invisible links are ignored."""
    tree = LexborHTMLParser(html)
    for link in tree.css("a"):
        if not link.text().strip() and link.css_first("img") is None:
            link.decompose()
        elif not link.attributes.get("href"):
            link.unwrap()
    counts: dict[str, object] = {name: len(tree.css(name)) for name in COUNTED}
    counts["links"] = Counter(unquote(link.attributes.get("href") or "") for link in tree.css("a"))
    counts["images"] = Counter(unquote(image.attributes.get("src") or "") for image in tree.css("img"))
    counts["languages"] = Counter(code.attributes.get("class") for code in tree.css("pre code"))
    return counts, Counter(re.findall(r"\w+", tree.body.text() if tree.body else ""))


def test_articles_come_back_from_html_with_their_words_and_structure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    same = total = lost = words = 0
    seconds = 0.0
    for _, markdown in articles():
        html = render(FRONT_MATTER.sub("", markdown))
        began = time.perf_counter()
        converted = to_markdown(html).markdown
        seconds += time.perf_counter() - began
        (counts, had), (new_counts, has) = figures_of(html), figures_of(render(converted))
        total, same = total + 1, same + (counts == new_counts)
        lost, words = lost + (had - has).total(), words + had.total()
    with capsys.disabled():
        sys.stdout.write(
            f"\n{same} of {total} articles keep their structure, {lost} of {words} words are lost, "
            f"{1000 * seconds / total:.1f} ms each\n"
        )
    assert lost <= MAX_LOST_WORDS * words
    assert same >= MIN_SAME_STRUCTURE * total


def test_a_table_of_five_megabytes_becomes_text_in_seconds() -> None:
    rows = "".join(f"<tr>{'<td>cell <b>x</b></td>' * 10}</tr>" for _ in range(22_000))
    began = time.monotonic()
    text = to_markdown(f"<table>{rows}</table>")
    assert time.monotonic() - began < 30
    assert text.markdown.count("cell x") == 220_000
