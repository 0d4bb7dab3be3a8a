"""Whole imports of other products' exports: links, pictures, order, former addresses, and a second run."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database, Tx
from instep.transfer.imports.source.source_reading import Source
from tests.corpora.conftest import DATA
from tests.corpora.imported import Imported, bring, dead_addresses, dead_links, open_site, orders, writes
from tests.support.cast import Cast
from tests.support.file_samples import picture

pytestmark = pytest.mark.corpora
IMPORTS = DATA / "imports"
BLOGS: dict[str, Any] = (
    json.loads((IMPORTS / "wordpress-wxr" / "expected.json").read_bytes()) if IMPORTS.is_dir() else {}
)
WELL_FORMED = sorted(name for name, figures in BLOGS.items() if "list" in figures)
ZENDESK = "https://testingzendesk12.zendesk.com/hc/en-us"
INTERCOM = "http://help-center.test/myapp-64/en"


async def check_whole(
    app: FastAPI, database: Database, owner: Tx, cast: Cast, source: Source, former: list[tuple[str, str]]
) -> Imported:
    """Import a source: no page fails, no link or former address is dead, and a second run writes nothing."""
    imported = await bring(database, cast.acme, source)
    report = imported.report
    assert (report.pages.failed, report.pages.created) == (0, len(imported.plan.pages))
    site = await open_site(app, imported)
    assert len(site.ids) == len(imported.public_pages)
    assert dead_links(imported, site) == []
    addresses = [(page.page.address, page.page.path) for page in imported.public_pages if page.page.address]
    rows: list[tuple[str, str | None]] = [*addresses, *former]
    assert await dead_addresses(app, imported, site, rows) == []

    before = await writes(owner, cast.acme)
    again = await bring(database, cast.acme, source)
    assert again.report.changes_nothing
    assert await writes(owner, cast.acme) == before
    return imported


@pytest.mark.parametrize("name", WELL_FORMED)
async def test_a_blog_of_wordpress_comes_whole_and_only_once(
    app: FastAPI, database: Database, owner: Tx, cast: Cast, tmp_path: Path, name: str
) -> None:
    shutil.copy(IMPORTS / "wordpress-wxr" / "tree" / name, tmp_path)

    imported = await check_whole(app, database, owner, cast, Source(name, folder=tmp_path), [])

    rows = [
        row
        for row in BLOGS[name]["list"]
        if row["type"] != "attachment" and not row["type"].startswith("wp_")
    ]
    assert {page.title: page.page.status for page in imported.plan.pages} == {
        row["title"]: "draft" if row["status"] == "draft" else "published" for row in rows
    }
    report = imported.report
    assert (report.files.remote, report.links.broken) == (BLOGS[name]["images"], 0)


async def test_a_help_center_of_zendesk_comes_whole_and_only_once(
    app: FastAPI, database: Database, owner: Tx, cast: Cast, tmp_path: Path
) -> None:
    """Real API responses, with one more article that links to the original and shows a picture."""
    folder = IMPORTS / "zendesk-json" / "tree"
    for path in folder.glob("*.json"):
        shutil.copy(path, tmp_path)
    [article] = json.loads((folder / "articles.json").read_bytes())["articles"]
    attachment = f"{ZENDESK}/article_attachments/7/shot.png"
    further = [
        {
            **article,
            "id": 201010523,
            "title": "Further",
            "html_url": f"{ZENDESK}/articles/201010523-Further",
            "position": 2,
            "body": (
                f'<p><a href="{ZENDESK}/articles/201010522-Renamed#title">It</a>'
                f' <a href="/hc/en-us/articles/201010524">Steps</a>'
                f' <a href="{ZENDESK}/sections/200318701">all</a>'
                f' <a href="{ZENDESK}/articles/999999999">gone</a></p><p><img src="{attachment}" alt="A"></p>'
            ),
        },
        {
            **article,
            "id": 201010524,
            "title": "Steps",
            "html_url": f"{ZENDESK}/articles/201010524-Steps",
            "position": 1,
            "body": "<h2>One</h2><p>First.</p>",
        },
    ]
    (tmp_path / "further.json").write_text(json.dumps({"articles": further}))
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "shot.png").write_bytes(picture())
    (tmp_path / "files.json").write_text(json.dumps({attachment: "files/shot.png"}))
    former = [
        ("/hc/en-us/articles/201010522-Any-words", "articles.json#201010522"),
        ("/hc/de/articles/201010524", "further.json#201010524"),
    ]

    imported = await check_whole(app, database, owner, cast, Source("zendesk", folder=tmp_path), former)

    assert [(row.collection.title, row.parent) for row in imported.plan.collections] == [
        ("test category", None),
        ("test section", "category-200122372"),
    ]
    assert await orders(owner, cast.acme) == [["201010522", "201010524", "201010523"]]
    here = f"/help/{cast.acme.slug}"
    for address in (
        "en-US/articles/test-article#h-title",
        "en-US/articles/201010524-steps",
        "en-US/collections/test-section",
    ):
        assert f"({here}/{address})" in text_of(imported, "Further")
    report = imported.report
    assert [loss.what for loss in report.losses] == [
        f"link to a part of the site that isn't imported: {ZENDESK}/articles/999999999"
    ]
    assert (report.links.broken, report.links.outside, report.files.stored) == (0, 1, 1)


async def test_articles_of_intercom_come_whole_and_only_once(
    app: FastAPI, database: Database, owner: Tx, cast: Cast, tmp_path: Path
) -> None:
    """The vendor's examples, with one more article that links to an original."""
    examples = json.loads((IMPORTS / "intercom-api" / "tree" / "examples.json").read_bytes())
    articles = next(iter(examples["GET /articles"].values()))
    collections = next(iter(examples["GET /help_center/collections"].values()))
    [first] = articles["data"]
    first |= {"body": "<h2>Set it up</h2><p>Words.</p>", "parent_id": 160}
    second = {
        **first,
        "id": "40",
        "title": "Second",
        "url": f"{INTERCOM}/articles/40-second",
        "body": f'<p><a href="{first["url"]}#set-it-up">First</a></p><p><img src="{INTERCOM}/a.png"></p>',
    }
    redirects = examples["GET /help_center/help_centers/{help_center_id}/redirects"]["200 Successful"]
    redirects["data"][0] |= {"target_id": "40"}
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.png").write_bytes(picture())
    answers = {
        "articles.json": {**articles, "data": [first, second]},
        "collections.json": collections,
        "redirects.json": redirects,
        "files.json": {f"{INTERCOM}/a.png": "files/a.png"},
    }
    for name, answer in answers.items():
        (tmp_path / name).write_text(json.dumps(answer))
    former = [
        ("/myapp-64/de/articles/39-other-words", "articles.json#39"),
        ("/lovelyhelpcenter/legacy-page", "articles.json#40"),
    ]

    imported = await check_whole(app, database, owner, cast, Source("intercom", folder=tmp_path), former)

    assert [(row.collection.title, row.parent) for row in imported.plan.collections] == [
        ("English collection title", None),
        ("English section title", "159"),
    ]
    assert await orders(owner, cast.acme) == [["39", "40"]]
    assert "/articles/39-this-is-the-article-title#h-set-it-up)" in text_of(imported, "Second")
    assert imported.report.losses == []
    assert (imported.report.links.rewritten, imported.report.files.stored) == (1, 1)


def text_of(imported: Imported, title: str) -> str:
    """An article's text without the addresses of its files."""
    [text] = [page.text for page in imported.plan.pages if page.title == title]
    return "".join(piece for piece in text.pieces if isinstance(piece, str))
