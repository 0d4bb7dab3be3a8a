"""`make bench-scale`: what requests cost in bots of 1,000 to 100,000 articles, and in 1,000 bots."""

import argparse
import asyncio
import http.client
import json
import random
import statistics
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.installation import PORT, URL, running, servers
from bench.processes import family_seconds
from bench.vocabulary import RARE_WORDS, VOCABULARY, random_words
from instep.accounts.workspaces import actions
from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.identity.scopes import Scope
from instep.platform.migrations import migrate

SIZES = (1_000, 10_000, 100_000)
BOTS, ARTICLES_OF_A_BOT = 1_000, 100
# Different texts; the others repeat them, which makes filling a matter of seconds.
TEXTS = 200
WORDS = 300
ROUNDS, REQUESTS, TASKS = 5, 20, 2
POLL_SECONDS = 0.01
DIFF = """\
diff --git a/src/settings.py b/src/settings.py
--- a/src/settings.py
+++ b/src/settings.py
@@ -1,2 +1,2 @@
 # How long a request may take, in seconds.
-{name}_TIMEOUT = 30
+{name}_TIMEOUT = 60
"""
INSERT = """
    insert into articles (id, workspace_id, bot_id, slug, locale, title, position, content_markdown,
        content_html, visibility, status, version, origin, author_type, author_name, text_changed_at,
        published_at, created_at, updated_at)
    select 'art_' || lpad(%(bot_number)s || to_char(n, 'FM000000'), 26, '0'), %(workspace)s, %(bot)s,
        'article-' || n, 'en', 'Article ' || n || ' of ' || (%(titles)s::text[])[n %% %(texts)s + 1], n,
        (%(bodies)s::text[])[n %% %(texts)s + 1], '<p></p>', 'public', 'published', 1, 'create', 'command',
        'bench', now(), now(), now(), now() - n * interval '1 second'
    from generate_series(0, %(count)s - 1) n
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Bots of one size, each with its key."""

    name: str
    keys: list[str]
    articles: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--bots", type=int, default=BOTS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory(prefix="instep-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with EmbeddedPostgres.attach(folder) as embedded:
            migrate(embedded.url)
            places = asyncio.run(prepare(embedded.url, sizes, options.bots))
            with (
                servers(folder) as server,
                worker(folder) as writer,
                psycopg.connect(embedded.url) as connection,
            ):
                measure(places, [server, writer, postmaster(connection)], options.rounds)


def worker(folder: Path) -> AbstractContextManager[int]:
    """Run a worker beside the server; the context is its process id."""
    command = [str(Path(sys.executable).parent / "instep"), "worker"]
    return running(command, {"INSTEP_DATA_DIR": str(folder)}, f"{URL}/readyz")


async def prepare(url: str, sizes: list[int], bots: int) -> list[Place]:
    generator = random.Random(1)
    params = {
        "titles": [random_words(4, generator) for _ in range(TEXTS)],
        "bodies": [random_words(WORDS, generator) for _ in range(TEXTS)],
        "texts": TEXTS,
    }
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("set synchronous_commit = off")
        tx = Tx(connection)
        workspace = await actions.find_workspace(tx, None)
        counter = iter(range(1_000_000))

        async def bot_of(articles: int) -> str:
            number = next(counter)
            bot = await actions.create_bot(tx, workspace.id, f"Bot {number}", None, "en")
            key = await actions.create_key(tx, workspace.id, bot.name, Scope.WRITE, [bot.id])
            values = {"bot": bot.id, "bot_number": number, "workspace": workspace.id, "count": articles}
            await tx.execute(INSERT, **values, **params)
            await tx.execute("update bots set changed_at = now() where id = %(bot)s", bot=bot.id)
            return key.key

        places = [Place(f"1 bot of {size:,}", [await bot_of(size)], size) for size in sizes]
        keys = [await bot_of(ARTICLES_OF_A_BOT) for _ in range(bots)]
        places.append(Place(f"{bots:,} bots of {ARTICLES_OF_A_BOT}", keys, ARTICLES_OF_A_BOT))
        await connection.execute("vacuum analyze")
    return places


def postmaster(connection: psycopg.Connection) -> int:
    """The process id of PostgreSQL, whose children serve the connections."""
    status = Path(f"/proc/{connection.info.backend_pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))


class TooLarge(Exception):
    """The writer gave a task up, because it may take no more time."""


class Client:
    """One connection to the server, with the keys of a place by turns."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.random = random.Random(2)
        self.connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=600)
        self.cursors = {key: self.deep_cursor(key) for key in place.keys[:20]}

    def call(self, method: str, path: str, body: object = None, key: str | None = None) -> dict[str, object]:
        headers = {"Authorization": f"Bearer {key or self.random.choice(self.place.keys)}"}
        headers |= {"Content-Type": "application/json"} if body else {}
        self.connection.request(method, path, json.dumps(body) if body else None, headers)
        response = self.connection.getresponse()
        content: dict[str, object] = json.loads(response.read())
        assert response.status in (200, 202), content
        return content

    def reconnect(self) -> None:
        """The server closes a connection on which nothing was asked while others were measured."""
        self.connection.close()

    def deep_cursor(self, key: str) -> str:
        """The cursor behind many pages, or as many as there are."""
        cursor, pages = "", min(50, self.place.articles // 100)
        for _ in range(pages):
            after = f"&start_cursor={urllib.parse.quote(cursor)}" if cursor else ""
            page = self.call("GET", f"/v1/articles?page_size=100{after}", key=key)
            cursor = str(page["next_cursor"] or cursor)
        return cursor

    def number(self) -> int:
        return self.random.randrange(self.place.articles)

    def get(self) -> None:
        self.call("GET", f"/v1/articles/article-{self.number()}")

    def first_page(self) -> None:
        self.call("GET", "/v1/articles")

    def deep_page(self) -> None:
        key = self.random.choice(list(self.cursors))
        after = f"?start_cursor={urllib.parse.quote(self.cursors[key])}" if self.cursors[key] else ""
        self.call("GET", f"/v1/articles{after}", key=key)

    def search(self) -> None:
        first, second = self.random.choice(VOCABULARY[400:500]), self.random.choice(VOCABULARY[800:1_000])
        query = f"{first} {second}"
        key = self.random.choice(self.place.keys[:20])
        self.call("GET", f"/v1/articles/search?q={urllib.parse.quote(query)}", key=key)

    def patch(self) -> None:
        text = random_words(WORDS, self.random)
        self.call("PATCH", f"/v1/articles/article-{self.number()}", {"contentMarkdown": text})

    def writer(self) -> None:
        """A code change, from its arrival until it is known which articles it makes wrong."""
        name = self.random.choice(RARE_WORDS).upper()
        change = {"kind": "pr", "title": f"Give {name} more time", "diff": DIFF.format(name=name)}
        task = self.call("POST", "/v1/tasks", {"change": change}, key := self.random.choice(self.place.keys))
        while task["status"] not in ("completed", "failed"):
            time.sleep(POLL_SECONDS)
            task = self.call("GET", f"/v1/tasks/{task['id']}", key=key)
        if task["status"] == "failed":
            raise TooLarge


def measure(places: list[Place], processes: Sequence[int], rounds: int) -> None:
    clients = [Client(place) for place in places]
    for client in clients:
        client.reconnect()
        # The first search of a bot builds its index.
        for key in client.place.keys[:20]:
            client.call("GET", "/v1/articles/search?q=page%20one", key=key)
    print(
        f"median of {rounds} rounds of {REQUESTS} requests; CPU ms a request: server, worker and PostgreSQL"
    )
    print(f"{'':12}" + "".join(f"{client.place.name:>24}" for client in clients))
    for name in ("get", "first_page", "deep_page", "search", "patch", "writer"):
        costs: list[list[tuple[float, float]]] = [[] for _ in clients]
        count = TASKS if name == "writer" else REQUESTS
        too_large: set[str] = set()
        # Rounds are interleaved, so that noise of the machine affects all places alike.
        for _ in range(rounds):
            for client, runs in zip(clients, costs, strict=True):
                if client.place.name in too_large:
                    continue
                client.reconnect()
                try:
                    runs.append(cost(getattr(client, name), processes, count))
                except TooLarge:
                    too_large.add(client.place.name)
        print(f"{name.replace('_', ' '):12}" + "".join(cells(costs)), flush=True)


def cost(request: Callable[[], None], processes: Sequence[int], count: int) -> tuple[float, float]:
    """The latency of a request and its processor time, in milliseconds."""
    before = sum(map(family_seconds, processes))
    times = []
    for _ in range(count):
        began = time.perf_counter()
        request()
        times.append(time.perf_counter() - began)
    spent = sum(map(family_seconds, processes)) - before
    return statistics.median(times) * 1_000, spent / count * 1_000


def cells(costs: list[list[tuple[float, float]]]) -> Iterator[str]:
    smallest = statistics.median(milliseconds for milliseconds, _ in costs[0])
    for runs in costs:
        if not runs:
            yield f"{'given up':>24}"
            continue
        latency = statistics.median(milliseconds for milliseconds, _ in runs)
        # The kernel counts in steps of 10 ms, so many requests are needed for one figure.
        spent = statistics.mean(spent for _, spent in runs)
        yield f"{latency:9.1f} x{latency / smallest:4.2f} {spent:6.1f}  "


if __name__ == "__main__":
    main()
