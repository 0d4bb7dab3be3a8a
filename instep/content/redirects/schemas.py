"""The shapes of a redirect (contract section 10)."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import MISSING, AfterValidator, ConfigDict, Field
from pydantic.config import JsonDict

from instep.content.articles.paths import path_of_article
from instep.content.redirects.path_patterns import normal_path, written_path
from instep.platform.core import limits
from instep.platform.core.outbound.urls import CHARACTERS, PATTERN, parse_url
from instep.platform.identity.schemas import Bot
from instep.platform.web.shapes import Body, Out, Text, Timestamp

# The pattern in the API's description; `normal_path` and `valid_target` check more.
FROM_PATTERN = r"^(https?://[^/?#\u0000]+)?/+[^/?#\u0000][^\u0000]*$"
TARGET_PATTERN = rf"{PATTERN}(?:#{CHARACTERS})?"
FROM_EXAMPLE = "/hc/*/articles/360012-*"
ARTICLE_EXAMPLE: JsonDict = {"from": FROM_EXAMPLE, "articleId": "install-the-agent"}
# A path of the help center itself, with the rest of the requested path.
OWN_REST_PATTERN = rf"(?:/(?!/){CHARACTERS})?/\*"
PREFIX_EXAMPLE: JsonDict = {"from": "/docs/*", "url": "/*"}
URL_EXAMPLE: JsonDict = {"from": "/status", "url": "https://status.example.com"}


def valid_source(text: str) -> str:
    """The text itself; `create_redirect` needs it to recognize an address of the help center."""
    normal_path(text)
    return text


def valid_target(text: str) -> str:
    """A URL for browsers, in a narrow grammar that all parsers read the same way."""
    if re.fullmatch(OWN_REST_PATTERN, text):
        return text
    if re.fullmatch(TARGET_PATTERN, text) is None:
        raise ValueError(
            "it must be an address such as https://example.com/page, in ASCII and without user name, "
            "or a path of the help center that ends with /*"
        )
    parse_url(text.partition("#")[0])
    return text


RedirectSource = Annotated[
    Text,
    Field(
        max_length=limits.MAX_REDIRECT_URL_CHARACTERS,
        description="A path below the help center's address, or a URL whose path is used. `*` matches a "
        "segment or the rest of one. `/*` at the end matches the address and everything below it, if "
        "`url` ends with `/*` too.",
        examples=[FROM_EXAMPLE],
        json_schema_extra={"pattern": FROM_PATTERN},
    ),
    AfterValidator(valid_source),
]
RedirectUrl = Annotated[
    Text,
    Field(
        max_length=limits.MAX_REDIRECT_URL_CHARACTERS,
        description="Any `http` or `https` URL; if it is redirected itself, its final target is stored. "
        "`/*` at the end is replaced with what `/*` in `from` matched; only such a `url` may be "
        "a path of the help center, such as `/guides/*`.",
        examples=["https://status.example.com", "/*"],
        json_schema_extra={
            "pattern": f"^(?:{TARGET_PATTERN}|{OWN_REST_PATTERN})$",
            "format": "uri-reference",
        },
    ),
    AfterValidator(valid_target),
]


def whole_url(bot: Bot, url: str) -> str:
    """The full URL of a stored one: those in the help center itself are stored without a host."""
    return bot.help_url + url if url.startswith("/") else url


@dataclass(frozen=True, slots=True)
class Redirect:
    """One row of `redirects`; it has either an article or a URL as `whole_url` returns it."""

    id: str
    path: str
    article_id: str | None
    url: str | None
    created_at: datetime

    @property
    def source(self) -> str:
        """The path in its written form."""
        return written_path(self.path)


@dataclass(frozen=True, slots=True)
class FormerPath:
    """A path from `normal_path` or `prefix_path`, and the article or the URL that it should lead to."""

    path: str
    article_id: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class RedirectTarget:
    """The target of a path; `slug` and `locale` are null unless its article is live and public."""

    path: str
    article_id: str | None
    url: str | None
    slug: str | None
    locale: str | None

    def article_url(self, bot: Bot) -> str | None:
        if self.slug is None or self.locale is None:
            return None
        return bot.help_url + path_of_article(bot.locale, self.locale, self.slug)


@dataclass(frozen=True, slots=True)
class ArticleAtPath:
    """The article at a current or former address, and whether everyone may read it."""

    id: str
    slug: str
    locale: str
    is_public: bool

    def path(self, bot: Bot) -> str:
        return path_of_article(bot.locale, self.locale, self.slug)


class RedirectCreate(Body):
    """The fields of a new redirect: `from`, and exactly one of `articleId` and `url`."""

    # Two optional fields instead of `oneOf`, because client generators make one plain type of them.
    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 2,
            "maxProperties": 2,
            "examples": [ARTICLE_EXAMPLE, URL_EXAMPLE, PREFIX_EXAMPLE],
        }
    )

    source: RedirectSource = Field(alias="from")
    article_id: Text | MISSING = Field(default=MISSING, description="The target article, by its id or slug.")
    url: RedirectUrl | MISSING = MISSING


class RedirectOut(Out):
    """A redirect from an address without a page."""

    id: str
    source: str = Field(
        alias="from", description="The path, normalized for comparison.", examples=[FROM_EXAMPLE]
    )
    article_id: str | None = Field(description="The target article, at its current address.")
    url: str | None = Field(description="The target address.")
    bot_id: str
    created_at: Timestamp

    @classmethod
    def of(cls, redirect: Redirect, bot: Bot) -> "RedirectOut":
        return cls(
            id=redirect.id,
            article_id=redirect.article_id,
            url=redirect.url and whole_url(bot, redirect.url),
            bot_id=str(bot.id),
            created_at=redirect.created_at,
            **{"from": redirect.source},
        )


class RedirectDeletedOut(Out):
    """The redirect is deleted; its address can be used for another one."""

    id: str
    deleted: bool
