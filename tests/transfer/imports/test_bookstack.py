"""BookStack: portable ZIP files of books, chapters and pages."""

from typing import Any

from instep.transfer.imports.readers.bookstack import READER
from tests.support.file_samples import picture
from tests.support.import_product_files import page_of
from tests.support.import_sources import Files, losses_of, planned, read_tree, text_of
from tests.support.import_trees import outline

PAGES: dict[str, dict[str, Any]] = {
    "first": {
        "id": 40,
        "name": "Set up",
        "priority": 2,
        "html": '<h3 id="bkmrk-go">Go</h3><p class="callout warning">Mind <b>this</b></p>'
        '<p><img src="[[bsexport:image:shot.png]]"></p>'
        '<p><a href="[[bsexport:page:41]]">next</a></p>',
        "attachments": [{"id": 1, "name": "Sheet", "file": "abc.pdf"}],
    },
    "second": {
        "id": 41,
        "name": "Use: it",
        "priority": 1,
        "html": "<p>old</p>",
        "markdown": "# Use: it\n\nSee [set up]([[bsexport:page:40]]) and [all]([[bsexport:book:8]]).\n",
    },
}
BOOK: dict[str, Any] = {
    "instance": {"version": "v25.07"},
    "exported_at": "2026-01-01T00:00:00Z",
    "book": {
        "id": 8,
        "name": "The guide",
        "description_html": "<p>For <b>everyone</b></p>",
        "pages": [PAGES["first"]],
        "chapters": [{"id": 2, "name": "Daily use", "priority": 1, "pages": [PAGES["second"]]}],
    },
}
FILES = {"data.json": BOOK, "files/shot.png": picture(), "files/abc.pdf": b"%PDF-1.4"}


def test_books_chapters_and_pages_keep_their_order_and_addresses() -> None:
    tree = read_tree(READER, FILES)

    assert outline(tree) == ["The guide > Set up", "The guide > Daily use > Use: it"]
    assert [each.description for each in tree.collections] == ["For **everyone**", None]
    first = page_of(tree, "40")
    assert (first.address, first.former_addresses) == ("/books/the-guide/page/set-up", ("/link/40",))
    assert "> [!WARNING]\n> Mind **this**" in first.markdown
    assert first.markdown.endswith("- [Sheet](files/abc.pdf)\n")
    assert page_of(tree, "41").markdown.startswith("See [set up](/link/40)")


def test_references_lead_to_articles_collections_and_stored_files() -> None:
    files = Files(FILES)
    plan = planned(READER.read(files), files)

    assert "{files/shot.png}" in text_of(plan, "40")
    assert "/articles/set-up" in text_of(plan, "41")
    assert "/collections/the-guide" in text_of(plan, "41")
    assert losses_of(plan) == []


def test_a_single_page_and_several_books_in_one_archive() -> None:
    tree = read_tree(
        READER,
        {"one/data.json": {"page": PAGES["second"]}, "two/data.json": BOOK, "two/files/shot.png": b"p"},
    )

    assert [page.path for page in tree.pages][:2] == ["one/data.json#41", "two/data.json#40"]
    assert tree.pages[0].collection is None


def test_json_of_other_kinds_is_not_a_book() -> None:
    assert not READER.recognises(Files({"data.json": {"page": 1}}))
    assert not READER.recognises(Files({"data.json": "not JSON"}))
