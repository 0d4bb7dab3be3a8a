"""The schemas of a widget's content other than answers: its look, lists of articles, and an article."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from instep.content.articles.paths import path_of_article
from instep.platform.identity.schemas import Bot
from instep.platform.web.shapes import Out
from instep.search.schemas import LiveArticle
from instep.visitors.answers.schemas import PassageUrl


@dataclass(frozen=True, slots=True)
class ListedArticle:
    """A public article in a list."""

    id: str
    slug: str
    locale: str
    title: str
    description: str | None

    def path(self, bot: Bot) -> str:
        return path_of_article(bot.locale, self.locale, self.slug)


class WidgetTextsOut(Out):
    """A widget's texts, in the requested language."""

    greeting: Annotated[
        str,
        Field(
            description="The greeting, shown before the first question.",
            examples=["What would you like to know?"],
        ),
    ]
    placeholder: Annotated[
        str, Field(description="The placeholder of the empty field.", examples=["Your question"])
    ]
    send: Annotated[str, Field(description="The label of the send button.", examples=["Send"])]
    ask_person: Annotated[
        str,
        Field(description="The label of the button that asks for a person.", examples=["Ask for a person"]),
    ]
    sources: Annotated[str, Field(description="The heading above the sources.", examples=["Sources"])]


class AccentPairOut(Out):
    """A bot's color, made readable for each color scheme."""

    light: Annotated[str, Field(description="For light backgrounds.", examples=["#8a5a00"])]
    dark: Annotated[str, Field(description="For dark backgrounds.", examples=["#f2b84b"])]


class WidgetConfigOut(Out):
    """The data that a widget needs; none of it is secret."""

    bot_id: str
    name: str
    locale: str
    help_url: Annotated[
        str,
        Field(
            description="The URL of the public help center.", examples=["https://help.example.com/help/acme"]
        ),
    ]
    accent: Annotated[AccentPairOut | None, Field(description="The bot's color; null for the default blue.")]
    texts: WidgetTextsOut


class ArticleLinkOut(Out):
    """An article in a list of a widget."""

    article_id: Annotated[str, Field(examples=["art_01kbb6x4mwh2v7n8q9r0s1t2v3"])]
    title: Annotated[str, Field(examples=["Install the agent"])]
    locale: Annotated[str, Field(examples=["en"])]
    url: PassageUrl
    heading: Annotated[
        str | None, Field(description="The heading of the matching section.", examples=["Linux"])
    ]
    version: Annotated[
        str | None,
        Field(
            description="The name of the article's product version, if it is another one.", examples=[None]
        ),
    ]
    excerpt: Annotated[
        str,
        Field(
            description="Plain text, possibly empty: escape it when you insert it into a page.",
            examples=["Run install.sh, then open the dashboard."],
        ),
    ]


class ArticleLinksOut(Out):
    """Articles for a widget, best first."""

    results: Annotated[
        list[ArticleLinkOut], Field(description="A short list: as many as a widget shows at once.")
    ]


class ReadableArticleOut(Out):
    """A public article as a visitor reads it, without what only the team needs."""

    id: Annotated[str, Field(examples=["art_01kbb6x4mwh2v7n8q9r0s1t2v3"])]
    title: Annotated[str, Field(examples=["Install the agent"])]
    locale: Annotated[str, Field(examples=["en"])]
    url: Annotated[
        str,
        Field(
            description="The URL of the public page.",
            examples=["https://help.example.com/help/acme/articles/install-the-agent"],
        ),
    ]
    content_markdown: Annotated[
        str, Field(description="The text of the article, in Markdown.", examples=["Run `install.sh`.\n"])
    ]

    @classmethod
    def of(cls, article: LiveArticle, bot: Bot) -> "ReadableArticleOut":
        return cls.of_row(article, url=article.url(bot), content_markdown=article.markdown)
