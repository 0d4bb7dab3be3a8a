"""Who appears in the tests: Acme with two bots, Globex that must see nothing, and Paused."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx2

from instep.core.database import Tx
from instep.identity.schemas import Scope
from instep.workspaces import actions

Client = httpx2.AsyncClient
Api = Callable[[str | None], Client]
Json = dict[str, Any]
RunJobs = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Company:
    """A workspace with a bot and its keys."""

    workspace_id: str
    bot_id: UUID
    slug: str
    write_key: str
    write_key_id: str
    read_key: str
    bot_key: str


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody; `second_bot_id` and `wide_key`, which covers both bots, are Acme's."""

    acme: Company
    globex: Company
    paused: Company
    second_bot_id: UUID
    wide_key: str


async def assemble(owner: Tx) -> Cast:
    """Make everybody anew: tests share a database and meet nobody else's rows, as customers do."""
    acme, globex, paused = [await found(owner, name) for name in ("Acme", "Globex", "Paused")]
    second = await actions.create_bot(owner, acme.workspace_id, "Acme second", None, "en")
    wide = await actions.create_key(owner, acme.workspace_id, "wide", Scope.WRITE, [])
    return Cast(acme, globex, paused, second.id, wide.key)


async def found(owner: Tx, name: str) -> Company:
    workspace = await actions.create_workspace(owner, name)
    bot = await actions.create_bot(owner, workspace.id, name, None, "en")
    write = await actions.create_key(owner, workspace.id, f"{name} writer", Scope.WRITE, [bot.id])
    read = await actions.create_key(owner, workspace.id, f"{name} reader", Scope.READ, [bot.id])
    return Company(workspace.id, bot.id, bot.slug, write.key, write.row.id, read.key, bot.bot_key)
