"""Articles and changelog entries as Markdown, at separate URLs and for clients that prefer it."""

import re
from datetime import datetime

from anyio import to_thread
from html_to_markdown import ConversionOptions, convert
from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import queries
from instep.interfaces.site.rendering import kept_private
from instep.interfaces.site.representations import EXTENSION, markdown_document
from instep.interfaces.site.schemas import WholeText, article_url, changelog_url, llms_url
from instep.interfaces.site.version_choice import article_of_other_versions
from instep.interfaces.site.visits import Visit, help_center, requested_locale, with_version
from instep.interfaces.site.xml import as_uri
from instep.platform.core.clock import isoformat
from instep.platform.core.directives import plain_markdown
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Bot
from instep.platform.text.characters import with_single_spaces
from instep.platform.web.catalogues import Catalogue
from instep.platform.web.pages import moved_to
from instep.platform.web.public import public

# Raw HTML and link definitions may contain text that no page shows, such as authors' comments.
MAY_HIDE_WORDS = re.compile(r"<(?!https?:|mailto:)[!?/A-Za-z]|\]:")
# A text about tags keeps them as words.
OPTIONS = ConversionOptions(extract_metadata=False, escape_misc=True, br_in_tables=True, compact_tables=True)
# Tags, and code with all its content.
TAG_OR_CODE = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>|<[^<>]*>)", re.DOTALL)
# Characters in and between words that mean nothing in Markdown there; the converter would escape them.
PLAIN_SIGN = re.compile(r"(?<=\w)[-.+=](?=\w)|(?<=[\w,;] )[-+=](?= )|(?<=[^\W\d])\.")
SIGNS = "-.+="
# Characters that no text has (Unicode, noncharacters) replace them.
STAND_INS = "\ufdd0\ufdd1\ufdd2\ufdd3"
HIDE, SHOW = str.maketrans(SIGNS, STAND_INS), str.maketrans(STAND_INS, SIGNS)


def shown_markdown(text: WholeText) -> str:
    """The author's Markdown; if it may contain hidden text, Markdown made from the page's HTML."""
    if MAY_HIDE_WORDS.search(text.markdown) is None:
        return plain_markdown(text.markdown).strip()
    parts = TAG_OR_CODE.split(text.html)
    parts[::2] = [PLAIN_SIGN.sub(lambda sign: sign[0].translate(HIDE), words) for words in parts[::2]]
    return (convert("".join(parts), OPTIONS).content or "").strip().translate(SHOW)


def write_markdown(text: WholeText, url: str, notice: str = "") -> str:
    """A document: title, notice, description, text, then its URL and date."""
    lines = filter(None, (notice, text.description))
    lead = "".join(f"\n> {with_single_spaces(line)}\n" for line in lines)
    end = f"---\n\n{origin(url, text.updated_at)}"
    return f"# {with_single_spaces(text.title)}\n{lead}\n{shown_markdown(text)}\n\n{end}"


def origin(url: str, updated_at: datetime) -> str:
    return f"Source: <{url}>\n\nLast changed: {isoformat(updated_at)}\n"


@public
async def show_article_text(request: Request) -> Response:
    slug = request.path_params["slug"]
    async with help_center(request, recognise=True, only_reads=True) as visit:
        bot = visit.ctx.bot
        locale, is_canonical = requested_locale(request, bot)
        text, whole, notices = (
            await queries.find_text(visit.ctx, slug, locale),
            with_version(visit.ctx, None),
            [],
        )
        if text is None and await article_of_other_versions(visit, slug, locale, EXTENSION):
            text = await queries.find_text(whole, slug, locale)
            notices.append(other_versions_notice(visit))
        if text is None or not is_canonical:
            present_slug = text.slug if text else await queries.find_present_slug(whole, slug, locale)
            if present_slug is None:
                raise NotFound
            return moved_to(article_url(bot, locale, present_slug) + EXTENSION)
    if text.locale != locale:
        notices.append(untranslated_notice(visit.catalogue, text.locale))
    page = await text_page(request, bot, text, article_url(bot, text.locale, slug), " ".join(notices))
    page.headers["Content-Language"] = text.locale
    return kept_private(page) if visit.is_signed_in else page


@public
async def show_entry_text(request: Request) -> Response:
    async with help_center(request, only_reads=True) as visit:
        bot = visit.ctx.bot
        text = await queries.find_entry_text(visit.ctx, request.path_params["slug"])
    if text is None:
        raise NotFound
    return await text_page(request, bot, text, changelog_url(bot, text.slug))


def other_versions_notice(visit: Visit) -> str:
    assert visit.version is not None, "only versions lack articles"
    sentence = "This article is not about version %(version)s."
    return visit.catalogue.gettext(sentence, version=visit.version.name)


def untranslated_notice(catalogue: Catalogue, locale: str) -> str:
    sentence = "This article has not been translated yet. Its language: %(language)s."
    return catalogue.gettext(sentence, language=catalogue.language(locale))


async def text_page(request: Request, bot: Bot, text: WholeText, url: str, notice: str = "") -> Response:
    # A long text with HTML in it takes a while to convert, so another thread does it.
    markdown = await to_thread.run_sync(write_markdown, text, as_uri(url), notice)
    return markdown_document(request, markdown, url, llms_url(bot))
