"""`llms.txt` (llmstxt.org, version 2) and `llms-full.txt`: a help center's public texts, for programs."""

from collections.abc import Iterator
from itertools import groupby

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from instep import __version__
from instep.interfaces.site import queries
from instep.interfaces.site.markdown_pages import write_markdown
from instep.interfaces.site.representations import EXTENSION, MARKDOWN_TYPE, NOINDEX
from instep.interfaces.site.schemas import ListedText, WholeText, article_url, changelog_url
from instep.interfaces.site.visits import help_center
from instep.interfaces.site.xml import as_uri
from instep.platform.core import limits
from instep.platform.core.etags import etag_of
from instep.platform.identity.schemas import Bot
from instep.platform.text.characters import with_single_spaces
from instep.platform.web.pages import document, not_modified
from instep.platform.web.public import public

# Characters that would end the text of a link.
BRACKETS = str.maketrans({"[": r"\[", "]": r"\]"})


@public
async def show_llms(request: Request) -> Response:
    async with help_center(request, only_reads=True) as visit:
        texts = await queries.list_texts(visit.ctx)
        content = "".join(write_index(visit.ctx.bot, texts, has_changelog=visit.has_changelog))
    return text_document(request, content)


@public
async def show_all_texts(request: Request) -> Response:
    async with help_center(request, only_reads=True) as visit:
        bot = visit.ctx.bot
        # The stamp is read before the texts, so that no tag names older texts.
        stamp = await queries.change_stamp(visit.ctx)
        etag = etag_of(__version__, stamp, bot.name, bot.help_url, bot.locale)
        if unchanged := not_modified(request, etag):
            return unchanged
        texts, count = await queries.list_whole_texts(visit.ctx)
    # Texts of this size take a while to write, so another thread does it.
    content = await to_thread.run_sync(write_texts, bot, texts, count)
    return text_document(request, content, etag)


def text_document(request: Request, content: str, etag: str | None = None) -> Response:
    page = document(request, content.encode(), MARKDOWN_TYPE, etag=etag)
    page.headers.update(NOINDEX)
    return page


def write_index(bot: Bot, texts: list[ListedText], *, has_changelog: bool) -> Iterator[str]:
    listed = texts[: limits.MAX_LLMS_LINKS]
    name = with_single_spaces(bot.name)
    yield f"# {name}\n\n> The help center of {name}, {bot.help_url}/\n"
    if len(listed) < len(texts):
        yield f"\nThese are the first {len(listed)} articles. All are listed in {bot.help_url}/sitemap.xml.\n"
    for heading, articles in groupby(listed, lambda text: heading_of(bot, text)):
        yield f"\n## {heading}\n\n"
        for article in articles:
            yield link_to(article_url(bot, article.locale, article.slug) + EXTENSION, article)
    yield "\n## Optional\n\n"
    yield f"- [All articles in one file]({bot.help_url}/llms-full.txt)\n"
    yield f"- [MCP server]({bot.help_url}/mcp): answers from these articles and searches them; no key\n"
    if has_changelog:
        yield f"- [Changelog]({changelog_url(bot)}.json): what is new, as a JSON Feed\n"


def heading_of(bot: Bot, text: ListedText) -> str:
    """The collections of an article, after its language if that is not the bot's own."""
    titles = " / ".join(map(with_single_spaces, text.collection_titles)) or "Articles"
    return titles if text.locale == bot.locale else f"{text.locale}: {titles}"


def link_to(url: str, text: ListedText) -> str:
    description = f": {with_single_spaces(text.description)}" if text.description else ""
    return f"- [{with_single_spaces(text.title).translate(BRACKETS)}]({as_uri(url)}){description}\n"


def write_texts(bot: Bot, texts: list[WholeText], count: int) -> str:
    """All texts that fit, with their number out of `count` at the top."""
    size = f"{limits.MAX_LLMS_FULL_BYTES // 1024} KiB"
    if len(texts) >= count:
        extent = f"All {len(texts)} public articles of {bot.help_url}/"
    else:
        extent = (
            f"The first {len(texts)} of {count} public articles of {bot.help_url}/: it contains at most"
            f" {size} of text. {bot.help_url}/llms.txt leads to each article"
        )
    parts = [f"# {with_single_spaces(bot.name)}\n\n> {extent}.\n"]
    parts += [write_markdown(text, as_uri(article_url(bot, text.locale, text.slug))) for text in texts]
    return "\n".join(parts)
