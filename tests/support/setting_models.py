"""Helpers to configure the language model of a company's bot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from instep.accounts.language_model.actions import set_model
from instep.accounts.language_model.schemas import ModelFields
from instep.platform.core.database import Database
from tests.support.articles import acting
from tests.support.cast import Company
from tests.support.model_endpoint import KEY, Endpoint, Mood, endpoint

LOOPBACK = ("INSTEP_MODEL_ALLOW", "127.0.0.0/8")


def fields(**changes: Any) -> ModelFields:
    return ModelFields(**{"provider": "openai", "model": "gpt-9", **changes})


async def give_model(database: Database, company: Company, key: str | None = KEY, **changes: Any) -> str:
    """Set the model and return the names of the changed fields, as the audit log records them."""
    async with acting(database, company) as ctx:
        return await set_model(ctx, fields(**changes), key)


@asynccontextmanager
async def with_model(
    database: Database, company: Company, *moods: Mood, **changes: Any
) -> AsyncIterator[Endpoint]:
    """Give the company's bot its own model, which answers with these moods."""
    async with endpoint(*moods) as behind:
        await give_model(database, company, base_url=f"{behind.url}/v1", **changes)
        yield behind
