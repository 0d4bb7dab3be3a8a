"""Visitor statistics in the dashboard."""

import re

import pytest
from fastapi import FastAPI

from instep.interfaces.dashboard.running.visit_pages import CHART_HEIGHT, bars_of
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.visitors.insights.visits.schemas import VisitDayOut
from tests.interfaces.dashboard.conftest import Desk
from tests.support.browsing import BROWSER, write_counts
from tests.support.cast import Api, Cast, Client
from tests.support.site_pages import Page, publish, visit


@pytest.fixture
async def counted(client: Client, api: Api, cast: Cast, app: FastAPI, database: Database) -> None:
    """Two views of an article, a search with results and one without."""
    await publish(client, "Install <b>")
    for path in ("articles/install-b", "articles/install-b", "search?q=install", "search?q=<zzq>"):
        await visit(api, f"{cast.acme.slug}/{path}", **{"User-Agent": BROWSER})
    await write_counts(app, database)


async def test_the_page_tells_what_was_opened_and_searched(desk: Desk, counted: None) -> None:
    text = Page((await desk.get("health?by=visits")).text).text

    assert "2 views in 30 days" in text
    assert "Install <b> 2 views" in text
    assert "2 searches" in text
    assert "<zzq> 1 search" in text


async def test_the_figures_of_the_chart_stand_in_a_table(desk: Desk, counted: None) -> None:
    html = (await desk.get("health?by=visits&days=7")).text

    today = re.search(rf'<tr><th scope="row">{utc_now():%Y-%m-%d}</th>(.*?)</tr>', html)
    assert today is not None
    assert re.findall(r">(\d+)<", today[1]) == ["2", "2", "1", "0", "0"]
    assert html.count("<rect ") == 7
    assert 'role="img" aria-label="Views by day' in html


async def test_health_leads_to_it_and_says_when_there_is_nothing(desk: Desk, client: Client) -> None:
    await publish(client, "Install")

    assert f'href="{desk.path("health")}?by=visits"' in (await desk.get("health?by=feedback")).text
    assert "No views or searches" in (await desk.get("health?by=visits")).text


async def test_an_editor_erases_the_counts(desk: Desk, counted: None) -> None:
    answer = await desk.send("health?by=visits", "health/visits/erase")

    assert answer.status_code == 303
    assert "No views or searches" in (await desk.get("health?by=visits")).text


def test_a_bar_is_as_high_as_its_day_and_never_invisible() -> None:
    none = dict.fromkeys(("searches", "empty_searches", "helpful_count", "unhelpful_count"), 0)
    days = [VisitDayOut(day=utc_now().date(), views=views, **none) for views in (0, 1, 500, 1000)]

    heights = [height for _, _, height in bars_of(days)]

    assert heights == [0, 1, CHART_HEIGHT // 2, CHART_HEIGHT]
