"""Client ID metadata documents: JSON about an app; the document's URL is the app's id.

The URL is arbitrary, so it is fetched with the guarded outbound client, and the content is not trusted.
"""

import asyncio
import re
from datetime import timedelta

from pydantic import ValidationError

from instep.accounts.oauth.schemas import Document
from instep.platform.core import limits
from instep.platform.core.outbound.client import OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import RawResponse, fetch
from instep.platform.core.outbound.urls import parse_url
from instep.platform.web.errors import first_fault

HEADERS = {"Accept": "application/json", "User-Agent": "Instep"}
JSON = re.compile(r"application/(?:[a-z0-9.+-]+\+)?json")
MAX_AGE = re.compile(r"\bmax-age=([0-9]{1,9})\b")
NOT_CACHEABLE = re.compile(r"\bno-(?:store|cache)\b")
DOTS = re.compile(r"/\.{1,2}(?:/|$)|%2e", re.IGNORECASE)


class BadDocument(Exception):
    """The app's document can't be used; `message` is the reason, for the person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def is_document_address(client_id: str) -> bool:
    """True if a client id can be the URL of a document: https, with a path and without dot segments."""
    if len(client_id) > limits.MAX_REDIRECT_URI_CHARACTERS:
        return False
    try:
        url = parse_url(client_id)
    except ValueError:
        return False
    _, _, path = client_id.partition("://")[2].partition("/")
    return url.scheme == "https" and bool(path) and not DOTS.search(f"/{path.partition('?')[0]}")


async def fetch_document(client: OutboundClient, client_id: str) -> tuple[Document, timedelta]:
    """The document and how long it may be cached; raises `BadDocument`."""
    try:
        async with asyncio.timeout(limits.CLIENT_METADATA_SECONDS):
            response = await fetch(client, client_id, HEADERS, limits.MAX_CLIENT_METADATA_BYTES)
    except TimeoutError:
        raise BadDocument("The app's address did not answer in time.") from None
    except RequestFailed as failure:
        raise BadDocument(f"The app's address can't be read. {failure.message}") from None
    return read_document(client_id, response), cache_ttl(response.headers.get("cache-control", ""))


def read_document(client_id: str, response: RawResponse) -> Document:
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.status != 200 or not JSON.fullmatch(media_type):
        raise BadDocument("The app's address does not return a JSON document.")
    try:
        document = Document.model_validate_json(response.body)
    except ValidationError as error:
        place, sentence = first_fault(error)
        raise BadDocument(f"The app's document is not valid: {place or 'it'}: {sentence}.") from None
    refuse_unsupported(client_id, document)
    return document


def refuse_unsupported(client_id: str, document: Document) -> None:
    if document.client_id != client_id:
        raise BadDocument("The app's document is about another app: its `client_id` is not its address.")
    if document.client_secret is not None or (document.token_endpoint_auth_method or "none") != "none":
        raise BadDocument("The app's document asks for a secret: only apps without one can be connected.")
    if not document.is_supported:
        raise BadDocument("The app's document does not ask for authorization codes.")


def cache_ttl(cache_control: str) -> timedelta:
    """The time that a document is cached: its `max-age` within limits, so that changes arrive in time."""
    max_age = MAX_AGE.search(cache_control)
    min_ttl, max_ttl = limits.MIN_CLIENT_METADATA_TTL, limits.MAX_CLIENT_METADATA_TTL
    if max_age is None or NOT_CACHEABLE.search(cache_control):
        return min_ttl
    return min(max(min_ttl, timedelta(seconds=int(max_age[1]))), max_ttl)
