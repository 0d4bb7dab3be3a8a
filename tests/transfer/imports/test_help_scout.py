"""Help Scout Docs: saved API responses."""

from typing import Any

import pytest

from instep.transfer.imports.readers.help_scout import READER
from instep.transfer.imports.tree.schemas import ImportedRedirect, UnreadableSource
from tests.support.import_product_files import page_of, told
from tests.support.import_sources import Files, read_tree
from tests.support.wording import like

LISTED = {"id": "a2", "number": 12, "collectionId": "c1", "name": "Later", "status": "published"}
ARTICLE = {
    "id": "a1",
    "number": 7,
    "collectionId": "c1",
    "slug": "set-up",
    "status": "published",
    "hasDraft": True,
    "name": "Set up",
    "text": '<section class="callout-yellow">Mind</section><div class="private-note">Internal</div><p>Go</p>',
    "categories": ["k1"],
    "publicUrl": "https://acme.helpscoutdocs.com/article/7-set-up",
}
SAVED: dict[str, Any] = {
    "collections.json": {
        "collections": {
            "page": 1,
            "items": [
                {"id": "c2", "siteId": "s", "name": "Team", "visibility": "private", "order": 2},
                {"id": "c1", "siteId": "s", "name": "Help", "visibility": "public", "order": 1},
            ],
        }
    },
    "categories.json": {
        "categories": {"items": [{"id": "k1", "collectionId": "c1", "name": "Start", "order": 1}]}
    },
    "articles-c1.json": {"articles": {"items": [LISTED, {**ARTICLE, "text": None}]}},
    "article-a1.json": {"article": ARTICLE},
    "redirects.json": {
        "redirects": {"items": [{"id": "r", "urlMapping": "/old", "redirect": "/article/7-set-up"}]}
    },
}


def test_collections_categories_articles_and_redirects() -> None:
    tree = read_tree(READER, SAVED)
    assert [(each.key, each.parent, each.visibility) for each in tree.collections] == [
        ("c1", None, "public"),
        ("k1", "c1", "public"),
        ("c2", None, "authenticated"),
    ]
    page = page_of(tree, "a1")
    assert (page.collection, page.address) == ("k1", "/article/7-set-up")
    assert page.former_addresses == ("/article/7", "/article/7-*")
    assert page.markdown == "> [!WARNING]\n> Mind\n\nGo\n"
    assert tree.redirects == (ImportedRedirect("/old", "/article/7-set-up"),)


def test_omitted_articles_are_reported() -> None:
    assert told(read_tree(READER, SAVED)) == [
        ("article a2", like("article…listed…")),
        ("article-a1.json#a1", like("private…: “Internal”")),
        ("article-a1.json#a1", like("unpublished…")),
    ]


def test_a_collection_or_category_that_no_file_holds_is_reported() -> None:
    named = {"article-a3.json": ("a3", "c9", []), "article-a4.json": ("a4", "c1", ["k9"])}
    articles = {
        path: {"article": {**ARTICLE, "id": id, "collectionId": collection, "categories": categories}}
        for path, (id, collection, categories) in named.items()
    }
    tree = read_tree(READER, SAVED | articles)
    assert (page_of(tree, "a3").collection, page_of(tree, "a4").collection) == (None, "c1")
    assert ("article-a3.json#a3", like("collection…(c9)…")) in told(tree)
    assert ("article-a4.json#a4", like("collection…(k9)…")) in told(tree)


def test_lists_without_texts_say_what_is_missing() -> None:
    files = Files({"articles.json": {"articles": {"items": [LISTED]}}})
    assert READER.recognises(files)
    with pytest.raises(UnreadableSource, match="save each article too"):
        READER.read(files)
