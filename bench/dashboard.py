"""`make bench-dashboard`: how long pages take in a large help center, and what browsers load."""

import argparse
import asyncio
import http.client
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import psycopg
from playwright.async_api import Browser, Page, async_playwright

from bench.dashboard_rows import DRAFTS, Access, fill
from bench.installation import await_ready
from instep.interfaces.dashboard.pages import routes
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.migrations import migrate
from instep.platform.web.call import PersonAccess
from tests.support.chromium import chromium_program

PORT = 8194
URL = f"http://127.0.0.1:{PORT}"
NUMBER = f"{7:0>26}"
# The values of path parameters; `id` belongs to the rows of its section.
IDS = {
    "{draft_id}": f"edit_{NUMBER}",
    "{task_id}": f"task_{NUMBER}",
    "{question_id}": f"q_{NUMBER}",
    "{conversation_id}": f"conv_{NUMBER}",
    "{webhook_id}": f"wh_{NUMBER}",
    "{import_id}": f"imp_{NUMBER}",
    "{revision_id}": f"rev_{NUMBER}",
    "articles/{id}": f"articles/art_{NUMBER}",
    "collections/{id}": f"collections/col_{NUMBER}",
    "changelog/{id}": f"changelog/chg_{NUMBER}",
}
# Addresses of the same pages that cost more, or show something else.
VARIANTS = (
    "review?page=9",
    "review?conflict=yes",
    "review?type=place",
    f"review/edit_{20:0>26}",
    f"review/plc_{NUMBER}",
    "find?q=article-99",
    "articles?q=article-99",
    "articles?collection=none",
    "health?by=article",
    "health?kind=short_text",
    "questions?status=all",
    "conversations?status=leads",
)
API = ("/v1/places?pageSize=100",)
# Public pages, those of development, those that ask for the password first, and the long part of a page.
UNMEASURED = ("/app/setup", "/app/_parts", "/app/account/", "/app/{bot_slug}/health/examination")
# Seconds to read each draft before the next key; without a pause nothing can be prepared.
READING_SECONDS = (0.5, 0)
KEY_PRESSES = 60
PAINT_SECONDS = 10
CHECKS_SECONDS = 120
# Tells the milliseconds from a key to the frame after the one in which the heading has changed, across pages.
PAINT_WATCH = """
    const heading = () => document.querySelector("main article [id^=title-]")?.textContent;
    const now = () => performance.timeOrigin + performance.now();
    function watch() {
        const watching = new MutationObserver(() => {
            if (!heading() || heading() === sessionStorage.heading) return;
            watching.disconnect();
            const pressedAt = Number(sessionStorage.pressedAt);
            delete sessionStorage.pressedAt;
            requestAnimationFrame(() => setTimeout(() => tellPainted(now() - pressedAt)));
        });
        watching.observe(document, {subtree: true, childList: true, characterData: true});
    }
    if (sessionStorage.pressedAt) watch();
    addEventListener("keydown", (event) => {
        sessionStorage.heading = heading();
        sessionStorage.pressedAt = performance.timeOrigin + event.timeStamp;
        watch();
    }, true);
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=30, help="of each page")
    parser.add_argument("--page", help="measure only pages whose address holds this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="instep-bench-") as folder:
        Path(folder).chmod(0o711)
        with EmbeddedPostgres.attach(Path(folder)) as embedded:
            migrate(embedded.url)
            access = asyncio.run(fill_database(embedded.url))
            with server(Path(folder)):
                measure(access, options)
                if options.page is None:
                    asyncio.run(measure_in_chromium(access))


async def fill_database(url: str) -> Access:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        return await fill(owner)


@contextmanager
def server(folder: Path) -> Iterator[None]:
    """One server process, without jobs."""
    environment = {
        **os.environ,
        "INSTEP_DATA_DIR": str(folder),
        "INSTEP_SITE_URL": URL,
        "INSTEP_PUBLIC_REQUESTS_PER_MINUTE": "1000000",
    }
    program = Path(sys.executable).parent / "instep"
    command = [str(program), "serve", "--port", str(PORT), "--no-jobs"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await_ready(f"{URL}/readyz")
        yield
    finally:
        process.terminate()
        process.wait(20)


def page_paths(slug: str) -> list[str]:
    """The paths of all pages for signed-in people, with ids filled in."""
    paths = []
    for route in routes:
        is_for_people = isinstance(getattr(route.endpoint, "access", None), PersonAccess)
        if "GET" not in (route.methods or ()) or not is_for_people or route.path.startswith(UNMEASURED):
            continue
        path = route.path.replace("{bot_slug}", slug)
        for name, value in IDS.items():
            path = path.replace(name, value)
        paths.append(path)
    return [*dict.fromkeys(paths), *(f"/app/{slug}/{variant}" for variant in VARIANTS), *API]


def measure(access: Access, options: argparse.Namespace) -> None:
    """Visit the pages by turns, so that noise of the machine affects all of them alike."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    paths = [path for path in page_paths(access.slug) if options.page is None or options.page in path]
    first = {path: visit(connection, path, access) for path in paths}
    seconds = examine_articles(connection, access)
    elapsed: dict[str, list[float]] = {path: [] for path in paths}
    for _ in range(options.visits):
        for path in paths:
            elapsed[path].append(visit(connection, path, access))
    connection.close()
    print(f"The articles were examined in {seconds:.0f} seconds.")
    heading = f"milliseconds of {options.visits} visits"
    print(f"{heading:62} {'first':>8} {'least':>8} {'p50':>8} {'p95':>8}")
    for path, times in sorted(elapsed.items(), key=lambda row: -statistics.median(row[1])):
        figures = (first[path], min(times), statistics.median(times), percentile(times))
        print(f"{path:62}" + "".join(f" {figure:8.1f}" for figure in figures))


def examine_articles(connection: http.client.HTTPConnection, access: Access) -> float:
    """Have the texts of all articles examined; the seconds until their health is known."""
    started = time.monotonic()
    while b"are being examined" in get(connection, f"/app/{access.slug}/health", access, "identity")[1]:
        assert time.monotonic() < started + CHECKS_SECONDS, "the articles are still being examined"
        get(connection, f"/app/{access.slug}/health/examination", access)
    return time.monotonic() - started


def visit(connection: http.client.HTTPConnection, path: str, access: Access) -> float:
    """The milliseconds that a page takes; the response must be a page or a redirect."""
    started = time.perf_counter()
    status, _ = get(connection, path, access)
    assert status in (200, 303), f"{path} answers {status}"
    return 1_000 * (time.perf_counter() - started)


def get(
    connection: http.client.HTTPConnection, path: str, access: Access, encodings: str = "br, gzip"
) -> tuple[int, bytes]:
    """The status and the body as it is sent, which takes one of the encodings."""
    headers = {**access.headers, "Accept-Encoding": encodings}
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    return response.status, response.read()


def percentile(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


async def measure_in_chromium(access: Access) -> None:
    """Print the bytes that review and editor load into an empty cache, and the time of keys in the review."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_program())
        for below in ("review", f"articles/art_{NUMBER}/edit"):
            async with open_page(browser, below, access) as page:
                await print_bytes(page, access)
        for seconds in READING_SECONDS:
            async with open_page(browser, "review", access) as page:
                await press_keys(page, seconds)
        await browser.close()


@asynccontextmanager
async def open_page(browser: Browser, below: str, access: Access) -> AsyncIterator[Page]:
    """A page of the bot in a profile of its own, with an empty cache."""
    async with await browser.new_context() as profile:
        await profile.add_cookies([{"name": "instep-session", "value": access.token, "url": URL}])
        page = await profile.new_page()
        await page.add_init_script(PAINT_WATCH)
        await page.goto(f"{URL}/app/{access.slug}/{below}", wait_until="networkidle")
        yield page


async def print_bytes(page: Page, access: Access) -> None:
    """The bytes of a page and all that it has loaded, as compressed for browsers by HTTPS."""
    addresses: list[str] = await page.evaluate(
        "[location.href, ...performance.getEntriesByType('resource').map(entry => entry.name)]"
    )
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    sizes = {}
    for address in dict.fromkeys(address.removeprefix(URL) for address in addresses):
        status, body = get(connection, address, access)
        # The browser does not load addresses that only accept POST.
        if status != http.HTTPStatus.METHOD_NOT_ALLOWED:
            sizes[address] = len(body)
    connection.close()
    print(f"\n{'bytes, compressed':80} {sum(sizes.values()):8,}")
    for address, size in sizes.items():
        print(f"  {address:78} {size:8,}")


async def press_keys(page: Page, seconds: float) -> None:
    """Go from draft to draft, and read each for so many seconds."""
    delay_queue: asyncio.Queue[float] = asyncio.Queue()
    await page.expose_function("tellPainted", delay_queue.put_nowait)
    await page.reload(wait_until="networkidle")
    delays = []
    for _ in range(KEY_PRESSES):
        await page.keyboard.press("j")
        delays.append(await asyncio.wait_for(delay_queue.get(), PAINT_SECONDS))
        await asyncio.sleep(seconds)
    median = statistics.median(delays)
    print(f"\nmilliseconds from a key to the next of {DRAFTS} drafts, each read for {seconds} s: ", end="")
    print(f"median {median:.0f}, p95 {percentile(delays):.0f}, most {max(delays):.0f}", flush=True)


if __name__ == "__main__":
    main()
