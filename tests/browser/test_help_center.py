"""The help center in a real browser: readable, styled, quiet, by day and by night."""

import pytest

from tests.browser.chromium import Chromium, Colour
from tests.changelog.entries import publish_entry
from tests.support.cast import Api, Cast

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
# From site.css: the page, and what is raised above it.
LOOKS: dict[str, tuple[Colour, Colour]] = {
    "light": ((0xFF, 0xFF, 0xFF), (0xF5, 0xF6, 0xF8)),
    "dark": ((0x14, 0x17, 0x1A), (0x1E, 0x22, 0x26)),
}


@pytest.fixture
async def site(api: Api, cast: Cast, database_url: str) -> str:
    """The address, below the server's, of a help center with two articles and a changelog."""
    client = api(cast.acme.write_key)
    for title, text in (("Install Acme", TEXT), ("Hostile", HOSTILE)):
        answer = await client.post("/v1/articles", json={"title": title, "contentMarkdown": text})
        await client.post(f"/v1/articles/{answer.json()['id']}/publish")
    for title, text in (("Acme 2.0", TEXT), ("Taken", HOSTILE), ("Acme 2.1 runs on Windows too", TEXT)):
        await publish_entry(client, title, contentMarkdown=text)
    return f"help/{cast.acme.slug}"


def test_an_article_is_readable_and_breaks_no_policy(server: str, site: str, chromium: Chromium) -> None:
    document = chromium.document(f"{server}/{site}/articles/install-acme")

    for words in ("Install Acme", "<strong>wherever</strong>", "Before you begin", "ACME_TIMEOUT"):
        assert words in document
    assert chromium.complaints == []


def test_the_changelog_is_readable_and_hides_nothing(server: str, site: str, chromium: Chromium) -> None:
    document = chromium.document(f"{server}/{site}/changelog")

    for words in ("Acme 2.0", "<strong>wherever</strong>", "Words before.", "Words after."):
        assert words in document
    for trace in ("<script", "onerror", "onclick", "javascript:", "<style", "style="):
        assert trace not in document
    assert chromium.complaints == []


@pytest.mark.parametrize("address", ["articles/install-acme", "changelog", "changelog/acme-2-0"])
@pytest.mark.parametrize("scheme", LOOKS)
@pytest.mark.parametrize("width", [800, 390])
def test_the_stylesheet_is_applied_by_day_and_by_night(
    server: str, site: str, chromium: Chromium, address: str, scheme: str, width: int
) -> None:
    picture = chromium.picture(f"{server}/{site}/{address}", scheme, width, height=800)

    page, raised = LOOKS[scheme]
    assert picture.rows[0][0] == picture.rows[-1][-1] == page
    assert raised in picture.colours
    # What is wider than a telephone scrolls inside its own frame, and not the page.
    assert {row[-1] for row in picture.rows} - {page} <= {row[0] for row in picture.rows}


@pytest.mark.parametrize("page", ["", "articles/nothing", "search?q=install"])
def test_other_pages_are_styled_too(server: str, site: str, chromium: Chromium, page: str) -> None:
    picture = chromium.picture(f"{server}/{site}/{page}", "dark")

    assert picture.rows[0][0] == LOOKS["dark"][0]
    assert len(picture.colours) > 10
    assert all("Failed to load" in line and "404" in line for line in chromium.complaints)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 390)])
def test_the_page_to_sign_in_is_styled_and_breaks_no_policy(
    server: str, chromium: Chromium, scheme: str, width: int
) -> None:
    picture = chromium.picture(f"{server}/sign-in", scheme, width)

    # Here the page is what is raised elsewhere, or the other way round.
    assert picture.rows[-1][-1] in LOOKS[scheme]
    assert set(LOOKS[scheme]) <= picture.colours
    assert chromium.complaints == []


def test_a_hostile_article_runs_nothing_and_hides_nothing(server: str, site: str, chromium: Chromium) -> None:
    document = chromium.document(f"{server}/{site}/articles/hostile")

    assert "<title>Hostile · Acme</title>" in document
    assert "Words before." in document
    assert "Words after." in document
    for trace in ("<script", "onerror", "onclick", "javascript:", "<style", "style="):
        assert trace not in document


def test_a_picture_without_encryption_is_a_link(server: str, site: str, chromium: Chromium) -> None:
    document = chromium.document(f"{server}/{site}/articles/hostile")

    assert '<a href="http://127.0.0.1:9/beacon.png"' in document
    assert chromium.complaints == []
