"""`make bench-shared-indexes`: the memory of two server processes that search the same large help center."""

import argparse
import asyncio
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

import psycopg

from bench.installation import URL, servers
from bench.processes import children_of
from bench.search import article, question
from bench.vectors import store_random_vectors
from eval.retrieval.center import create_help_center
from instep.accounts.workspaces import actions
from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.identity.scopes import Scope
from instep.platform.migrations import migrate

PROCESSES = 2
# The kernel chooses the process of each connection: with so many, each one has searched.
SEARCHES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="instep-bench-") as folder:
        Path(folder).chmod(0o711)
        with EmbeddedPostgres.attach(Path(folder)) as embedded:
            migrate(embedded.url)
            key = asyncio.run(prepare(embedded.url, options.articles))
            # The first search stores the index, as a job does, so that both processes find it.
            with servers(Path(folder)):
                search(key)
            with servers(Path(folder), workers=PROCESSES) as server:
                measure(server, key)


async def prepare(url: str, count: int) -> str:
    """Create a help center with so many articles; a key that reads it."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        bot, _ = await create_help_center(owner, "Large", [article(number) for number in range(count)])
        chunks = await store_random_vectors(owner, bot)
        created = await actions.create_key(Tx(owner), bot.workspace_id, "bench", Scope.READ, [bot.id])
        print(f"{count:,} articles, {chunks:,} chunks")
        return created.key


def measure(server: int, key: str) -> None:
    print(f"{'':18} {'process':>8} {'PSS MB':>8} {'of files':>9} {'own MB':>8}")
    show("before a search", server)
    for _ in range(SEARCHES):
        search(key)
    show("after searches", server)


def search(key: str) -> None:
    request = urllib.request.Request(f"{URL}/v1/articles/search?q={urllib.parse.quote(question())}")
    request.add_header("Authorization", f"Bearer {key}")
    with urllib.request.urlopen(request, timeout=300) as response:
        response.read()


def show(name: str, server: int) -> None:
    """Each process's share of its memory: what several map counts for each of them in part."""
    total = 0.0
    for number, pid in enumerate(server_processes(server), 1):
        share, of_files, private = (
            megabytes(pid, fields) for fields in (("Pss",), ("Pss_File",), ("Private_Clean", "Private_Dirty"))
        )
        total += share
        print(f"{name:18} {number:8} {share:8.1f} {of_files:9.1f} {private:8.1f}", flush=True)
    print(f"{name:18} {'all':>8} {total:8.1f}", flush=True)


def server_processes(server: int) -> list[int]:
    return [pid for pid in children_of(server) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def megabytes(pid: int, fields: tuple[str, ...]) -> float:
    rows = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    return sum(int(row[1]) for row in rows if row[0].rstrip(":") in fields) * 1024 / 1e6


if __name__ == "__main__":
    main()
