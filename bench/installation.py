"""A filled installation, and the server processes that are measured."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.vocabulary import random_words
from instep.accounts.workspaces import actions
from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.ids import new_id
from instep.platform.identity.scopes import Scope
from instep.platform.migrations import migrate

BOTS = 20
ARTICLES = 2_000
WORDS = 900
PORT = 8191
URL = f"http://127.0.0.1:{PORT}"
PROGRAM = str(Path(sys.executable).parent / "instep")
UNLIMITED = "2000000000"
INSERT = """
insert into articles (id, workspace_id, bot_id, slug, locale, title, position, content_markdown, content_html,
    visibility, status, version, origin, author_type, author_name, text_changed_at, published_at, created_at,
    updated_at)
values (%s, %s, %s, 'article-' || %s, 'en', 'Article ' || %s, %s, %s, %s,
    'public', 'published', 1, 'create', 'command', 'bench', now(), now(), now(), now())
"""


@contextmanager
def installed(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """A filled database: its URL, the id of its first bot, and a key for each bot."""
    folder.chmod(0o711)
    with EmbeddedPostgres.attach(folder) as embedded:
        migrate(embedded.url)
        bot, keys = asyncio.run(prepare(embedded.url))
        yield embedded.url, bot, keys


async def prepare(url: str) -> tuple[str, list[str]]:
    """Create articles of 6 KB in 20 bots; the id of the first bot, and a key for each bot."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        tx = Tx(connection)
        workspace = await actions.find_workspace(tx, None)
        bots = [await actions.create_bot(tx, workspace.id, f"Bot {n}", None, "en") for n in range(BOTS)]
        keys = [await actions.create_key(tx, workspace.id, bot.name, Scope.WRITE, [bot.id]) for bot in bots]
        for bot in bots:
            await fill(connection, workspace.id, str(bot.id), ARTICLES // BOTS)
        await connection.execute("vacuum analyze")
    return str(bots[0].id), [key.key for key in keys]


async def fill(connection: psycopg.AsyncConnection, workspace_id: str, bot_id: str, count: int) -> None:
    """Add so many public articles to a bot."""
    generator = random.Random(bot_id)
    async with connection.cursor() as cursor:
        texts = [random_words(WORDS, generator) for _ in range(count)]
        rows = [
            (new_id("art"), workspace_id, bot_id, n, n, n, text, f"<p>{text}</p>\n")
            for n, text in enumerate(texts)
        ]
        await cursor.executemany(INSERT, rows)


@contextmanager
def servers(folder: Path, *, workers: int = 1, **environment: str) -> Iterator[int]:
    """Run the server; yields its process id."""
    variables = {
        "INSTEP_DATA_DIR": str(folder),
        "INSTEP_REQUESTS_PER_MINUTE": UNLIMITED,
        "INSTEP_PUBLIC_REQUESTS_PER_MINUTE": UNLIMITED,
        **environment,
    }
    command = [PROGRAM, "serve", "--port", str(PORT), "--no-jobs", "--workers", str(workers)]
    with running(command, variables, f"{URL}/readyz") as pid:
        yield pid


@contextmanager
def running(command: Sequence[str], variables: dict[str, str], url: str) -> Iterator[int]:
    """Run a server process until the block ends; it is ready when `url` answers."""
    process = subprocess.Popen(
        command, env={**os.environ, **variables}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        await_ready(url)
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def await_ready(url: str, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
