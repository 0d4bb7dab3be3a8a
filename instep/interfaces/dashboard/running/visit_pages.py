"""Visitors' views and searches, in figures and small charts, and the button that erases them."""

from collections.abc import Sequence

from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.running.listing import Tab, address
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.identity.scopes import Role
from instep.visitors.insights.visits import actions
from instep.visitors.insights.visits.schemas import VisitDayOut

# The days that the page looks back over, by the words of their links.
PERIODS = {"7": "7 days", "30": "30 days", "90": "90 days"}
DEFAULT_PERIOD = "30"
LISTED_ROWS = 10
# Sizes of the chart, in its own units: a day's width and gap, and the height of the highest bar.
BAR_WIDTH, BAR_GAP, CHART_HEIGHT = 8, 2, 48
ADDRESS = "health?by=visits"
router = PageRouter("health/visits/erase", Role.EDITOR)


async def show_visits(page: BotPage, views: Sequence[Tab]) -> Response:
    """Article views, searches and ratings of the last days."""
    period = page.query.get("days")
    period = period if period in PERIODS else DEFAULT_PERIOD
    days = int(period)
    first_rows = page.first_rows(LISTED_ROWS)
    visits = await actions.count_visits(page.ctx, days)
    return await page.show(
        "running/visits.html",
        views=views,
        periods=[
            (
                address(page, "health", by="visits", days=None if name == DEFAULT_PERIOD else name),
                words,
                name == period,
            )
            for name, words in PERIODS.items()
        ],
        period=PERIODS[period],
        totals=visits,
        days=visits.days,
        bars=bars_of(visits.days),
        bar_width=BAR_WIDTH,
        chart_width=(BAR_WIDTH + BAR_GAP) * days,
        chart_height=CHART_HEIGHT,
        articles=(await actions.list_views(page.ctx, days, first_rows)).rows,
        searches=(await actions.list_searches(page.ctx, days, first_rows, only_empty=False)).rows,
        empty_searches=(await actions.list_searches(page.ctx, days, first_rows, only_empty=True)).rows,
        retention_days=settings().visit_count_retention_days,
        write_seconds=limits.VISIT_COUNT_SECONDS,
    )


def bars_of(days: Sequence[VisitDayOut]) -> list[tuple[int, int, int]]:
    """The bar of each day: its left and top edges, and its height."""
    highest = max((day.views for day in days), default=0) or 1
    bars = []
    for place, day in enumerate(days):
        # Even a single view gets a visible bar.
        height = max(round(day.views * CHART_HEIGHT / highest), 1 if day.views else 0)
        bars.append((place * (BAR_WIDTH + BAR_GAP), CHART_HEIGHT - height, height))
    return bars


@router.post()
async def erase(page: BotPage) -> Response:
    await actions.erase_visits(page.ctx)
    return page.leave(ADDRESS, "All views and searches erased.")
