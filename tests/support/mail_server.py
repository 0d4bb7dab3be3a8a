"""A local SMTP server that stores the messages it accepts and refuses those that a test names."""

import asyncio
import ssl
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP as POLICY

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

USER, PASSWORD = "instep@acme", "p@ss/word:1"
ACCEPTED = "250 OK"


@dataclass
class MailServer:
    """The server's port and the messages that it accepted; `answers` are its next replies to messages."""

    port: int = 0
    messages: list[EmailMessage] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    recipient_answer: str = ACCEPTED
    encrypted: list[bool] = field(default_factory=list)

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.recipient_answer == ACCEPTED:
            envelope.rcpt_tos.append(address)
        return self.recipient_answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        answer = self.answers.pop(0) if self.answers else ACCEPTED
        if answer == ACCEPTED:
            assert isinstance(envelope.content, bytes)
            message = message_from_bytes(envelope.content, EmailMessage, policy=POLICY)
            self.messages.append(message)
            self.recipients += envelope.rcpt_tos
            assert server.transport is not None
            self.encrypted.append(server.transport.get_extra_info("sslcontext") is not None)
        return answer

    def to(self, address: str) -> list[EmailMessage]:
        """The messages to an address, oldest first."""
        return [message for message in self.messages if message["To"] == address]


def text_of(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    text: str = part.get_content()
    return text


def html_of(message: EmailMessage) -> str:
    part = message.get_body(("html",))
    assert part is not None
    html: str = part.get_content()
    return html


def authenticate(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: LoginPassword
) -> AuthResult:
    is_right = (data.login.decode(), data.password.decode()) == (USER, PASSWORD)
    return AuthResult(success=is_right, handled=is_right)


@asynccontextmanager
async def mail_serving(
    *, tls: ssl.SSLContext | None = None, upgrade: ssl.SSLContext | None = None, asks_password: bool = False
) -> AsyncIterator[MailServer]:
    """Serve on a free port of 127.0.0.1, with TLS from the start, after STARTTLS, or never."""
    mail, loop = MailServer(), asyncio.get_running_loop()

    def connection() -> SMTP:
        # The library warns about passwords without encryption, which is what tests send.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return SMTP(
                mail,
                hostname="mail.example",
                loop=loop,
                tls_context=upgrade,
                auth_required=asks_password,
                auth_require_tls=False,
                authenticator=authenticate if asks_password else None,
            )

    server = await loop.create_server(connection, "127.0.0.1", 0, ssl=tls)
    mail.port = server.sockets[0].getsockname()[1]
    try:
        yield mail
    finally:
        server.close()
        await server.wait_closed()
