"""The address of the SMTP server that sends email (RFC 5321), as one setting has it."""

from dataclasses import dataclass, field
from typing import Literal, cast
from urllib.parse import unquote, urlsplit

Encryption = Literal["smtp", "starttls", "smtps"]
DEFAULT_PORTS: dict[str, int] = {"smtp": 25, "starttls": 587, "smtps": 465}
FORMAT = (
    "it must be smtp://, starttls:// or smtps:// with a host and, if needed, a port and user:password@, with"
    " special characters percent-encoded"
)


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
        raise ValueError(FORMAT) from None
    extra = parts.path.strip("/") or parts.query or parts.fragment
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or extra or port == 0:
        raise ValueError(FORMAT)
    encryption = cast(Encryption, parts.scheme)
    user = unquote(parts.username) if parts.username else None
    return SmtpServer(
        encryption, parts.hostname, port or DEFAULT_PORTS[encryption], user, unquote(parts.password or "")
    )
