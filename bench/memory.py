"""`make bench-memory`: what one server process holds in memory after 100,000 requests of every kind."""

import tempfile
from itertools import cycle
from pathlib import Path

from bench.__main__ import ARTICLES, BOTS, URL, get_script, installed, list_script, patch_script, servers
from bench.load import run_wrk

REQUESTS = 100_000
SECONDS = 5


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="instep-bench-") as folder,
        installed(Path(folder)) as (_, _, keys),
        servers(Path(folder)) as server,
    ):
        measure(server, keys)


def measure(server: int, keys: list[str]) -> None:
    print(f"{'after requests':>15} {'resident MB':>12} {'most so far':>12}")
    tell(0, server)
    answered = 0
    scripts = [get_script(keys, last()), list_script(keys), patch_script(keys, last())]
    for script in cycle(scripts):
        answered += int(run_wrk(URL, script, SECONDS).per_second * SECONDS)
        tell(answered, server)
        if answered >= REQUESTS:
            return


def last() -> int:
    return ARTICLES // BOTS - 1


def tell(answered: int, pid: int) -> None:
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
    )
    resident, most = (int(status[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    print(f"{answered:15,} {resident:12.0f} {most:12.0f}", flush=True)


if __name__ == "__main__":
    main()
