"""`make bench-site`: public pages of one server process, as ratios to an empty route of the framework.

The empty route is one of FastAPI behind uvicorn that answers with no body. Both are asked by turns, so that
whatever else the machine does slows both down.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import Response

from bench.__main__ import READ_PAGES, etag_of, first_slug
from bench.installation import URL, installed, running, servers
from bench.load import run_wrk
from bench.requests import page_script, revisit_script

EMPTY_PORT = 8193
EMPTY_URL = f"http://127.0.0.1:{EMPTY_PORT}"
EMPTY = """request = function() return wrk.format("GET", "/") end"""
# The least ratios of requests per second.
LEAST = {"article page": 0.3, "article page, 304": 0.5}

app = FastAPI(openapi_url=None)


@app.get("/")
async def empty() -> Response:
    return Response()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of each run")
    options = parser.parse_args()
    program = [
        sys.executable,
        "-m",
        "uvicorn",
        "bench.site:app",
        "--no-access-log",
        "--port",
        str(EMPTY_PORT),
    ]
    with (
        tempfile.TemporaryDirectory(prefix="instep-bench-") as name,
        installed(Path(name)) as (url, _, _),
        servers(Path(name)),
        running(program, {}, EMPTY_URL),
    ):
        slug = first_slug(url)
        page = f"{URL}/help/{slug}/articles/article-7"
        scripts = {
            "article page": page_script(slug, READ_PAGES - 1),
            "article page, 304": revisit_script(slug, 7, etag_of(page)),
        }
        is_enough = [report(row, script, options.rounds, options.seconds) for row, script in scripts.items()]
    if not all(is_enough):
        sys.exit("A page is slower than it may be.")


def report(row: str, script: str, rounds: int, seconds: int) -> bool:
    """Measure one row and print it; whether its ratio is enough."""
    run_wrk(URL, script, seconds)
    run_wrk(EMPTY_URL, EMPTY, seconds)
    pairs = [(run_wrk(URL, script, seconds), run_wrk(EMPTY_URL, EMPTY, seconds)) for _ in range(rounds)]
    ratio = statistics.median(ours.per_second / bare.per_second for ours, bare in pairs)
    ours, bare = (statistics.median(pair[place].per_second for pair in pairs) for place in (0, 1))
    failed = sum(figures.failed for pair in pairs for figures in pair)
    print(
        f"{row:22}{ratio:6.2f} (least {LEAST[row]})  {ours:.0f}/s, empty route {bare:.0f}/s, failed {failed}"
    )
    return ratio >= LEAST[row] and not failed


if __name__ == "__main__":
    main()
