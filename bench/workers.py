"""`make bench-workers`: requests per second of two server processes beside one, on the same machine.

Load and PostgreSQL share the processors with the servers, so two free processes can reach at most all
processors, divided by the time that a request takes in all programs together. To see what a second process
adds where it has processors to run on, each is also held to a share of one, which leaves enough for the rest.
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
from bench.processes import children_of, family_seconds
from bench.quotas import held_to
from bench.requests import get_script, list_script, page_script, search_script

WORKERS = (1, 2)
# Two processes with such shares and all that serves them fit on two processors.
SHARE = 0.4
# The kernel chooses the process of each connection: of few, one process may get nearly all.
CONNECTIONS = 64


@dataclass(frozen=True, slots=True)
class Run:
    """Requests per second, and the processor time of a request in milliseconds, by program."""

    per_second: float
    server_ms: float
    database_ms: float
    load_ms: float


Runs = dict[tuple[str, int], list[Run]]


@dataclass(frozen=True, slots=True)
class Programs:
    """The process ids of the server and of PostgreSQL; the load runs below this process."""

    server: int
    database: int

    def seconds(self) -> tuple[float, float, float]:
        """The processor time of the server, PostgreSQL and the load so far."""
        times = os.times()
        load = times.children_user + times.children_system
        return family_seconds(self.server), family_seconds(self.database), load


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
        free: Runs = {}
        held: Runs = {}
        for _ in range(options.rounds):
            for workers in WORKERS:
                with servers(Path(name), workers=workers) as server:
                    programs = Programs(server, postmaster(url))
                    # Each process reads the indexes first.
                    for script in scripts.values():
                        run_wrk(URL, script, 1, CONNECTIONS)
                    measure(scripts, workers, programs, options.seconds, free)
                    with held_to(SHARE, children_of(server) if workers > 1 else [server]):
                        measure(scripts, workers, programs, options.seconds, held)
        show(scripts, free, held)


def measure(scripts: dict[str, str], workers: int, programs: Programs, seconds: int, runs: Runs) -> None:
    """Add one run of each script."""
    for row, script in scripts.items():
        before = programs.seconds()
        figures = run_wrk(URL, script, seconds, CONNECTIONS)
        assert not figures.failed
        times = (
            1_000 * (end - begin) / figures.count
            for begin, end in zip(before, programs.seconds(), strict=True)
        )
        runs.setdefault((row, workers), []).append(Run(figures.per_second, *times))


def show(rows: dict[str, str], free: Runs, held: Runs) -> None:
    print(f"{os.cpu_count()} processors; CPU ms of a request: server + PostgreSQL + load")
    print(f"{'':26}{'ratio':>7}{'at most':>9}  {f'at {SHARE:.0%} of a processor each':<32}CPU of one")
    for row in rows:
        one, two = per_second(free, row)
        held_one, held_two = per_second(held, row)
        times = [
            statistics.median(getattr(run, name) for run in free[row, 1])
            for name in ("server_ms", "database_ms", "load_ms")
        ]
        most = min(len(WORKERS), 1_000 * (os.cpu_count() or 1) / sum(times) / one)
        print(
            f"{row:26}{two / one:7.2f}{most:9.2f}  "
            f"{f'{held_two / held_one:.2f} ({held_one:.0f} and {held_two:.0f} a second)':<32}"
            + " + ".join(f"{milliseconds:.2f}" for milliseconds in times)
        )


def per_second(runs: Runs, row: str) -> list[float]:
    return [statistics.median(run.per_second for run in runs[row, workers]) for workers in WORKERS]


if __name__ == "__main__":
    main()
