"""The shapes of workspaces, bots and API keys as the command line and `GET /bots` give them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from instep.web.shapes import Out, Timestamp


@dataclass(frozen=True, slots=True)
class Workspace:
    """One row of `workspaces`."""

    id: str
    name: str
    paused_at: datetime | None
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


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row of `api_keys`; the key itself is not kept."""

    id: str
    workspace_id: str
    name: str
    last_four: str
    scope: str
    bot_ids: list[UUID] | None
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key at the only moment at which it is known."""

    row: KeyRow
    key: str


class WorkspaceOut(Out):
    """A company's part of this installation."""

    id: str
    name: str
    paused_at: Timestamp | None
    created_at: Timestamp


class BotNameOut(Out):
    """A bot that the API key may use."""

    id: str
    name: str


class BotOut(BotNameOut):
    """A help center, with the public key of its widget and the origins of pages that may use it."""

    workspace_id: str
    slug: str
    bot_key: str
    locale: str
    origins: list[str]
    created_at: Timestamp


class KeyOut(Out):
    """An API key without its secret."""

    id: str
    workspace_id: str
    name: str
    last_four: str
    scope: str
    bot_ids: list[str] | None
    created_at: Timestamp
    last_used_at: Timestamp | None
    expires_at: Timestamp | None
    revoked_at: Timestamp | None


class NewKeyOut(KeyOut):
    """An API key, shown this once."""

    key: str


def workspace_out(workspace: Workspace) -> WorkspaceOut:
    return WorkspaceOut.model_validate(workspace, from_attributes=True)


def bot_out(bot: BotRow) -> BotOut:
    return BotOut(
        id=str(bot.id),
        name=bot.name,
        workspace_id=bot.workspace_id,
        slug=bot.slug,
        bot_key=bot.bot_key,
        locale=bot.locale,
        origins=bot.origins,
        created_at=bot.created_at,
    )


def key_out(key: KeyRow) -> KeyOut:
    return KeyOut(**key_fields(key))


def new_key_out(made: NewKey) -> NewKeyOut:
    return NewKeyOut(**key_fields(made.row), key=made.key)


def key_fields(key: KeyRow) -> dict[str, Any]:
    names = set(KeyOut.model_fields) - {"bot_ids"}
    bots = [str(bot) for bot in key.bot_ids] if key.bot_ids is not None else None
    return {name: getattr(key, name) for name in names} | {"bot_ids": bots}
