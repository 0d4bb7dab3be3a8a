"""Zendesk Guide: saved API responses."""

from typing import Any

import pytest

from instep.transfer.imports.readers.zendesk import READER
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.import_product_files import page_of, told
from tests.support.import_sources import Files, read_tree
from tests.support.wording import like

SITE = "https://acme.zendesk.com"


def article(number: int, title: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": number,
        "html_url": f"{SITE}/hc/en-us/articles/{number}-{title}",
        "title": title,
        "body": f"<p>{title}</p>",
        "locale": "en-us",
        "source_locale": "en-us",
        "section_id": 200,
        "position": 0,
        "draft": False,
        "user_segment_id": None,
        **fields,
    }


def saved(*articles: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "locales.json": {"locales": ["en-us", "de"], "default_locale": "en-us"},
        "categories-1.json": {
            "categories": [{"id": 100, "name": "Basics", "position": 1, "locale": "en-us"}]
        },
        "sections-1.json": {
            "sections": [
                {"id": 201, "name": "Deeper", "category_id": 100, "parent_section_id": 200, "position": 0},
                {"id": 200, "name": "First steps", "category_id": 100, "position": 5, "description": "Begin"},
                {"id": 202, "name": "News", "category_id": 100, "position": 2},
            ]
        },
        "articles-1.json": {"articles": list(articles)},
        **more,
    }


def test_sections_articles_and_their_order() -> None:
    tree = read_tree(
        READER,
        saved(
            article(360000000002, "Second", position=2),
            article(360000000001, "First", position=1, draft=True),
            article(360000000003, "Update", section_id=202),
            article(360000000004, "Detail", section_id=201),
        ),
    )
    assert [(each.key, each.title, each.parent) for each in tree.collections] == [
        ("category-100", "Basics", None),
        ("section-202", "News", "category-100"),
        ("section-200", "First steps", "category-100"),
        ("section-201", "Deeper", "section-200"),
    ]
    assert [(page.title, page.collection, page.status) for page in tree.pages] == [
        ("Update", "section-202", "published"),
        ("First", "section-200", "draft"),
        ("Second", "section-200", "published"),
        ("Detail", "section-201", "published"),
    ]
    assert (tree.locale, tree.sites) == ("en-US", (SITE,))


def test_half_an_emoji_of_a_text_that_was_cut_is_replaced() -> None:
    half = article(360000000001, "Half", body="<p>Smile \ude00</p>") | {"title": "Half \ud83d"}

    [page] = read_tree(READER, saved(half)).pages

    assert (page.title, page.markdown) == ("Half \ufffd", "Smile \ufffd\n")


def test_translations_have_addresses_of_their_own() -> None:
    german = {
        "source_id": 360000000001,
        "locale": "de",
        "title": "Erste",
        "body": "<p>Los</p>",
        "hidden": False,
    }
    hidden = {"locale": "fr", "title": "Premier", "body": "<p>Va</p>", "hidden": True}
    contents = saved(article(360000000001, "First", translations=[hidden]))
    tree = read_tree(READER, {**contents, "translations.json": {"translations": [{"id": 7, **german}]}})
    pages = {page.locale: page for page in tree.pages}
    assert {locale: page.status for locale, page in pages.items()} == {
        "en-US": "published",
        "de": "published",
        "fr": "draft",
    }
    assert (pages["de"].translation_of, pages["de"].markdown) == ("360000000001", "Los\n")
    assert pages["de"].former_addresses == ("/hc/de/articles/360000000001*",)
    assert pages["en-US"].address == "/hc/en-us/articles/360000000001-First"
    assert pages["en-US"].former_addresses == ("/hc/*/articles/360000000001*",)


def test_restricted_articles_stay_restricted() -> None:
    tree = read_tree(
        READER,
        {
            **saved(
                article(360000000001, "Customers", user_segment_id=5),
                article(360000000002, "Team", user_segment_id=6),
            ),
            "user_segments.json": {"user_segments": [{"id": 6, "user_type": "staff"}]},
        },
    )
    customers, team = page_of(tree, "360000000001"), page_of(tree, "360000000002")
    assert (customers.visibility, customers.status) == ("authenticated", "published")
    assert (team.visibility, team.status) == ("authenticated", "draft")
    assert {path for path, _ in told(tree)} == {customers.path, team.path}


def test_saved_images_and_attachments_take_the_place_of_their_addresses() -> None:
    image, gone, manual = (f"{SITE}/hc/article_attachments/{number}/x" for number in (1, 2, 3))
    body = f'<p><img src="{image}" alt="Shot"></p><p><img src="{gone}" alt="Gone"></p>'
    attachments = {
        "article_attachments": [
            {"id": 3, "article_id": 360000000001, "content_url": manual, "file_name": "a.pdf"}
        ]
    }
    index = {
        image: "files/1.png",
        manual: "files/3.pdf",
        gone: {"error": "its URL responds with status 404"},
    }
    tree = read_tree(
        READER,
        {
            **saved(article(360000000001, "First", body=body)),
            "attachments-1.json": attachments,
            "files.json": index,
            "files/1.png": b"png",
            "files/3.pdf": b"pdf",
        },
    )
    page = tree.pages[0]
    assert page.markdown == f"![Shot](files/1.png)\n\n![Gone]({gone})\n\n- [a.pdf](files/3.pdf)\n"
    assert told(tree) == [(page.path, like(f"file…404…{gone}"))]


def test_broken_json_is_refused_with_its_line() -> None:
    contents = saved(article(1, "First"), **{"sections-2.json": '{\n"sections": [,]}'})
    with pytest.raises(UnreadableSource, match=r"sections-2.json.*\(line 2"):
        READER.read(Files(contents))
    contents["sections-2.json"] = f'{{"sections": [{"9" * 5_000}]}}'
    with pytest.raises(UnreadableSource, match=r"sections-2\.json"):
        READER.read(Files(contents))


def test_a_folder_without_articles_says_what_is_missing() -> None:
    files = Files({"sections.json": {"sections": [{"id": 1, "category_id": 2, "html_url": f"{SITE}/hc/x"}]}})
    assert READER.recognises(files)
    with pytest.raises(UnreadableSource, match="No file contains articles"):
        READER.read(files)


def test_missing_titles_and_sections_are_reported() -> None:
    untitled = {**article(1, "One"), "title": None}
    tree = read_tree(READER, saved(untitled, article(2, "Two", section_id=999)))

    places = [(page.title, page.collection) for page in tree.pages]
    assert places == [("Article 1", "section-200"), ("Two", None)]
    assert [what for _, what in told(tree)] == [like("…title…“Article 1”"), like("collection…(999)…")]
