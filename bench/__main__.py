"""`make bench`: compares one server process with a bare service that does the same SQL, in pairs."""

import argparse
import statistics
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.installation import ARTICLES, BOTS, URL, installed, running, servers
from bench.load import Figures, run_wrk
from bench.processes import family_seconds, processor_seconds
from bench.requests import get_script, list_script, page_script, patch_script, revisit_script, search_script

BARE_PORT = 8192
BARE_URL = f"http://127.0.0.1:{BARE_PORT}"
LAST = ARTICLES // BOTS - 1
# Visitors read few of the pages most of the time.
READ_PAGES = 10
# Their indexes are read by the first round, which warms up.
SEARCHED_BOTS = 2
SEARCHABLE_TEXTS = """
    create table bare_texts as
    select bot_id, id as article_id, to_tsvector('english', content_markdown) as words from articles;
    create index on bare_texts using gin (words);
    analyze bare_texts;
"""


@dataclass(frozen=True, slots=True)
class Service:
    """A service that is measured: its address and its process."""

    url: str
    pid: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run against one service; processor time per request in milliseconds."""

    figures: Figures
    service_ms: float
    database_ms: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The scripts of one row: what is asked of ours and of the bare service."""

    ours: str
    bare: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=1, help="of each run")
    parser.add_argument("--only", help="a word in the names of the rows that are measured")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="instep-bench-") as name,
        installed(Path(name)) as (url, _, keys),
        servers(Path(name)) as pid,
        bare_service(url) as bare,
    ):
        pairs = {
            row: pair
            for row, pair in comparisons(url, keys).items()
            if options.only is None or options.only in row
        }
        compare(pairs, Service(URL, pid), bare, postmaster(url), options.rounds, options.seconds)


@contextmanager
def bare_service(url: str) -> Iterator[Service]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SEARCHABLE_TEXTS)
    program = [sys.executable, "-m", "uvicorn", "bench.bare:app", "--no-access-log", "--port", str(BARE_PORT)]
    variables = {"BARE_DATABASE_URL": url}
    with running(program, variables, f"{BARE_URL}/help/{first_slug(url)}/articles/article-0") as pid:
        yield Service(BARE_URL, pid)


def first_slug(url: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("select slug from bots order by created_at limit 1").fetchone()
        assert row is not None, "the installation has bots"
        return str(row[0])


def postmaster(url: str) -> int:
    """The process id of PostgreSQL, whose children serve the connections."""
    with psycopg.connect(url) as connection:
        row = connection.execute("select pg_backend_pid()").fetchone()
        assert row is not None, "the statement always returns a row"
        status = Path(f"/proc/{row[0]}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))


def comparisons(url: str, keys: list[str]) -> dict[str, Comparison]:
    slug = first_slug(url)
    page = f"/help/{slug}/articles/article-7"
    return {
        "GET article, 6 KB": both(get_script(keys, LAST)),
        "list of 20, with bodies": both(list_script(keys)),
        "PATCH with revision": both(patch_script(keys, LAST)),
        "public page": both(page_script(slug, READ_PAGES - 1)),
        "public page, 304": Comparison(
            revisit_script(slug, 7, etag_of(URL + page)), revisit_script(slug, 7, etag_of(BARE_URL + page))
        ),
        "search": both(search_script(keys[:SEARCHED_BOTS])),
    }


def both(script: str) -> Comparison:
    return Comparison(script, script)


def etag_of(url: str) -> str:
    with urllib.request.urlopen(url) as response:
        return str(response.headers["ETag"])


def compare(
    rows: dict[str, Comparison], ours: Service, bare: Service, database: int, rounds: int, seconds: int
) -> None:
    runs: dict[str, list[tuple[Run, Run]]] = {name: [] for name in rows}
    for number in range(rounds + 1):
        # Rounds are interleaved, so that noise of the machine affects all rows alike; the first one warms up.
        for name, scripts in rows.items():
            pair = (
                measure(ours, scripts.ours, database, seconds),
                measure(bare, scripts.bare, database, seconds),
            )
            if number:
                runs[name].append(pair)
    print(f"median of {rounds} rounds of {seconds} s; CPU ms a request: service + PostgreSQL")
    print(
        f"{'':26}{'ratio':>7}{'ours/s':>9}{'bare/s':>9}{'p50 ms':>8}{'p99':>7}"
        f"  {'CPU ours':16}{'CPU bare':16}failed"
    )
    for name, pairs in runs.items():
        print_row(name, pairs)


def measure(service: Service, script: str, database: int, seconds: int) -> Run:
    before = processor_seconds(service.pid), family_seconds(database)
    figures = run_wrk(service.url, script, seconds)
    after = processor_seconds(service.pid), family_seconds(database)
    return Run(
        figures,
        *((end - begin) / max(1, figures.count) * 1_000 for begin, end in zip(before, after, strict=True)),
    )


def print_row(name: str, pairs: list[tuple[Run, Run]]) -> None:
    ours, bare = ([pair[place] for pair in pairs] for place in (0, 1))
    ratio = statistics.median(mine.figures.per_second / other.figures.per_second for mine, other in pairs)
    rates = [statistics.median(run.figures.per_second for run in runs) for runs in (ours, bare)]
    p50, p99 = (statistics.median(getattr(run.figures, name) for run in ours) for name in ("p50", "p99"))
    failed = sum(run.figures.failed for run in (*ours, *bare))
    print(
        f"{name:26}{ratio:7.2f}{rates[0]:9.0f}{rates[1]:9.0f}{p50:8.1f}{p99:7.1f}  "
        f"{cost(ours):16}{cost(bare):16}{failed}"
    )


def cost(runs: list[Run]) -> str:
    service = statistics.median(run.service_ms for run in runs)
    database = statistics.median(run.database_ms for run in runs)
    return f"{service:.2f} + {database:.2f}"


if __name__ == "__main__":
    main()
