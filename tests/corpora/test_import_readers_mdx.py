"""Real documentation of products whose Markdown uses components is read completely."""

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import unquote, urljoin

import pytest

from instep.platform.core.directives import plain_markdown
from instep.platform.core.markdown import render
from instep.platform.text.blocks import read_blocks
from instep.transfer.imports.markdown.hidden_code import hide_code
from instep.transfer.imports.mdx.included_files import is_partial
from instep.transfer.imports.readers import docusaurus, fumadocs, mintlify, nextra, starlight, vitepress
from instep.transfer.imports.tree.schemas import ImportedPage, Reader, Tree
from tests.corpora.conftest import DATA
from tests.support.import_sources import files_below

pytestmark = pytest.mark.corpora

IMPORTS = DATA / "imports"
READERS: dict[str, Reader] = {
    "mintlify": mintlify.READER,
    "docusaurus": docusaurus.READER,
    "docusaurus-i18n": docusaurus.READER,
    "vitepress": vitepress.READER,
    "starlight": starlight.READER,
    "nextra-i18n": nextra.READER,
    "fumadocs": fumadocs.READER,
}
FOLDERS = list(READERS)
LINK = re.compile(
    r"(?<!!)\[(?:[^\[\]]|\[[^\[\]]*\]|!\[[^\]]*\]\([^)]*\))*\]\(<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?[^)]*\)"
)
RAW = re.compile(
    r"(?<!\\)</?[A-Z][\w.]*|^(?:import|export)\s.*(?:from\s|=)|\{/\*|^[ \t>]*:{3,}[ \t]*\w", re.MULTILINE
)
TRANSLATED = "i18n/zh-CN/docusaurus-plugin-content-docs-community/current"
# Titles that differ from `expected.json`, for the reasons given.
TITLES = {
    # The page's heading is its title; the sidebar has a shorter label.
    "docs/notice.md": "Open-Source Software Notice",
    "community/contributing/blog-post.md": "Contribute a Blog Post",
    f"{TRANSLATED}/contributing/blog-post.md": "贡献一篇博客文章",
    # The title of a landing page is `hero.name`.
    "docs/en/index.md": "VitePress",
    "docs/es/index.md": "VitePress",
    # The text of a badge is part of the title.
    "docs/en/guide/mpa-mode.md": "MPA Mode (experimental)",
    "docs/es/guide/mpa-mode.md": "Modo MPA (experimental)",
}
# In Fumadocs, the address of a file named `page` is its name.
ADDRESSES = {"apps/docs/content/docs/ui/layouts/page.mdx": "/docs/ui/layouts/page"}
# Links to a folder without a page, and to the start page of a site outside the documentation.
NO_PAGES = {"/contributing-guide/mobile-app", "/"}
ENDINGS = ("", ".md", ".mdx", "/index.md", "/index.mdx", "/README.md")


@dataclass(frozen=True)
class Sample:
    tree: Tree
    expected: dict[str, Any]
    paths: frozenset[str]
    left_out: frozenset[str]

    @property
    def lists(self) -> dict[str, Any]:
        lists: dict[str, Any] = self.expected["lists"]
        return lists


@cache
def sample_of(folder: str) -> Sample:
    place = IMPORTS / folder
    files = files_below(place / "tree")
    reader = READERS[folder]
    assert reader.recognises(files)
    left_out = place / "left_out.txt"
    names = left_out.read_text().split("\n") if left_out.exists() else []
    expected = json.loads((place / "expected.json").read_text())
    return Sample(reader.read(files), expected, frozenset(files.paths()), frozenset(names))


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_other_reader_takes_the_folder(folder: str) -> None:
    files = files_below(IMPORTS / folder / "tree")

    assert [reader.name for reader in dict.fromkeys(READERS.values()) if reader.recognises(files)] == [
        READERS[folder].name
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_page_comes_with_its_address_title_and_locale(folder: str) -> None:
    sample = sample_of(folder)

    pages = {(page.path, normal(page.address or ""), page.locale or "en") for page in sample.tree.pages}
    assert pages == {
        (row["path"], normal(ADDRESSES.get(row["path"], row["url"])), row["locale"])
        for row in sample.lists["pages"]
        if not is_partial(row["path"])
    }
    titles = {page.path: page.title for page in sample.tree.pages}
    assert {
        row["path"]: (titles[row["path"]], row["title"])
        for row in sample.lists["pages"]
        if not is_partial(row["path"])
        and plain(titles[row["path"]]) != plain(TITLES.get(row["path"], row["title"]))
    } == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_pages_stand_in_the_order_and_below_the_headings_of_the_navigation(folder: str) -> None:
    sample = sample_of(folder)
    titles = {collection.key: collection for collection in sample.tree.collections}
    pages = [page.path for page in sample.tree.pages]
    declared = dict(navigation_of(sample))

    assert pages[: len(declared)] == list(declared)
    wrong = {}
    for page in sample.tree.pages:
        if page.path in declared:
            headings: list[str] = []
            key = page.collection
            while key is not None:
                headings.insert(0, titles[key].title)
                key = titles[key].parent
            if not is_subsequence(
                list(map(plain, declared[page.path])),
                list(map(plain, headings)),
            ):
                wrong[page.path] = (declared[page.path], headings)
    assert wrong == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_redirects_are_those_of_the_configuration(folder: str) -> None:
    sample = sample_of(folder)

    redirects = {(row.source, row.target) for row in sample.tree.redirects}
    assert {(row["from"], row["to"]) for row in sample.lists["redirects"]} <= redirects


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_translation_knows_its_original(folder: str) -> None:
    tree = sample_of(folder).tree
    originals = {page.key: page for page in tree.pages if page.locale == tree.locale}

    for page in tree.pages:
        if page.translation_of is not None:
            assert page.translation_of in originals
            assert page.collection == originals[page.translation_of].collection


@pytest.mark.parametrize("folder", FOLDERS)
def test_code_tables_and_headings_are_kept(folder: str) -> None:
    sample = sample_of(folder)

    counts: Counter[str] = Counter()
    for page in sample.tree.pages:
        blocks = read_blocks(page.markdown).blocks
        counts.update(block.kind for block in blocks)
        counts["fence"] += sum(block.kind == "code" and block.marker != "" for block in blocks)
    constructs = sample.expected["constructs"]
    assert counts["fence"] >= constructs["code_fences"]
    assert counts["table"] >= constructs.get("tables", 0)
    assert counts["heading"] + len(sample.tree.pages) >= constructs["headings"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_raw_is_left_outside_of_code(folder: str) -> None:
    raw = [
        (page.path, hidden[max(0, match.start() - 30) : match.end() + 40])
        for page in sample_of(folder).tree.pages
        for hidden in [plain_markdown(hide_code(page.markdown)[0])]
        for match in RAW.finditer(hidden)
    ]

    assert raw == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_links_that_resolve_in_the_source_resolve_in_the_tree(folder: str) -> None:
    sample = sample_of(folder)
    addresses = addresses_of(sample.tree)
    known = {tuple(row) for row in sample.lists["broken_links"]}

    broken = []
    for page in sample.tree.pages:
        for target in LINK.findall(hide_code(page.markdown)[0]):
            if "\x00" in target or is_external(target, sample.tree.sites) or target.startswith("#"):
                continue
            is_known = target in NO_PAGES or known & {(page.path, target), (page.path, unquote(target))}
            if not is_known and not resolves(target, page, sample, addresses):
                broken.append((page.path, target))
    assert broken == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_anchors_that_are_there_in_the_source_are_there_in_the_tree(folder: str) -> None:
    sample = sample_of(folder)
    known = {tuple(row) for row in sample.lists["anchors_not_found"]}
    pages = {normal(page.address or ""): page for page in sample.tree.pages}

    missing = []
    for page in sample.tree.pages:
        for target in LINK.findall(hide_code(page.markdown)[0]):
            path, _, anchor = unquote(target).partition("#")
            base = page.address or "/"
            addresses = (urljoin(f"{base}/", path), urljoin(base, path)) if path else (base,)
            other = next((pages[normal(each)] for each in addresses if normal(each) in pages), None)
            if (
                anchor
                and other
                and (page.path, target) not in known
                and anchor.lower() not in anchors_of(other)
            ):
                missing.append((page.path, target))
    assert missing == []


@cache
def anchors_of(page: ImportedPage) -> frozenset[str]:
    """The valid targets of links to a page: ids from our renderer, and ids set by the source."""
    generated = re.findall(r' id="h-([^"]+)"', render(page.markdown))
    return frozenset(name.lower() for name in (*generated, *(name for name, _ in page.heading_ids)))


def navigation_of(sample: Sample) -> Iterator[tuple[str, list[str]]]:
    """Each page in the navigation once, with the titles above it; sidebar names are not titles."""
    pages = {page.path: page.title for page in sample.tree.pages}
    titles: list[tuple[int, str]] = []
    seen: set[str] = set()
    for entry in sample.lists["navigation"]:
        depth, title = entry["depth"], entry["title"]
        titles = [row for row in titles if row[0] < depth]
        if entry["page"] and entry["page"] not in seen and not is_partial(entry["page"]):
            seen.add(entry["page"])
            yield entry["page"], [text for _, text in titles if not text.startswith(("sidebar: ", "/"))]
        if title and title == posixpath.basename(posixpath.dirname(entry["page"] or "")):
            # Fumadocs names a folder after its first page.
            title = pages[entry["page"]]
        titles.append((depth, str(title)))


def addresses_of(tree: Tree) -> set[str]:
    pages = {
        normal(address) for page in tree.pages for address in (page.address or "", *page.former_addresses)
    }
    return pages | {normal(row.source) for row in tree.redirects}


def resolves(target: str, page: ImportedPage, sample: Sample, addresses: set[str]) -> bool:
    """True if a link leads to a page, or to a file of the source, even if the sample omits it."""
    for site in sample.tree.sites:
        if target.startswith(site):
            target = "/" + target[len(site) :].lstrip("/")
    path = unquote(target.partition("#")[0].partition("?")[0])
    base = page.address or "/"
    locale = f"/{page.locale}" if page.locale != sample.tree.locale else ""
    candidates = {normal(urljoin(f"{base}/", path)), normal(urljoin(base, path)), normal(locale + path)}
    if candidates & addresses:
        return True
    folders = (
        [posixpath.dirname(page.path)] if not path.startswith("/") else ["", *sample.tree.static_folders]
    )
    names = [posixpath.normpath(posixpath.join(folder, path.lstrip("/"))) for folder in folders]
    return any(name + ending in sample.paths | sample.left_out for name in names for ending in ENDINGS)


def is_external(target: str, sites: tuple[str, ...]) -> bool:
    is_url = re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE) is not None
    return is_url and not any(target.startswith(site) for site in sites)


def normal(address: str) -> str:
    address = re.sub(r"\.(?:html|mdx?)$", "", unquote(address).partition("#")[0])
    return (re.sub(r"/(?:index|README)$", "/", re.sub(r"/+", "/", address)).rstrip("/") or "/").lower()


def plain(title: str) -> str:
    return re.sub(r"[`*\\]|<[^>]*>", "", title).strip().replace("-", " ").casefold()


def is_subsequence(words: list[str], others: list[str]) -> bool:
    rest = iter(others)
    return all(word in rest for word in words)
