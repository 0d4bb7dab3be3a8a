"""`instep import`: folders, archives and URLs, run by an operator in a shell."""

import re
import threading
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core.database import Tx
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.transfer.imports.fetchers.products import fetch_source, find_fetcher
from instep.transfer.imports.source.formats import tree_of_files
from instep.transfer.imports.source.source_files import open_folder
from instep.transfer.imports.source.source_reading import Source, read_now
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.bringing import Importer
from tests.support.cast import Cast, Client
from tests.support.commands import Operator
from tests.support.file_samples import picture
from tests.support.http import ok, stranger
from tests.support.import_sources import archive
from tests.support.wording import like
from tests.transfer.imports.api_server import Answer, ApiServer
from tests.transfer.imports.api_server import serving as api_serving

DOCS: dict[str, bytes | str] = {
    "docs/index.md": "# Welcome\n\nBegin with [installing](guides/install.md), or [not](gone.md).\n",
    "docs/guides/install.md": "# Install\n\n![The window](../img/window.png)\n",
    "docs/img/window.png": picture(),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, content in DOCS.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path / "docs"


@pytest.fixture
def bot(cast: Cast) -> tuple[str, ...]:
    return "--workspace", cast.acme.workspace_id, "--bot", cast.acme.slug


async def test_a_dry_run_tells_everything_and_imports_nothing(
    operator: Operator, bot: tuple[str, ...], folder: Path, client: Client
) -> None:
    text = await operator.text("import", str(folder), "--dry-run", *bot)

    assert "2 articles: 2 new" in text
    assert "1 image or file: 1 stored" in text
    assert "1 rewritten, 1 already broken" in text
    assert "index.md:3:" in text
    assert ok(await client.get("/v1/articles"))["results"] == []


async def test_a_folder_and_then_its_archive_are_one_source(
    operator: Operator, bot: tuple[str, ...], folder: Path, client: Client, tmp_path: Path
) -> None:
    first = await operator.json("import", str(folder), *bot)
    (tmp_path / "docs-main (2).zip").write_bytes(archive(DOCS))

    second = await operator.text("import", str(tmp_path / "docs-main (2).zip"), *bot)

    assert (first["pages"]["created"], first["files"]["stored"], first["source"]) == (2, 1, "plain:docs")
    assert first["importId"].startswith("imp_")
    assert first["losses"] == [
        {
            "path": "index.md",
            "what": like("…gone.md"),
            "line": 3,
            "times": 1,
        }
    ]
    assert "Nothing to do" in second
    assert len(ok(await client.get("/v1/articles"))["results"]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("/nowhere",), "/nowhere"),
        (("{hostile}",), "“../evil.md”"),
        (("http://127.0.0.1:1/export.zip",), "http://127.0.0.1:1/export.zip can't be downloaded."),
    ],
)
async def test_unreadable_source_is_refused_in_one_sentence(
    operator: Operator,
    bot: tuple[str, ...],
    tmp_path: Path,
    client: Client,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    (tmp_path / "hostile.zip").write_bytes(archive({"a.md": "# A", "../evil.md": "# Evil"}))
    source = [argument.format(hostile=tmp_path / "hostile.zip") for argument in arguments]

    refusal = await operator.refused("import", *source, *bot)

    assert words in refusal
    assert ok(await client.get("/v1/articles"))["results"] == []
    assert not (tmp_path / "evil.md").exists()


@pytest.mark.parametrize(
    ("contents", "format", "words"),
    [
        (DOCS, "word", "format “word”"),
        ({"a.bin": b"\0"}, None, "The source contains nothing"),
    ],
)
def test_a_source_in_no_known_format_is_refused(
    contents: dict[str, bytes | str], format: str | None, words: str
) -> None:
    with pytest.raises(UnreadableSource, match=re.escape(words)):
        read_now(Source("docs.zip", archive=archive(contents)), format)


async def test_an_archive_is_fetched_by_its_address_through_the_guard(
    operator: Operator, bot: tuple[str, ...], client: Client
) -> None:
    with serving(archive(DOCS)) as address:
        refusal = await operator.refused("import", f"{address}/moved.zip", *bot)
        allowed = {"INSTEP_WEBHOOK_ALLOW": "127.0.0.0/8"}
        report = await operator.json("import", f"{address}/moved.zip", *bot, **allowed)

    assert "can't be downloaded" in refusal
    assert report["pages"]["created"] == 2
    assert len(ok(await client.get("/v1/articles"))["results"]) == 2


async def test_pictures_of_a_product_are_fetched_and_shown_from_here(
    operator: Operator, bot: tuple[str, ...], client: Client, cast: Cast, app: FastAPI
) -> None:
    async with api_serving(ApiServer()) as server:
        server.answers = answers_of("zendesk", server.url)
        environment = {
            "INSTEP_IMPORT_KEY": "ada@example.com/token:abc",
            "INSTEP_WEBHOOK_ALLOW": "127.0.0.0/8",
        }
        report = await operator.json("import", server.url, "--from", "zendesk", *bot, **environment)

    assert (report["pages"]["created"], report["files"]["stored"], report["files"]["remote"]) == (1, 1, 0)
    await assert_shows_picture(client, app, cast)


@pytest.mark.parametrize("name", ["intercom", "help_scout", "freshdesk"])
async def test_pictures_of_other_products_are_shown_from_here_too(
    importer: Importer, client: Client, cast: Cast, app: FastAPI, tmp_path: Path, name: str
) -> None:
    """The import runs in this process because the command's own part is the same for every product."""
    async with (
        api_serving(ApiServer()) as server,
        aclosing(OutboundClient(read_allow_list("127.0.0.0/8"))) as outbound,
    ):
        server.answers = answers_of(name, server.url)
        fetcher = find_fetcher(server.url, name)
        assert fetcher is not None
        await fetch_source(outbound, fetcher, server.url, "key", tmp_path, lambda _: None)
    files = open_folder(tmp_path)

    report = await importer.bring(tree_of_files(files, name), files)

    assert (report.pages.created, report.files.stored, report.files.remote) == (1, 1, 0)
    await assert_shows_picture(client, app, cast)


async def assert_shows_picture(client: Client, app: FastAPI, cast: Cast) -> None:
    """The only article shows a picture that visitors get from this help center."""
    [row] = ok(await client.get("/v1/articles"))["results"]
    async with stranger(app) as visitor:
        page = await visitor.get(f"/help/{cast.acme.slug}/articles/{row['slug']}")
        address = re.search(r'<img[^>]* src="([^"]+)"', page.text)
        assert address is not None
        shown = await visitor.get(address[1])
    assert (shown.status_code, shown.headers["Content-Type"]) == (200, "image/png")


def answers_of(name: str, url: str) -> dict[str, Any]:
    return {**help_center_of(name, url), "/shot.png": Answer(picture())}


def help_center_of(name: str, url: str) -> dict[str, Any]:
    """Each product's API responses for a help center with one article that shows a picture."""
    html = f'<p>Look:</p><p><img src="{url}/shot.png" alt="The window"></p>'
    row = {
        "id": 7,
        "user_segment_id": None,
        "title": "Set up",
        "body": html,
        "description": html,
        "draft": False,
        "locale": "en",
    }
    zendesk, freshdesk = "/api/v2/help_center", "/api/v2/solutions"
    per_page, first = "?per_page=150", "?per_page=100&page=1"
    answers: dict[str, dict[str, Any]] = {
        "zendesk": {
            f"{zendesk}/locales.json": {"locales": ["en"], "default_locale": "en"},
            f"{zendesk}/categories.json?page%5Bsize%5D=100": {"categories": []},
            f"{zendesk}/sections.json?page%5Bsize%5D=100": {"sections": []},
            f"{zendesk}/articles.json?include=translations&page%5Bsize%5D=100": {"articles": [row]},
            f"{zendesk}/articles/7/attachments/block.json": {"article_attachments": []},
        },
        "intercom": {
            f"/articles{per_page}": {"data": [{**row, "type": "article", "id": "7", "state": "published"}]},
            f"/help_center/collections{per_page}": {"data": []},
            f"/help_center/help_centers{per_page}": {"data": []},
        },
        "help_scout": {
            "/v1/sites": {"sites": {"items": []}},
            "/v1/collections": {
                "collections": {"items": [{"id": "c", "name": "All", "visibility": "public"}]}
            },
            "/v1/collections/c/categories": {"categories": {"items": []}},
            "/v1/collections/c/articles": {"articles": {"items": [{"id": "a"}]}},
            "/v1/articles/a": {
                "article": {
                    **{"id": "a", "number": 7, "collectionId": "c", "status": "published", "slug": "set-up"},
                    **{"name": "Set up", "text": html, "categories": []},
                }
            },
        },
        "freshdesk": {
            f"{freshdesk}/categories{first}": [{"id": 1, "name": "All"}],
            f"{freshdesk}/categories/1/folders{first}": [{"id": 2, "name": "First", "visibility": 1}],
            f"{freshdesk}/folders/2/articles{first}": [{**row, "folder_id": 2, "status": 2}],
        },
    }
    return {path: Answer(body) for path, body in answers[name].items()}


@contextmanager
def serving(content: bytes) -> Iterator[str]:
    """The URL of a server that redirects `moved.zip` to the archive."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_moved = self.path == "/moved.zip"
            self.send_response(302 if is_moved else 200)
            if is_moved:
                self.send_header("Location", "/docs-main.zip")
            body = b"" if is_moved else content
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_a_paused_workspace_takes_no_import(
    operator: Operator, owner: Tx, cast: Cast, folder: Path
) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)
    arguments = ("--workspace", cast.paused.workspace_id, "--bot", cast.paused.slug)

    assert "paused" in await operator.refused("import", str(folder), *arguments)


async def test_a_named_site_holds_for_the_next_import_and_gone_pages_are_archived_on_request(
    operator: Operator, bot: tuple[str, ...], folder: Path, client: Client, tmp_path: Path
) -> None:
    (folder / "links.md").write_text("# Links\n\n[x](https://acme.example/help/guides/install)\n")
    (folder / "old.md").write_text("# Old\n\nNo longer of use.\n")
    first = await operator.json("import", str(folder), "--site", "https://acme.example/help/", *bot)
    (folder / "old.md").unlink()

    second = await operator.json("import", str(folder), *bot)
    third = await operator.json("import", str(folder), "--prune", *bot)

    assert first["source"] == second["source"] == "plain:docs"
    assert (second["pages"]["unchanged"], second["pages"]["absent"]) == (3, 1)
    assert [(row["key"], row["outcome"]) for row in second["absentPages"]] == [("old.md", "stays")]
    assert (third["pages"]["absent"], third["pages"]["archived"]) == (0, 1)
    statuses = {row["slug"]: row["status"] for row in ok(await client.get("/v1/articles"))["results"]}
    assert (statuses["old"], statuses["links"]) == ("archived", "published")
    assert "/articles/install)" in ok(await client.get("/v1/articles/links"))["contentMarkdown"]


async def test_a_site_that_is_no_address_is_refused(
    operator: Operator, bot: tuple[str, ...], folder: Path, client: Client
) -> None:
    text = await operator.refused("import", str(folder), "--site", "ftp://acme.example", *bot)

    assert "https://example.com/docs" in text
