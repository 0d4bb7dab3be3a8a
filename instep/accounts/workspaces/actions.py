"""Actions on workspaces, bots and keys, and the list of bots that a key covers.

Operators use them by command, as the database's owner; owners of a workspace use them in the dashboard.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from instep.accounts.workspaces import queries
from instep.accounts.workspaces.schemas import BotRow, CoveredBot, KeyRow, NewKey, Workspace
from instep.accounts.workspaces.site_frame import SiteFrame
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.errors import InvalidRequest, NotFound, PlanInactive
from instep.platform.core.ids import as_uuid, new_id, new_uuid
from instep.platform.core.locales import valid_locale
from instep.platform.core.slug_rules import SlugTaken
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key, new_bot_key, new_key
from instep.platform.identity.queries import default_bot_id, list_covered_bots
from instep.platform.identity.schemas import OPERATOR, Actor
from instep.platform.identity.scopes import Scope
from instep.platform.text.characters import is_storable
from instep.platform.text.slugs import free_slug, slugify, valid_slug
from instep.platform.web.origins import valid_origin


class PausedByOperator(PlanInactive):
    """The operator of this installation has paused the workspace: ask them to resume it."""


async def list_bots(tx: Tx, key_id: str) -> list[CoveredBot]:
    """List the bots that this API key may use."""
    default = await default_bot_id(tx, key_id)
    return [CoveredBot(bot, bot.id == default) for bot in await list_covered_bots(tx, key_id)]


async def find_bot_by_reference(tx: Tx, workspace_id: str, reference: str) -> BotRow:
    """The bot of the workspace that has this id or slug."""
    bot_id = as_uuid(reference)
    for bot in await queries.list_bots(tx, workspace_id):
        if reference == bot.slug or bot_id == bot.id:
            return bot
    raise NotFound(f"No bot of this workspace has the id or slug {reference}: `instep bot list` shows them.")


async def find_workspace(tx: Tx, reference: str | None) -> Workspace:
    """The workspace with this id or name; without a reference the only workspace."""
    workspaces = await queries.list_workspaces(tx)
    matches = [workspace for workspace in workspaces if reference in (None, workspace.id, workspace.name)]
    if len(matches) == 1:
        return matches[0]
    choices = ", ".join(f"{workspace.id} ({workspace.name})" for workspace in matches or workspaces)
    if reference is None:
        raise InvalidRequest(f"There are several workspaces; name one of them: {choices}.")
    if matches:
        raise InvalidRequest(f"Several workspaces have the name {reference}; use an id: {choices}.")
    raise NotFound(f"No workspace has the id or name {reference}; name one of these: {choices}.")


async def create_workspace(tx: Tx, name: str) -> Workspace:
    workspace = await queries.insert_workspace(tx, new_id("ws"), valid_name(name))
    await record(tx, workspace.id, OPERATOR, "create_workspace", workspace.id)
    return workspace


async def pause_workspace(tx: Tx, reference: str | None, actor: Actor = OPERATOR) -> Workspace:
    """Pause a workspace: from the commit on its writes are refused, while reads continue.

    Only an operator can end an operator's pause.
    """
    return await _set_paused(tx, reference, True, actor)


async def resume_workspace(tx: Tx, reference: str | None, actor: Actor = OPERATOR) -> Workspace:
    return await _set_paused(tx, reference, False, actor)


async def _set_paused(tx: Tx, reference: str | None, is_paused: bool, actor: Actor) -> Workspace:
    workspace = await find_workspace(tx, reference)
    by = "operator" if actor is OPERATOR else "owner"
    changed = await queries.set_paused(tx, workspace.id, is_paused, by)
    if changed is None:
        raise PausedByOperator
    await record(tx, changed.id, actor, "pause_workspace" if is_paused else "resume_workspace", changed.id)
    return changed


async def create_bot(
    tx: Tx,
    workspace_id: str,
    name: str,
    slug: str | None,
    locale: str,
    origins: Sequence[str] = (),
    *,
    actor: Actor = OPERATOR,
) -> BotRow:
    """Create a help center; without a `slug` it gets one from its name, numbered if that is in use.

    Raises `SlugTaken` for a sent slug that is in use, and `InvalidRequest` for an invalid value.
    """
    base = parse_value(valid_slug, slug, "slug") if slug is not None else slugify(valid_name(name), "help")
    row = {
        "workspace_id": workspace_id,
        "name": valid_name(name),
        "locale": parse_value(valid_locale, locale, "locale"),
        "bot_key": new_bot_key(),
        "origins": _with_origins([], origins),
    }
    while True:
        candidate = base if slug is not None else free_slug(base, await queries.slugs_like(tx, base))
        bot = await queries.insert_bot(tx, {**row, "id": new_uuid(), "slug": candidate})
        if bot is not None:
            await record(tx, workspace_id, actor, "create_bot", str(bot.id), bot.id)
            return bot
        if slug is not None:
            raise SlugTaken


async def change_bot(tx: Tx, workspace_id: str, bot_id: UUID, name: str, locale: str, actor: Actor) -> BotRow:
    """Change the bot's name and the language of its new articles."""
    columns = {"name": valid_name(name), "locale": parse_value(valid_locale, locale, "locale")}
    return await _update(tx, workspace_id, bot_id, actor, "change_bot", **columns)


async def _update(
    tx: Tx, workspace_id: str, bot_id: UUID, actor: Actor, action: str, **columns: Any
) -> BotRow:
    bot = await queries.update_bot(tx, workspace_id, bot_id, **columns)
    if bot is None:
        raise unknown_bot(bot_id)
    await record(tx, workspace_id, actor, action, str(bot_id), bot_id)
    return bot


async def change_origins(
    tx: Tx,
    workspace_id: str,
    bot_id: UUID,
    add: Sequence[str],
    remove: Sequence[str],
    actor: Actor = OPERATOR,
) -> BotRow:
    """Allow pages of the origins in `add` to use the bot, and disallow those in `remove`."""
    async with tx.transaction():
        current = await queries.lock_origins(tx, workspace_id, bot_id)
        if current is None:
            raise unknown_bot(bot_id)
        removed_origins = {parse_value(valid_origin, origin, "origin") for origin in remove}
        remaining = [origin for origin in current if origin not in removed_origins]
        origins = _with_origins(remaining, add)
        return await _update(tx, workspace_id, bot_id, actor, "change_origins", origins=origins)


def _with_origins(current: Sequence[str], added: Sequence[str]) -> list[str]:
    """The canonical origins without duplicates."""
    origins = list(dict.fromkeys([*current, *(parse_value(valid_origin, text, "origin") for text in added)]))
    if len(origins) > limits.MAX_ORIGINS:
        raise InvalidRequest(f"A bot has at most {limits.MAX_ORIGINS} origins.")
    return origins


async def change_accent(
    tx: Tx, workspace_id: str, bot_id: UUID, colour: str | None, actor: Actor = OPERATOR
) -> BotRow:
    """Set any opaque CSS color as the accent of the bot's help center; None restores Instep blue."""
    light, dark = await asyncio.to_thread(_readable_pair, colour) if colour is not None else (None, None)
    columns = {"accent": colour, "accent_light": light, "accent_dark": dark}
    return await _update(tx, workspace_id, bot_id, actor, "change_accent", **columns)


async def change_frame(tx: Tx, workspace_id: str, bot_id: UUID, frame: SiteFrame, actor: Actor) -> BotRow:
    """Set the logo, links and legal lines around the pages of the bot's help center."""
    json = frame.model_dump_json()
    return await _update(tx, workspace_id, bot_id, actor, "change_site_frame", frame=json)


def _readable_pair(colour: str) -> tuple[str, str]:
    # Importing the color library takes half a second, which only people who choose a color should wait for.
    from instep.platform.core.colours import InvalidColour, readable_accent

    if len(colour) > limits.MAX_COLOUR_CHARACTERS:
        raise InvalidRequest(f"A color has at most {limits.MAX_COLOUR_CHARACTERS} characters.")
    try:
        accent = readable_accent(colour)
    except InvalidColour as error:
        raise InvalidRequest(str(error)) from None
    return accent.light, accent.dark


def unknown_bot(bot_id: UUID) -> NotFound:
    return NotFound(f"No bot of this workspace has the id {bot_id}: `instep bot list` shows them.")


async def create_key(
    tx: Tx, workspace_id: str, name: str, scope: Scope, bot_ids: list[UUID], actor: Actor = OPERATOR
) -> NewKey:
    """Create a key for these bots; without any, for all current and future bots of the workspace."""
    if bot_ids and await queries.count_bots(tx, workspace_id, bot_ids) != len(set(bot_ids)):
        raise NotFound("One of the bots is not in this workspace: `instep bot list` shows them.")
    key = new_key()
    row = {
        "id": new_id("key"),
        "workspace_id": workspace_id,
        "name": valid_name(name),
        "key_hash": hash_key(key),
        "last_four": key[-4:],
        "scope": scope.value,
        "bot_ids": bot_ids or None,
    }
    key_row = await queries.insert_key(tx, row)
    await record(tx, workspace_id, actor, "create_key", key_row.id)
    return NewKey(key_row, key)


async def revoke_key(tx: Tx, workspace_id: str, key_id: str, actor: Actor = OPERATOR) -> KeyRow:
    """Revoke a key: from the commit on every call with it is refused."""
    key = await queries.revoke_key(tx, workspace_id, key_id)
    if key is None:
        raise NotFound(f"No key has the id {key_id}: `instep key list` shows them.")
    await record(tx, workspace_id, actor, "revoke_key", key.id)
    return key


def valid_name(name: str) -> str:
    if not name.strip() or len(name) > limits.MAX_NAME_CHARACTERS or not is_storable(name):
        raise InvalidRequest(f"A name must have 1 to {limits.MAX_NAME_CHARACTERS} characters.")
    return name.strip()


def parse_value(check: Callable[[str], str], value: str, name: str) -> str:
    """The canonical value; raises `InvalidRequest` as a request body with this field would."""
    try:
        return check(value)
    except ValueError as error:
        raise InvalidRequest(f"The {name} {value}: {error}.") from None
