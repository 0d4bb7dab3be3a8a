"""Shapes of bots, actors, people, results of authentication, and contexts of actions."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, Literal, TypeVar
from uuid import UUID

from instep.platform.core.config import settings
from instep.platform.core.database import QueuedStatement, Tx, Value
from instep.platform.core.pipeline import Reply
from instep.platform.identity.scopes import Permissions, Role, Scope, permissions_of

Row = TypeVar("Row")

# The interface through which a change was made.
Channel = Literal["rest", "mcp", "page", "command", "job"]
ActorType = Literal["api_key", "person", "task", "command", "visitor"]


@dataclass(frozen=True, slots=True)
class ReadVersion:
    """A version of the product in which someone reads a help center; position 0 is the oldest version."""

    slug: str
    name: str
    position: int
    is_current: bool

    @property
    def path(self) -> str:
        """The path prefix of its pages, below the help center: empty for the current version."""
        return "" if self.is_current else f"/versions/{self.slug}"


@dataclass(frozen=True, slots=True)
class Bot:
    """A help center; all content belongs to one."""

    id: UUID
    workspace_id: str
    slug: str
    name: str
    locale: str
    # The help center's own host name.
    domain: str | None = None
    # The product version that is read. None: articles of all versions.
    version: ReadVersion | None = None

    @property
    def help_url(self) -> str:
        """The public URL of the help center in its version, without a trailing slash."""
        home = self.plain_url if self.domain is None else settings().url_at(self.domain)
        return home + self.version.path if self.version else home

    @property
    def plain_url(self) -> str:
        """Its URL on the installation's host; redirects to the custom domain if there is one."""
        return f"{settings().base_url}/help/{self.slug}"

    @property
    def home_path(self) -> str:
        """The path prefix of the help center in its version: empty on its own host name."""
        home = f"/help/{self.slug}" if self.domain is None else ""
        return home + self.version.path if self.version else home

    def in_version(self, version: ReadVersion | None) -> "Bot":
        return replace(self, version=version)

    @property
    def with_all_versions(self) -> "Bot":
        return self.in_version(None)


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a change: the `author` of texts, drafts and events, and in full in the audit log.

    `id` is the key's or the person's id; `app` the name of the OAuth client that acts for a person, or of the
    person at a code host; `connection` the id of the person's grant to the client.
    """

    type: ActorType
    name: str
    can_write: bool
    id: str | None = None
    channel: Channel = "command"
    app: str | None = None
    # Whether an actor without the right to write may still propose.
    can_propose: bool = False
    connection: str | None = None

    @property
    def scope(self) -> Scope:
        if self.can_write:
            return Scope.WRITE
        return Scope.PROPOSE if self.can_propose else Scope.READ


def limited_to(actor: Actor, scope: str | None) -> Actor:
    """The actor with a credential of this scope."""
    may_write = actor.can_write
    return replace(
        actor,
        can_write=may_write and scope == Scope.WRITE,
        can_propose=may_write and scope == Scope.PROPOSE,
    )


# The operator of this installation, on the command line.
OPERATOR = Actor("command", "instep", can_write=True)


@dataclass(frozen=True, slots=True)
class Person:
    """A signed-in user, in one of their workspaces and with their role there."""

    id: str
    workspace_id: str
    email: str
    role: Role

    @property
    def permissions(self) -> Permissions:
        return permissions_of(self.role)

    def as_actor(self, channel: Channel, app: str | None = None, connection: str | None = None) -> Actor:
        """The actor for changes by the person, directly or through an app."""
        can_write = self.permissions.can_write
        return Actor("person", self.email, can_write, self.id, channel, app, connection=connection)


@dataclass(frozen=True, slots=True)
class Ctx:
    """The context of an action: database connection, bot, actor and time.

    It runs statements as `Tx` does and gives them the parameters `workspace`, `bot`, `now` and, if a product
    version is read, its position `read_version`. `warnings` are sentences that a successful action adds; the
    response includes them.
    """

    tx: Tx
    bot: Bot
    actor: Actor
    now: datetime
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def workspace_id(self) -> str:
        return self.bot.workspace_id

    def all(self, kind: type[Row], sql: str, /, **params: Any) -> Awaitable[list[Row]]:
        return self.tx.all(kind, sql, **self._with_own(params))

    def first(self, kind: type[Row], sql: str, /, **params: Any) -> Awaitable[Row | None]:
        return self.tx.first(kind, sql, **self._with_own(params))

    def fetch_one(self, kind: type[Row], sql: str, /, **params: Any) -> Awaitable[Row]:
        return self.tx.fetch_one(kind, sql, **self._with_own(params))

    def value(self, sql: str, /, **params: Any) -> Awaitable[Value]:
        return self.tx.value(sql, **self._with_own(params))

    def column(self, sql: str, /, **params: Any) -> Awaitable[list[Any]]:
        return self.tx.column(sql, **self._with_own(params))

    def execute(self, sql: str, /, **params: Any) -> Awaitable[int]:
        return self.tx.execute(sql, **self._with_own(params))

    def stamp_at_commit(self) -> Awaitable[None]:
        """Have the bot's public pages rendered again: they show articles, and what drafts compare them with.

        The bot's row is locked after those of articles and drafts, so that no two transactions wait for
        each other.
        """
        lock = ("bots", str(self.bot.id))
        return self.tx.execute_at_commit("select stamp_change(%(bot)s)", lock=lock, bot=self.bot.id)

    def queue(
        self, sql: str, /, check: Callable[[Reply], None] | None = None, **params: Any
    ) -> QueuedStatement:
        return self.tx.queue(sql, check, **self._with_own(params))

    def _with_own(self, params: dict[str, Any]) -> dict[str, Any]:
        if self.bot.version:
            params = {"read_version": self.bot.version.position, **params}
        return {"workspace": self.bot.workspace_id, "bot": self.bot.id, "now": self.now, **params}


@dataclass(frozen=True, slots=True)
class WorkspaceCtx:
    """The context of an action on a workspace; `bots` are those that the caller's credential covers.

    `covers_all` means that the credential also covers future bots.
    """

    tx: Tx
    workspace_id: str
    bots: tuple[Bot, ...]
    covers_all: bool
    actor: Actor
    now: datetime


class BotColumns:
    """Adds `bot` to rows with a bot's columns; it is None if they are empty."""

    __slots__ = ()

    workspace_id: str | None
    bot_id: UUID | None
    bot_slug: str | None
    bot_name: str | None
    bot_locale: str | None
    bot_domain: str | None

    @property
    def bot(self) -> Bot | None:
        if self.bot_id is None or self.workspace_id is None:
            return None
        return Bot(
            self.bot_id,
            self.workspace_id,
            self.bot_slug or "",
            self.bot_name or "",
            self.bot_locale or "",
            self.bot_domain,
        )


class PersonColumns:
    """Adds `person` to rows with a person's columns; it is None if they are empty."""

    __slots__ = ()

    workspace_id: str | None
    person_id: str | None
    email: str | None
    role: str | None

    @property
    def person(self) -> Person | None:
        if self.person_id is None or self.workspace_id is None:
            return None
        return Person(self.person_id, self.workspace_id, self.email or "", Role(self.role or Role.VIEWER))


@dataclass(frozen=True, slots=True)
class BotStamp:
    """A bot, and the time of the last change of its articles, collections and changelog entries."""

    workspace_id: str
    bot_id: UUID
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class KeyAuth(BotColumns):
    """The result of authenticating an API key; without a valid key only the rate window is set."""

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
    bot_domain: str | None

    def leads_to(self, other: "KeyAuth") -> bool:
        """True if another, maybe earlier, result of the same key is the same except for the counts."""
        return type(self) is type(other) and WHAT_A_KEY_OPENS(self) == WHAT_A_KEY_OPENS(other)

    def as_actor(self, channel: Channel) -> Actor:
        """The actor for changes with the key."""
        return limited_to(Actor("api_key", self.key_name or "", True, self.key_id, channel), self.scope)


WHAT_A_KEY_OPENS = attrgetter(
    *(field.name for field in fields(KeyAuth) if field.name not in ("hits", "seconds_left"))
)


@dataclass(frozen=True, slots=True)
class TokenAuth(KeyAuth, PersonColumns):
    """The result of authenticating an access token: `key_id` is the connection's, `key_name` the app's."""

    person_id: str | None
    email: str | None
    role: str | None

    def as_actor(self, channel: Channel) -> Actor:
        """The person acting through the app, with the permissions that both have."""
        assert self.person is not None, "only valid tokens get here"
        return limited_to(self.person.as_actor(channel, self.key_name, self.key_id), self.scope)


@dataclass(frozen=True, slots=True)
class BotKeyAuth(BotColumns):
    """The result of authenticating a bot key; without a valid key only the rate window is set."""

    workspace_id: str | None
    is_paused: bool | None
    bot_id: UUID | None
    bot_slug: str | None
    bot_name: str | None
    bot_locale: str | None
    bot_domain: str | None
    origins: list[str] | None
    hits: int
    seconds_left: int
    address_hits: int | None
    address_seconds_left: int | None
    # The fields of a `ReadVersion`, if there is one.
    version: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class PublicBot(Bot):
    """A bot with its public key, by the URL of its help center."""

    bot_key: str = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class SiteAccess:
    """The bot whose public help center is requested."""

    workspace_id: str
    bot_id: UUID
    bot_slug: str
    bot_name: str
    bot_locale: str
    bot_domain: str | None

    @property
    def bot(self) -> Bot:
        return Bot(
            self.bot_id, self.workspace_id, self.bot_slug, self.bot_name, self.bot_locale, self.bot_domain
        )
