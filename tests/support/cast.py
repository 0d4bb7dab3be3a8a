"""The companies in the tests: Acme with two bots, Globex that must see nothing of Acme, and Paused."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx2
from psycopg.types.json import Jsonb

from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id, new_uuid
from instep.platform.identity.keys import hash_key, new_bot_key, new_key
from instep.platform.identity.scopes import Scope
from instep.platform.text.slugs import slugify

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
    """All companies. `second_bot_id` and `wide_key`, which covers both bots, belong to Acme."""

    acme: Company
    globex: Company
    paused: Company
    second_bot_id: UUID
    wide_key: str


async def assemble(owner: Tx) -> Cast:
    """Create new companies: tests share a database, but like customers they never see each other's rows."""
    rows = Rows()
    acme, globex, paused = [rows.company(name) for name in ("Acme", "Globex", "Paused")]
    second_id, _, _ = rows.bot(acme.workspace_id, "Acme second")
    _, wide_key = rows.key(acme.workspace_id, "wide", Scope.WRITE, None)
    await rows.insert(owner)
    return Cast(acme, globex, paused, second_id, wide_key)


async def create_company(owner: Tx, name: str) -> Company:
    rows = Rows()
    company = rows.company(name)
    await rows.insert(owner)
    return company


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of some thirty operator statements, inserted with one: every test starts with it."""

    workspaces: list[Json] = field(default_factory=list)
    bots: list[Json] = field(default_factory=list)
    keys: list[Json] = field(default_factory=list)

    def company(self, name: str) -> Company:
        workspace_id = new_id("ws")
        self.workspaces.append({"id": workspace_id, "name": name})
        bot_id, slug, bot_key = self.bot(workspace_id, name)
        write_id, write_key = self.key(workspace_id, f"{name} writer", Scope.WRITE, bot_id)
        _, read_key = self.key(workspace_id, f"{name} reader", Scope.READ, bot_id)
        return Company(workspace_id, bot_id, slug, write_key, write_id, read_key, bot_key)

    def bot(self, workspace_id: str, name: str) -> tuple[UUID, str, str]:
        bot_id, slug, bot_key = new_uuid(), f"{slugify(name, 'help')}-{secrets.token_hex(6)}", new_bot_key()
        row = {"id": str(bot_id), "workspace_id": workspace_id, "slug": slug, "name": name}
        self.bots.append({**row, "bot_key": bot_key, "place": len(self.bots)})
        return bot_id, slug, bot_key

    def key(self, workspace_id: str, name: str, scope: Scope, bot_id: UUID | None) -> tuple[str, str]:
        key_id, key = new_id("key"), new_key()
        row = {"id": key_id, "workspace_id": workspace_id, "name": name, "scope": scope.value}
        row |= {"key_hash": f"\\x{hash_key(key).hex()}", "last_four": key[-4:]}
        self.keys.append({**row, "bot_ids": bot_id and [str(bot_id)], "place": len(self.keys)})
        return key_id, key

    async def insert(self, owner: Tx) -> None:
        """Insert all rows at once, with creation times as if they had been inserted one by one."""
        await owner.execute(
            """
            with opened as (
                insert into workspaces (id, name)
                select id, name from jsonb_to_recordset(%(workspaces)s) as row (id text, name text)
            ), built as (
                insert into bots (id, workspace_id, slug, name, bot_key, locale, created_at)
                select id, workspace_id, slug, name, bot_key, 'en', now() + place * interval '1 microsecond'
                from jsonb_to_recordset(%(bots)s) as row
                    (id uuid, workspace_id text, slug text, name text, bot_key text, place integer)
            )
            insert into api_keys
                (id, workspace_id, name, key_hash, last_four, scope, bot_ids, created_at)
            select id, workspace_id, name, key_hash, last_four, scope, bot_ids,
                now() + place * interval '1 microsecond'
            from jsonb_to_recordset(%(keys)s) as row
                (id text, workspace_id text, name text, key_hash bytea, last_four text, scope text,
                bot_ids uuid[], place integer)
            """,
            workspaces=Jsonb(self.workspaces),
            bots=Jsonb(self.bots),
            keys=Jsonb(self.keys),
        )
