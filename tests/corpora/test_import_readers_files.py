"""Real documentation in plain Markdown layouts, compared with known figures.

The figures of a tree come from simple expressions, so they are a lower bound. Deliberate differences, and
errors in the figures, are listed here.
"""

import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import unescape
from itertools import groupby
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urljoin

import comrak
import pytest

from instep.platform.core.directives import plain_markdown
from instep.platform.core.markdown import extensions
from instep.platform.text.blocks import read_blocks
from instep.transfer.imports.markdown.hidden_code import hide_code
from instep.transfer.imports.readers import gitbook, hugo, jekyll, mkdocs, wiki, zendesk_markdown
from instep.transfer.imports.tree.schemas import ImportedPage, Reader, Tree
from tests.corpora.conftest import DATA
from tests.support.import_sources import files_below

pytestmark = pytest.mark.corpora

READERS: dict[str, Reader] = {
    "mkdocs-material": mkdocs.READER,
    "gitbook": gitbook.READER,
    "hugo": hugo.READER,
    "jekyll": jekyll.READER,
    "wiki": wiki.READER,
    "zendesk-markdown": zendesk_markdown.READER,
}
# Fences inside other fences, which show how fences are written; the figures count them.
NESTED_FENCES = {"mkdocs-material": 3}
MARKUP = re.compile(
    r"\{\{[<%]|\{%|^[ \t>]*(?:!!!|\?\?\?\+?|:{3,})[ \t]*\w|^[ \t>]*===[+!]? \"|--8<--|\{:|\[block:"
    r"|\[\[\w[^\]]*\]\](?!\()|\{[#.][\w-]+\}|\bmarkdown=[\"']?1|:(?:material|octicons|fontawesome)-"
    r"|</?(?:div|span|ul|ol|li|p|button|figure|table|h\d|form|script|style|iframe)\b[^>]*>",
    re.MULTILINE,
)
LINK = re.compile(r"<a\b[^>]*? href=\"([^\"]*)\"")


@dataclass(frozen=True, slots=True)
class Corpus:
    name: str
    tree: Tree
    expected: Any

    @property
    def lists(self) -> Any:
        return self.expected["lists"]

    @property
    def pages(self) -> dict[str, ImportedPage]:
        return {page.path: page for page in self.tree.pages}


@cache
def read_corpus(name: str) -> Corpus:
    folder = DATA / "imports" / name
    files = files_below(folder / "tree")
    assert READERS[name].recognises(files)
    return Corpus(name, READERS[name].read(files), json.loads((folder / "expected.json").read_text()))


@pytest.fixture(params=list(READERS))
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return read_corpus(request.param)


def test_each_tree_is_recognised_by_its_own_reader_alone(corpus: Corpus) -> None:
    files = files_below(DATA / "imports" / corpus.name / "tree")

    assert [name for name, reader in READERS.items() if reader.recognises(files)] == [corpus.name]


def test_all_pages_are_there_with_title_address_and_language(corpus: Corpus) -> None:
    assert {row["path"] for row in corpus.lists["pages"]} == set(corpus.pages)
    for row in corpus.lists["pages"]:
        page = corpus.pages[row["path"]]
        assert letters(page.title) == letters(row["title"]), row
        # If a source declares no language, that of the help center applies.
        assert (page.locale or "en") == row["locale"], row
        # Zendesk's ids work in every language.
        address = normal(row["url"]).replace("/hc/en-us/", "/hc/*/")
        assert address in {normal(address) for address in addresses_of(page)}, row


def test_the_order_and_the_collections_are_those_of_the_navigation(corpus: Corpus) -> None:
    rows = [row for row in declared(corpus) if row["page"] in corpus.pages]
    declared_pages = list(dict.fromkeys(row["page"] for row in rows))
    pages = [page.path for page in corpus.tree.pages if page.path in set(declared_pages)]
    if corpus.name == "zendesk-markdown":
        # This source declares no order: the figures sort by code point, the reader case-insensitively.
        declared_pages, pages = sorted(declared_pages, key=str.casefold), sorted(pages, key=str.casefold)
    assert pages == declared_pages

    titles = {collection.key: collection for collection in corpus.tree.collections}
    first_titles = titles_of_added_groups(corpus, rows)
    for row in rows:
        above: list[str] = []
        key = corpus.pages[row["page"]].collection
        while key:
            above.insert(0, letters(titles[key].title))
            key = titles[key].parent
        if row == next(other for other in rows if other["page"] == row["page"]):
            title = first_titles.get(row["page"])
            assert above == [letters(each) for each in row["above"] or filter(None, [title])], row


def declared(corpus: Corpus) -> list[dict[str, Any]]:
    """The navigation with the titles above each entry; an entry with children is itself a collection."""
    rows = corpus.lists["navigation"]
    above: list[str] = []
    for row, following in zip(rows, [*rows[1:], {"depth": 0}], strict=True):
        above = [*above[: row["depth"]], str(row["title"])]
        row["above"] = above if following["depth"] > row["depth"] else above[:-1]
    if corpus.name == "jekyll":
        # The source has one navigation per language; the import follows the main one.
        rows = [{**row, "above": row["above"][1:]} for row in rows]
        by_page = {row["page"]: row for row in rows}
        originals = {page.path: page.translation_of for page in corpus.tree.pages}
        rows = [
            {**row, "above": by_page[originals.get(row["page"]) or row["page"]]["above"]}
            for row in rows
            if row["page"]
        ]
    return list(rows)


def titles_of_added_groups(corpus: Corpus, rows: list[dict[str, Any]]) -> dict[str, str]:
    """The title of the group that pages at the top get if a group follows: that of the first of them."""
    if corpus.name not in ("gitbook", "mkdocs-material"):
        return {}
    runs = [(is_top, list(run)) for is_top, run in groupby(rows, lambda row: not row["above"])]
    return {
        row["page"]: corpus.pages[run[0]["page"]].title for is_top, run in runs[:-1] if is_top for row in run
    }


def test_every_former_address_leads_to_its_page(corpus: Corpus) -> None:
    addresses = {normal(address): page.path for page in corpus.tree.pages for address in addresses_of(page)}
    targets = {normal(redirect.source): normal(redirect.target) for redirect in corpus.tree.redirects}
    for row in corpus.lists["redirects"]:
        source = normal(row["from"])
        target = addresses.get(targets.get(source, source))
        assert source in targets or target, row
        assert target or not row["resolves"], row


def test_code_tables_and_headings_are_kept(corpus: Corpus) -> None:
    blocks = [block for page in corpus.tree.pages for block in read_blocks(page.markdown).blocks]
    kinds = Counter(block.kind for block in blocks if block.kind != "code" or block.marker)
    constructs = Counter(corpus.expected["constructs"])

    assert kinds["code"] >= constructs["code_fences"] - NESTED_FENCES.get(corpus.name, 0)
    assert kinds["table"] >= constructs["tables"]
    # A heading that becomes the title is not part of the text.
    assert kinds["heading"] >= constructs["headings"] - len(corpus.tree.pages)


def test_no_markup_is_left_outside_of_code(corpus: Corpus) -> None:
    for page in corpus.tree.pages:
        text = plain_markdown(hide_code(page.markdown)[0])
        # URLs may contain any of these words.
        text = re.sub(r"https?://\S+", "", text)
        match = MARKUP.search(text)
        assert match is None, (page.path, text[max(0, match.start() - 40) : match.end() + 40])


# The script does not close the files that it reads.
@pytest.mark.filterwarnings("ignore:unclosed file", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_links_that_resolve_in_the_source_resolve_in_the_tree(corpus: Corpus) -> None:
    source = source_tree(corpus.name)
    directory: dict[str, str] = {}
    for page in corpus.tree.pages:
        directory[f"/{page.path}"] = page.path
        for address in (f"/{page.path}", *addresses_of(page)):
            directory.setdefault(normal(address), page.path)
    for redirect in corpus.tree.redirects:
        directory.setdefault(normal(redirect.source), directory.get(normal(redirect.target), ""))
    patterns = [
        (re.compile(re.escape(address).replace(r"\*", "[^/]*")), path)
        for address, path in directory.items()
        if "*" in address
    ]
    lost = []
    for page in corpus.tree.pages:
        reached = set()
        for address in {
            address for target in links_of(page) for address in candidates(target, page, corpus.tree)
        }:
            matches = (path for pattern, path in patterns if pattern.fullmatch(address))
            reached.add(directory.get(address) or next(matches, None))
        # A page and the index of a folder with the same name share an address; the figures list one of them.
        reached_addresses = {corpus.pages[path].address for path in reached if path}
        hits = pages_linked_in(source, page.path)
        lost += [(page.path, hit) for hit in hits if corpus.pages[hit].address not in reached_addresses]
    assert lost == []


def candidates(target: str, page: ImportedPage, tree: Tree) -> Iterator[str]:
    """The addresses that a link may mean, relative to the file or to the page, in `normal` form."""
    for site in tree.sites:
        if target.startswith(site):
            target = "/" + target.removeprefix(site).lstrip("/")
    yield unquote(urljoin(f"/{page.path}", target.partition("#")[0]))
    address = page.address or "/"
    for base in (f"/{page.path}", address, f"{address.rstrip('/')}/"):
        yield normal(urljoin(base, target))


def links_of(page: ImportedPage) -> list[str]:
    html = comrak.render_markdown(page.markdown, extension_options=extensions(has_anchors=False))
    return [unescape(target) for target in LINK.findall(html) if not target.startswith("#")]


@cache
def figures() -> ModuleType:
    """The script that made the figures, which resolves the links of a source."""
    spec = importlib.util.spec_from_file_location("figures", DATA / "imports" / "figures.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["figures"] = module
    spec.loader.exec_module(module)
    return module


@cache
def source_tree(name: str) -> Any:
    return figures().Tree(str(DATA / "imports" / name))


def pages_linked_in(source: Any, path: str) -> set[str]:
    """The pages that a page links to, according to the script."""
    module = figures()
    text, _, _ = module.without_code(source.pages[path]["body"])
    text = re.sub(r"\{\{\s*site\.baseurl\s*\}\}", "", text)
    targets = [match[1] for match in module.MD_LINK.finditer(text)]
    hits = set()
    for target in targets:
        bare = re.sub(r"\\([_*&\[\]()#-])", r"\1", target.strip("<>").strip())
        own = source.own(bare)
        if own is None and re.match(r"[a-z][a-z0-9+.-]*:|//|#", bare, re.IGNORECASE):
            continue
        where, hit = source.find(path, own or bare)
        if where == "here" and hit in source.pages:
            hits.add(hit)
    for match in module.WIKI.finditer(text) if source.kind == "wiki" else ():
        where, hit = source.wiki_find(path, match[2])
        if where == "here" and hit in source.pages:
            hits.add(hit)
    return hits - {path}


def addresses_of(page: ImportedPage) -> list[str]:
    return [*([page.address] if page.address else []), *page.former_addresses]


def normal(address: str) -> str:
    """An address without the parts that vary between products: extension, index, slash, case."""
    path = unquote(address).partition("#")[0].partition("?")[0]
    path = re.sub(r"\.(html?|mdx?)$", "", re.sub(r"/+", "/", path))
    return (re.sub(r"/(index|README|_index)$", "/", path).rstrip("/") or "/").lower()


def letters(title: str) -> str:
    """The letters of a title: here titles are plain text, in the figures they contain markup."""
    return re.sub(r"[\W_]+", "", unescape(title)).casefold()
