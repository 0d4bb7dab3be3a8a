"""The shapes of identity: a bot, an actor, an entry, and `Ctx`, all that an action knows of its caller."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from instep.core.config import settings
from instep.core.database import Tx


class Scope(StrEnum):
    """What an API key may do; write includes read (specification, Authentication 2)."""

    READ = "content:read"
    WRITE = "content:write"


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
    """Who does it: kept with texts, drafts and events as `author`."""

    type: Literal["api_key", "task", "command", "visitor"]
    name: str
    can_write: bool


@dataclass(frozen=True, slots=True)
class Ctx:
    """The database connection in use, the bot, who acts, and when."""

    tx: Tx
    bot: Bot
    actor: Actor
    now: datetime

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
class KeyEntry:
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


@dataclass(frozen=True, slots=True)
class BotKeyEntry:
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
class SiteEntry:
    """What the first statement of a request to a public help center tells."""

    workspace_id: str
    bot_id: UUID
    bot_slug: str
    bot_name: str
    bot_locale: str

    @property
    def bot(self) -> Bot:
        return Bot(self.bot_id, self.workspace_id, self.bot_slug, self.bot_name, self.bot_locale)
