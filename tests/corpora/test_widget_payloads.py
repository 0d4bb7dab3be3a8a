"""Hostile inputs from many collections in everything that the widget displays, in a real browser."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.browser.conftest import chromium, complaints, hosts, page, server, widget, writer
from tests.corpora.test_xss import payloads
from tests.support.chromium import Complaints
from tests.support.host_pages import OPEN_SHADOWS, HostSite
from tests.support.hostile_answers import faults_of
from tests.support.widget_pages import Widget

pytestmark = pytest.mark.corpora
__all__ = ["chromium", "complaints", "hosts", "page", "server", "widget", "writer"]
PER_PAGE = 40


async def test_no_payload_does_anything(
    chromium: Browser, hosts: HostSite, widget: Widget, corpora: Path
) -> None:
    texts = sorted(set(payloads(corpora)))
    faults: list[str] = []
    for start in range(0, len(texts), PER_PAGE):
        async with await chromium.new_context() as profile:
            page, complaints = await profile.new_page(), Complaints()
            await page.add_init_script(OPEN_SHADOWS)
            await complaints.watch(page)
            batch = texts[start : start + PER_PAGE]
            faults += await faults_of(page, complaints, hosts, widget, batch, widget.policy)

    assert len(texts) > 3_000
    assert faults == []
