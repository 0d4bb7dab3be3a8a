"""How tests set the language model of a company's bot."""

from typing import Any
from uuid import UUID

from instep.core.database import Database, Tx
from instep.identity.queries import find_bot
from instep.identity.schemas import Ctx
from instep.language_model.actions import set_model
from instep.language_model.schemas import ModelFields
from tests.llm.endpoint import KEY
from tests.support.articles import acting
from tests.support.cast import Company

LOOPBACK = ("INSTEP_MODEL_ALLOW", "127.0.0.0/8")


def fields(**changes: Any) -> ModelFields:
    return ModelFields(**{"provider": "openai", "model": "gpt-9", **changes})


async def give_model(database: Database, company: Company, key: str | None = KEY, **changes: Any) -> str:
    """The fields that have changed, as the audit names them."""
    async with acting(database, company) as ctx:
        return await set_model(ctx, fields(**changes), key)


async def at_bot(tx: Tx, ctx: Ctx, bot_id: UUID) -> Ctx:
    return Ctx(tx, await find_bot(tx, bot_id), ctx.actor, ctx.now)
