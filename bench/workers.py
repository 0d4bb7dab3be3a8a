"""`make bench-workers`: requests per second of two server processes beside one, on the same machine.

Load and PostgreSQL share the processors with the servers. So two more ratios are printed. "At most" is what
two processes can reach on these cores: all processors, divided by the time that a request takes in all
programs together. "On their own" is what they reach on two cores that they share with nothing: twice the
time of a request in one process, divided by that in two, which grows where they wait for each other or share
a cache.
"""

import argparse
import os
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.__main__ import LAST, READ_PAGES, SEARCHED_BOTS, first_slug, postmaster
from bench.installation import URL, installed, servers
from bench.load import run_wrk
from bench.processes import family_seconds
from bench.requests import get_script, list_script, page_script, search_script

WORKERS = (1, 2)
# The kernel chooses the process of each connection: of few, one process may get nearly all.
CONNECTIONS = 64


@dataclass(frozen=True, slots=True)
class Run:
    """Requests per second, and the processor time of a request in milliseconds, by program."""

    per_second: float
    server_ms: float
    database_ms: float
    load_ms: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=3, help="of each run")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="instep-bench-") as name,
        installed(Path(name)) as (url, _, keys),
    ):
        scripts = {
            "GET article, 6 KB": get_script(keys, LAST),
            "list of 20, with bodies": list_script(keys),
            "public page": page_script(first_slug(url), READ_PAGES - 1),
            "search": search_script(keys[:SEARCHED_BOTS]),
        }
        runs: dict[tuple[str, int], list[Run]] = {}
        for _ in range(options.rounds):
            for workers in WORKERS:
                with servers(Path(name), workers=workers) as server:
                    for row, script in scripts.items():
                        # Each process reads the indexes first.
                        run_wrk(URL, script, 1, CONNECTIONS)
                        run = measure(script, server, postmaster(url), options.seconds)
                        runs.setdefault((row, workers), []).append(run)
        show(scripts, runs)


def measure(script: str, server: int, database: int, seconds: int) -> Run:
    before = family_seconds(server), family_seconds(database), children_seconds()
    figures = run_wrk(URL, script, seconds, CONNECTIONS)
    after = family_seconds(server), family_seconds(database), children_seconds()
    assert not figures.failed
    times = (1_000 * (end - begin) / figures.count for begin, end in zip(before, after, strict=True))
    return Run(figures.per_second, *times)


def children_seconds() -> float:
    """The processor time of the load, which is the only child that ends meanwhile."""
    times = os.times()
    return times.children_user + times.children_system


def show(rows: dict[str, str], runs: dict[tuple[str, int], list[Run]]) -> None:
    print(f"{os.cpu_count()} processors; CPU ms of a request: server + PostgreSQL + load")
    columns = f"{'ratio':>7}{'at most':>9}{'on their own':>14}{'1 process/s':>13}{'2 processes/s':>15}"
    print(f"{'':26}{columns}  CPU of one, server of two")
    for row in rows:
        one, two = (statistics.median(run.per_second for run in runs[row, workers]) for workers in WORKERS)
        times = [
            statistics.median(getattr(run, name) for run in runs[row, 1])
            for name in ("server_ms", "database_ms", "load_ms")
        ]
        server_of_two = statistics.median(run.server_ms for run in runs[row, len(WORKERS)])
        most = min(len(WORKERS), 1_000 * (os.cpu_count() or 1) / sum(times) / one)
        print(
            f"{row:26}{two / one:7.2f}{most:9.2f}{len(WORKERS) * times[0] / server_of_two:14.2f}"
            f"{one:13.0f}{two:15.0f}  "
            + " + ".join(f"{milliseconds:.2f}" for milliseconds in times)
            + f", {server_of_two:.2f}"
        )


if __name__ == "__main__":
    main()
