"""The shapes of people and of the audit log, as the command line prints them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from instep.identity.schemas import Person
from instep.identity.scopes import Role
from instep.web.shapes import Out, Timestamp


@dataclass(frozen=True, slots=True)
class User:
    """One row of `people`, without the password's hash."""

    id: str
    workspace_id: str
    email: str
    role: str
    created_at: datetime
    signed_in_at: datetime | None
    disabled_at: datetime | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """The account of an e-mail address, with its password hash."""

    id: str
    workspace_id: str
    email: str
    role: str
    password_hash: str

    @property
    def person(self) -> Person:
        return Person(self.id, self.workspace_id, self.email, Role(self.role))


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to sign in, from a form and the browser's cookies."""

    email: str
    password: str
    # The result of `client_address`.
    address: str
    # The cookie of a known browser; empty for others.
    browser: str = ""
    # The token of the session that the new one replaces.
    session: str | None = None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Cookies of the browser after signing in: the session's token, and the mark of a known browser."""

    token: str
    browser: str


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One row of `audit_entries`."""

    id: int
    workspace_id: str
    bot_id: UUID | None
    actor_type: str
    actor_id: str | None
    actor_name: str
    app: str | None
    channel: str
    action: str
    resource: str | None
    created_at: datetime


class UserOut(Out):
    """A person who may sign in."""

    id: str
    workspace_id: str
    email: str
    role: str
    created_at: Timestamp
    signed_in_at: Timestamp | None
    disabled_at: Timestamp | None


class ActorOut(Out):
    """The person, API key, writer or command that acted."""

    type: str
    id: str | None
    name: str


class AuditEntryOut(Out):
    """An action: who did it through which app and channel, to which resource, and when."""

    id: str
    created_at: Timestamp
    actor: ActorOut
    app: str | None
    channel: str
    action: str
    resource: str | None
    bot_id: str | None
    workspace_id: str


def user_out(user: User) -> UserOut:
    return UserOut.model_validate(user, from_attributes=True)


def audit_entry_out(entry: AuditEntry) -> AuditEntryOut:
    return AuditEntryOut(
        id=str(entry.id),
        created_at=entry.created_at,
        actor=ActorOut(type=entry.actor_type, id=entry.actor_id, name=entry.actor_name),
        app=entry.app,
        channel=entry.channel,
        action=entry.action,
        resource=entry.resource,
        bot_id=str(entry.bot_id) if entry.bot_id else None,
        workspace_id=entry.workspace_id,
    )
