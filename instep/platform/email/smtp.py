"""The SMTP client (RFC 5321): one message over one connection, and the server's refusal in words."""

import asyncio
import re
import ssl
from contextlib import suppress

import aiosmtplib

from instep.platform.core import limits
from instep.platform.core.setting_forms import SmtpServer
from instep.platform.email.letters import Envelope
from instep.platform.text.characters import in_one_line, shorten

# The answers to these commands are about the message. Others are about the connection: an operator can
# correct a wrong password while messages wait.
REFUSALS = (aiosmtplib.SMTPSenderRefused, aiosmtplib.SMTPRecipientRefused, aiosmtplib.SMTPDataError)
FIRST_PERMANENT_CODE = 500


class EmailNotSent(Exception):
    """The server has not accepted the message. `message` is for people; `is_final` rules out a retry."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.is_final = is_final


async def deliver(server: SmtpServer, envelope: Envelope, local_name: str) -> None:
    """Hand a message to the server, which calls this client `local_name`; raises `EmailNotSent`.

    The operator names the server, so it may have a private address.
    """
    client = aiosmtplib.SMTP(
        hostname=server.host,
        port=server.port,
        local_hostname=local_name,
        timeout=limits.EMAIL_SECONDS,
        use_tls=server.encryption == "smtps",
        start_tls={"smtps": False, "starttls": True, "smtp": None}[server.encryption],
    )
    try:
        async with asyncio.timeout(limits.EMAIL_SECONDS):
            await client.connect()
            await log_in(client, server)
            await client.sendmail(envelope.sender, envelope.to, envelope.text)
            # The message is accepted, whatever the server says to the farewell.
            with suppress(aiosmtplib.SMTPException):
                await client.quit()
    except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
        raise explain(server, error, envelope.to) from None
    finally:
        client.close()


async def log_in(client: aiosmtplib.SMTP, server: SmtpServer) -> None:
    if server.user is None:
        return
    if client.get_transport_info("sslcontext") is None:
        raise EmailNotSent(f"{server.name} offers no encryption, so the password was not sent.")
    await client.login(server.user, server.password)


def explain(server: SmtpServer, error: Exception, to: str) -> EmailNotSent:
    """The error for people and the log, without the address in `to`, which servers often repeat."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        [error] = error.recipients
    if isinstance(error, aiosmtplib.SMTPResponseException):
        is_final = isinstance(error, REFUSALS) and error.code >= FIRST_PERMANENT_CODE
        return EmailNotSent(
            f"{server.name} answered: {error.code} {quoted(error.message, to)}", is_final=is_final
        )
    if isinstance(error, TimeoutError):
        return EmailNotSent(f"{server.name} did not answer within {limits.EMAIL_SECONDS} seconds.")
    return EmailNotSent(f"{server.name} can't be used: {quoted(cause_of(error), to)}")


def cause_of(error: Exception) -> str:
    """The reason for an error of the connection, without what the library says before it."""
    cause = error.__cause__ or error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {cause.verify_message}"
    if isinstance(cause, ConnectionRefusedError):
        return "the connection was refused"
    return str(getattr(cause, "strerror", None) or cause)


def quoted(text: str, to: str) -> str:
    hidden = re.sub(re.escape(to), f"…@{to.rpartition('@')[2]}", in_one_line(text), flags=re.IGNORECASE)
    return shorten(hidden, limits.MAX_SMTP_ANSWER_CHARACTERS)
