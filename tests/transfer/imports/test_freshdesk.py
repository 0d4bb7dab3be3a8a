"""Freshdesk Solutions: saved API responses."""

from typing import Any

from instep.transfer.imports.readers.freshdesk import READER
from tests.support.import_product_files import page_of, told
from tests.support.import_sources import read_tree


def article(number: int, folder: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": number,
        "title": f"Article {number}",
        "description": "<p>Go</p>",
        "description_text": "Go",
        "folder_id": folder,
        "status": 2,
        "attachments": [],
        **fields,
    }


SAVED: dict[str, Any] = {
    "helpdesk.json": {
        "primary_language": "en",
        "supported_languages": ["fr"],
        "domain": "acme.freshdesk.com",
    },
    "categories-1.json": [{"id": 1, "name": "Help", "description": None}],
    "folders-1-1.json": [
        {"id": 10, "name": "Start", "category_id": 1, "visibility": 1},
        {"id": 11, "name": "Team", "category_id": 1, "visibility": 3},
        {"id": 12, "name": "Members", "category_id": 1, "visibility": 2},
    ],
    "folders-of-10-1.json": [
        {"id": 20, "name": "Deeper", "category_id": 1, "parent_folder_id": 10, "visibility": 1}
    ],
    "articles-10-1.json": [
        article(70000000001, 10, seo_data={"meta_description": "How to begin"}, title="Begin"),
        article(70000000002, 11),
        article(70000000003, 12, status=1),
        article(
            70000000004,
            20,
            attachments=[{"id": 1, "name": "a.pdf", "attachment_url": "https://cdn.test/a.pdf?x=1"}],
        ),
    ],
    "article-70000000001.fr.json": article(70000000001, 10, title="Commencer", description="<p>Allez</p>"),
}


def test_categories_folders_and_who_reads_them() -> None:
    tree = read_tree(READER, SAVED)
    assert [(each.key, each.parent, each.visibility) for each in tree.collections] == [
        ("category-1", None, "public"),
        ("folder-10", "category-1", "public"),
        ("folder-20", "folder-10", "public"),
        ("folder-11", "category-1", "authenticated"),
        ("folder-12", "category-1", "authenticated"),
    ]
    assert {page.key: page.status for page in tree.pages} == {
        "70000000001": "published",
        "70000000001/fr": "published",
        "70000000002": "draft",
        "70000000003": "draft",
        "70000000004": "published",
    }
    assert {path for path, _ in told(tree)} == {"articles-10-1.json#70000000002"}


def test_translations_addresses_and_attachments() -> None:
    tree = read_tree(READER, SAVED)
    begin, french = page_of(tree, "70000000001"), page_of(tree, "70000000001/fr")
    assert (begin.description, begin.address) == ("How to begin", "/support/solutions/articles/70000000001")
    assert begin.former_addresses == (
        "/support/solutions/articles/70000000001*",
        "/*/support/solutions/articles/70000000001*",
    )
    assert (french.title, french.locale, french.translation_of) == ("Commencer", "fr", "70000000001")
    assert french.former_addresses == ("/fr/support/solutions/articles/70000000001*",)
    assert page_of(tree, "70000000004").markdown == "Go\n\n- [a.pdf](https://cdn.test/a.pdf?x=1)\n"
    assert tree.sites == ("https://acme.freshdesk.com",)
