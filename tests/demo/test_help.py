"""Instep's own documentation is a help center that the demo can load, and its links work."""

import re

from instep.content.articles.body_schemas import ArticleCreate
from instep.content.collections.schemas import CollectionCreate
from instep.demo.help import HELP, read_help, read_page
from instep.demo.story import HERE

LINK = re.compile(r"\]\(/help/instep/articles/([^)#]+)")


def test_every_folder_and_file_makes_a_collection_and_an_article() -> None:
    for section in read_help():
        about = section.about
        words = {
            "title": about.title,
            "slug": about.slug,
            "description": about.description,
            "icon": about.icon,
        }
        assert CollectionCreate.model_validate(words).slug == about.slug
        for page in section.pages:
            body = {"title": page.title, "contentMarkdown": page.text, "slug": page.slug}
            article = ArticleCreate.model_validate({**body, "description": page.description})
            assert article.slug == page.slug


def test_no_two_files_make_the_same_address_or_the_same_place() -> None:
    slugs = [page.slug for section in read_help() for page in section.pages]
    places = [(file.parent, file.name[:2]) for file in HELP.glob("*/[0-9]*.md")]

    assert len(set(slugs)) == len(slugs)
    assert len(set(places)) == len(places)


def test_every_link_between_the_articles_leads_to_one() -> None:
    texts = {page.slug: page.text for section in read_help() for page in section.pages}

    broken = {
        (slug, link) for slug, text in texts.items() for link in LINK.findall(text) if link not in texts
    }
    assert broken == set()


def test_the_articles_before_the_change_are_those_of_today_but_for_what_the_change_touched() -> None:
    texts = {page.slug: page.text for section in read_help() for page in section.pages}

    for file in (HERE / "before").glob("*.md"):
        before = read_page(file, file.stem).text.splitlines()
        today = texts[file.stem].splitlines()
        assert len(before) == len(today)
        assert 1 <= sum(old != new for old, new in zip(before, today, strict=True)) <= 3
