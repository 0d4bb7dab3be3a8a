"""Rendering of the pages of a help center, and their response headers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site.languages import language_links
from instep.interfaces.site.page_cache import first_response, page_cache
from instep.interfaces.site.schemas import ask_path, root_path, search_path
from instep.interfaces.site.structured_data import og_locale
from instep.interfaces.site.version_choice import is_unreleased, version_links
from instep.interfaces.site.versioned_addresses import is_in_each_version
from instep.interfaces.site.visits import Visit
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.etags import etag_of
from instep.platform.core.locales import direction
from instep.platform.core.markdown import heading_fragment
from instep.platform.identity.schemas import Bot
from instep.platform.web.assets import InlineStyle, built_style
from instep.platform.web.catalogues import catalogue_of, message, page_language
from instep.platform.web.diagrams import MERMAID, fold_diagrams
from instep.platform.web.pages import NO_STORE, SECURITY_HEADERS, Pages, sanitised, validated_headers

RICH_PARTS = re.compile(r'class="markdown-(?:tab|step|card|video)|<figure\b|<math\b|-mode-only"')
VIDEO = 'class="markdown-video"'
# The players that videos load after a click: frontend/src/site/videos.js.
VIDEO_PLAYERS = "https://www.youtube-nocookie.com https://player.vimeo.com https://www.loom.com"
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
# The template with a style of its own.
HOME = "home.html"
# The accent replaces Instep blue in `tokens.css` of `frontend`. The backgrounds of notes get its
# hue; they are a little further from it than `--tint` is, so that it is as readable on them.
ACCENT_STYLE = """\
:root {{
  --blue: light-dark({light}, {dark});
  --blue-bg: light-dark(oklch(from {light} 0.97 min(c, 0.02) h), oklch(from {dark} 0.25 min(c, 0.04) h));
}}
"""
# The renderer's output if the author names only the kind of an alert.
ALERT_TITLES = (message("Note"), message("Tip"), message("Important"), message("Warning"), message("Caution"))
ALERT_TITLE = re.compile(rf'(?<=<p class="markdown-alert-title">)(?:{"|".join(ALERT_TITLES)})(?=</p>)')


@dataclass(frozen=True, slots=True)
class RichParts:
    """The parts of a page that need more, and the exceptions of its security policy for them."""

    is_rich: bool
    has_diagrams: bool
    policy: str

    @classmethod
    def of(cls, html: str) -> "RichParts":
        has_videos, has_diagrams = VIDEO in html, MERMAID in html
        frames = " ".join(["'self'"] * has_diagrams + [VIDEO_PLAYERS] * has_videos)
        policy = f"; frame-src {frames}" if frames else ""
        return cls(
            RICH_PARTS.search(html) is not None or has_diagrams,
            has_diagrams,
            f"{policy}; media-src 'self'" if has_videos else policy,
        )


PLAIN = RichParts.of("")


@pass_context
def day(context: Context, moment: datetime) -> str:
    """The day in the format of the page's language."""
    return catalogue_of(context["locale"]).date(moment)


@lru_cache(limits.MAX_CACHED_ACCENTS)
def policy_with(accent: InlineStyle | None = None, parts: RichParts = PLAIN, *, is_home: bool = False) -> str:
    """The Content-Security-Policy: it allows only our styles and script, and no HTML from the script."""
    names = ["site.css", *["rich.css"] * parts.is_rich, *["home.css"] * is_home]
    styles = " ".join(style.source for style in (*map(built_style, names), accent) if style)
    policy = SECURITY_HEADERS["Content-Security-Policy"].replace("style-src 'self'", f"style-src {styles}")
    return (
        f"{policy}; script-src 'self'; connect-src 'self';"
        f" require-trusted-types-for 'script'; trusted-types 'none'{parts.policy}"
    )


@pass_context
def number(context: Context, number: int) -> str:
    return catalogue_of(context["locale"]).number(number)


def translated_language(locale: str, page_locale: str) -> str:
    return catalogue_of(page_locale).language(locale)


@cache
def pages_in(language: str) -> Pages:
    """The pages of help centers with the texts of a language."""
    pages = Pages.below(Path(__file__).parent / "templates", language=language, policy=policy_with())
    pages.environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    pages.environment.filters.update(
        day=day, number=number, direction=direction, og_locale=og_locale, language=translated_language
    )
    return pages


def shown_text(visit: Visit, html: str) -> Markup:
    """The sanitized HTML of a text as its page shows it.

    Alerts have titles in its language, links stay on the own host and in the version, and lead to headings.
    """
    bot = visit.ctx.bot
    site = re.escape(settings().base_url)
    home = rf'href="(?:{site})?/help/{re.escape(bot.slug)}/'
    any_home = rf'(?:{home}|href="{re.escape(bot.with_all_versions.help_url)}/)'
    html = re.sub(rf'({any_home}[^"#]*#)([^"]+)', lambda match: match[1] + heading_fragment(match[2]), html)
    if visit.version is not None and visit.version.path:
        home_link, routes = f'href="{bot.home_path}/', visit.request.app.routes
        html = re.sub(
            rf'{any_home}([^"?#]*)',
            lambda match: home_link + match[1] if is_in_each_version(match[1], routes) else match[0],
            html,
        )
    if bot.domain is not None:
        html = re.sub(home, 'href="/', html)
        html = re.sub(rf'((?:href|src)=")(?:{site})(/files/{re.escape(bot.slug)}/)', r"\1\2", html)
    return sanitised(fold_diagrams(translate_alert_titles(html, visit.locale), visit.locale))


def lasting_page(
    visit: Visit,
    template: str,
    locale: str | None = None,
    *,
    paths: Mapping[str, str] | None = None,
    headers: Mapping[str, str] = NO_HEADERS,
    article_id: str = "",
    **values: Any,
) -> Response:
    """A page that depends only on its URL and on public content, so that it is rendered once."""
    if visit.is_signed_in:
        return visitor_page(visit, template, locale, paths=paths, **values)
    shared = {**shared_values(visit, locale, paths), "parts": RichParts.of(values.get("html", ""))}
    html = pages_in(page_language(shared["locale"])).html_of(template, **{**shared, **values})
    policy = policy_with(accent_style(visit), shared["parts"], is_home=template == HOME)
    all_headers = {
        **validated_headers(etag_of(html)),
        "Content-Security-Policy": policy,
        **cdn_headers(visit.ctx.bot),
        **headers,
    }
    page_cache.keep(visit.request, visit.arrival.state, html, all_headers, article_id)
    return first_response(visit.request, html, all_headers)


def visitor_page(
    visit: Visit,
    template: str,
    locale: str | None = None,
    *,
    paths: Mapping[str, str] | None = None,
    rest: str | None = None,
    **values: Any,
) -> Response:
    """A page, with links to the same one in other languages.

    They have the same path below their language, or `rest`; or else the `paths` of each.
    """
    parts = RichParts.of(values.get("html", ""))
    shared = {**shared_values(visit, locale, paths, rest), "parts": parts}
    page = render_page(visit.request, template, **{**shared, **values})
    page.headers["Content-Security-Policy"] = policy_with(
        accent_style(visit), parts, is_home=template == HOME
    )
    return kept_private(page) if visit.is_signed_in else page


def part_of_page(visit: Visit, template: str, locale: str | None = None, **values: Any) -> str:
    """A piece of a page."""
    shared = shared_values(visit, locale)
    pages = pages_in(page_language(shared["locale"]))
    return pages.html_of(template, **{**shared, **values}).decode()


def shared_values(
    visit: Visit, locale: str | None, paths: Mapping[str, str] | None = None, rest: str | None = None
) -> dict[str, Any]:
    """The values that the templates of all pages need."""
    bot = visit.ctx.bot
    locale = locale or visit.locale
    if rest is None:
        rest = visit.rest_of_path if paths is None else ""
    return {
        "bot": bot,
        "locale": locale,
        "home_path": bot.with_all_versions.home_path,
        "root": root_path(bot, locale),
        "version": visit.version,
        "versions": version_links(visit, locale, visit.rest_of_path if paths else rest),
        "is_unreleased": is_unreleased(visit),
        "languages": language_links(bot, locale, visit.locales, rest, paths),
        "has_changelog": visit.has_changelog,
        "accent_style": accent_style(visit),
        "frame": visit.arrival.site_frame,
        "search_path": search_path(bot, locale),
        "ask_path": ask_path(bot, locale),
        "longest_query": limits.MAX_QUERY_CHARACTERS,
        "query": "",
        "link_card": None,
        "structured_data": None,
        "is_signed_in": visit.is_signed_in,
    }


def accent_style(visit: Visit) -> InlineStyle | None:
    return style_of_accent(*visit.arrival.accent) if visit.arrival.accent else None


def render_page(
    request: Request, template: str, status: int = 200, *, locale: str, **values: Any
) -> Response:
    """A page in the language of a locale."""
    pages = pages_in(page_language(locale))
    return pages.render(request, template, status, locale=locale, **values)


def cdn_headers(bot: Bot) -> dict[str, str]:
    """Headers that let caches in front of this installation serve a page without revalidation (RFC 9213).

    The bot's id, which webhooks name, is the tag with which a CDN purges all pages of the help center.
    """
    seconds, tag = settings().cdn_seconds, str(bot.id)
    if not seconds:
        return {}
    return {"CDN-Cache-Control": f"public, max-age={seconds}", "Cache-Tag": tag, "Surrogate-Key": tag}


def content_addressed_headers(bot: Bot) -> dict[str, str]:
    """The caching of public bytes that never change at their URL: a year in browsers.

    A shared cache revalidates soon, because the text that shows them may become private.
    """
    age = f"max-age=31536000, s-maxage={limits.SHARED_CACHE_SECONDS}"
    return {"Cache-Control": f"public, {age}, immutable", **cdn_headers(bot)}


def kept_private(page: Response) -> Response:
    """The same for one visitor only: not cached, and not listed by search engines."""
    page.headers.update({**NO_STORE, "X-Robots-Tag": "noindex"})
    return page


@lru_cache(limits.MAX_CACHED_ACCENTS)
def style_of_accent(light: str, dark: str) -> InlineStyle:
    """The style for these two colors, each `#rrggbb` as the table of bots has it."""
    return InlineStyle.of(ACCENT_STYLE.format(light=light, dark=dark))


def translate_alert_titles(html: str, locale: str) -> str:
    catalogue = catalogue_of(locale)
    return ALERT_TITLE.sub(lambda title: catalogue.gettext(title[0]), html)
