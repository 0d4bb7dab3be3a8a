"""Real documentation trees are imported completely: no link breaks, and former addresses redirect."""

import json
import posixpath
import re
from itertools import chain, pairwise
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database, Tx
from instep.platform.core.markdown import HEADING_PREFIX
from instep.transfer.imports.plan.addresses import PAGE_EXTENSION
from instep.transfer.imports.source.source_files import open_folder
from instep.transfer.imports.source.source_reading import Source
from tests.corpora.conftest import DATA
from tests.corpora.imported import Imported, bring, dead_addresses, dead_links, open_site, orders, writes
from tests.support.cast import Api, Cast

pytestmark = pytest.mark.corpora

IMPORTS = DATA / "imports"
# Single product exports have their own tests, and no lists of pages.
FOLDERS = sorted(
    path.parent.name for path in IMPORTS.glob("*/expected.json") if '"lists"' in path.read_text()
)
BROKEN = (
    "link to a page that isn't in the source: ",
    "link to a file that isn't in the source: ",
    "link to a part of the site that isn't imported: ",
)
NO_PLACE = re.compile(r"link to a heading that isn't in “.*?”: (.*)")
LEFT_OUT = (
    "page that shows nothing without its product: left out",
    "error page for missing addresses, because the help center has its own: left out",
)
OWN_PAGE = "old address that can't be redirected: the help center has"
NO_PICTURE = "image that isn't in the source: "
SVG = "image that is an SVG, which can contain scripts: "
# The license was added next to the pages, under another name than their links use.
ADDED_FILES = {("wiki", "LICENSE")}
PICTURE = re.compile(r"/files/[^/]+/([0-9a-f]{64})\.")


class Expected:
    """The expected figures of a tree."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.paths = list(open_folder(IMPORTS / name / "tree").paths())
        self.stems = {PAGE_EXTENSION.sub("", path).removesuffix("/index") for path in self.paths}
        figures: dict[str, Any] = json.loads((IMPORTS / name / "expected.json").read_text())
        self.images: dict[str, int] = figures["images"]
        self.lists: dict[str, Any] = figures["lists"]

    @property
    def pages(self) -> list[dict[str, Any]]:
        """The pages of the tree; names that begin with a dot belong to parts that pages include."""
        return [row for row in self.lists["pages"] if not posixpath.basename(row["path"]).startswith(".")]

    @property
    def addresses(self) -> list[tuple[str, str | None]]:
        """Former addresses, each with the path of its page if the figures know it."""
        addresses = [(row["url"], row["path"]) for row in self.pages if row.get("url")]
        return addresses + [(row["from"], None) for row in self.lists["redirects"] if row["resolves"]]

    def is_here(self, path: str, link: str) -> bool:
        """True if a link points to a page, file or former address of the tree."""
        if (self.name, link) in ADDED_FILES:
            return False
        target = urlsplit(link).path
        name = PAGE_EXTENSION.sub(
            "", posixpath.normpath(posixpath.join(posixpath.dirname(path), target)).strip("./")
        )
        is_file = any(stem == name or stem.endswith(f"/{name}") for stem in self.stems)
        addresses = {address.strip("/") for address, _ in self.addresses} - {""}
        return bool(name) and (is_file or target.strip("/") in addresses)


def source_of(name: str) -> Source:
    return Source(name, folder=IMPORTS / name / "tree")


@pytest.mark.parametrize("name", FOLDERS)
async def test_a_tree_comes_whole_and_only_once(
    app: FastAPI, api: Api, database: Database, owner: Tx, cast: Cast, name: str
) -> None:
    imported, expected = await bring(database, cast.acme, source_of(name)), Expected(name)
    report = imported.report

    assert report.pages.failed == 0, [loss for loss in report.losses if "whole page" in loss.what]
    assert missing_pages(imported, expected) == []
    assert wrong_locales(imported, expected) == []
    assert newly_broken(imported, expected) == []
    assert places_not_found(imported, expected) == []
    assert lost_pictures(imported, expected) == []
    assert await dead_pictures(owner, cast) == []
    assert out_of_order(await orders(owner, cast.acme), imported, expected) == []
    site = await open_site(app, imported)
    assert len(site.ids) == len(imported.public_pages)
    assert dead_links_not_told(imported, dead_links(imported, site)) == []
    own_pages = {path.rstrip("/") for path, _ in told(imported, OWN_PAGE)}
    addresses = [
        (former, path)
        for former, path in expected.addresses
        if former.rstrip("/") not in own_pages and path not in left_out(imported)
    ]
    assert await dead_addresses(app, imported, site, addresses) == []

    before = await writes(owner, cast.acme)
    again = await bring(database, cast.acme, source_of(name))
    assert again.report.changes_nothing
    assert await writes(owner, cast.acme) == before


def left_out(imported: Imported) -> set[str]:
    """The paths of pages that the import leaves out."""
    return {path for what in LEFT_OUT for path, rest in told(imported, what) if not rest}


def missing_pages(imported: Imported, expected: Expected) -> list[str]:
    paths = {page.page.path for page in imported.plan.pages} | {
        row.path for row in imported.plan.tree.entries
    }
    paths |= left_out(imported)
    return [row["path"] for row in expected.pages if row["path"] not in paths]


def wrong_locales(imported: Imported, expected: Expected) -> list[tuple[str, str, str]]:
    locales = {page.page.path: page.locale for page in imported.plan.pages}
    return [
        (row["path"], row["locale"], locales[row["path"]])
        for row in expected.pages
        if row["path"] in locales and row["locale"].lower() != locales[row["path"]].lower()
    ]


def told(imported: Imported, what: str) -> list[tuple[str, str]]:
    """The losses of this kind: the path and the rest of the message."""
    return [
        (loss.path, loss.what.removeprefix(what))
        for loss in imported.report.losses
        if loss.what.startswith(what)
    ]


def newly_broken(imported: Imported, expected: Expected) -> list[str]:
    """Links to parts of the tree that the report calls broken although the figures don't.

    The corpus omits many link targets: no import can make such links work.
    """
    broken = {(path, bare(link)) for path, link in expected.lists["broken_links"]}
    return [
        f"{path}: {link}"
        for path, link in chain.from_iterable(told(imported, what) for what in BROKEN)
        if (path, bare(link)) not in broken and expected.is_here(path, bare(link))
    ]


def places_not_found(imported: Imported, expected: Expected) -> list[str]:
    """Anchors that the report calls missing although the figures contain them."""
    missing = {(path, unquote(link)) for path, link in expected.lists["anchors_not_found"]}
    return [
        f"{path}: {link}" for path, link in missing_places(imported) if (path, unquote(link)) not in missing
    ]


def missing_places(imported: Imported) -> list[tuple[str, str]]:
    """Missing anchors in the report: the path of the page with the link, and the link."""
    matches = ((loss.path, NO_PLACE.fullmatch(loss.what)) for loss in imported.report.losses)
    return [(path, match[1]) for path, match in matches if match]


def lost_pictures(imported: Imported, expected: Expected) -> list[str]:
    """Pictures in the tree that are neither stored nor reported because of their type."""
    names = {name_of(path) for path in expected.paths}
    lost = [f"{path}: {link}" for path, link in told(imported, NO_PICTURE) if name_of(link) in names]
    kept = imported.report.files.stored + len({link for _, link in told(imported, SVG)})
    if kept < expected.images["present_here"]:
        lost.append(f"{expected.images['present_here']} pictures, of which {kept} came")
    return lost


def name_of(path: str) -> str:
    return bare(path).rpartition("/")[2]


def bare(link: str) -> str:
    """A link without fragment and query, which the figures and the report may write differently."""
    return unquote(urldefrag(link).url).partition("?")[0]


async def dead_pictures(owner: Tx, cast: Cast) -> list[str]:
    """Pictures in articles that are not stored."""
    texts = await owner.value(
        "select string_agg(content_html, '') from articles where bot_id = %(bot)s", bot=cast.acme.bot_id
    )
    stored = await owner.value(
        "select array_agg(sha256) from files where bot_id = %(bot)s", bot=cast.acme.bot_id
    )
    return sorted(set(PICTURE.findall(texts)) - set(stored or ()))


def out_of_order(groups: list[list[str]], imported: Imported, expected: Expected) -> list[tuple[str, str]]:
    """Neighbors in a collection that the source's navigation lists in the opposite order."""
    places = {
        row["page"]: number
        for number, row in reversed(list(enumerate(expected.lists["navigation"])))
        if row["page"]
    }
    paths = {page.page.key: page.page.path for page in imported.plan.pages}
    rows = [[paths[key] for key in keys if paths[key] in places] for keys in groups]
    return [
        (first, second)
        for neighbours in rows
        for first, second in pairwise(neighbours)
        if places[first] > places[second]
    ]


def dead_links_not_told(imported: Imported, dead: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Dead links, except those to anchors that the report calls missing in the source."""
    addresses = {page.page.path: imported.address_of(page) for page in imported.plan.pages}
    missing = {(addresses.get(path), place_of(link)) for path, link in missing_places(imported)}
    return [(address, link) for address, link in dead if (address, place_of(link)) not in missing]


def place_of(link: str) -> str:
    """The anchor that a link points to, without our renderer's prefix."""
    return unquote(urldefrag(link).fragment).removeprefix(HEADING_PREFIX)
