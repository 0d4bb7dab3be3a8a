"""`make bench-memory`: the memory of one server process after 100,000 requests of three kinds."""

import tempfile
from itertools import cycle
from pathlib import Path

from bench.installation import ARTICLES, BOTS, URL, installed, servers
from bench.load import run_wrk
from bench.processes import resident_bytes
from bench.requests import get_script, list_script, patch_script

REQUESTS = 100_000
SECONDS = 5
LAST = ARTICLES // BOTS - 1


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="instep-bench-") as folder,
        installed(Path(folder)) as (_, _, keys),
        servers(Path(folder)) as server,
    ):
        measure(server, keys)


def measure(server: int, keys: list[str]) -> None:
    print(f"{'after requests':>15} {'resident MB':>12} {'peak MB':>12}")
    print_memory(0, server)
    count = 0
    scripts = [get_script(keys, LAST), list_script(keys), patch_script(keys, LAST)]
    for script in cycle(scripts):
        count += int(run_wrk(URL, script, SECONDS).per_second * SECONDS)
        print_memory(count, server)
        if count >= REQUESTS:
            return


def print_memory(count: int, pid: int) -> None:
    resident, peak = (size / 1024**2 for size in resident_bytes(pid))
    print(f"{count:15,} {resident:12.0f} {peak:12.0f}", flush=True)


if __name__ == "__main__":
    main()
