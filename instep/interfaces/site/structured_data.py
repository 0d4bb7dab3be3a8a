"""Page data for programs: JSON-LD (schema.org) for search engines, and Open Graph for chats."""

from dataclasses import dataclass
from html import unescape
from typing import Any

from babel.core import get_global

from instep.interfaces.site.contents import ANY_TAG, ContentsHeading
from instep.interfaces.site.schemas import ArticlePage, CollectionSection, article_url, root_url
from instep.interfaces.site.xml import as_uri
from instep.platform.core import limits
from instep.platform.core.clock import isoformat
from instep.platform.identity.schemas import Bot

CONTEXT = "https://schema.org"
QUESTION_MARKS = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}")
# A page of questions and answers has at least two.
MIN_QUESTIONS = 2


@dataclass(frozen=True, slots=True)
class LinkCard:
    """The preview of a link to a page elsewhere: a title, a description and optionally an image."""

    title: str
    url: str
    description: str | None = None
    type: str = "website"
    image_url: str | None = None


def og_locale(locale: str) -> str:
    """A locale in Open Graph's form, with a territory: `de` becomes `de_DE`."""
    subtags = locale.split("-")
    if len(subtags[-1]) == 2 and len(subtags) > 1:
        return f"{subtags[0]}_{subtags[-1]}"
    likely: str = get_global("likely_subtags").get(subtags[0], subtags[0])
    return f"{subtags[0]}_{likely.split('_')[-1]}" if "_" in likely else subtags[0]


def home_data(bot: Bot, locale: str) -> dict[str, Any]:
    """The help center as a web site that can be searched."""
    root = root_url(bot, locale)
    return {
        "@context": CONTEXT,
        "@type": "WebSite",
        "name": bot.name,
        "url": f"{root}/",
        "inLanguage": locale,
        "potentialAction": {
            "@type": "SearchAction",
            "target": {"@type": "EntryPoint", "urlTemplate": f"{root}/search?q={{search_term_string}}"},
            "query-input": "required name=search_term_string",
        },
    }


def section_data(bot: Bot, locale: str, section: CollectionSection, title: str, url: str) -> dict[str, Any]:
    """The position of a collection."""
    return {"@context": CONTEXT, **breadcrumb_list(bot, locale, section.breadcrumbs, title, url)}


def article_data(
    bot: Bot, article: ArticlePage, headings: list[ContentsHeading], image_url: str | None
) -> dict[str, Any]:
    """An article, its position, and the questions that it answers if it consists of questions."""
    url = as_uri(article_url(bot, article.locale, article.slug))
    about: dict[str, Any] = {
        "@type": "TechArticle",
        "headline": article.title,
        "url": url,
        "inLanguage": article.locale,
        "dateModified": isoformat(article.updated_at),
        "author": {"@type": "Organization", "name": bot.name},
        "publisher": {"@type": "Organization", "name": bot.name},
        "isPartOf": {"@type": "WebSite", "name": bot.name, "url": f"{root_url(bot, article.locale)}/"},
    }
    if article.description:
        about["description"] = article.description
    if image_url:
        about["image"] = image_url
    graph = [about, breadcrumb_list(bot, article.locale, article.breadcrumbs, article.title, url)]
    questions = questions_of(article.html, headings)
    if questions:
        graph.append({"@type": "FAQPage", "inLanguage": article.locale, "mainEntity": questions})
    return {"@context": CONTEXT, "@graph": graph}


def breadcrumb_list(
    bot: Bot, locale: str, collections: list[dict[str, str]], title: str, url: str
) -> dict[str, Any]:
    """The path from the home page to a page."""
    root = root_url(bot, locale)
    steps = [(bot.name, f"{root}/")]
    steps += [(step["title"], as_uri(f"{root}/collections/{step['slug']}")) for step in collections]
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": position, "name": name, "item": item}
            for position, (name, item) in enumerate([*steps, (title, url)], 1)
        ],
    }


def questions_of(html: str, headings: list[ContentsHeading]) -> list[dict[str, Any]]:
    """The questions and answers of a text whose headings are all questions; empty for others.

    Also empty if the answers are too long to repeat them on the page.
    """
    if len(headings) < MIN_QUESTIONS or not all(is_question(heading) for heading in headings):
        return []
    starts = [html.find(f' id="{heading.id}">') for heading in headings]
    ends = [html.rfind("<h", 0, start) for start in starts[1:]]
    answers = [
        text_below_heading(html[start:end]) for start, end in zip(starts, [*ends, len(html)], strict=True)
    ]
    if not all(answers) or sum(map(len, answers)) > limits.MAX_FAQ_CHARACTERS:
        return []
    return [
        {"@type": "Question", "name": heading.title, "acceptedAnswer": {"@type": "Answer", "text": answer}}
        for heading, answer in zip(headings, answers, strict=True)
    ]


def text_below_heading(html: str) -> str:
    """The words of a section, which begins inside the tag of its heading."""
    _, _, body = html.partition("</h")
    return " ".join(unescape(ANY_TAG.sub(" ", body.partition(">")[2])).split())


def is_question(heading: ContentsHeading) -> bool:
    return heading.title.endswith(QUESTION_MARKS) and not heading.subheadings
