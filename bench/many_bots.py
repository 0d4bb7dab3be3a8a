"""`make bench-memory`, too: the memory of one server process by the number of bots that were searched."""

import argparse
import asyncio
import http.client
import tempfile
import urllib.parse
from pathlib import Path

import psycopg

from bench.installation import PORT, servers
from bench.memory import print_memory
from bench.search import article, copies, question, run_through, store_indexes
from instep.accounts.workspaces import actions
from instep.platform.core.database import Database, Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.identity.scopes import Scope
from instep.platform.migrations import migrate

BOTS, ARTICLES_OF_A_BOT = 1_000, 100
SHOWN = (0, 1, 100, 200, 400, 700)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=BOTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="instep-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with EmbeddedPostgres.attach(folder) as embedded:
            migrate(embedded.url)
            keys = asyncio.run(prepare(embedded.url, options.bots))
            with servers(folder) as server:
                measure(server, keys)


async def prepare(url: str, count: int) -> list[str]:
    """Create bots with articles, stored indexes and vectors; a key for each."""
    database = Database(url, size=1)
    await database.open()
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        bots = await copies(owner, [article(number) for number in range(ARTICLES_OF_A_BOT)], count)
        keys = [
            await actions.create_key(Tx(owner), bot.workspace_id, bot.name, Scope.READ, [bot.id])
            for bot in bots
        ]
        await run_through(database, bots[:1])
        await store_indexes(database, bots)
        await owner.execute("vacuum analyze")
    await database.close()
    return [key.key for key in keys]


def measure(server: int, keys: list[str]) -> None:
    """Search in all bots one after the other, twice."""
    print(f"{'bots searched':>15} {'resident MB':>12} {'peak MB':>12}")
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    for number, key in enumerate([*keys, *keys]):
        if number in SHOWN or number % len(keys) == 0:
            print_memory(number, server)
        query = urllib.parse.quote(question())
        headers = {"Authorization": f"Bearer {key}"}
        connection.request("GET", f"/v1/articles/search?q={query}", headers=headers)
        response = connection.getresponse()
        response.read()
        assert response.status == 200, response.status
    print_memory(2 * len(keys), server)
    connection.close()


if __name__ == "__main__":
    main()
