"""The help center in a real browser: readable, styled and without complaints, in light and dark mode."""

from typing import Literal

import pytest
from playwright.async_api import Page

from tests.support.cast import Api, Cast
from tests.support.changelog_entries import publish_entry
from tests.support.chromium import Colour, Complaints, colours, picture
from tests.support.site_pages import without_own_style

TEXT = """\
Acme runs **wherever** PostgreSQL runs.

## Before you begin

- [x] Download it

> [!WARNING]
> Do not run two servers on one data folder.

| Variable | Default |
|---|--:|
| `ACME_TIMEOUT` | 30 |

```bash
acme serve --host 127.0.0.1 --port 8000 --workers 4 --data-dir /var/lib/acme --log-level debug --verbose
```
"""
HOSTILE = """\
Words before. <img src="x" onerror="document.title='taken'"> <script>document.title='taken'</script>
<a href="javascript:document.title='taken'">a</a> <p style="color:red" onclick="x()">b</p>

![far away](http://127.0.0.1:9/beacon.png)

<style>body { display: none }</style>

Words after.
"""
Scheme = Literal["light", "dark"]
# From tokens.css: the background of text, and the background of code.
LOOKS: dict[Scheme, tuple[Colour, Colour]] = {
    "light": ((255, 255, 255), (238, 243, 246)),
    "dark": ((22, 28, 33), (31, 37, 44)),
}
# The page background around the sheets.
PAPER: dict[Scheme, Colour] = {"light": (247, 251, 252), "dark": (15, 19, 24)}


@pytest.fixture
async def site(api: Api, cast: Cast, database_url: str) -> str:
    """The path of a help center with two articles and a changelog."""
    client = api(cast.acme.write_key)
    for title, text in (("Install Acme", TEXT), ("Hostile", HOSTILE)):
        answer = await client.post("/v1/articles", json={"title": title, "contentMarkdown": text})
        await client.post(f"/v1/articles/{answer.json()['id']}/publish")
    for title, text in (("Acme 2.0", TEXT), ("Taken", HOSTILE), ("Acme 2.1 runs on Windows too", TEXT)):
        await publish_entry(client, title, contentMarkdown=text)
    return f"help/{cast.acme.slug}"


async def test_an_article_is_readable_and_breaks_no_policy(
    server: str, site: str, page: Page, complaints: Complaints
) -> None:
    await page.goto(f"{server}/{site}/articles/install-acme")
    document = await page.content()

    for words in ("Install Acme", "<strong>wherever</strong>", "Before you begin", "ACME_TIMEOUT"):
        assert words in document
    assert complaints.lines == []


async def test_the_changelog_is_readable_and_hides_nothing(
    server: str, site: str, page: Page, complaints: Complaints
) -> None:
    await page.goto(f"{server}/{site}/changelog")
    document = without_own_style(await page.content())

    for words in ("Acme 2.0", "<strong>wherever</strong>", "Words before.", "Words after."):
        assert words in document
    for trace in ("<script>", "document.title", "onerror", "onclick", "javascript:", "<style", "style="):
        assert trace not in document
    assert complaints.policy_violations == []


@pytest.mark.parametrize("address", ["articles/install-acme", "changelog", "changelog/acme-2-0"])
@pytest.mark.parametrize("width", [800, 390])
async def test_the_stylesheet_is_applied_by_day_and_by_night(
    server: str, site: str, page: Page, address: str, width: int
) -> None:
    await page.set_viewport_size({"width": width, "height": 800})
    await page.goto(f"{server}/{site}/{address}")
    page_width = await page.evaluate("document.documentElement.clientWidth")

    for scheme, (ground, raised) in LOOKS.items():
        await page.emulate_media(color_scheme=scheme)
        image = await picture(page)
        assert image.getpixel((0, 0)) == ground
        assert raised in colours(image)
        # Content wider than a phone scrolls inside its own frame, not with the page.
        first_column, last_column = ((x, 0, x + 1, 800) for x in (0, page_width - 1))
        assert colours(image.crop(last_column)) - {ground} <= colours(image.crop(first_column))


@pytest.mark.parametrize("address", ["", "articles/nothing", "search?q=install"])
async def test_other_pages_are_styled_too(
    server: str, site: str, page: Page, complaints: Complaints, address: str
) -> None:
    await page.emulate_media(color_scheme="dark")
    await page.goto(f"{server}/{site}/{address}")
    image = await picture(page)

    assert image.getpixel((0, 0)) == LOOKS["dark"][0]
    assert len(colours(image)) > 10
    assert complaints.lines == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 390)])
async def test_the_page_to_sign_in_is_styled_and_breaks_no_policy(
    server: str, page: Page, complaints: Complaints, scheme: Scheme, width: int
) -> None:
    await page.set_viewport_size({"width": width, "height": 600})
    await page.emulate_media(color_scheme=scheme)
    await page.goto(f"{server}/sign-in")

    shown = await picture(page)
    # The page has the paper color, and form fields have the sheet color.
    assert {PAPER[scheme], LOOKS[scheme][0]} <= colours(shown)
    assert complaints.lines == []


async def test_a_hostile_article_runs_nothing_and_hides_nothing(server: str, site: str, page: Page) -> None:
    await page.goto(f"{server}/{site}/articles/hostile")
    document = without_own_style(await page.content())

    assert "<title>Hostile · Acme</title>" in document
    assert "Words before." in document
    assert "Words after." in document
    for trace in ("<script>", "document.title", "onerror", "onclick", "javascript:", "<style", "style="):
        assert trace not in document


async def test_a_picture_without_encryption_is_a_link(
    server: str, site: str, page: Page, complaints: Complaints
) -> None:
    await page.goto(f"{server}/{site}/articles/hostile")

    assert '<a href="http://127.0.0.1:9/beacon.png"' in await page.content()
    assert complaints.policy_violations == []
