"""Shapes of workspaces, bots and API keys for the command line and `GET /bots`."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from instep.accounts.workspaces.site_frame import SiteFrame
from instep.platform.identity.schemas import Bot
from instep.platform.web.shapes import Out, Timestamp


@dataclass(frozen=True, slots=True)
class Workspace:
    """One row of `workspaces`."""

    id: str
    name: str
    paused_at: datetime | None
    # `operator` or `owner`; None: it is not paused.
    paused_by: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class BotRow:
    """One row of `bots`."""

    id: UUID
    workspace_id: str
    slug: str
    name: str
    bot_key: str
    locale: str
    origins: list[str]
    created_at: datetime
    accent: str | None = None
    accent_light: str | None = None
    accent_dark: str | None = None
    frame: dict[str, Any] = field(default_factory=dict)
    domain: str | None = None
    # The host name that waits for its DNS record, since when, and when the record was last looked up.
    claimed_domain: str | None = None
    domain_claimed_at: datetime | None = None
    domain_checked_at: datetime | None = None
    # The source of `domain`: `operator` or `dns`.
    domain_proof: str | None = None

    @property
    def site_frame(self) -> SiteFrame:
        return SiteFrame.model_validate(self.frame)


class DomainOut(Out):
    """The host name of a help center, and the name that waits for its DNS record."""

    bot_id: str
    domain: str | None
    claimed_domain: str | None


@dataclass(frozen=True, slots=True)
class DueDomain:
    """A host name whose DNS record is to be looked up."""

    workspace_id: str
    bot_id: UUID
    host: str


@dataclass(frozen=True, slots=True)
class CoveredBot:
    """A bot that a key covers; `is_default` says whether it is used for requests that name no bot."""

    bot: Bot
    is_default: bool


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row of `api_keys`, without the key, which is not stored."""

    id: str
    workspace_id: str
    name: str
    last_four: str
    scope: str
    bot_ids: list[UUID] | None
    default_bot_id: UUID | None
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A new key; only its hash is stored, so it can't be shown again."""

    row: KeyRow
    key: str


class WorkspaceOut(Out):
    """A company's part of this installation."""

    id: str
    name: str
    paused_at: Timestamp | None
    paused_by: str | None
    created_at: Timestamp


class CoveredBotOut(Out):
    """A bot that the API key may use."""

    id: str
    name: str
    slug: str = Field(description="The slug in its public URLs.")
    is_default: bool = Field(description="True if requests with this key that name no bot are for this one.")


class BotOut(Out):
    """A help center, with the public key of its widget and the origins of pages that may use it."""

    id: str
    name: str
    workspace_id: str
    slug: str
    bot_key: str
    locale: str
    origins: list[str]
    accent: str | None = Field(description="Its accent color as chosen; null for the default blue.")
    accent_light: str | None = Field(description="The readable color in light mode, as `#rrggbb`.")
    accent_dark: str | None = Field(description="The readable color in dark mode, as `#rrggbb`.")
    created_at: Timestamp


class KeyOut(Out):
    """An API key without its secret."""

    id: str
    workspace_id: str
    name: str
    last_four: str
    scope: str
    bot_ids: list[str] | None
    default_bot_id: str | None
    created_at: Timestamp
    last_used_at: Timestamp | None
    expires_at: Timestamp | None
    revoked_at: Timestamp | None


class NewKeyOut(KeyOut):
    """A new API key; `key` can't be shown again."""

    key: str


def workspace_out(workspace: Workspace) -> WorkspaceOut:
    return WorkspaceOut.model_validate(workspace, from_attributes=True)


def covered_bot_out(covered: CoveredBot) -> CoveredBotOut:
    bot = covered.bot
    return CoveredBotOut(id=str(bot.id), name=bot.name, slug=bot.slug, is_default=covered.is_default)


def bot_out(bot: BotRow) -> BotOut:
    return BotOut(
        id=str(bot.id),
        name=bot.name,
        workspace_id=bot.workspace_id,
        slug=bot.slug,
        bot_key=bot.bot_key,
        locale=bot.locale,
        origins=bot.origins,
        accent=bot.accent,
        accent_light=bot.accent_light,
        accent_dark=bot.accent_dark,
        created_at=bot.created_at,
    )


def key_out(key: KeyRow) -> KeyOut:
    return KeyOut(**key_fields(key))


def new_key_out(new_key: NewKey) -> NewKeyOut:
    return NewKeyOut(**key_fields(new_key.row), key=new_key.key)


def key_fields(key: KeyRow) -> dict[str, Any]:
    names = set(KeyOut.model_fields) - {"bot_ids", "default_bot_id"}
    bots = [str(bot) for bot in key.bot_ids] if key.bot_ids is not None else None
    default = str(key.default_bot_id) if key.default_bot_id is not None else None
    return {name: getattr(key, name) for name in names} | {"bot_ids": bots, "default_bot_id": default}
