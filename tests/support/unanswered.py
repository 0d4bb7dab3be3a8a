"""Helpers to create unanswered questions and read their list."""

from typing import Any

from instep.platform.core.database import Database
from instep.visitors.insights.actions import log_unanswered
from instep.visitors.insights.schemas import Nearest
from tests.support.cast import Client, Company, Json
from tests.support.http import all_pages
from tests.support.visitors import visiting

LIST = "/v1/insights/unanswered"
RESET = "How do I reset my password?"


async def ask(
    database: Database,
    company: Company,
    question: str = RESET,
    visitor: str = "ann",
    locale: str = "en",
    nearest: list[Nearest] | None = None,
) -> str:
    async with visiting(database, company) as ctx:
        return await log_unanswered(ctx, question, visitor, locale, nearest or [])


async def unanswered(client: Client, **params: Any) -> list[Json]:
    return await all_pages(client, LIST, **params)


async def questions(client: Client, **params: Any) -> list[tuple[str, int]]:
    """The list in its order: each question's wording and how often it was asked."""
    return [(row["question"], row["askedCount"]) for row in await unanswered(client, **params)]
