"""HTTP with the standard library: it verifies certificates and uses proxies from the environment."""

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    getproxies,
    proxy_bypass,
)

from instep.platform.core import limits
from instep.platform.core.errors import AppError


class Refused(AppError):
    """The server refuses the request, or can't be reached."""


class Unreachable(Exception):
    """The server can't be reached, or its response is incomplete; the message says why."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response with any status; header names are case-insensitive."""

    status: int
    headers: Message
    body: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_redirect(self) -> bool:
        return 300 <= self.status < 400 and "Location" in self.headers

    def json(self) -> Any:
        """The body as JSON; raises `ValueError`."""
        try:
            return json.loads(self.body)
        except RecursionError:
            raise ValueError("too deep") from None


class Transport:
    """Sends requests to one URL.

    It follows no redirects, because a request's content is meant for this URL only. `SSL_CERT_FILE` and
    `SSL_CERT_DIR` name additional certificates to trust.
    """

    def __init__(self, url: str) -> None:
        self.opener = OpenerDirector()
        is_encrypted = urlsplit(url).scheme == "https"
        self.opener.add_handler(ProxyHandler(proxies_for(url)))
        self.opener.add_handler(HTTPSHandler(context=trusted()) if is_encrypted else HTTPHandler())

    def send(
        self, method: str, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> HttpResponse:
        """Send one request and read its response; raises `Unreachable`."""
        all_headers = {"User-Agent": "instep", "Accept": "application/json", **(headers or {})}
        if method != "GET":
            all_headers.setdefault("Content-Length", str(len(body or b"")))
        request = Request(url, data=body, headers=all_headers, method=method)
        try:
            with self.opener.open(request, timeout=limits.API_CALL_SECONDS) as response:
                content = response.read(limits.MAX_API_RESPONSE_BYTES + 1)
                if len(content) > limits.MAX_API_RESPONSE_BYTES:
                    raise Unreachable("the response is too large")
                return HttpResponse(response.status, response.headers, content)
        except URLError as error:
            raise Unreachable(cause_of(error.reason) or type(error).__name__) from None
        except (OSError, HTTPException) as error:
            raise Unreachable(cause_of(error) or type(error).__name__) from None


def cause_of(error: object) -> str:
    """The cause of an error in words: `Connection refused`, without the error number."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def is_address(text: str) -> bool:
    """True if a text is a server's URL, without user name, query and fragment."""
    try:
        url = urlsplit(text)
        is_complete = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        return False
    has_more = "@" in url.netloc or "?" in text or "#" in text
    is_plain = text.isprintable() and " " not in text and url.path.isascii()
    return is_complete and is_plain and not has_more


def proxies_for(url: str) -> dict[str, str]:
    """The proxy for a URL, by its scheme; raises `Refused`, without the proxy's password."""
    address, proxies = urlsplit(url), getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(address.hostname or ""):
        return {}
    try:
        proxy_url = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        is_usable = proxy_url.scheme == "http" and bool(proxy_url.hostname) and proxy_url.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise Refused(
            "The proxy of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY can't be used: its address must begin with"
            " http://."
        )
    return {address.scheme: proxy_url.geturl()}


def trusted() -> ssl.SSLContext:
    try:
        return ssl.create_default_context()
    except OSError as error:
        raise Refused(f"SSL_CERT_FILE: the certificates can't be read: {error}.") from None
