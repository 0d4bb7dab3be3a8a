"""Finds and shows articles in a widget, for the visitor's input and for the page with the widget."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from instep.platform.core import limits
from instep.platform.core.directives import plain_markdown
from instep.platform.core.errors import InvalidRequest, InvalidValue
from instep.platform.core.locales import valid_locale
from instep.platform.core.markdown import renders_at_once
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded
from instep.platform.identity.schemas import Ctx
from instep.platform.text.comments import without_comments
from instep.platform.text.definitions import without_unused_definitions
from instep.search.actions import get_live_article
from instep.search.retrieve import by_language, retrieve, retrieve_in_any_version
from instep.search.schemas import Audience, LiveArticle, Passage, Retrieval
from instep.visitors.answers import queries
from instep.visitors.answers.page_words import words_of_page
from instep.visitors.answers.visitor_tokens import require_claims
from instep.visitors.answers.widget_schemas import ArticleLinkOut, ArticleLinksOut

# The share (0..1) of the words in a page's URL that an article must contain to be suggested on it.
MIN_PAGE_COVERAGE = 0.2


async def find_articles(
    ctx: Ctx, query: str, locale: str | None, visitor_token: str | None
) -> ArticleLinksOut:
    """Find the articles that a widget lists while someone types; the last word may be incomplete.

    Articles in `locale` are found or, if none of them has the words, those in the language of the help center
    or else in another one. If articles of other versions contain more of the words, they are found too, with
    their `version`. A `Visitor-Token` signed by a signed-in visitor's server finds `authenticated` articles
    too.
    """
    audience = await audience_of(ctx, visitor_token)
    most, language = limits.WIDGET_SEARCH_RESULTS, accepted_locale(locale)
    find = partial(
        retrieve_in_any_version, ctx, query, limit=most, per_article=1, audience=audience, is_typing=True
    )
    passages = await passages_in(ctx, language, find)
    return ArticleLinksOut(results=list(map(link_to, passages)))


async def suggest_articles(
    ctx: Ctx, page_url: str | None, locale: str | None, visitor_token: str | None
) -> ArticleLinksOut:
    """List the articles that a widget shows before the first question: those on the topic of the page.

    The topic is derived from the words in the page's URL. If they match no article, the first articles of the
    help center are listed.
    """
    audience, locale = await audience_of(ctx, visitor_token), accepted_locale(locale)
    words = words_of_page(page_url or "")
    most = limits.WIDGET_SUGGESTIONS
    find = partial(retrieve, ctx, words, limit=most, per_article=1, audience=audience)
    passages = await passages_in(ctx, locale, find) if words else []
    fitting = [link_to(passage) for passage in passages if passage.coverage >= MIN_PAGE_COVERAGE]
    return ArticleLinksOut(results=fitting or await first_links(ctx, locale))


def link_to(passage: Passage) -> ArticleLinkOut:
    version = passage.other_version
    return ArticleLinkOut.of_row(passage, version=version.name if version else None)


async def first_links(ctx: Ctx, locale: str | None) -> list[ArticleLinkOut]:
    """The first articles in a language; without one, those in the language of the help center."""
    bot = ctx.bot
    for language in dict.fromkeys((locale or bot.locale, bot.locale)):
        if articles := await queries.first_articles(ctx, language, limits.WIDGET_SUGGESTIONS):
            break
    return [
        ArticleLinkOut(
            article_id=article.id,
            title=article.title,
            locale=article.locale,
            url=bot.help_url + article.path(bot),
            heading=None,
            version=None,
            excerpt=article.description or "",
        )
        for article in articles
    ]


async def get_public_article(ctx: Ctx, article_id: str, visitor_token: str | None) -> LiveArticle:
    """Get a public article, as a source of an answer is read inside the widget.

    A `Visitor-Token` signed by a signed-in visitor's server opens `authenticated` ones too; any other is not
    found.
    """
    article = await get_live_article(ctx, article_id, await audience_of(ctx, visitor_token))
    text, is_small = article.markdown, renders_at_once(article.markdown)
    try:
        content = await run_bounded(
            shown_markdown, text, seconds=limits.MAX_RENDER_SECONDS, is_small=is_small
        )
    except TimeLimitExceeded:
        raise InvalidRequest("This article takes too long to load here: open its page instead.") from None
    return replace(article, markdown=content)


def shown_markdown(text: str) -> str:
    """The text as plain Markdown, without comments of either kind, which no page shows."""
    return plain_markdown(without_unused_definitions(without_comments(text)))


async def audience_of(ctx: Ctx, visitor_token: str | None) -> Audience:
    if visitor_token is None:
        return "public"
    await require_claims(ctx, visitor_token)
    return "authenticated"


async def passages_in(
    ctx: Ctx, locale: str | None, find: Callable[..., Awaitable[Retrieval]]
) -> list[Passage]:
    """The best passages in the first language in which one has the words, else in the first with any."""
    first: list[Passage] = []
    async for retrieval in by_language(ctx, locale or ctx.bot.locale, find):
        if any(passage.coverage > 0 for passage in retrieval.passages):
            return retrieval.passages
        first = first or retrieval.passages
    return first


def accepted_locale(text: str | None) -> str | None:
    try:
        return valid_locale(text) if text is not None else None
    except ValueError as error:
        raise InvalidValue("locale", str(error)) from None
