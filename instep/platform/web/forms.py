"""People's forms: parsed within bounds, and protected against cross-site request forgery."""

import hashlib
import hmac
import secrets
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import Response

from instep.platform.core import limits
from instep.platform.core.errors import AppError, InvalidRequest
from instep.platform.core.settings import Settings
from instep.platform.web.custom_domains import site_url
from instep.platform.web.origins import origin_of
from instep.platform.web.strict_request import StrictRequest
from instep.platform.web.visitors.cors import sent_origin

MULTIPART = "multipart/form-data"
CSRF_FIELD = "form-token"
# `Sec-Fetch-Site` of forms from the same origin, and of pages that people open themselves.
TRUSTED_SITES = {"same-origin", "none"}


@dataclass(frozen=True, slots=True)
class FormFile:
    """A file that someone chose in a form; `name` is the browser's, complete or empty."""

    name: str
    content: bytes


async def read_multipart(
    content_type: str, body: bytes
) -> tuple[list[tuple[str, str]], list[tuple[str, FormFile]]]:
    """The fields and the files of a bounded form (RFC 7578), each with its name, in page order."""

    async def chunks() -> AsyncGenerator[bytes, None]:
        yield body

    parser = MultiPartParser(
        Headers({"Content-Type": content_type}),
        chunks(),
        max_files=limits.MAX_FORM_FILES,
        max_fields=limits.MAX_FORM_FIELDS,
        max_part_size=limits.MAX_FORM_BYTES,
    )
    fields: list[tuple[str, str]] = []
    files: list[tuple[str, FormFile]] = []
    try:
        form = await parser.parse()
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                files.append((name, FormFile(value.filename or "", await value.read())))
            else:
                fields.append((name, value))
        await form.close()
    except MultiPartException:
        raise InvalidRequest("The form can't be read: send it as the page does.") from None
    return fields, files


class Form(dict[str, str]):
    """The fields of a form by name; for a repeated field the last value.

    `files` are the chosen files, by the names of their fields.
    """

    def __init__(
        self, pairs: Sequence[tuple[str, str]] = (), files: Sequence[tuple[str, FormFile]] = ()
    ) -> None:
        super().__init__(pairs)
        self.pairs = pairs
        self.files = dict(files)

    def all(self, name: str) -> list[str]:
        """Every value of a field, in page order: those of the checked boxes."""
        return [value for key, value in self.pairs if key == name]


class ForeignForm(AppError):
    """This form was not sent from the page that it belongs to: open the page again and send it from there."""

    status = 403


class OldForm(ForeignForm):
    """This form belongs to an earlier session: open its page again and send the form from there."""

    # The person whom its page showed; empty if it showed none.
    person_id = ""


def cookie_name(settings: Settings, name: str) -> str:
    """The cookie's name; with https its prefix keeps other hosts and unencrypted pages from setting it."""
    return f"__Host-instep-{name}" if settings.is_encrypted else f"instep-{name}"


def set_cookie(response: Response, settings: Settings, name: str, value: str, seconds: int | None) -> None:
    """`seconds` is the cookie's lifetime: None for a browser session, 0 to delete it."""
    response.set_cookie(
        cookie_name(settings, name),
        value,
        max_age=seconds,
        path="/",
        secure=settings.is_encrypted,
        httponly=True,
        samesite="lax",
    )


def csrf_token(secret: str, person_id: str = "") -> str:
    """The hidden field of a form: a code from a secret in a cookie that other sites can't read.

    The id of the page's person follows, because a form can be sent after someone else has signed in.
    """
    code = hmac.new(secret.encode(), b"a form of this browser", hashlib.sha256).hexdigest()
    return f"{code}_{person_id}" if person_id else code


def new_secret() -> str:
    return secrets.token_urlsafe(32)


def form_secrets(request: Request) -> Sequence[str]:
    """The secrets in the cookies of the session and of the browser; the first one is for new forms."""
    settings: Settings = request.app.state.settings
    cookies = (request.cookies.get(cookie_name(settings, name)) for name in ("session", "form"))
    return [secret for secret in cookies if secret]


async def read_form(
    request: Request, max_bytes: int = limits.MAX_FORM_BYTES, *, takes_files: bool = False
) -> Form:
    """The fields of a form that one of our own pages sent; raises `ForeignForm` for others."""
    refuse_foreign_site(request)
    fields = await read_fields(request, max_bytes, takes_files=takes_files)
    refuse_foreign_token(request, fields.pop(CSRF_FIELD, ""))
    return fields


def refuse_foreign_token(request: Request, token: str) -> None:
    """Check that the form was sent from a page of this browser: of its session, or from before it signed in.

    Raises `OldForm` if a signed-in browser sends another token, else `ForeignForm`.
    """
    code, _, person_id = token.partition("_")
    sent = code.encode()
    if any(hmac.compare_digest(csrf_token(secret).encode(), sent) for secret in form_secrets(request)):
        return
    if not token or cookie_name(request.app.state.settings, "session") not in request.cookies:
        raise ForeignForm
    refusal = OldForm()
    refusal.person_id = person_id
    raise refusal


def refuse_foreign_site(request: Request) -> None:
    """Check the origin of a form by `Sec-Fetch-Site`, or by `Origin` in older browsers."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site not in TRUSTED_SITES:
            raise ForeignForm
        return
    if "origin" in request.headers:
        own_url = site_url(request)
        if sent_origin(request) != origin_of(own_url):
            raise ForeignForm(f"This form was sent from an address other than {own_url}: open it there.")


async def read_fields(
    request: Request, max_bytes: int = limits.MAX_FORM_BYTES, *, takes_files: bool = False
) -> Form:
    """The fields of a form, without checking its sender."""
    strict = StrictRequest(request.scope, request.receive)
    await strict.read(max_bytes)
    strict.refuse_too_large(max_bytes)
    content_type = request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    if takes_files and kind == MULTIPART:
        return Form(*await read_multipart(content_type, await strict.body()))
    if kind != "application/x-www-form-urlencoded":
        raise InvalidRequest("Send the form as `application/x-www-form-urlencoded`.")
    try:
        text = (await strict.body()).decode()
        return Form(
            parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=limits.MAX_FORM_FIELDS)
        )
    except ValueError:
        raise InvalidRequest("The form can't be read: send it as the page does.") from None
