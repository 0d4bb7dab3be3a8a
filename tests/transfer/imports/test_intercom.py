"""Intercom Articles: saved API responses."""

from typing import Any

from instep.transfer.imports.readers.intercom import READER
from instep.transfer.imports.tree.schemas import ImportedRedirect
from tests.support.import_product_files import page_of, told
from tests.support.import_sources import read_tree
from tests.support.wording import like

ARTICLE = {
    "id": "1234567",
    "type": "article",
    "workspace_id": "abc",
    "title": "Set up",
    "description": "How to begin",
    "body": '<h1 id="h_1">Begin</h1><p class="no-margin">Go</p>',
    "state": "published",
    "url": "https://intercom.help/acme/en/articles/1234567-set-up",
    "parent_ids": [160],
    "parent_id": 160,
    "default_locale": "en",
    "translated_content": {
        "type": "article_translated_content",
        "de": {
            "type": "article_content",
            "title": "Einrichten",
            "body": "<p>Los</p>",
            "state": "draft",
            "url": "https://intercom.help/acme/de/articles/1234567-einrichten",
        },
        "fr": {"type": "article_content", "title": None, "body": None, "state": "draft"},
    },
}
COLLECTIONS = [
    {"id": "160", "name": "Start", "order": 1, "parent_id": "159", "help_center_id": None},
    {
        "id": "159",
        "name": "All",
        "order": 17,
        "parent_id": None,
        "help_center_id": 79,
        "description": "Everything",
    },
]
SAVED: dict[str, Any] = {
    "articles-1.json": {"type": "list", "data": [ARTICLE]},
    "collections-1.json": {"type": "list", "data": COLLECTIONS},
    "redirects-79-1.json": {
        "type": "list",
        "data": [
            {
                "id": "26",
                "type": "help_center_redirect",
                "from_url": "https://intercom.help/acme/old-page",
                "target_type": "article",
                "target_id": "1234567",
            }
        ],
    },
}


def test_collections_translations_states_and_addresses() -> None:
    tree = read_tree(READER, SAVED)
    assert [(each.key, each.title, each.parent) for each in tree.collections] == [
        ("159", "All", None),
        ("160", "Start", "159"),
    ]
    english, german = tree.pages
    assert (english.key, english.markdown, english.collection) == ("1234567", "## Begin\n\nGo\n", "160")
    assert (english.description, english.heading_ids) == ("How to begin", (("h_1", 0),))
    assert english.address == "/acme/en/articles/1234567-set-up"
    assert english.former_addresses == ("/acme/*/articles/1234567*", "/*/articles/1234567*")
    assert (german.key, german.locale, german.translation_of) == ("1234567/de", "de", "1234567")
    assert (german.status, german.address) == ("draft", "/acme/de/articles/1234567-einrichten")
    assert tree.sites == ("https://intercom.help",)
    assert tree.redirects == (ImportedRedirect("/acme/old-page", "/acme/en/articles/1234567-set-up"),)


def test_a_collection_that_no_file_holds_is_reported_once_for_each_article() -> None:
    contents = {
        **SAVED,
        "articles-2.json": {"data": [{**ARTICLE, "id": "2", "parent_id": 161, "parent_ids": [161, 162]}]},
    }
    tree = read_tree(READER, contents)
    assert page_of(tree, "2").collection is None
    assert told(tree) == [("articles-2.json#2", like("collection…(161)…"))]


def test_callouts_collapsible_sections_and_videos() -> None:
    body = (
        '<div class="intercom-interblocks-callout"'
        ' style="background-color: #feedaf80; border-color: #fbc91633;">'
        '<p class="no-margin">Mind this</p></div>'
        "<details><summary>Why?</summary><p>Because</p></details>"
        '<div class="intercom-h2b-video"><iframe src="https://www.loom.com/embed/abc"></iframe></div>'
        '<div class="intercom-container"><img src="https://downloads.intercomcdn.com/i/1.png?expires=1"></div>'
    )
    tree = read_tree(READER, {"articles.json": {"data": [{**ARTICLE, "body": body}]}})
    assert page_of(tree, "1234567").markdown == (
        "> [!WARNING]\n> Mind this\n\n<details><summary>Why?</summary>\n\nBecause\n\n</details>\n\n"
        ":::video\n\n<https://www.loom.com/share/abc>\n\n:::\n\n![](https://downloads.intercomcdn.com/i/1.png?expires=1)\n"
    )
