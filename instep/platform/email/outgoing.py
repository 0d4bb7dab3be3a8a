"""Sending: a letter becomes a job in the caller's transaction, and the job delivers it."""

import json
from dataclasses import asdict
from datetime import datetime
from urllib.parse import urlsplit

import structlog

from instep.platform.core import limits
from instep.platform.core.clock import isoformat, utc_now
from instep.platform.core.config import settings
from instep.platform.core.crypto import Unreadable, key_ring
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job, defer
from instep.platform.core.settings import Settings
from instep.platform.email.letters import Envelope, Letter, envelope_of
from instep.platform.email.smtp import EmailNotSent, deliver
from instep.platform.email.undelivered import note_delivery
from instep.platform.web.catalogues import SOURCE_LANGUAGE

log = structlog.get_logger("instep.email")

SEND_EMAIL = "send_email"


def can_send_email() -> bool:
    """True if the operator has set an SMTP server."""
    return settings().smtp_server is not None


async def send_email(
    tx: Tx, workspace_id: str, to: str, letter: Letter, locale: str, *, until: datetime | None = None
) -> None:
    """Send a letter once the caller's transaction has committed; without an SMTP server nothing happens.

    After `until`, when its links have expired, it is not delivered. The job is encrypted, because its links
    may let people in, and it is removed when the email is delivered or given up.
    """
    if not can_send_email():
        return
    envelope = envelope_of(settings(), to, letter, locale)
    sealed = key_ring().seal(json.dumps(asdict(envelope)), *seal_place(workspace_id, envelope.message_id))
    payload = {"workspace": workspace_id, "message_id": envelope.message_id, "sealed": sealed.hex()}
    await defer(tx, SEND_EMAIL, payload | {"until": isoformat(until) if until else None})


async def email_locale(tx: Tx, workspace_id: str, address: str) -> str:
    """The language that the person with this address has chosen, or that of the first help center."""
    locale: str | None = await tx.value(
        """
        select coalesce(
            (select p.locale from people p join memberships m on m.person_id = p.id
             where m.workspace_id = %(id)s and p.email = %(address)s limit 1),
            (select locale from bots where workspace_id = %(id)s order by created_at, id limit 1))
        """,
        id=workspace_id,
        address=address,
    )
    return locale or SOURCE_LANGUAGE


async def deliver_email(database: Database, job: Job) -> None:
    """Deliver the email of a job, again if that can help; people see the reason if it is given up."""
    workspace_id, message_id = job.payload["workspace"], job.payload["message_id"]
    try:
        text = key_ring().open(bytes.fromhex(job.payload["sealed"]), *seal_place(workspace_id, message_id))
    except Unreadable:
        log.warning("an email is given up: the secret key has changed", message_id=message_id)
        return
    envelope, until = Envelope(**json.loads(text)), job.payload["until"]
    if until is not None and datetime.fromisoformat(until) < utc_now():
        log.warning("an email is given up: its link has expired", message_id=message_id)
        return
    try:
        await deliver_now(settings(), envelope)
    except EmailNotSent as failure:
        if not failure.is_final and job.attempts < limits.MAX_EMAIL_ATTEMPTS:
            raise
        # The log contains no addresses of people.
        domain = envelope.to.rpartition("@")[2]
        log.warning("an email is given up", message_id=message_id, domain=domain, reason=failure.message)
        await note_delivery(database, workspace_id, envelope.to, failure.message)
    else:
        await note_delivery(database, workspace_id, envelope.to, None)


async def deliver_now(settings: Settings, envelope: Envelope) -> None:
    """Deliver a message within this request or job; raises `EmailNotSent`."""
    server = settings.smtp_server
    if server is None:
        raise EmailNotSent("Instep sends no email: the operator has not set INSTEP_SMTP_URL.", is_final=True)
    await deliver(server, envelope, urlsplit(settings.base_url).hostname or "localhost")


def seal_place(workspace_id: str, message_id: str) -> tuple[str, ...]:
    return "jobs", "sealed", workspace_id, message_id
