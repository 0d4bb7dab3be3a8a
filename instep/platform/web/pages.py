"""HTML pages: templates, entity tags, security headers."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from instep.platform.core.clock import isoformat
from instep.platform.core.etags import etag_of, matches_any_etag
from instep.platform.web.assets import asset_path, built_style, icon
from instep.platform.web.catalogues import translations_in

LAYOUT = Path(__file__).parent / "layout"
# Functions for every template: URLs of built files, inline styles, and icons.
TEMPLATE_GLOBALS = {"asset": asset_path, "built_style": built_style, "icon": icon}
# Code in a sentence, as in Markdown.
CODE_SPAN = re.compile(r"`([^`]+)`")

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' https:; font-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# A cache may store a page but must revalidate it, so that an unpublished page disappears at once.
CACHE = "public, no-cache"
# For pages that no cache may store, not even the browser's.
NO_STORE = {"Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class Pages:
    """The templates of one slice."""

    environment: Environment
    # The Content-Security-Policy of its pages.
    policy: str

    @classmethod
    def below(
        cls,
        *folders: Path,
        language: str | None = None,
        policy: str = SECURITY_HEADERS["Content-Security-Policy"],
    ) -> "Pages":
        """The templates in these folders, with the parts that all slices share.

        With a language, `_()`, `ngettext()` and `{% trans %}` return texts of its catalog.
        """
        environment = Environment(
            extensions=["jinja2.ext.i18n"] if language else [],
            loader=FileSystemLoader([*folders, LAYOUT / "templates"]),
            autoescape=select_autoescape(default=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals.update(TEMPLATE_GLOBALS)
        environment.filters.update(isolated=isolated, moment=isoformat, with_code=with_code)
        if language:
            environment.policies["ext.i18n.trimmed"] = True
            translations = translations_in(language)
            # The extension adds this method.
            environment.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined]
        return cls(environment, policy)

    def render(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        page = document(request, self.html_of(template, **values), "text/html", status)
        page.headers["Content-Security-Policy"] = self.policy
        return page

    def html_of(self, template: str, **values: Any) -> bytes:
        return self.environment.get_template(template).render(**values).encode()


def document(
    request: Request, content: bytes, media_type: str, status: int = 200, etag: str | None = None
) -> Response:
    """A public response, or 304 if the reader already has it; without `etag` its content makes the tag."""
    etag = etag or etag_of(content)
    if status == 200 and (unchanged := not_modified(request, etag)):
        return unchanged
    return Response(content, status, validated_headers(etag), media_type)


def not_modified(request: Request, etag: str) -> Response | None:
    """The answer 304 if the reader already has the state with this tag."""
    if not matches_any_etag(etag, request.headers.get("if-none-match", "")):
        return None
    return Response(status_code=304, headers=validated_headers(etag))


def validated_headers(etag: str) -> dict[str, str]:
    return {**SECURITY_HEADERS, "Cache-Control": CACHE, "ETag": etag}


def moved_to(url: str) -> Response:
    return RedirectResponse(url, 301, {**SECURITY_HEADERS, "Cache-Control": CACHE})


def hidden_field(name: str, value: str) -> Markup:
    """A hidden field of a form."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(name, value)


def with_code(text: str) -> Markup:
    """A sentence with its parts in backticks as code; everything in it is escaped."""
    return Markup(CODE_SPAN.sub(r"<code>\1</code>", str(escape(text))))


def isolated(name: str) -> Markup:
    """A name in a sentence, in its own direction: `2.x` stays in this order in an Arabic one."""
    return Markup("<bdi>{}</bdi>").format(name)


def sanitised(html: str) -> Markup:
    """Mark HTML as safe for a template; only output of `core.markdown.render` may be passed."""
    return Markup(html)
