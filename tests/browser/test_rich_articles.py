"""Tabs, videos and diagrams in articles: with the site's script, without it, and in hostile articles."""

import pytest
from playwright.async_api import Browser, Page, Request, expect

from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints
from tests.support.http import create_article, ok

RICH = """\
::::tabs
:::tab[macOS]
Open the image.
:::
:::tab[Windows]
Run the installer.

### Behind a proxy

Set it first.
:::
::::

::::tabs
:::tab[Windows]
Start menu.
:::
:::tab[macOS]
Dock.
:::
::::

:::video
[Two minutes](https://www.youtube.com/watch?v=aaaaaaaaaaa)
:::
"""
DIAGRAMS = """\
Begin with <code class="language-mermaid">flowchart</code>.

```mermaid
flowchart LR
  A[Write] --> B[Publish]
```

```mermaid
%%{init: {"securityLevel": "loose"}}%%
flowchart LR
  A["<img src='https://evil.example/x' onerror=alert(1)>"] --> B
  click A href "javascript:alert(3)"
```

```mermaid
no diagram
```

"""
BOMB = "\n".join(f"  N{left} --> N{right}" for left in range(40) for right in range(40))


async def address_of(writer: Client, server: str, cast: Cast, text: str) -> str:
    article = await create_article(writer, "Rich", contentMarkdown=text)
    ok(await writer.post(f"/v1/articles/{article['id']}/publish"))
    return f"{server}/help/{cast.acme.slug}/articles/{article['slug']}"


@pytest.fixture
async def rich(writer: Client, server: str, cast: Cast) -> str:
    return await address_of(writer, server, cast, RICH)


async def test_tabs_follow_keys_names_and_links(page: Page, complaints: Complaints, rich: str) -> None:
    await page.goto(rich)
    first, second = await page.get_by_role("tablist").all()
    await expect(page.get_by_role("tabpanel")).to_have_text(
        ["Open the image.", "Start menu."], use_inner_text=True
    )

    await first.get_by_role("tab", name="macOS").press("ArrowRight")
    await expect(first.get_by_role("tab", name="Windows")).to_be_focused()
    await expect(second.get_by_role("tab", name="Windows")).to_have_attribute("aria-selected", "true")
    await second.get_by_role("tab", name="macOS").click()
    await expect(page.get_by_role("tabpanel")).to_have_text(["Open the image.", "Dock."], use_inner_text=True)

    await first.get_by_role("tab", name="Windows").click()
    await page.goto("about:blank")
    await page.goto(rich)
    # The choice also applies to the next page.
    await expect(page.get_by_role("tab", name="Windows", selected=True)).to_have_count(2)
    await first.get_by_role("tab", name="macOS").click()

    await page.goto(f"{rich}#h-behind-a-proxy")
    await expect(page.get_by_text("Set it first.")).to_be_visible()
    await page.goto("about:blank")
    await page.goto(f"{rich}#100%")
    await expect(page.get_by_role("tablist")).to_have_count(2)
    assert complaints.lines == []


async def test_a_video_is_loaded_on_a_click(page: Page, complaints: Complaints, rich: str) -> None:
    outside: list[str] = []

    def note(request: Request) -> None:
        if "127.0.0.1" not in request.url:
            outside.append(request.url)

    page.on("request", note)
    await page.route("https://www.youtube-nocookie.com/**", lambda route: route.fulfill(body="played"))
    await page.goto(rich)
    link = page.get_by_role("link", name="Two minutes")
    await expect(link).to_contain_text("www.youtube-nocookie.com")
    assert outside == []

    await link.click()
    await expect(page.frame_locator("iframe").get_by_text("played")).to_be_visible()
    assert outside == ["https://www.youtube-nocookie.com/embed/aaaaaaaaaaa?autoplay=1"]
    assert complaints.lines == []


async def test_without_scripts_everything_can_be_read(chromium: Browser, rich: str) -> None:
    async with await chromium.new_context(java_script_enabled=False) as profile:
        page = await profile.new_page()
        await page.goto(rich)

        for text in ("macOS", "Open the image.", "Run the installer.", "Start menu.", "Dock."):
            await expect(page.get_by_text(text, exact=True).first).to_be_visible()
        await expect(page.get_by_role("link", name="Two minutes")).to_be_visible()


async def test_diagrams_are_drawn_and_harm_nobody(
    page: Page, complaints: Complaints, writer: Client, server: str, cast: Cast
) -> None:
    bomb = f"```mermaid\nflowchart LR\n{BOMB}\n```\n"
    await page.goto(await address_of(writer, server, cast, DIAGRAMS + bomb))

    # Diagrams below the window are drawn when the reader scrolls to them.
    await page.keyboard.press("End")
    frames = page.locator(".diagram iframe")
    await expect(frames).to_have_count(2)
    await expect(page.frame_locator(".diagram iframe").first.get_by_text("Publish")).to_be_visible()
    hostile = page.frame_locator(".diagram iframe").nth(1)
    await expect(hostile.get_by_text("onerror=alert(1)")).to_be_visible()
    await expect(hostile.locator("a[href^=javascript], img")).to_have_count(0)
    await expect(page.get_by_text("no diagram")).to_be_visible()
    assert complaints.lines == []
