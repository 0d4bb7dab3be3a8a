"""The shapes of visitors' activity."""

from datetime import date
from typing import Annotated

from pydantic import Field

from instep.platform.web.shapes import Out

Day = Annotated[date, Field(examples=["2026-11-23"])]


class VisitDayOut(Out):
    """The counts of a day, in UTC."""

    day: Day
    views: int = Field(description="The number of article views.")
    searches: int
    empty_searches: int = Field(description="Searches without results.")
    helpful_count: int = Field(description="The number of readers who said that an article helped.")
    unhelpful_count: int = Field(description="The number of readers who said that it did not.")


class VisitsOut(Out):
    """Visitors' activity on the help center, day by day, without any identification."""

    views: int
    searches: int
    empty_searches: int
    helpful_count: int
    unhelpful_count: int
    days: list[VisitDayOut] = Field(description="Every day, the oldest first.")

    @classmethod
    def of(cls, days: list[VisitDayOut]) -> "VisitsOut":
        counts = {
            name: sum(getattr(day, name) for day in days) for name in cls.model_fields if name != "days"
        }
        return cls(days=days, **counts)


class ViewedArticleOut(Out):
    """The number of an article's views, and its readers' ratings on the same days."""

    article_id: str
    title: str
    views: int
    helpful_count: int
    unhelpful_count: int


class SearchedWordsOut(Out):
    """The number of searches for the same words."""

    query: str = Field(
        description=(
            "The words in lowercase. Empty for words that are not stored because they may be about a person."
        )
    )
    searches: int
    empty_searches: int = Field(description="The number of times the search found nothing.")
    last_day: Day


class VisitsErasedOut(Out):
    """The counts of a help center are erased."""

    id: str = Field(description="The bot.", examples=["0190163d-8694-439b-aea5-966c26f8ad91"])
    deleted: bool
