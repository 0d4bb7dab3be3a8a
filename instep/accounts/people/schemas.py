"""The shapes of people and of the audit log, as the command line prints them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from instep.platform.web.shapes import Out, Timestamp

# The page of an invitation.
INVITATION = "/join"


@dataclass(frozen=True, slots=True)
class User:
    """A person in one workspace: the membership, with the person's address."""

    id: str
    workspace_id: str
    email: str
    role: str
    created_at: datetime
    signed_in_at: datetime | None
    disabled_at: datetime | None


@dataclass(frozen=True, slots=True)
class ProviderAccount:
    """An account at an OpenID provider, as an ID token for this client names it."""

    issuer: str
    client_id: str
    subject: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """An account of an email address, in the workspace that it used last.

    The password hash is None if the person only signs in by other means. An unproved account was
    created with the link of an invitation, and is valid in that workspace only.
    """

    id: str
    workspace_id: str
    email: str
    role: str
    password_hash: str | None
    has_second_factor: bool = False
    is_proved: bool = True

    @property
    def person(self) -> Person:
        return Person(self.id, self.workspace_id, self.email, Role(self.role))


@dataclass(frozen=True, slots=True)
class Membership:
    """A workspace that a person may enter, and their role in it."""

    workspace_id: str
    workspace_name: str
    role: str


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session in a person's own list; `browser` is the result of `browser_name`."""

    id: str
    created_at: datetime
    seen_at: datetime
    browser: str


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation as the owners of the workspace see it, without its token."""

    id: str
    workspace_id: str
    email: str
    role: str
    invited_by: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """A new invitation with the token of its link, which is shown once, and maybe emailed."""

    invitation: Invitation
    token: str
    is_emailed: bool = False

    @property
    def path(self) -> str:
        return f"{INVITATION}?token={self.token}"


@dataclass(frozen=True, slots=True)
class OpenInvitation:
    """An invitation as the holder of its link sees it."""

    id: str
    workspace_id: str
    workspace_name: str
    email: str
    role: str


@dataclass(frozen=True, slots=True)
class WaitingInvitation:
    """An invitation that replaces an ended membership, with the token of its link."""

    workspace_name: str
    token: str


@dataclass(frozen=True, slots=True)
class SetupLink:
    """A one-time link to sign its person in or, without a person, to set up the workspace."""

    workspace_id: str
    workspace_name: str
    person_id: str | None


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
    # The browser's `User-Agent`.
    user_agent: str = ""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Cookies of the browser after signing in: the session's token, and the mark of a known browser."""

    token: str
    browser: str


@dataclass(frozen=True, slots=True)
class SecondStep:
    """The password was right, and the browser with this token must send a code next."""

    token: str


@dataclass(frozen=True, slots=True)
class StoredTotp:
    """One row of `totp_secrets`."""

    sealed: bytes
    confirmed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey in a person's own list; the id is the credential's, in base64url."""

    id: str
    name: str
    created_at: datetime
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoredPasskey:
    """The data of a passkey that checks an answer, and its person."""

    person_id: str
    email: str
    public_key: bytes
    sign_count: int


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


class InvitationOut(Out):
    """An invitation with its link, which is shown once."""

    id: str
    workspace_id: str
    email: str
    role: str
    expires_at: Timestamp
    url: str


def invitation_out(new: NewInvitation, base_url: str) -> InvitationOut:
    invitation = new.invitation
    return InvitationOut(
        id=invitation.id,
        workspace_id=invitation.workspace_id,
        email=invitation.email,
        role=invitation.role,
        expires_at=invitation.expires_at,
        url=base_url + new.path,
    )
