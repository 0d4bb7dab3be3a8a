"""The formats of text settings: each checker validates a text, and says in one sentence what it must be.

A checker raises `ValueError` with a clause about the setting; for an optional setting, an empty text
means that it is not set, except where `non_empty` refuses it.
"""

import re
from dataclasses import dataclass, field
from email.utils import parseaddr
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal, cast
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BeforeValidator

from instep.platform.core.email_addresses import is_email_address
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.networks import Network
from instep.platform.core.outbound.urls import parse_url

LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
Encryption = Literal["smtp", "starttls", "smtps"]
SMTP_PORTS: dict[str, int] = {"smtp": 25, "starttls": 587, "smtps": 465}
SMTP_FORMAT = (
    "it must be smtp://, starttls:// or smtps:// with a host and, if needed, a port and user:password@, with"
    " special characters percent-encoded"
)
EMPTY = "it is empty: give it a value, or remove it"
SECRET_KEY_CHARACTERS = 32
# A DNS name, an IPv4 address, or an IPv6 address in brackets.
HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_.])?|\[[0-9a-f:.]+\]")
# The URL of a bucket or folder.
STORAGE = re.compile(r"(s3|gs|az)://[^\s/?#@]+(/[^\s?#]*)?|file:///[^?#]+")

# Microsoft Entra ID's placeholder for a tenant in an issuer; the id is that of all personal accounts.
SHARED_TENANTS = {"common", "organizations", "consumers", "9188040d-6c67-4c5b-b112-36a304b66dad"}


@cache
def read_proxies(text: str) -> tuple[Network, ...]:
    """Parse addresses, networks and the word `loopback`, comma separated; raises `ValueError`."""
    networks: list[Network] = []
    for entry in filter(None, (part.strip().lower() for part in text.split(","))):
        networks += LOOPBACK if entry == "loopback" else [read_network(entry)]
    return tuple(networks)


def read_network(entry: str) -> Network:
    try:
        network = ip_network(entry)
    except ValueError:
        raise ValueError(
            f"{entry} is neither an IP address, nor a network such as 10.0.0.0/8, nor the word loopback"
        ) from None
    if network.prefixlen == 0:
        raise ValueError(f"{entry} includes everyone, who could then forge their address: name your proxies")
    return network


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """A server. `smtps` encrypts from the beginning, `starttls` must upgrade, `smtp` upgrades if it can."""

    encryption: Encryption
    host: str
    port: int
    user: str | None = None
    password: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}"


def read_smtp_url(url: str) -> SmtpServer:
    """Parse the address; raises `ValueError` with a clause that does not repeat the password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(SMTP_FORMAT) from None
    extra = parts.path.strip("/") or parts.query or parts.fragment
    if parts.scheme not in SMTP_PORTS or not parts.hostname or extra or port == 0:
        raise ValueError(SMTP_FORMAT)
    encryption = cast(Encryption, parts.scheme)
    user = unquote(parts.username) if parts.username else None
    return SmtpServer(
        encryption, parts.hostname, port or SMTP_PORTS[encryption], user, unquote(parts.password or "")
    )


def non_empty(value: object) -> object:
    """Refuse an empty text if the default would silently use another database or folder."""
    if isinstance(value, str) and not value.strip():
        raise ValueError(EMPTY)
    return value


def http_origin(text: str) -> str:
    if not is_http_origin(text.removesuffix("/")):
        raise ValueError("it must be http:// or https:// with a host and, if needed, a port, and no path")
    return text


def is_http_origin(text: str) -> bool:
    """True if a text is just a scheme, a host and an optional port (RFC 6454, section 6.2)."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    shown_host = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{shown_host}" + ("" if port is None else f":{port}")
    return (
        parts.scheme in ("http", "https")
        and port != 0
        and HOST.fullmatch(shown_host) is not None
        and (text.lower() == origin)
    )


def allow_list_text(text: str) -> str:
    read_allow_list(text)
    return text


def font_files(text: str) -> str:
    for name in filter(None, map(str.strip, text.split(","))):
        if not Path(name).is_file():
            raise ValueError(f"the file {name} does not exist")
    return text


def proxy_list(text: str) -> str:
    read_proxies(text)
    return text


def secret_key_list(text: str) -> str:
    if any(len(key) < SECRET_KEY_CHARACTERS for key in listed_keys(text)):
        raise ValueError(f"each of its keys must have at least {SECRET_KEY_CHARACTERS} characters")
    return text


def listed_keys(text: str) -> list[str]:
    return [key for part in text.split(",") if (key := part.strip())]


def storage_url(text: str | None) -> str | None:
    if text and not STORAGE.fullmatch(text):
        raise ValueError("it must be s3://, gs:// or az:// with a bucket, or file:/// with a folder")
    return text or None


def backup_place(text: str | None) -> str | None:
    if text and text.startswith("/"):
        return Path(text).as_uri()
    if text and not STORAGE.fullmatch(text):
        raise ValueError("it must be the path of a folder, or s3://, gs:// or az:// with a bucket")
    return text or None


def model_name(text: str | None) -> str | None:
    if text and not re.fullmatch(r"(openai|anthropic):\S+", text):
        raise ValueError("it must be openai:NAME or anthropic:NAME, with the name of a model")
    return text or None


def embedder_name(text: str | None) -> str | None:
    if text and not re.fullmatch(r"off|openai:\S+|local:\S.*", text):
        raise ValueError("it must be openai:NAME of a model, local:FOLDER with one in it, or off")
    return text or None


def api_address(text: str | None) -> str | None:
    if text and "?" in text:
        raise ValueError("it must not have a query")
    if text:
        parse_url(text)
    return text or None


def smtp_url(text: str | None) -> str | None:
    if text:
        read_smtp_url(text)
    return text or None


def sender_address(text: str | None) -> str | None:
    if text and not (text.isprintable() and is_email_address(parseaddr(text)[1])):
        raise ValueError("it must be an email address, with or without a name")
    return text or None


def host_patterns(text: str) -> str:
    for part in filter(None, (part.strip() for part in text.split(","))):
        if not re.fullmatch(r"(\*\.)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*", part):
            raise ValueError(f"{part} must be a host name such as lb.example.com, or *.example.com")
    return text


def issuer_list(text: str) -> str:
    for issuer in listed_issuers(text):
        parse_url(issuer)
        if SHARED_TENANTS & set(issuer.split("/")):
            raise ValueError(
                f"{issuer} is for accounts of many organizations, whose administrators can give them any "
                "address: name the issuer of one tenant, with its id"
            )
    return text


def listed_issuers(text: str) -> frozenset[str]:
    """Issuers without a trailing slash, which some providers have."""
    return frozenset(issuer for part in text.split(",") if (issuer := part.strip().rstrip("/")))


DatabaseUrl = Annotated[str | None, BeforeValidator(non_empty)]
DataFolder = Annotated[Path, BeforeValidator(non_empty)]
HttpOrigin = Annotated[str, AfterValidator(http_origin)]
AllowListText = Annotated[str, AfterValidator(allow_list_text)]
FontFiles = Annotated[str, AfterValidator(font_files)]
HostPatterns = Annotated[str, AfterValidator(host_patterns)]
ProxyList = Annotated[str, AfterValidator(proxy_list)]
SecretKeyList = Annotated[str, AfterValidator(secret_key_list)]
StorageUrl = Annotated[str | None, AfterValidator(storage_url)]
BackupPlace = Annotated[str | None, AfterValidator(backup_place)]
ModelName = Annotated[str | None, AfterValidator(model_name)]
EmbedderName = Annotated[str | None, AfterValidator(embedder_name)]
IssuerList = Annotated[str, AfterValidator(issuer_list)]
ApiAddress = Annotated[str | None, AfterValidator(api_address)]
SmtpUrl = Annotated[str | None, AfterValidator(smtp_url)]
SenderAddress = Annotated[str | None, AfterValidator(sender_address)]
