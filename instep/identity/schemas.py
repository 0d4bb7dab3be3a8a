"""The shapes of identity: a bot, an actor, an entry, and `Ctx`, all that an action knows of its caller."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from instep.core.config import settings
from instep.core.database import Tx
from instep.identity.scopes import Permissions, Role, Scope, permissions_of

# Where a change came in.
Channel = Literal["rest", "mcp", "page", "command", "job"]


@dataclass(frozen=True, slots=True)
class Bot:
    """One help center; everything that is stored belongs to one."""

    id: UUID
    workspace_id: str
    slug: str
    name: str
    locale: str

    @property
    def help_url(self) -> str:
        """The public address of the help center, without a slash at its end."""
        return f"{settings().base_url}/help/{self.slug}"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does it: kept with texts, drafts and events as `author`, and whole in the audit.

    `id` is the key's or the person's; `app` the client that a person lets act for them.
    """

    type: Literal["api_key", "person", "task", "command", "visitor"]
    name: str
    can_write: bool
    id: str | None = None
    channel: Channel = "command"
    app: str | None = None


# Who administers this installation from the command line.
OPERATOR = Actor("command", "instep", can_write=True)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who signs in; belongs to one workspace."""

    id: str
    workspace_id: str
    email: str
    role: Role

    @property
    def permissions(self) -> Permissions:
        return permissions_of(self.role)

    def as_actor(self, channel: Channel, app: str | None = None) -> Actor:
        """The person as the one who does something, alone or through a client."""
        return Actor("person", self.email, self.permissions.can_write, self.id, channel, app)


@dataclass(frozen=True, slots=True)
class Ctx:
    """The database connection in use, the bot, who acts, and when.

    `warnings`: what an action that went through has to say; doors tell it beside the answer.
    """

    tx: Tx
    bot: Bot
    actor: Actor
    now: datetime
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def workspace_id(self) -> str:
        return self.bot.workspace_id


@dataclass(frozen=True, slots=True)
class WorkspaceCtx:
    """The same for what belongs to a workspace; `bots` are those of it that the caller covers.

    `covers_all`: also those to come.
    """

    tx: Tx
    workspace_id: str
    bots: tuple[Bot, ...]
    covers_all: bool
    actor: Actor
    now: datetime


@dataclass(frozen=True, slots=True)
class KeyAuth:
    """What the first statement of a request with an API key tells; without a valid key only the count."""

    key_id: str | None
    key_name: str | None
    scope: str | None
    workspace_id: str | None
    is_paused: bool | None
    hits: int
    seconds_left: int
    bot_id: UUID | None
    bot_slug: str | None
    bot_name: str | None
    bot_locale: str | None

    @property
    def bot(self) -> Bot | None:
        if self.bot_id is None or self.workspace_id is None:
            return None
        return Bot(
            self.bot_id, self.workspace_id, self.bot_slug or "", self.bot_name or "", self.bot_locale or ""
        )

    def as_actor(self, channel: Channel) -> Actor:
        """The key as the one who does something."""
        return Actor("api_key", self.key_name or "", self.scope == Scope.WRITE, self.key_id, channel)


@dataclass(frozen=True, slots=True)
class TokenAuth(KeyAuth):
    """The same of an app that a person has connected: `key_id` is the connection's, `key_name` the app's."""

    person_id: str | None
    email: str | None
    role: str | None

    @property
    def person(self) -> Person | None:
        if self.person_id is None or self.workspace_id is None:
            return None
        return Person(self.person_id, self.workspace_id, self.email or "", Role(self.role or Role.VIEWER))

    def as_actor(self, channel: Channel) -> Actor:
        """The person, through the app, and with no more than both may do."""
        assert self.person is not None, "the door lets only living connections in"
        actor = self.person.as_actor(channel, self.key_name)
        return replace(actor, can_write=actor.can_write and self.scope == Scope.WRITE)


@dataclass(frozen=True, slots=True)
class BotKeyAuth:
    """What the first statement of a call with a bot key tells; without a valid one only the count."""

    workspace_id: str | None
    is_paused: bool | None
    bot_id: UUID | None
    bot_slug: str | None
    bot_name: str | None
    bot_locale: str | None
    origins: list[str] | None
    hits: int
    seconds_left: int
    address_hits: int | None
    address_seconds_left: int | None

    @property
    def bot(self) -> Bot | None:
        if self.bot_id is None or self.workspace_id is None:
            return None
        return Bot(
            self.bot_id, self.workspace_id, self.bot_slug or "", self.bot_name or "", self.bot_locale or ""
        )


@dataclass(frozen=True, slots=True)
class SiteAccess:
    """What the first statement of a request to a public help center tells."""

    workspace_id: str
    bot_id: UUID
    bot_slug: str
    bot_name: str
    bot_locale: str

    @property
    def bot(self) -> Bot:
        return Bot(self.bot_id, self.workspace_id, self.bot_slug, self.bot_name, self.bot_locale)
